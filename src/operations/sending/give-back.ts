import { isOutreach, type MessagePurpose } from "#domain/messaging/message.ts";
import { spendDay, textMicros } from "#domain/sending/spend-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { Tx } from "#store/database/db.ts";
import type { OpenAttempt } from "#store/messaging/attempts.ts";
import * as marks from "#store/messaging/marks.ts";
import * as lanes from "#store/sending/lanes.ts";
import * as lentUses from "#store/sending/lent-uses.ts";
import * as spend from "#store/sending/spend.ts";
import * as stops from "#store/sending/stops.ts";
import * as fence from "#store/system/fence.ts";

/**
 * Whether attempts that were never marked may be sent again now: not while the restore fence is up, for the database may have been put back to before
 * their marks; nor by a process without a place in the cluster, which may be looking at such a database before anybody has fenced it.
 */
export async function mayGiveBack(ctx: Context): Promise<boolean> {
  const { fenced_at: fencedAt, is_unknown: isUnknown } = await fence.read(ctx.db);
  return fencedAt === null && !isUnknown && ctx.node.alive();
}

/**
 * Takes back what the claim of a dead process has counted of texts that never left: what they cost, their part of their senders' first hour, and of what
 * may be sent by an account that was lent. All of them are one account's.
 */
export async function uncount(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  them: readonly OpenAttempt[],
  moved: ReadonlySet<Uuid>,
): Promise<void> {
  const rows = await marks.texts(
    tx,
    tenantId,
    them.map(({ ref }) => ref),
  );
  const back = rows.filter(({ id }) => moved.has(id));
  if (back.length === 0) return;
  const { spending } = await stops.read(tx, tenantId);
  const outreach = back.filter(({ kind }) => isOutreach(kind as MessagePurpose));
  const byLane = Map.groupBy(outreach, ({ lane_id }) => lane_id);
  for (const laneId of [...byLane.keys()].sort())
    await lanes.countFirstHour(tx, tenantId, laneId, ctx.now(), -byLane.get(laneId)!.length);
  const byDay = Map.groupBy(back, ({ at }) => spendDay(spending.zone, at).date);
  for (const day of [...byDay.keys()].sort()) {
    const micros = byDay
      .get(day)!
      .map(({ segments, has_pictures: hasPictures }) => textMicros({ segments, hasPictures }, ctx.textPrices));
    const sum = micros.reduce((all, one) => all + one, 0);
    await lentUses.unsent(tx, tenantId, them[0]!.carrier, day, byDay.get(day)!.length);
    await spend.add(tx, tenantId, day, -sum);
  }
}
