import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";

/**
 * Of an expression in a statement: a campaign's recipients by state, as events report them. Without messages that wait, and without the counts of
 * calls.
 */
export const COUNTS_OF = (tenantId: string, campaignId: string): string =>
  `(select coalesce(jsonb_object_agg(state, n), '{}') from (
      select state, sum(n)::int as n from campaign_counts
      where tenant_id = ${tenantId} and campaign_id = ${campaignId} and state <> 'pending' and state not like 'call%'
      group by state having sum(n) <> 0) as counted)`;

const sumCounts = statement(
  "sum-campaign-counts",
  `select campaign_id, state, sum(n)::int as n from campaign_counts
   where tenant_id = $1 and campaign_id = any($2::uuid[]) group by campaign_id, state having sum(n) <> 0`,
);

/** Recipients by state, and `pending` messages, of each campaign. Exact: a change is committed with what it counts. */
export async function read(
  tx: Tx,
  tenantId: Uuid,
  campaignIds: readonly Uuid[],
): Promise<Map<Uuid, Record<string, number>>> {
  const counts = new Map<Uuid, Record<string, number>>(campaignIds.map((id) => [id, {}]));
  const rows = await tx.rows<{ campaign_id: Uuid; state: string; n: number }>(sumCounts, [tenantId, campaignIds]);
  for (const row of rows) counts.get(row.campaign_id)![row.state] = row.n;
  return counts;
}

const addCounts = changing(
  "add-campaign-counts",
  `insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
   select $1, campaign_id, $2, state, sum(n) from unnest($3::uuid[], $4::text[], $5::int[]) as change (campaign_id, state, n)
   group by campaign_id, state having sum(n) <> 0
   on conflict do nothing`,
);

export type CountChange = { campaignId: Uuid; state: string; n: number };

export async function add(tx: Tx, tenantId: Uuid, changeId: Uuid, changes: readonly CountChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.run(addCounts, [
    tenantId,
    changeId,
    changes.map((change) => change.campaignId),
    changes.map((change) => change.state),
    changes.map((change) => change.n),
  ]);
}

/** A campaign with fewer changes than this is quick to sum as it is. */
const FOLD_ABOVE = 200;

const crowdedCampaigns = crossTenant(
  "crowded-campaign-counts",
  `select tenant_id, campaign_id from campaign_counts group by tenant_id, campaign_id having count(*) > ${FOLD_ABOVE}`,
);

export function crowded(tx: Tx): Promise<{ tenant_id: Uuid; campaign_id: Uuid }[]> {
  return tx.rows(crowdedCampaigns);
}

const foldCounts = changingAndReading(
  "fold-campaign-counts",
  `with folded as (
     delete from campaign_counts where tenant_id = $1 and campaign_id = $2 returning state, n),
   total as (select state, sum(n) as n from folded group by state having sum(n) <> 0)
   insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
   select $1, $2, $3, state, n from total on conflict do nothing`,
);

/** Sums many changes into one. Two at once sum what each of them sees, and nothing twice. */
export async function fold(tx: Tx, tenantId: Uuid, campaignId: Uuid, changeId: Uuid): Promise<void> {
  await tx.run(foldCounts, [tenantId, campaignId, changeId]);
}
