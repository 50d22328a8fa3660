import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, type Tx } from "#store/database/db.ts";

const requestStops = changing(
  "request-stops-of-phones",
  `update calls set stop_requested_at = coalesce(stop_requested_at, $3)
   where tenant_id = $1 and phone = any($2::text[]) and status in ('registered', 'ongoing') and id is distinct from $4`,
);

const requestStopsOf = changing(
  "request-stops-of-campaign",
  `update calls set stop_requested_at = coalesce(stop_requested_at, $3)
   where tenant_id = $1 and campaign_id = $2 and status in ('registered', 'ongoing')`,
);

const withdrawDials = changingAndReading(
  "withdraw-dials",
  `with waiting as (
     select campaign_id, id from dials where tenant_id = $1 and phone = any($2::text[]) and due_at is not null
     order by campaign_id, id for update),
   withdrawn as (
     update dials dial set state = 'suppressed', due_at = null, reason = $3, rule = $3, updated_at = $4
     from waiting
     where dial.tenant_id = $1 and dial.campaign_id = waiting.campaign_id and dial.id = waiting.id and dial.due_at is not null
     returning dial.campaign_id, dial.thread_id)
   insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
   select $1, campaign_id, $5, 'pending', -count(*)::int from withdrawn where thread_id is not null group by campaign_id
   on conflict do nothing`,
);

const forgetRequestedCalls = changing(
  "forget-requested-calls",
  `with held as (
     select campaign_id, id from threads
     where tenant_id = $1 and phone = any($2::text[]) and (call_scheduled_at is not null or transfer_requested_at is not null)
     order by id for no key update)
   update threads thread set call_scheduled_at = null, transfer_requested_at = null from held
   where thread.tenant_id = $1 and thread.campaign_id = held.campaign_id and thread.id = held.id`,
);

/** Requests the end of all calls with these phones but one. */
export async function request(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  now: Date,
  except?: Uuid,
): Promise<void> {
  await tx.run(requestStops, [tenantId, phones, now, except ?? null]);
}

/** Requests the end of a campaign's calls; returns how many. */
export function requestOfCampaign(tx: Tx, tenantId: Uuid, campaignId: Uuid, now: Date): Promise<number> {
  return tx.run(requestStopsOf, [tenantId, campaignId, now]);
}

/** Withdraws the calls that wait for these phones, and the callbacks that their contacts had requested. */
export async function withdraw(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  change: { reason: string; changeId: Uuid; now: Date },
): Promise<void> {
  await tx.run(withdrawDials, [tenantId, phones, change.reason, change.now, change.changeId]);
  await tx.run(forgetRequestedCalls, [tenantId, phones]);
}
