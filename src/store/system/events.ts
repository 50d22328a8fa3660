import type { EventKind } from "#domain/system/event.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changing, statement, type Tx } from "#store/database/db.ts";

// The log of what happened. A change and its events are one transaction; where it can be, one statement: `insert into events` stands in
// the very statement that makes the change, and a row has all of its kind that one change made. event-numbers.ts gives them their order.

/** Of an expression in a statement: the tenant's own time, where the real one is bound as `parameter`. */
export const tenantTime = (parameter: string): string =>
  `(select ${parameter}::timestamptz + clock_offset_ms * interval '1 millisecond' from tenants where id = $1)`;

export type NewEvent = {
  kind: EventKind;
  /** What it is about, where that has a uuid. */
  id?: Uuid;
  organizationId?: Uuid | null;
  campaignId?: Uuid;
  threadId?: Uuid;
  /** A contact's. */
  phone?: string;
  data?: Record<string, unknown>;
};

const insertEvent = changing(
  "insert-event",
  `insert into events (tenant_id, kind, at, organization_id, campaign_id, object_ids, thread_ids, phone, data)
   values ($1, $2, $3, $4, $5, case when $6::uuid is not null then array[$6::uuid] end,
     case when $7::uuid is not null then array[$7::uuid] end, $8, $9)`,
);

/** Notes one event, with the transaction that makes the change; `at` in the tenant's time. */
export async function add(tx: Tx, tenantId: Uuid, event: NewEvent, at: Date): Promise<void> {
  await tx.run(insertEvent, [
    tenantId,
    event.kind,
    at,
    event.organizationId ?? null,
    event.campaignId ?? null,
    event.id ?? null,
    event.threadId ?? null,
    event.phone ?? null,
    JSON.stringify(event.data ?? {}),
  ]);
}

const insertEventsOfPhones = changing(
  "insert-events-of-phones",
  `insert into events (tenant_id, kind, at, phone, data) select $1, $2, $3, phone, $5 from unnest($4::text[]) as phone
   on conflict do nothing`,
);

/** Notes the same of each of these contacts. */
export async function addForPhones(
  tx: Tx,
  tenantId: Uuid,
  kind: EventKind,
  phones: readonly string[],
  data: Record<string, unknown>,
  at: Date,
): Promise<void> {
  if (phones.length > 0) await tx.run(insertEventsOfPhones, [tenantId, kind, at, phones, JSON.stringify(data)]);
}

/** Which events are wanted; what is undefined does not matter. */
export type EventFilter = {
  kinds: readonly EventKind[] | undefined;
  campaignId: Uuid | undefined;
  threadId: Uuid | undefined;
  callId: Uuid | undefined;
  /** Those whose events they are to be; undefined: of the whole tenant. */
  organizations: readonly Uuid[] | undefined;
};

/** A row of the log: `n` events of one kind, numbered from `seq` on. */
export type EventRow = {
  seq: number;
  n: number;
  kind: EventKind;
  at: Date;
  organization_id: Uuid | null;
  /** The campaign's uuid, and the caller's own id of it. */
  campaign: Uuid | null;
  campaign_id: string | null;
  channel: "sms" | "voice" | null;
  carrier: string | null;
  object_ids: Uuid[] | null;
  thread_ids: (Uuid | null)[] | null;
  phone: string | null;
  data: Record<string, unknown> | Record<string, unknown>[];
};

// Rows are picked by what is narrow; the ids of those that stay are read once.
const readEvents = statement(
  "read-events",
  `with page as (
     select position, seq, sum(wanted) over (order by seq) - wanted as before from (
       select position, seq, case when $6::uuid is null and $7::uuid is null then n else 1 end as wanted from events
       where tenant_id = $1
         and seq >= (select coalesce(max(seq), $2::bigint) from events where tenant_id = $1 and seq <= $2::bigint + 1)
         and seq <= $3::bigint
         and ($4::text[] is null or kind = any($4)) and ($5::uuid is null or campaign_id = $5)
         and ($6::uuid is null or $6 = any(thread_ids)) and ($7::uuid is null or $7 = any(object_ids))
       order by seq limit $8) as found)
   select page.seq::float8 as seq, event.n, event.kind, event.at,
     coalesce(event.organization_id, campaign.organization_id) as organization_id, event.campaign_id as campaign, campaign.campaign_id,
     campaign.channel, coalesce(event.carrier, campaign.carrier) as carrier, event.object_ids, event.thread_ids, event.phone, event.data
   from page
   join events event on event.tenant_id = $1 and event.position = page.position
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = event.campaign_id
   where page.before < $8
   order by page.seq`,
);

