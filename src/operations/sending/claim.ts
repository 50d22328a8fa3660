import { clockHoldsFor, SIMULATOR } from "#domain/accounts/tenant-clock.ts";
import { isOutreach } from "#domain/messaging/message.ts";
import { comeBackAt, roomOf } from "#domain/sending/budget.ts";
import { firstHourRoom } from "#domain/sending/first-hour.ts";
import { type LentLimits, lentRoom, unused, withTexts } from "#domain/sending/lent-limit.ts";
import { microsOf, piecesLeft, spendDay, spendLeft } from "#domain/sending/spend-limit.ts";
import { refill } from "#domain/sending/tokens.ts";
import type { Uuid } from "#domain/values/id.ts";
import { isAccount, smsCarrier } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import type { SmsCarrier } from "#ports/sms-carrier.ts";
import type { Tx } from "#store/database/db.ts";
import * as budgets from "#store/sending/budgets.ts";
import * as claims from "#store/sending/claims.ts";
import * as dueTexts from "#store/sending/due-texts.ts";
import * as lanes from "#store/sending/lanes.ts";
import * as lentUses from "#store/sending/lent-uses.ts";
import * as spend from "#store/sending/spend.ts";
import * as stops from "#store/sending/stops.ts";
import { type Moment, moment } from "#store/system/moments.ts";
import { decide, NOTHING, type Sending } from "./decide.ts";
import type { Doubt } from "./doubt.ts";

/** Large enough that a statement's fixed cost does not matter, small enough to hold no lock for long. */
const BATCH = 500;
/** An attempt without a result for this long has lost its owner, or its owner the answer: see recover-attempts. */
const CHECK_AFTER_MS = 60_000;
/** What another transaction had locked during a claim (an opt-out, most of all) is tried again this soon. */
const LOOK_AGAIN_MS = 50;
/** How soon a lane is tried again while the restore fence is up. */
const FENCED_MS = 5_000;
/** A lane with a rate gathers tokens for this long at least: claiming each text on its own would cost more than the text. */
const GATHER_MS = 200;
export type Lane = { tenantId: Uuid; laneId: Uuid };
export type Claim = {
  /** The id of this node at the claim. */
  nodeId: Uuid;
  laneId: Uuid;
  carrier: SmsCarrier;
  /** Of the account that the carrier is; null for the simulator. */
  revision: number | null;
  sender: string;
  sending: Sending[];
  tenantNow: Date;
  clockOffsetMs: number;
  /** Whose texts were counted, should they not be sent. */
  spendDay: string;
  /** Its campaign texts were counted into the sender's first hour. */
  isRamp: boolean;
  /** Its texts were counted into what the tenant may send by an account that it was lent. */
  isLent: boolean;
  claimedAt: Moment;
  /** By performance.now(): at this or later it has read that nothing is stopped, or has confirmations alone. */
  unstoppedMs: number;
  /** The lane was held, and this batch shows whether it is open again. */
  wasHeld: boolean;
};
/** The result of a claim: texts to send, whether more are due at once, and when else to claim again (real time). */
export type Claimed = { claim: Claim | undefined; more: boolean; nextAt: Date | undefined };

const sumOf = (them: readonly number[]): number => them.reduce((sum, n) => sum + n, 0);

/**
 * Claims a batch in one transaction: decides every due text, and writes an attempt for each that may leave, as far as
 * there is room for texts in doubt where the carrier has no look-up.
 */
