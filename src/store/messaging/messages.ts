import type { Media } from "#domain/messaging/media.ts";
import type { MessagePurpose, MessageState } from "#domain/messaging/message.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import * as counts from "#store/campaigns/counts.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import { mediaColumn } from "./media.ts";

export type Message = {
  id: Uuid;
  campaign_id: Uuid;
  thread_id: Uuid | null;
  phone: string;
  direction: "outbound" | "inbound";
  kind: MessagePurpose | "inbound";
  step: number;
  state: MessageState;
  due_at: Date | null;
  text: string | null;
  segments: number | null;
  reason: string | null;
  rule: string | null;
  carrier_id: string | null;
  created_at: Date;
  sent_at: Date | null;
  /** What came with it; null where nothing did. */
  media: Media[] | null;
  /** What it takes along. */
  media_urls: string[] | null;
};

const COLUMNS = `id, campaign_id, thread_id, phone, direction, kind, step, state, due_at, text, segments, reason, rule,
  carrier_id, created_at, sent_at, media_urls`;
const WITH_MEDIA = `${COLUMNS}, ${mediaColumn("messages")}`;

const insertMessages = changing(
  "insert-messages",
  `insert into messages (tenant_id, campaign_id, id, thread_id, lane_id, phone, direction, kind, step, state, due_at, text,
     carrier_id, created_at, updated_at, media_urls)
   select $1, campaign_id, id, thread_id, lane_id, phone, direction, kind, step,
     case direction when 'inbound' then 'received' else 'scheduled' end, case direction when 'outbound' then at end, text,
     carrier_id, at, at, string_to_array(media_urls, ' ')
   from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::int[], $10::text[],
       $11::text[], $12::timestamptz[], $13::text[])
     as it (campaign_id, id, thread_id, lane_id, phone, direction, kind, step, text, carrier_id, at, media_urls)
   returning id`,
);

// By itself: what one part of a statement leaves for an insert in another is sent to every server of a distributed database.
const noteReceived = changing(
  "note-inbound-messages",
  `insert into events (tenant_id, kind, at, carrier, campaign_id, object_ids, thread_ids)
   select $1, 'message.received', it.at, lane.carrier, it.campaign_id, array[it.id], array[it.thread_id]
   from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::timestamptz[]) as it (campaign_id, id, thread_id, lane_id, at)
   join lanes lane on lane.tenant_id = $1 and lane.id = it.lane_id
   on conflict do nothing`,
);

export type NewMessage = {
  id: Uuid;
  campaignId: Uuid;
  threadId: Uuid | null;
  laneId: Uuid;
  phone: string;
  kind: MessagePurpose | "inbound";
  step: number;
  text: string;
  carrierId?: string;
  /** Addresses of pictures that it takes along. */
  mediaUrls?: readonly string[] | undefined;
  at: Date;
};

/** Adds messages of conversations: what contacts wrote, or what is to leave for them at once. In a transaction. */
export async function insert(tx: Tx, tenantId: Uuid, them: readonly NewMessage[]): Promise<void> {
  if (them.length === 0) return;
  const [received, leaving] = [true, false].map((isReceived) =>
    them.filter(({ kind }) => (kind === "inbound") === isReceived),
  ) as [NewMessage[], NewMessage[]];
  const pending = leaving.filter(({ threadId }) => threadId !== null);
  await Promise.all([
    tx.run(insertMessages, [
      tenantId,
      them.map((message) => message.campaignId),
      them.map((message) => message.id),
      them.map((message) => message.threadId),
      them.map((message) => message.laneId),
      them.map((message) => message.phone),
      them.map((message) => (message.kind === "inbound" ? "inbound" : "outbound")),
      them.map((message) => message.kind),
      them.map((message) => message.step),
      them.map((message) => message.text),
      them.map((message) => message.carrierId ?? null),
      them.map((message) => message.at),
      // No address has a space in it (domain/messaging/media.ts).
      them.map(({ mediaUrls }) => (mediaUrls && mediaUrls.length > 0 ? mediaUrls.join(" ") : null)),
    ]),
    received.length > 0 &&
      tx.run(noteReceived, [
        tenantId,
        received.map((message) => message.campaignId),
        received.map((message) => message.id),
        received.map((message) => message.threadId),
        received.map((message) => message.laneId),
        received.map((message) => message.at),
      ]),
    counts.add(
      tx,
      tenantId,
      them[0]!.id,
      pending.map(({ campaignId }) => ({ campaignId, state: "pending", n: 1 })),
    ),
  ]);
}

const withdrawMessages = changingAndReading(
  "withdraw-messages",
  `with thread as (select * from unnest($2::uuid[], $3::uuid[]) as thread (campaign_id, id)),
   waiting as (
     select message.campaign_id, message.id from thread
     cross join lateral (
       select campaign_id, id from messages
       where tenant_id = $1 and campaign_id = thread.campaign_id and thread_id = thread.id
         and due_at is not null and kind = any($4::text[])
       order by id for update) as message),
   withdrawn as (
     update messages message set state = 'suppressed', due_at = null, reason = $5, rule = $5, updated_at = $6
     from waiting
     where message.tenant_id = $1 and message.campaign_id = waiting.campaign_id and message.id = waiting.id
       and message.due_at is not null
     returning message.campaign_id)
   insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
   select $1, campaign_id, $7, 'pending', -count(*)::int from withdrawn group by campaign_id
   on conflict do nothing`,
);

const EVERY_KIND: readonly MessagePurpose[] = ["start", "drip", "reply", "human", "confirmation", "help"];