/**
 * Rows with events after `after` and up to `upTo`, in order: as many as have `limit` events, or all of them where those are fewer. The
 * first may begin before, the last go on behind. Of a thread or call a row has one.
 */
export function read(
  tx: Tx,
  tenantId: Uuid,
  filter: EventFilter & { after: number; upTo: number; limit: number },
): Promise<EventRow[]> {
  return tx.rows<EventRow>(readEvents, [
    tenantId,
    filter.after,
    filter.upTo,
    filter.kinds ?? null,
    filter.campaignId ?? null,
    filter.threadId ?? null,
    filter.callId ?? null,
    filter.limit,
  ]);
}

/** Who an event is about: a contact that is not erased, and the caller's own id of it. */
export type EventContact = { contact_id: Uuid; external_id: string | null };
/** What is looked up by the two ids of its key. */
export type OfCampaign = { campaign: Uuid; id: Uuid };

const keysOf = (tenantId: Uuid, wanted: readonly OfCampaign[]) => [
  tenantId,
  wanted.map(({ campaign }) => campaign),
  wanted.map(({ id }) => id),
];

const contactsOfThreads = statement(
  "list-contacts-of-threads",
  `select thread.id, thread.phone, contact.id as contact_id, contact.fields ->> 'external_id' as external_id
   from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   join threads thread on thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id
   join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
   where thread.phone like '+%' and ${anyOf("it.id")}`,
);

/** The contacts of threads, by thread, with the phone that each was written to; of those that are erased none. */
export async function contactsOf(
  tx: Tx,
  tenantId: Uuid,
  threads: readonly OfCampaign[],
): Promise<Map<Uuid, EventContact & { phone: string }>> {
  if (threads.length === 0) return new Map();
  const found = await tx.rows<EventContact & { id: Uuid; phone: string }>(contactsOfThreads, keysOf(tenantId, threads));
  return new Map(found.map((row) => [row.id, row]));
}

const contactsOfCalls = statement(
  "list-contacts-of-calls",
  `select call.id, contact.id as contact_id, contact.fields ->> 'external_id' as external_id
   from unnest($2::uuid[]) as it (id)
   join calls call on call.tenant_id = $1 and call.id = it.id
   join contacts contact on contact.tenant_id = $1 and contact.id = call.contact_id
   where contact.phone like '+%' and ${anyOf("it.id")}`,
);

/** The contacts of calls, by call, also of those that belong to no campaign. */
export async function contactsByCall(tx: Tx, tenantId: Uuid, calls: readonly Uuid[]): Promise<Map<Uuid, EventContact>> {
  if (calls.length === 0) return new Map();
  const found = await tx.rows<EventContact & { id: Uuid }>(contactsOfCalls, [tenantId, calls]);
  return new Map(found.map((row) => [row.id, row]));
}

const textsOfMessages = statement(
  "list-texts-of-messages",
  `select message.id, message.text from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   join messages message on message.tenant_id = $1 and message.campaign_id = it.campaign_id and message.id = it.id
   where ${anyOf("it.id")}`,
);

/** The words of messages, by message; of an erased contact's none. */
export async function textsOf(
  tx: Tx,
  tenantId: Uuid,
  messages: readonly OfCampaign[],
): Promise<Map<Uuid, string | null>> {
  if (messages.length === 0) return new Map();
  const found = await tx.rows<{ id: Uuid; text: string | null }>(textsOfMessages, keysOf(tenantId, messages));
  return new Map(found.map((row) => [row.id, row.text]));
}

const forgetPhones = changing(
  "forget-phones-of-events",
  "update events set phone = null where tenant_id = $1 and phone = any($2::text[])",
);

/** Takes persons' numbers out of the log. */
export async function forgetPhonesOf(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<void> {
  await tx.run(forgetPhones, [tenantId, phones]);
}
