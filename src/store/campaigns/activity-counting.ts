import { LATENCY_BOUNDS_MS } from "#domain/campaigns/activity.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";

// Counts what happened, from the log of events and in its order: one at a time for a tenant, whoever has the lock of its head.

/** A row of the log has at most some hundred events. */
const ROWS_AT_ONCE = 500;

const uncountedTenants = crossTenant(
  "tenants-with-uncounted-events",
  `select head.tenant_id from event_heads head
   left join activity_heads counted on counted.tenant_id = head.tenant_id
   where head.seq > coalesce(counted.seq, 0) order by head.tenant_id limit 1000`,
);

/** Tenants whose log has gone on since it was counted. */
export async function uncounted(tx: Tx): Promise<Uuid[]> {
  return (await tx.rows<{ tenant_id: Uuid }>(uncountedTenants)).map((row) => row.tenant_id);
}

const lockHead = statement(
  "lock-activity-head",
  "select seq::text as seq from activity_heads where tenant_id = $1 for update skip locked",
);

// Where there is one it is not tried: that would wait for whoever has it locked.
const makeHead = changing(
  "make-activity-head",
  `insert into activity_heads (tenant_id, seq)
   select $1, 0 where not exists (select from activity_heads where tenant_id = $1) on conflict (tenant_id) do nothing`,
);

// The last page ends at the log's own head: numbers may have been passed over, by a restore or with events that are gone.
const nextRows = statement(
  "read-uncounted-events",
  `select count(*)::int as "rows", (case
       when count(*) < ${ROWS_AT_ONCE} then greatest(max(seq + n - 1), (select seq from event_heads where tenant_id = $1))
       else max(seq + n - 1) end)::text as last
   from (
     select seq, n from events where tenant_id = $1 and seq > $2::bigint order by seq limit ${ROWS_AT_ONCE}) as page`,
);

export const PAGE = "event.tenant_id = $1 and event.seq > $2::bigint and event.seq <= $3::bigint";
const HOUR_OF = (at: string) => `date_trunc('hour', ${at}, 'UTC')`;
const AREA_CODE_OF = (phone: string) =>
  `case when ${phone} like '+1__________' then substr(${phone}, 3, 3) else '' end`;

/** Adds what a select of hour, organization, campaign, agent, number, area code, measure and n has found. */
const counted = (name: string, select: string) =>
  changing(
    name,
    `insert into activity_counts (tenant_id, hour, organization_id, campaign_id, agent_id, number, area_code, measure, n)
     select $1, hour, organization_id, campaign_id, agent_id, number, area_code, measure, sum(n)
     from (${select}) as found where n > 0
     group by hour, organization_id, campaign_id, agent_id, number, area_code, measure
     order by hour, organization_id, campaign_id, agent_id, number, area_code, measure
     on conflict (tenant_id, hour, organization_id, campaign_id, agent_id, number, area_code, measure)
       do update set n = activity_counts.n + excluded.n`,
  );

// What became of a text counts in the hour in which it left, so that a share of what left is never above one.
const countTexts = counted(
  "count-texts",
  `select ${HOUR_OF(
    "case when text.kind in ('message.delivered', 'message.failed') then coalesce(text.sent_at, text.at) else text.at end",
  )} as hour,
     campaign.organization_id, campaign.id as campaign_id, campaign.agent_id, campaign.sender as number,
     ${AREA_CODE_OF("text.phone")} as area_code, it.measure, it.n
   from (
     select event.kind, event.at, event.campaign_id, message.phone, message.sent_at, message.step, message.segments, message.thread_id,
       message.media_urls is not null as has_pictures
     from events event
     cross join lateral unnest(event.object_ids) as object (id)
     left join messages message on message.tenant_id = $1 and message.campaign_id = event.campaign_id and message.id = object.id
     where ${PAGE} and event.kind in ('message.sent', 'message.delivered', 'message.failed', 'message.received')) as text
   join campaigns campaign on campaign.tenant_id = $1 and campaign.id = text.campaign_id
   cross join lateral (values
     (substr(text.kind, 9), 1),
     ('segments', case when text.kind = 'message.sent' then text.segments::int end),
     ('picture_texts', case when text.kind = 'message.sent' and text.has_pictures then 1 end),
     ('texted', case when text.kind = 'message.sent' and text.step = 0 then 1 end),
     ('replied', case when text.kind = 'message.received' and text.thread_id is not null and not exists (
        select from messages earlier where earlier.tenant_id = $1 and earlier.campaign_id = text.campaign_id
          and earlier.thread_id = text.thread_id and earlier.step < text.step and earlier.direction = 'inbound')
        and not exists (
          select from threads thread where thread.tenant_id = $1 and thread.campaign_id = text.campaign_id
            and thread.id = text.thread_id and thread.had_replies) then 1 end)
   ) as it (measure, n)`,
);

