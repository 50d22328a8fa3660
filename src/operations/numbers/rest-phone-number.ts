import { type PhoneNumber, refuseShared, requirePhone } from "#domain/numbers/phone-number.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { requireInstant } from "#domain/values/instant.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { JournalEntry } from "#ports/journal.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as dials from "#store/calls/dials.ts";
import * as numbers from "#store/numbers/phone-numbers.ts";
import * as rests from "#store/numbers/rests.ts";

type NumberRestEntry = Extract<JournalEntry, { kind: "number_rest" }>;

/**
 * Has a number rest until a time, or not any more: null. Campaigns that wait for it go on at once. 404 for a number that the tenant does not have, 400
 * for a time that is over. Safe to repeat.
 */
export async function restPhoneNumber(
  ctx: Context,
  caller: Caller,
  text: string,
  restingUntil: string | null,
): Promise<PhoneNumber> {
  const { tenantId } = caller;
  const phone = requirePhone("phone_number", text);
  const number = await numbers.find(ctx.db, tenantId, phone);
  if (!number) throw notFound("Phone number");
  refuseShared(number, caller);
  const until = restingUntil === null ? null : requireInstant("resting_until", restingUntil);
  refuseOver(until, await tenants.tenantNow(ctx.db, tenantId, ctx.now()));
  await journal(ctx, { tenantId, number: phone, until: until?.toISOString() ?? null });
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    refuseOver(until, now);
    const before = (await rests.lock(tx, tenantId, [phone])).get(phone);
    if (until)
      await rests.begin(tx, tenantId, [{ number: phone, until, reason: "asked", rests: before?.rests ?? 0 }], now);
    else await rests.end(tx, tenantId, phone, now);
    const waiting = await dialLanes.callingFrom(tx, tenantId, phone);
    await dials.wakeLanes(tx, tenantId, new Map(waiting.map((id) => [id, now])), { now, realNow });
  });
  const changed = await numbers.find(ctx.db, tenantId, phone);
  if (!changed) throw failure("update_failed", "Update failed: the number was given back meanwhile");
  return changed;
}

function refuseOver(until: Date | null, now: Date): void {
  if (until && until <= now) throw invalidField("resting_until", `must be after ${now.toISOString()}, which is now`);
}

/** As a stop of all sending: a journal that cannot be written keeps no number from resting. */
async function journal(ctx: Context, entry: Pick<NumberRestEntry, "tenantId" | "number" | "until">): Promise<void> {
  try {
    await ctx.journal.append({ kind: "number_rest", at: ctx.now().toISOString(), ...entry });
  } catch (error) {
    ctx.log.error({ err: error, ...entry }, "the journal cannot be written: a restore would not know of this");
  }
}
