import type { Uuid } from "#domain/values/id.ts";
import { changingAndReading, crossTenant, type Tx } from "#store/database/db.ts";
import { tenantTime } from "#store/system/events.ts";
import { COUNTS_OF } from "./counts.ts";

// Counts change some thousand times a second while a campaign runs, so they are reported at intervals and not at each change.

/** A campaign's counts are reported at most this often. */
const REPORTED_EVERY_MS = 1_000;

const movingCampaigns = crossTenant(
  "moving-campaigns",
  `select campaign.tenant_id, array_agg(campaign.id) as ids from campaigns campaign
   left join campaign_progress reported on reported.tenant_id = campaign.tenant_id and reported.campaign_id = campaign.id
   where campaign.status in ('processing', 'active', 'scheduled', 'running')
     and (reported.at is null or reported.at <= $1)
     and exists (
       select from campaign_counts count where count.tenant_id = campaign.tenant_id and count.campaign_id = campaign.id
         and count.change_id >= $2)
   group by campaign.tenant_id order by campaign.tenant_id`,
);

/** Open campaigns, by tenant, in which something has been counted since the id `since`, and that may be reported at `realNow`. */
export function moving(tx: Tx, realNow: Date, since: Uuid): Promise<{ tenant_id: Uuid; ids: Uuid[] }[]> {
  return tx.rows(movingCampaigns, [new Date(realNow.getTime() - REPORTED_EVERY_MS), since]);
}

// A campaign that another process reports meanwhile is left to that one: its row has a later time.
const reportProgress = changingAndReading(
  "report-campaign-progress",
  `with now_counted as (
     select campaign.id, campaign.status, ${COUNTS_OF("$1", "campaign.id")} as counts from campaigns campaign
     where campaign.tenant_id = $1 and campaign.id = any($2::uuid[])),
   reported as (
     insert into campaign_progress (tenant_id, campaign_id, counts, at)
     select $1, id, counts, $3 from now_counted order by id
     on conflict (tenant_id, campaign_id) do update set counts = excluded.counts, at = excluded.at
       where campaign_progress.counts <> excluded.counts
         and excluded.at - campaign_progress.at >= interval '${REPORTED_EVERY_MS} milliseconds'
     returning campaign_id, counts)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.progressed', ${tenantTime("$3")}, reported.campaign_id,
     jsonb_build_object('status', now_counted.status, 'counts', reported.counts)
   from reported join now_counted on now_counted.id = reported.campaign_id
   on conflict do nothing`,
);

/** Reports campaigns whose counts differ from the last report, unless that was less than REPORTED_EVERY_MS before `realNow`. */
export async function report(tx: Tx, tenantId: Uuid, ids: readonly Uuid[], realNow: Date): Promise<void> {
  await tx.run(reportProgress, [tenantId, ids, realNow]);
}
