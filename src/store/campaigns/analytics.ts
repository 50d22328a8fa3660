import type { DisconnectionReason, Sentiment } from "#domain/calls/call.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

// Sums over a campaign, each one pass over what an index says is the campaign's, and over what is kept of texts and calls that were removed
// (messaging/old-texts.ts, calls/old-calls.ts). Classes of calls as domain/calls/call.ts's callClass.

const OVER = "status not in ('registered', 'ongoing')";
const CONNECTED = "duration_ms > 0 and not in_voicemail";
const FAILED = "duration_ms = 0 and not in_voicemail";

export type CallSums = {
  ongoing: number;
  calls: number;
  connected: number;
  voicemail: number;
  failed: number;
  successful: number;
  /** Milliseconds, of connected calls; null where there are none. */
  avg: number | null;
  p50: number | null;
  p95: number | null;
  /** A bigint, which comes as text. */
  total: string;
};

const GONE = (what: string): string =>
  `(select coalesce(sum(${what}), 0) from removed_calls where tenant_id = $1 and campaign_id = $2)`;

const sumCalls = statement(
  "sum-calls-of-campaign",
  `select count(*) filter (where not over)::int as ongoing,
     (count(*) filter (where over and not is_gone) + ${GONE("calls")})::int as calls, count(*) filter (where over and connected)::int as connected,
     (count(*) filter (where over and in_voicemail) + ${GONE("voicemail")})::int as voicemail,
     (count(*) filter (where over and failed) + ${GONE("failed")})::int as failed,
     (count(*) filter (where over and successful) + ${GONE("successful")})::int as successful,
     round(avg(duration_ms) filter (where over and connected))::int as avg,
     percentile_disc(0.5) within group (order by duration_ms) filter (where over and connected) as p50,
     percentile_disc(0.95) within group (order by duration_ms) filter (where over and connected) as p95,
     (coalesce(sum(duration_ms) filter (where over and not is_gone), 0) + ${GONE("duration_ms")})::bigint as total
   from (
     select false as is_gone, ${OVER} as over, ${CONNECTED} as connected, ${FAILED} as failed, in_voicemail, successful, duration_ms
     from calls where tenant_id = $1 and campaign_id = $2
     union all
     select true, true, true, false, false, false, unnest(durations) from removed_calls where tenant_id = $1 and campaign_id = $2) as call`,
);

export async function calls(tx: Tx, tenantId: Uuid, campaignId: Uuid): Promise<CallSums> {
  return (await tx.first<CallSums>(sumCalls, [tenantId, campaignId]))!;
}

const countEnds = statement(
  "count-ends-of-calls",
  `select sentiment, reason, sum(n)::int as n from (
     select sentiment, reason, 1 as n from calls where tenant_id = $1 and campaign_id = $2 and ${OVER}
     union all
     select sentiment, nullif(reason, ''), calls from removed_calls where tenant_id = $1 and campaign_id = $2) as ended
   group by sentiment, reason`,
);

export type CallEnds = { sentiment: Sentiment; reason: DisconnectionReason | null; n: number };

/** Calls that are over by their sentiment and how they ended. */
export function ends(tx: Tx, tenantId: Uuid, campaignId: Uuid): Promise<CallEnds[]> {
  return tx.rows<CallEnds>(countEnds, [tenantId, campaignId]);
}

const sumCost = statement(
  "sum-cost-of-calls",
  `with paid as (
     select (
       select coalesce(sum((detail.cost ->> 'total')::numeric), 0) from calls call
       join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
       where call.tenant_id = $1 and call.campaign_id = $2)
       + (select coalesce(sum(dollars), 0) from removed_calls where tenant_id = $1 and campaign_id = $2) as dollars)
   select (case when scale(trim_scale(dollars)) < 2 then round(dollars, 2) else trim_scale(dollars) end)::text as cost from paid`,
);

