import { SIMULATOR } from "#domain/accounts/tenant-clock.ts";
import { NUMBER_RATES, tighter } from "#domain/numbers/rate-limits.ts";
import type { Budget } from "#domain/sending/budget.ts";
import type { FirstHour } from "#domain/sending/first-hour.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";
import { type Registered, read } from "./budgets.ts";
import * as lanes from "./lanes.ts";

/** What a number may send from now on: texts a second (null: no limit), and the budgets of its 10DLC registration. */
export type SenderLimits = {
  perSecond: number | null;
  registered: Registered | null;
  budget: Budget | undefined;
  /** Of its first hour with a real carrier; undefined for simulated numbers, which have none. */
  first: FirstHour | undefined;
};

const findRegistration = statement(
  "find-ten-dlc-number",
  `select ten_dlc_campaign_id as "tenDlcCampaignId", brand_id as "brandId" from ten_dlc_numbers where tenant_id = $1 and phone = $2`,
);

/** Reads only. `perSecond` is the carrier's rate, for a number that nothing has been sent from yet. */
export async function senderLimits(
  tx: Tx,
  tenantId: Uuid,
  { carrier, sender, perSecond }: { carrier: string; sender: string; perSecond: number | undefined },
  now: Date,
): Promise<SenderLimits> {
  const lane = await lanes.bySender(tx, tenantId, carrier, sender);
  const registered = lane
    ? lane.registered
    : ((await tx.first<Registered>(findRegistration, [tenantId, sender])) ?? null);
  const budget = registered ? await read(tx, tenantId, registered, { id: lane?.id ?? NO_ID, carrier }, now) : undefined;
  const first =
    carrier === SIMULATOR ? undefined : { firstSentAt: lane?.first_sent_at ?? null, sent: lane?.first_hour_texts ?? 0 };
  if (lane) return { perSecond: lane.per_second, registered, budget, first };
  const own = registered ? tighter(perSecond, NUMBER_RATES.local.perSecond) : (perSecond ?? null);
  return { perSecond: own, registered, budget, first };
}
