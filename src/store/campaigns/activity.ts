import type { ActivityKey } from "#domain/campaigns/activity.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

// Sums of what activity-counting.ts has counted.

export type ActivityWanted = {
  /** Of the tenant's time, both on a full UTC hour. */
  from: Date;
  to: Date;
  timeZone: string;
  organizationId: Uuid | undefined;
  campaignId: Uuid | undefined;
  agentId: Uuid | undefined;
  number: string | undefined;
  areaCode: string | undefined;
};

/** `hour` and `day` are keyed by their beginning, in ms since 1970. */
export type SummedBy = ActivityKey | "hour" | "day";

const sums = (name: string, campaign: string) =>
  statement(
    name,
    `select case $4::text
         when 'hour' then (extract(epoch from hour) * 1000)::bigint::text
         when 'day' then (extract(epoch from date_trunc('day', hour, $5::text)) * 1000)::bigint::text
         when 'campaign' then campaign_id::text when 'agent' then agent_id::text
         when 'number' then number when 'area_code' then area_code
         when 'hour_of_day' then extract(hour from hour at time zone $5::text)::int::text
         else extract(isodow from hour at time zone $5::text)::int::text end as key, measure, sum(n)::float8 as n
     from activity_counts
     where tenant_id = $1 and hour >= $2 and hour < $3 and ${campaign} and ($6::uuid is null or organization_id = $6)
       and ($8::uuid is null or agent_id = $8) and ($9::text is null or number = $9) and ($10::text is null or area_code = $10)
     group by 1, measure`,
  );

const sumActivity = sums("sum-activity", "$7::uuid is null");
const sumActivityOfCampaign = sums("sum-activity-of-campaign", "campaign_id = $7::uuid");

/** Counts by measure, of each key that has any. */
export async function read(
  tx: Tx,
  tenantId: Uuid,
  by: SummedBy,
  wanted: ActivityWanted,
): Promise<Map<string, Map<string, number>>> {
  const rows = await tx.rows<{ key: string; measure: string; n: number }>(
    wanted.campaignId === undefined ? sumActivity : sumActivityOfCampaign,
    [
      tenantId,
      wanted.from,
      wanted.to,
      by,
      wanted.timeZone,
      wanted.organizationId ?? null,
      wanted.campaignId ?? null,
      wanted.agentId ?? null,
      wanted.number ?? null,
      wanted.areaCode ?? null,
    ],
  );
  const byKey = new Map<string, Map<string, number>>();
  for (const { key, measure, n } of rows) {
    const counts = byKey.get(key) ?? new Map<string, number>();
    byKey.set(key, counts.set(measure, n));
  }
  return byKey;
}

const nameCampaigns = statement(
  "name-campaigns-of-activity",
  "select id, campaign_id as key, coalesce(name, campaign_id) as name from campaigns where tenant_id = $1 and id = any($2::uuid[])",
);

const nameAgents = statement(
  "name-agents-of-activity",
  `select agent.id, version.config ->> 'agent_name' as name from agents agent
   join agent_versions version on version.tenant_id = $1 and version.agent_id = agent.id and version.version = agent.version
   where agent.tenant_id = $1 and agent.id = any($2::uuid[])`,
);

/** Campaigns by id: the caller's own id of each, and its name. */
export async function campaignNames(tx: Tx, tenantId: Uuid, ids: readonly string[]) {
  const rows = await tx.rows<{ id: Uuid; key: string; name: string }>(nameCampaigns, [tenantId, ids]);
  return new Map<string, { key: string; name: string }>(rows.map(({ id, ...rest }) => [id, rest]));
}

export async function agentNames(tx: Tx, tenantId: Uuid, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: Uuid; name: string }>(nameAgents, [tenantId, ids]);
  return new Map(rows.map((row) => [row.id, row.name]));
}