/** Dollars, exactly, with two decimals or more. */
export async function callCost(tx: Tx, tenantId: Uuid, campaignId: Uuid): Promise<string> {
  return (await tx.first<{ cost: string }>(sumCost, [tenantId, campaignId]))!.cost;
}

export type CallHour = {
  hour: Date;
  calls: number;
  connected: number;
  voicemail: number;
  failed: number;
  successful: number;
  duration_ms: string;
};

const callsByHour = statement(
  "list-hours-of-calls",
  `select hour, sum(calls)::int as calls, sum(connected)::int as connected, sum(voicemail)::int as voicemail,
     sum(failed)::int as failed, sum(successful)::int as successful, sum(duration_ms)::bigint as duration_ms
   from (
     select date_trunc('hour', start_at, 'UTC') as hour, 1 as calls, (${CONNECTED})::int as connected, in_voicemail::int as voicemail,
       (${FAILED})::int as failed, successful::int as successful, duration_ms
     from calls where tenant_id = $1 and campaign_id = $2 and ${OVER}
     union all
     select hour, calls, cardinality(durations), voicemail, failed, successful, duration_ms
     from removed_calls where tenant_id = $1 and campaign_id = $2) as call
   group by hour order by hour`,
);

export function callHours(tx: Tx, tenantId: Uuid, campaignId: Uuid): Promise<CallHour[]> {
  return tx.rows<CallHour>(callsByHour, [tenantId, campaignId]);
}

const LEFT =
  "direction = 'outbound' and state in ('accepted', 'sent', 'delivered', 'undelivered', 'failed') and sent_at is not null";
const TEXT_COUNTS = `count(*) filter (where ${LEFT})::int as sent, count(*) filter (where state = 'delivered')::int as delivered,
     count(*) filter (where direction = 'outbound' and state in ('undelivered', 'failed'))::int as failed,
     count(*) filter (where direction = 'inbound')::int as received`;

export type TextHour = {
  hour: Date;
  sent: number;
  delivered: number;
  failed: number;
  received: number;
  segments: number;
  picture_texts: number;
};

const textsByHour = statement(
  "list-hours-of-texts",
  `select hour, sum(sent)::int as sent, sum(delivered)::int as delivered, sum(failed)::int as failed, sum(received)::int as received,
     sum(segments)::int as segments, sum(picture_texts)::int as picture_texts
   from (
     select date_trunc('hour', coalesce(sent_at, created_at), 'UTC') as hour, ${TEXT_COUNTS},
       coalesce(sum(segments) filter (where ${LEFT}), 0)::int as segments,
       count(*) filter (where ${LEFT} and media_urls is not null)::int as picture_texts
     from messages where tenant_id = $1 and campaign_id = $2
       and (direction = 'inbound' or state in ('accepted', 'sent', 'delivered', 'undelivered', 'failed'))
     group by hour
     union all
     select hour, sent, delivered, failed, received, segments, picture_texts
     from removed_texts where tenant_id = $1 and campaign_id = $2) as counted
   group by hour order by hour`,
);

/** A campaign's texts by the hour in which they left or came. */
export function textHours(tx: Tx, tenantId: Uuid, campaignId: Uuid): Promise<TextHour[]> {
  return tx.rows<TextHour>(textsByHour, [tenantId, campaignId]);
}

const countReached = statement(
  "count-reached-recipients",
  `select count(*) filter (where first_sent_at is not null)::int as contacted,
     count(*) filter (where first_sent_at is not null and last_inbound_at is not null)::int as replied,
     count(*) filter (where first_sent_at is not null and state = 'opted_out')::int as opted_out
   from threads where tenant_id = $1 and campaign_id = $2`,
);

/** Recipients to whom a text has left, and of those who wrote back, or want no more. */
export async function reached(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
): Promise<{ contacted: number; replied: number; opted_out: number }> {
  return (await tx.first<{ contacted: number; replied: number; opted_out: number }>(countReached, [
    tenantId,
    campaignId,
  ]))!;
}
