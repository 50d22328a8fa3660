import { CAME_REASONS } from "#domain/calls/call.ts";
import { changingAndReading, statement, type Tx } from "#store/database/db.ts";
import { CALLS, type CountedPage, PAGE } from "./activity-counting.ts";

// What the calls of a page of the log say of the numbers that they were placed from.

/** Of a call that is over: it came to a phone, or was refused in its number's name. */
export const CAME = `(call.in_voicemail or call.duration_ms > 0 or call.reason in (${CAME_REASONS.map((reason) => `'${reason}'`).join(", ")}))`;
const ANSWERED = "call.duration_ms > 0 and not call.in_voicemail";

// An opt-out is a complaint about the number that called last where it was said in a call; otherwise where that call was within a day, and the contact
// was not texted since. A STOP may come before its text was noted as sent, so texts' times are not compared with it: after it there are none but
// its confirmation.
// Redials, and calls that were asked for, are answered otherwise than first calls: so they are sums of their own, under an id made of the campaign's.
const KIND = `case when call.purpose in ('call', 'single') then call.campaign_id
         else md5(call.campaign_id::text || call.purpose)::uuid end as campaign_id`;

const countDays = changingAndReading(
  "count-days-of-numbers",
  `with found as (
     select (call.end_at at time zone 'UTC')::date as day, call.number, ${KIND}, (${CAME})::int as placed,
       (${ANSWERED})::int as answered, 0 as complaints, (call.reason = 'marked_as_spam')::int as unwanted
     from ${CALLS}
     where ${PAGE} and event.kind = 'call.ended' and call.direction = 'outbound' and call.end_at is not null
     union all
     select (event.at at time zone 'UTC')::date, last.number, last.campaign_id, 0, 0, 1, 0
     from events event
     cross join lateral (
       select call.number, call.campaign_id, call.start_at from calls call
       where call.tenant_id = $1 and call.phone = event.phone and call.direction = 'outbound'
       order by call.start_at desc limit 1) as last
     where ${PAGE} and event.kind = 'contact.opted_out'
       and (event.data ->> 'source' = 'call' or (event.data ->> 'source' in ('keyword', 'free_text', 'agent', 'carrier')
         and last.start_at > event.at - interval '1 day'
         and not exists (
           select from threads thread
           join messages message on message.tenant_id = $1 and message.campaign_id = thread.campaign_id and message.thread_id = thread.id
           where thread.tenant_id = $1 and thread.phone = event.phone and message.direction = 'outbound'
             and message.kind not in ('confirmation', 'help') and message.sent_at > last.start_at)))),
   counted as (
     insert into number_days (tenant_id, day, number, campaign_id, placed, answered, complaints, unwanted)
     select $1, day, number, campaign_id, sum(placed)::int, sum(answered)::int, sum(complaints)::int, coalesce(sum(unwanted), 0)::int
     from found group by day, number, campaign_id order by day, number, campaign_id
     on conflict (tenant_id, day, number, campaign_id) do update set placed = number_days.placed + excluded.placed,
       answered = number_days.answered + excluded.answered, complaints = number_days.complaints + excluded.complaints,
       unwanted = number_days.unwanted + excluded.unwanted
     returning number)
   select distinct number from counted`,
);

/** Counts the page's calls by day, number and campaign; which numbers these are. */
export async function count(tx: Tx, page: CountedPage): Promise<string[]> {
  return (await tx.rows<{ number: string }>(countDays, page)).map(({ number }) => number);
}

const refusals = statement(
  "list-refusals-of-numbers",
  `select call.number, array_agg(call.end_at order by call.end_at) as times
   from ${CALLS}
   where ${PAGE} and event.kind = 'call.ended' and call.direction = 'outbound' and call.reason = 'marked_as_spam'
   group by call.number`,
);

/** When calls of the page were refused as spam, by number, in the tenant's time. */
export async function refusalsOf(tx: Tx, page: CountedPage): Promise<Map<string, Date[]>> {
  const rows = await tx.rows<{ number: string; times: Date[] }>(refusals, page);
  return new Map(rows.map(({ number, times }) => [number, times]));
}