// An opt-out is of the whole tenant. It counts for the campaign that was in touch with the contact last. By the carrier's clock a STOP may come
// before its text was noted as sent, so times are not compared with the event's; and
// whoever answered is in touch, although nothing of it may be noted when the opt-out is. Of several numbers that call, it is the one that called last.
const countOptOuts = counted(
  "count-opt-outs",
  `select ${HOUR_OF("event.at")} as hour, campaign.organization_id, campaign.id as campaign_id, campaign.agent_id,
     coalesce(called.number, campaign.sender) as number,
     ${AREA_CODE_OF("event.phone")} as area_code,
     case campaign.channel when 'sms' then 'opted_out' else 'call_opted_out' end as measure, 1 as n
   from events event
   cross join lateral (
     select thread.campaign_id from threads thread
     where thread.tenant_id = $1 and thread.phone = event.phone
       and (coalesce(thread.first_sent_at, thread.called_at, thread.last_inbound_at) is not null
         or event.data ->> 'source' in ('keyword', 'free_text', 'agent', 'carrier', 'call'))
     order by greatest(thread.first_sent_at, thread.called_at, thread.last_inbound_at) desc nulls last, thread.campaign_id desc limit 1) as last
   join campaigns campaign on campaign.tenant_id = $1 and campaign.id = last.campaign_id
   left join lateral (
     select call.number from calls call
     where call.tenant_id = $1 and call.phone = event.phone and call.campaign_id = last.campaign_id and call.direction = 'outbound'
     order by call.start_at desc limit 1) as called on campaign.channel = 'voice'
   where ${PAGE} and event.kind = 'contact.opted_out'`,
);

const CALL_PLACE = `${HOUR_OF("call.start_at")} as hour, call.organization_id, call.campaign_id, call.agent_id, call.number,
     ${AREA_CODE_OF("call.phone")} as area_code`;
export const CALLS = `events event
   cross join lateral unnest(event.object_ids) as object (id)
   join calls call on call.tenant_id = $1 and call.id = object.id`;
const CONNECTED = "call.duration_ms > 0 and not call.in_voicemail";
const OUTCOME = `case when call.in_voicemail then 'voicemail' when call.duration_ms > 0 then 'answered'
       when call.reason = 'dial_no_answer' then 'no_answer' when call.reason = 'dial_busy' then 'busy'
       when call.reason = 'user_declined' then 'declined' else 'not_connected' end`;

const countCalls = counted(
  "count-calls",
  `select ${CALL_PLACE}, it.measure, it.n
   from ${CALLS}
   cross join lateral (values
     (case when call.direction = 'inbound' then 'inbound' else ${OUTCOME} end, 1),
     ('talks', case when ${CONNECTED} then 1 end),
     ('talk_ms', case when ${CONNECTED} then call.duration_ms end)) as it (measure, n)
   where ${PAGE} and event.kind = 'call.ended'`,
);

const countLatencies = counted(
  "count-latencies",
  `select ${CALL_PLACE}, 'latency_' || width_bucket((turn ->> 'totalMs')::float8, array[${LATENCY_BOUNDS_MS.join(", ")}]::float8[]) as measure,
     1 as n
   from ${CALLS}
   join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
   cross join lateral jsonb_array_elements(detail.latencies) as turn
   where ${PAGE} and event.kind = 'call.ended' and turn ->> 'totalMs' is not null`,
);

const countAnalyses = counted(
  "count-analyses",
  `select ${CALL_PLACE}, it.measure, it.n
   from ${CALLS}
   left join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
   cross join lateral (values
     ('successful', case when call.successful then 1 end),
     ('sentiment_' || lower(call.sentiment), case when ${CONNECTED} then 1 end),
     ('cost_micros', round((detail.cost ->> 'total')::numeric * 1000000)::bigint)) as it (measure, n)
   where ${PAGE} and event.kind = 'call.analysed'`,
);

const moveHead = changing("move-activity-head", "update activity_heads set seq = $2::bigint where tenant_id = $1");

/** Of a tenant's log: what comes after the first number up to the last. The values of a statement that has PAGE. */
export type CountedPage = [tenantId: Uuid, after: string, last: string];

/**
 * Counts a tenant's next events, unless another is at it: what was counted, and whether there are more. To be run in a transaction, in which whoever
 * counts more of the same page counts it once.
 */
export async function count(tx: Tx, tenantId: Uuid): Promise<{ page: CountedPage | undefined; more: boolean }> {
  const head = await tx.first<{ seq: string }>(lockHead, [tenantId]);
  // Another has it, or these are the tenant's first.
  if (!head) return { page: undefined, more: (await tx.run(makeHead, [tenantId])) === 1 };
  const { rows, last } = (await tx.first<{ rows: number; last: string | null }>(nextRows, [tenantId, head.seq]))!;
  if (last === null) return { page: undefined, more: false };
  const page: CountedPage = [tenantId, head.seq, last];
  for (const each of [countTexts, countOptOuts, countCalls, countLatencies, countAnalyses]) await tx.run(each, page);
  await tx.run(moveHead, [tenantId, last]);
  return { page, more: rows === ROWS_AT_ONCE };
}