/** Suppresses what waits in these threads, for one reason, and of some kinds only when they are named. */
export async function withdraw(
  tx: Tx,
  tenantId: Uuid,
  threads: readonly { campaign_id: Uuid; id: Uuid }[],
  change: { reason: string; changeId: Uuid; now: Date; kinds?: readonly MessagePurpose[] },
): Promise<void> {
  if (threads.length === 0) return;
  await tx.run(withdrawMessages, [
    tenantId,
    threads.map((thread) => thread.campaign_id),
    threads.map((thread) => thread.id),
    change.kinds ?? EVERY_KIND,
    change.reason,
    change.now,
    change.changeId,
  ]);
}

const withdrawStrangers = changing(
  "withdraw-strangers-messages",
  `update messages set state = 'suppressed', due_at = null, reason = $3, rule = $3, updated_at = $4
   where tenant_id = $1 and phone = any($2::text[]) and thread_id is null and due_at is not null`,
);

/** The same for answers to phones that are in no campaign. */
export async function withdrawForStrangers(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  reason: string,
  now: Date,
): Promise<void> {
  await tx.run(withdrawStrangers, [tenantId, phones, reason, now]);
}

const threadMessages = statement(
  "list-messages-of-threads",
  // Not by step: a follow-up has an early one, and leaves after the replies of days, or is given up then.
  `select message.* from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   cross join lateral (
     select ${WITH_MEDIA} from messages where tenant_id = $1 and campaign_id = it.campaign_id and thread_id = it.id
     order by case direction when 'inbound' then created_at else coalesce(sent_at, due_at, updated_at) end, step) as message`,
);

/** Conversations by their threads, each oldest first; what waits and what was suppressed included. */
export async function ofThreads(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaignId: Uuid; threadId: Uuid }[],
): Promise<Map<Uuid, Message[]>> {
  const values = [tenantId, them.map(({ campaignId }) => campaignId), them.map(({ threadId }) => threadId)];
  const rows = await tx.rows<Message & { thread_id: Uuid }>(threadMessages, values);
  return Map.groupBy(rows, (message) => message.thread_id);
}

export async function ofThread(tx: Tx, tenantId: Uuid, campaignId: Uuid, threadId: Uuid): Promise<Message[]> {
  return (await ofThreads(tx, tenantId, [{ campaignId, threadId }])).get(threadId) ?? [];
}

const findMessage = statement(
  "find-message",
  `select ${WITH_MEDIA} from messages where tenant_id = $1 and campaign_id = $2 and id = $3`,
);

export function find(tx: Tx, tenantId: Uuid, campaignId: Uuid, id: Uuid): Promise<Message | undefined> {
  return tx.first<Message>(findMessage, [tenantId, campaignId, id]);
}

/** A text with its campaign and contact, by the ids that callers have; null where it belongs to no campaign. */
export type NamedMessage = Message & {
  campaign: string | null;
  contact_id: Uuid | null;
  external_id: string | null;
};

// By way of the tenant's campaigns, since messages are kept by campaign: a probe each.
const findById = statement(
  "find-message-by-id",
  `select ${COLUMNS.replace(/\w+/g, (name) => `message.${name}`)}, ${mediaColumn("message")}, campaign.campaign_id as campaign, thread.contact_id,
     contact.fields ->> 'external_id' as external_id
   from (select id, campaign_id from campaigns where tenant_id = $1
     union all select '${NO_ID}'::uuid, null where $3::boolean) as campaign
   join messages message on message.tenant_id = $1 and message.campaign_id = campaign.id and message.id = $2
   left join threads thread on thread.tenant_id = $1 and thread.campaign_id = message.campaign_id and thread.id = message.thread_id
   left join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id`,
);

/** A text of any campaign, and of none where those of strangers are to be seen too. */
export function byId(tx: Tx, tenantId: Uuid, id: Uuid, withStrangers: boolean): Promise<NamedMessage | undefined> {
  return tx.first<NamedMessage>(findById, [tenantId, id, withStrangers]);
}

const campaignMessages = statement(
  "list-campaign-messages",
  `select ${WITH_MEDIA} from messages where tenant_id = $1 and campaign_id = $2 and id < $3
     and ($4::text is null or state = $4) and ($5::text is null or phone = $5)
   order by id desc limit $6`,
);

/** A campaign's messages, newest first. */
export function ofCampaign(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  page: { before: Uuid; limit: number; state: string | undefined; phone: string | undefined },
): Promise<Message[]> {
  const { before, state, phone, limit } = page;
  return tx.rows<Message>(campaignMessages, [tenantId, campaignId, before, state ?? null, phone ?? null, limit + 1]);
}

const wakeMessages = changing(
  "wake-messages",
  `update messages set due_at = $3, state = 'scheduled', rule = null, reason = null, updated_at = $3
   where tenant_id = $1 and campaign_id = $2 and due_at = 'infinity'`,
);

/** Makes due again what a pause had put off without end. A drip that is not due yet is put off again when it is claimed. */
export async function wake(tx: Tx, tenantId: Uuid, campaignId: Uuid, now: Date): Promise<number> {
  return tx.run(wakeMessages, [tenantId, campaignId, now]);
}

const wakeHeld = changing(
  "wake-held-messages",
  `update messages message set due_at = $4, updated_at = $4
   from threads thread
   where thread.tenant_id = $1 and thread.phone = any($2::text[])
     and message.tenant_id = $1 and message.campaign_id = thread.campaign_id and message.thread_id = thread.id
     and message.due_at is not null and message.rule = $3
   returning message.lane_id`,
);

/** Makes due what a rule holds for these phones, once what it waits for is there; the lanes that it leaves by, in order. */
export async function wakeByRule(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  rule: string,
  now: Date,
): Promise<Uuid[]> {
  const rows = await tx.rows<{ lane_id: Uuid }>(wakeHeld, [tenantId, phones, rule, now]);
  return [...new Set(rows.map((row) => row.lane_id))].sort();
}
