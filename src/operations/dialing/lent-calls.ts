import { unused } from "#domain/sending/lent-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import * as openCalls from "#store/calls/open-calls.ts";
import type { Tx } from "#store/database/db.ts";
import * as lentUses from "#store/sending/lent-uses.ts";

const NO_LIMITS = { texts_per_second: null, texts_per_day: null } as const;

/**
 * How many more calls may go on by an account that the tenant was lent. Nobody else begins one, or takes one, before the transaction ends: campaigns
 * that claim at the same time, and calls that come in, keep to the limit together.
 */
export async function roomOfLent(
  tx: Tx,
  tenantId: Uuid,
  { carrier, callsAtOnce }: { carrier: string; callsAtOnce: number },
  { now, tenantNow }: { now: Date; tenantNow: Date },
): Promise<number> {
  await lentUses.lock(tx, tenantId, carrier, unused(NO_LIMITS, tenantNow.toISOString().slice(0, 10), now));
  return Math.max(0, callsAtOnce - (await openCalls.over(tx, tenantId, carrier)));
}
