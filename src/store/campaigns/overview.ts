import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

// An organization's day, summed from the log of events and from calls by the hour of their start: never from each text.

/** Written as in the index events_of_day: otherwise the planner does not see that the index applies. */
const OF_DAY = `event.tenant_id = $1 and event.at >= $3 and event.at < $4
     and event.kind in ('message.sent', 'message.delivered', 'message.failed', 'message.received', 'contact.opted_out')`;

export type DayWanted = { organizationId: Uuid; from: Date; to: Date };
const values = (tenantId: Uuid, { organizationId, from, to }: DayWanted) => [tenantId, organizationId, from, to];

export type TextSums = { sent: number; delivered: number; failed: number; received: number };

const sumTexts = statement(
  "sum-texts-of-day",
  `select coalesce(sum(n) filter (where kind = 'message.sent'), 0)::float8 as sent,
     coalesce(sum(n) filter (where kind = 'message.delivered'), 0)::float8 as delivered,
     coalesce(sum(n) filter (where kind = 'message.failed'), 0)::float8 as failed,
     coalesce(sum(n) filter (where kind = 'message.received'), 0)::float8 as received
   from (
     select event.campaign_id, event.kind, sum(event.n) as n from events event where ${OF_DAY}
       and event.kind <> 'contact.opted_out' group by event.campaign_id, event.kind) as day
   join campaigns campaign on campaign.tenant_id = $1 and campaign.id = day.campaign_id
   where campaign.organization_id = $2`,
);

/** Texts of the organization's campaigns. */
export async function texts(tx: Tx, tenantId: Uuid, day: DayWanted): Promise<TextSums> {
  return (await tx.first<TextSums>(sumTexts, values(tenantId, day)))!;
}

const countOptOuts = statement(
  "count-opt-outs-of-day",
  `select count(*)::int as n from (
     select distinct event.phone from events event where ${OF_DAY} and event.kind = 'contact.opted_out' and event.phone is not null) as day
   join consents consent on consent.tenant_id = $1 and consent.phone = day.phone and consent.opted_out_at is not null
   join contacts contact on contact.tenant_id = $1 and contact.organization_id = $2 and contact.phone = day.phone`,
);

/** The organization's contacts who opted out that day and have not come back. An opt-out itself is of the whole tenant. */
export async function optOuts(tx: Tx, tenantId: Uuid, day: DayWanted): Promise<number> {
  return (await tx.first<{ n: number }>(countOptOuts, values(tenantId, day)))!.n;
}

export type CallSums = { total: number; answered: number; voicemail: number; ongoing: number };

const sumCalls = statement(
  "sum-calls-of-day",
  `select count(*)::int as total, count(*) filter (where duration_ms > 0 and not in_voicemail)::int as answered,
     count(*) filter (where in_voicemail)::int as voicemail,
     count(*) filter (where status in ('registered', 'ongoing'))::int as ongoing
   from calls where tenant_id = $1 and organization_id = $2 and start_at >= $3 and start_at < $4`,
);

export async function calls(tx: Tx, tenantId: Uuid, day: DayWanted): Promise<CallSums> {
  return (await tx.first<CallSums>(sumCalls, values(tenantId, day)))!;
}

export type Problem = { code: string; count: number; campaign: string | null };

// A row's events have a list with a reason for each, or one object for all of them.
const textProblems = statement(
  "list-text-problems-of-day",
  `with failed as (
     select event.campaign_id, coalesce(it ->> 'reason', '') as code,
       sum(case when jsonb_typeof(event.data) = 'array' then 1 else event.n end)::int as n
     from events event
     cross join lateral jsonb_array_elements(
       case when jsonb_typeof(event.data) = 'array' then event.data else jsonb_build_array(event.data) end) as it
     where ${OF_DAY} and event.kind = 'message.failed' group by event.campaign_id, code)
   select failed.code, sum(failed.n)::int as count,
     (array_agg(campaign.campaign_id order by failed.n desc, campaign.campaign_id))[1] as campaign
   from failed join campaigns campaign on campaign.tenant_id = $1 and campaign.id = failed.campaign_id
   where campaign.organization_id = $2 group by failed.code order by count desc, failed.code limit $5`,
);

/** Why texts failed, the most frequent first, each with the campaign that has most of it. */
export function failedTexts(tx: Tx, tenantId: Uuid, day: DayWanted, limit: number): Promise<Problem[]> {
  return tx.rows<Problem>(textProblems, [...values(tenantId, day), limit]);
}

const callProblems = statement(
  "list-call-problems-of-day",
  `with failed as (
     select campaign_id, reason as code, count(*)::int as n from calls
     where tenant_id = $1 and organization_id = $2 and start_at >= $3 and start_at < $4 and reason = any($6::text[])
     group by campaign_id, reason)
   select failed.code, sum(failed.n)::int as count,
     (array_agg(campaign.campaign_id order by failed.n desc, campaign.campaign_id))[1] as campaign
   from failed left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = failed.campaign_id
   group by failed.code order by count desc, failed.code limit $5`,
);

/** Calls that came to one of these ends, as `failedTexts`. */
export function failedCalls(
  tx: Tx,
  tenantId: Uuid,
  day: DayWanted,
  limit: number,
  reasons: readonly string[],
): Promise<Problem[]> {
  return tx.rows<Problem>(callProblems, [...values(tenantId, day), limit, reasons]);
}

export type Begun = { agent: boolean; contacts: boolean; campaign: boolean; reply: boolean };

const readBegun = statement(
  "read-what-has-begun",
  `select exists (select from agents where tenant_id = $1 and organization_id = $2 and deleted_at is null) as agent,
     exists (select from contacts where tenant_id = $1 and organization_id = $2 and phone like '+%') as contacts,
     exists (select from campaigns where tenant_id = $1 and organization_id = $2) as campaign,
     exists (select from campaigns campaign where campaign.tenant_id = $1 and campaign.organization_id = $2 and exists (
         select from threads where tenant_id = $1 and campaign_id = campaign.id and last_inbound_at is not null))
       or exists (select from calls where tenant_id = $1 and organization_id = $2 and duration_ms > 0 and not in_voicemail) as reply`,
);

/** What an organization has done at least once. */
export async function begun(tx: Tx, tenantId: Uuid, organizationId: Uuid): Promise<Begun> {
  return (await tx.first<Begun>(readBegun, [tenantId, organizationId]))!;
}