export function claim(ctx: Context, { tenantId, laneId }: Lane, doubt: Doubt): Promise<Claimed> {
  return ctx.db.transaction(async (tx) => {
    const lane = await lanes.lock(tx, tenantId, laneId);
    // Both after the lock, which may take seconds: hours are decided by this time, and whoever stops the sending waits for the lock.
    const now = ctx.now();
    const unstoppedMs = performance.now();
    const { clockOffsetMs: offsetMs, mode, stop, spending } = await stops.read(tx, tenantId);
    const tenantNow = new Date(now.getTime() + offsetMs);
    if (lane && !lane.fenced && lane.revision === null && isAccount(lane.carrier)) {
      return refuseRemoved(ctx, tx, tenantId, lane, tenantNow);
    }
    const carrier =
      lane && (await smsCarrier(ctx.carriers, tx, { tenantId, mode }, lane.carrier, lane.revision ?? undefined));
    if (!lane || !carrier) return { claim: undefined, more: false, nextAt: undefined };
    // Another process has the carrier's session, or is about to: what is due stays so, and is found there (app/process/carrier-sessions.ts).
    if (carrier.isHere?.() === false) return { claim: undefined, more: false, nextAt: undefined };
    const later = (ms: number): Claimed => ({ claim: undefined, more: false, nextAt: new Date(now.getTime() + ms) });
    if (lane.fenced || !clockHoldsFor(lane.carrier, offsetMs, ctx.clockMovesLive)) return later(FENCED_MS);
    if (lane.held_until && lane.held_until > now) return later(lane.held_until.getTime() - now.getTime());

    const { per_second } = lane;
    // A lane without a rate has room for any batch.
    const bucket = per_second === null ? BATCH : refill({ ...lane, per_second }, now);
    const { largestBatch = BATCH } = carrier.capabilities;
    const day = spendDay(spending.zone, tenantNow);
    const lent = lane.lent && (await openLent(tx, tenantId, { ...lane, lent: lane.lent }, day.date, now));
    if (lent && lent.room.room < 1) return later(Math.max(GATHER_MS, 1000 / lane.lent!.texts_per_second!));
    const most = Math.min(BATCH, largestBatch, Math.floor(bucket), lent?.room.room ?? BATCH);
    const room = doubt.take(carrier, most);
    if (room === 0) return later(bucket >= 1 ? LOOK_AGAIN_MS : Math.max(GATHER_MS, 1000 / per_second!));

    const segmentMicros = microsOf(ctx.textPrices.segment);
    const left =
      spending.limit === null ? undefined : spendLeft(spending.limit, await spend.lock(tx, tenantId, day.date));
    const budget = lane.registered && (await budgets.lock(tx, tenantId, lane.registered, lane, tenantNow));
    const wide = budget ? roomOf(budget, room) : { conversation: room, outreach: room, excluded: [] };
    const first = { firstSentAt: lane.first_sent_at, sent: lane.first_hour_texts };
    const ramp = lane.carrier === SIMULATOR ? undefined : firstHourRoom(ctx.firstHourTexts, first, now);
    const paid = left ? Math.min(wide.outreach, piecesLeft(left.outreach, segmentMicros)) : wide.outreach;
    const rooms = { ...wide, outreach: Math.min(paid, ramp?.room ?? paid) };
    const { texts: due, more: moreDue } =
      stop || lent?.room.isSpent || (left && left.conversation < segmentMicros)
        ? await dueTexts.confirmations(tx, tenantId, laneId, tenantNow, rooms.conversation)
        : await dueTexts.list(tx, tenantId, laneId, tenantNow, rooms);
    const decision =
      due.length === 0
        ? NOTHING
        : await decide(ctx, tx, tenantId, due, { budget, left, outreach: ramp?.room }, tenantNow);
    const { sending: decided, busy, spent, unpaid } = decision;
    // What the day's limit has no room for waits as it is, and nothing of it is looked at again before the day ends or the limit is raised.
    const isSpent = lent?.room.isSpent || (left !== undefined && (unpaid > 0 || paid < Math.min(1, wide.outreach)));
    const planned = decided.filter(({ message }) => isOutreach(message.kind)).length;
    const isRamped = ramp !== undefined && planned >= ramp.room;
    if (lane.registered && spent) await budgets.settle(tx, tenantId, lane.registered, spent);
    const nodeId = ctx.node.id;
    await claims.start(tx, tenantId, decided, {
      now: tenantNow,
      nodeId,
      carrier: lane.carrier,
      sender: lane.sender,
      checkAt: new Date(now.getTime() + CHECK_AFTER_MS),
      marks: carrier.capabilities.marks === true,
    });
    // Only texts that others have locked remain: claiming again at once would not get them.
    const comesBackAt = budget && comeBackAt(budget, rooms, spent);
    const more = moreDue && busy < due.length && !comesBackAt && !isSpent && !isRamped;
    const nextDueAt = more ? tenantNow : await dueTexts.nextDueAt(tx, tenantId, laneId);
    const tokens = per_second === null ? 0 : bucket - decided.length;
    await lanes.settle(tx, tenantId, laneId, { tokens, tokensAt: now, nextDueAt });
    if (ramp && planned > 0) await lanes.countFirstHour(tx, tenantId, laneId, now, planned);
    if (lent) await lent.settle(decided.length);
    await spend.add(tx, tenantId, day.date, sumOf(decided.map(({ micros }) => micros)));
    const claimed = {
      nodeId,
      laneId,
      carrier,
      revision: lane.revision,
      sender: lane.sender,
      sending: decided,
      tenantNow,
      clockOffsetMs: offsetMs,
      spendDay: day.date,
      isRamp: ramp !== undefined,
      isLent: lent !== undefined,
      claimedAt: moment(ctx.now()),
      unstoppedMs,
      wasHeld: lane.held_until !== null,
    };
    return {
      claim: decided.length === 0 ? undefined : claimed,
      more,
      // What is due waits for the sending to go on; a confirmation brings its own job, and the sweep one that is left.
      nextAt:
        nextDueAt && (!stop || busy > 0 || comesBackAt)
          ? new Date(
              Math.max(
                nextDueAt.getTime() - offsetMs,
                busy > 0 ? now.getTime() + LOOK_AGAIN_MS : 0,
                comesBackAt ? Math.max(now.getTime() + GATHER_MS, comesBackAt.getTime() - offsetMs) : 0,
                isRamped && busy === 0 ? ramp.nextAt.getTime() : 0,
                isSpent && busy === 0 ? day.endsAt.getTime() - offsetMs : 0,
              ),
            )
          : undefined,
    };
  });
}

/** What is left of what a tenant may send by an account that it was lent, held until the claim's end. */
async function openLent(
  tx: Tx,
  tenantId: Uuid,
  { carrier, lent }: { carrier: string; lent: LentLimits },
  day: string,
  now: Date,
) {
  const use = await lentUses.lock(tx, tenantId, carrier, unused(lent, day, now));
  const room = lentRoom(lent, use, { day, now });
  return {
    room,
    settle: (texts: number) => lentUses.write(tx, tenantId, carrier, withTexts(use, room, texts, { day, now })),
  };
}

/** A lane of an account that was removed, which does not come back: its due texts are refused, and none leaves. */
async function refuseRemoved(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  lane: lanes.Lane,
  tenantNow: Date,
): Promise<Claimed> {
  const room = { conversation: BATCH, outreach: BATCH, excluded: [] };
  const { texts, more: moreDue } = await dueTexts.list(tx, tenantId, lane.id, tenantNow, room);
  const { busy } = await decide(ctx, tx, tenantId, texts, "removed", tenantNow);
  const more = moreDue && busy < texts.length;
  const nextDueAt = more ? tenantNow : await dueTexts.nextDueAt(tx, tenantId, lane.id);
  await lanes.settle(tx, tenantId, lane.id, { tokens: lane.tokens, tokensAt: lane.tokens_at, nextDueAt });
  return { claim: undefined, more, nextAt: busy > 0 ? new Date(ctx.now().getTime() + LOOK_AGAIN_MS) : undefined };
}
