import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { JournalEntry } from "#ports/journal.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as dials from "#store/calls/dials.ts";
import type { Tx } from "#store/database/db.ts";
import * as phoneNumbers from "#store/numbers/phone-numbers.ts";
import * as rests from "#store/numbers/rests.ts";

export type NumberRestEntry = Extract<JournalEntry, { kind: "number_rest" }>;

/** The last request for each number, of those from after `cut`. Of two of one moment the rest holds. */
export function lastOfEach(entries: readonly NumberRestEntry[], cut: Date | undefined): NumberRestEntry[] {
  const last = new Map<string, NumberRestEntry>();
  for (const entry of entries) {
    if (cut !== undefined && new Date(entry.at) < cut) continue;
    const key = `${entry.tenantId} ${entry.number}`;
    const known = last.get(key);
    if (!known || known.at < entry.at || (known.at === entry.at && entry.until !== null)) last.set(key, entry);
  }
  return [...last.values()];
}

/** Has the numbers rest that were last asked to, unless that is over, and those not any more that were last called from again after `asOf`. */
export async function restAgain(
  ctx: Context,
  entries: readonly NumberRestEntry[],
  { cut, asOf }: { cut: Date | undefined; asOf: Date | undefined },
): Promise<void> {
  for (const { tenantId, number, until, at } of lastOfEach(entries, cut)) {
    if (until === null && (asOf === undefined || new Date(at) < asOf)) continue;
    await ctx.db.transaction((tx) => rest(ctx, tx, tenantId, number, until));
  }
}

async function rest(ctx: Context, tx: Tx, tenantId: Uuid, number: string, until: string | null) {
  if (!(await tenants.exists(tx, tenantId)) || !(await phoneNumbers.find(tx, tenantId, number))) return;
  const now = await tenants.tenantNow(tx, tenantId, ctx.now());
  const before = (await rests.lock(tx, tenantId, [number])).get(number);
  if (until !== null && new Date(until) > now) {
    await rests.begin(
      tx,
      tenantId,
      [{ number, until: new Date(until), reason: "asked", rests: before?.rests ?? 0 }],
      now,
    );
  } else {
    // One that is over by now has taken the place of any that the database has.
    await rests.end(tx, tenantId, number, now);
  }
  const waiting = await dialLanes.callingFrom(tx, tenantId, number);
  await dials.wakeLanes(tx, tenantId, new Map(waiting.map((id) => [id, now])), { now, realNow: ctx.now() });
}
