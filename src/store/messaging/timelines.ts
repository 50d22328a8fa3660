import type { Answerer } from "#domain/calls/call.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

/** A text or call with a contact. `state` is the message's or the call's own. */
export type TimelineRow = {
  id: Uuid;
  channel: "sms" | "voice";
  /** When it left or came; of what waits, when it is due. */
  at: Date;
  direction: "inbound" | "outbound";
  state: string;
  kind: string;
  reason: string | null;
  text: string | null;
  /** Pictures and other files of a text. */
  media_count: number;
  duration_ms: number | null;
  /** Of a call. */
  answerer: Answerer | null;
  in_voicemail: boolean | null;
  /** Null of a call that goes on. */
  has_contact_spoken: boolean | null;
  phone: string;
  thread_id: Uuid | null;
  campaign_id: string | null;
  campaign_name: string | null;
};

// A person has few rows in each part, all found by the numbers that the contact has had. A text that belongs to no campaign, and a call, is listed
// where it belongs to the organization or to none.
const timeline = statement(
  "list-timeline-of-contact",
  `with contact as (
     select id, organization_id, array_append(coalesce(former_phones, '{}'), phone) as phones from contacts
     where tenant_id = $1 and id = $2),
   entry as (
     select message.id, 'sms' as channel, date_trunc('milliseconds', coalesce(message.sent_at, message.due_at, message.created_at)) as at,
       message.direction, message.state, message.kind, message.reason, message.text, null::int as duration_ms, message.phone,
       message.thread_id, message.campaign_id, cardinality(message.media_urls) as sent, null as answerer, null::boolean as in_voicemail,
       null::boolean as has_contact_spoken
     from contact
     join threads thread on thread.tenant_id = $1 and thread.phone = any(contact.phones) and thread.contact_id = contact.id
     join messages message on message.tenant_id = $1 and message.campaign_id = thread.campaign_id
       and message.thread_id = thread.id
     union all
     select message.id, 'sms', date_trunc('milliseconds', coalesce(message.sent_at, message.due_at, message.created_at)),
       message.direction, message.state, message.kind, message.reason, message.text, null, message.phone, null, message.campaign_id,
       cardinality(message.media_urls), null, null, null
     from contact
     join messages message on message.tenant_id = $1 and message.phone = any(contact.phones) and message.thread_id is null
     union all
     select call.id, 'voice', call.start_at, call.direction, call.status, call.purpose, call.reason, detail.summary,
       call.duration_ms, call.phone, call.thread_id, call.campaign_id, null,
       call.answerer, call.in_voicemail, detail.transcript ~ '(^|\n)User: '
     from contact
     join calls call on call.tenant_id = $1 and call.phone = any(contact.phones) and call.organization_id = contact.organization_id
     left join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id),
   page as (
     select * from entry
     where isfinite(at) and ($3::timestamptz is null or (at, id) < ($3, $4::uuid))
     order by at desc, id desc limit $5)
   select page.id, page.channel, page.at, page.direction, page.state, page.kind, page.reason, page.text, page.duration_ms,
     page.answerer, page.in_voicemail, page.has_contact_spoken, page.phone, page.thread_id, campaign.campaign_id, campaign.name as campaign_name,
     coalesce(page.sent, case when page.channel = 'sms' and page.direction = 'inbound' then (
       select count(*)::int from message_media media where media.tenant_id = $1 and media.message_id = page.id) end, 0) as media_count
   from page
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = page.campaign_id
   order by page.at desc, page.id desc`,
);

/** Newest first, one more than a page. */
export function ofContact(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  { before, limit }: { before: { at: Date; id: Uuid } | undefined; limit: number },
): Promise<TimelineRow[]> {
  return tx.rows<TimelineRow>(timeline, [tenantId, id, before?.at ?? null, before?.id ?? null, limit + 1]);
}
