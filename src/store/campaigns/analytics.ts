import type { DisconnectionReason, Sentiment } from "#domain/calls/call.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

// Sums over a campaign, each one pass over what an index says is the campaign's. Classes of calls as domain/calls/call.ts's callClass.

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

const sumCalls = statement(
  "sum-calls-of-campaign",
  `select count(*) filter (where not over)::int as ongoing, count(*) filter (where over)::int as calls,
     count(*) filter (where over and connected)::int as connected, count(*) filter (where over and in_voicemail)::int as voicemail,
     count(*) filter (where over and failed)::int as failed, count(*) filter (where over and successful)::int as successful,
     round(avg(duration_ms) filter (where over and connected))::int as avg,
     percentile_disc(0.5) within group (order by duration_ms) filter (where over and connected) as p50,
     percentile_disc(0.95) within group (order by duration_ms) filter (where over and connected) as p95,
     coalesce(sum(duration_ms) filter (where over), 0) as total
   from (
     select ${OVER} as over, ${CONNECTED} as connected, ${FAILED} as failed, in_voicemail, successful, duration_ms
     from calls where tenant_id = $1 and campaign_id = $2) as call`,
);

export async function calls(tx: Tx, tenantId: Uuid, campaignId: Uuid): Promise<CallSums> {
  return (await tx.first<CallSums>(sumCalls, [tenantId, campaignId]))!;
}

const countEnds = statement(
  "count-ends-of-calls",
  `select sentiment, reason, count(*)::int as n from calls where tenant_id = $1 and campaign_id = $2 and ${OVER}
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
     select coalesce(sum((detail.cost ->> 'total')::numeric), 0) as dollars from calls call
     join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
     where call.tenant_id = $1 and call.campaign_id = $2)
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
  `select date_trunc('hour', start_at, 'UTC') as hour, count(*)::int as calls, count(*) filter (where ${CONNECTED})::int as connected,
     count(*) filter (where in_voicemail)::int as voicemail, count(*) filter (where ${FAILED})::int as failed,
     count(*) filter (where successful)::int as successful, sum(duration_ms) as duration_ms
   from calls where tenant_id = $1 and campaign_id = $2 and ${OVER} group by hour order by hour`,
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
  `select date_trunc('hour', coalesce(sent_at, created_at), 'UTC') as hour, ${TEXT_COUNTS},
     coalesce(sum(segments) filter (where ${LEFT}), 0)::int as segments,
     count(*) filter (where ${LEFT} and media_urls is not null)::int as picture_texts
   from messages where tenant_id = $1 and campaign_id = $2
     and (direction = 'inbound' or state in ('accepted', 'sent', 'delivered', 'undelivered', 'failed'))
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
