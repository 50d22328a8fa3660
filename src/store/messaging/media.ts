import type { Media } from "#domain/messaging/media.ts";
import type { EventKind } from "#domain/system/event.ts";
import type { Uuid } from "#domain/values/id.ts";
import { NO_ID } from "#domain/values/id.ts";
import { changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";

const insertMedia = changing(
  "insert-message-media",
  `insert into message_media (tenant_id, id, campaign_id, message_id, phone, carrier, state, url, content_type, due_at, created_at)
   select $1, it.id, $2, $3, $4, $5, 'waiting', it.url, it.content_type, $8, $9
   from unnest($6::uuid[], $7::text[], $10::text[]) as it (id, url, content_type)
   on conflict do nothing`,
);

export type NewMedia = { id: Uuid; url: string; contentType: string | null };

/** Notes what came with a text, to be fetched. `now` is the tenant's time, `realNow` when the fetching may begin. */
export async function insert(
  tx: Tx,
  tenantId: Uuid,
  text: { campaignId: Uuid; messageId: Uuid; phone: string; carrier: string; now: Date; realNow: Date },
  them: readonly NewMedia[],
): Promise<void> {
  await tx.run(insertMedia, [
    tenantId,
    text.campaignId,
    text.messageId,
    text.phone,
    text.carrier,
    them.map((one) => one.id),
    them.map((one) => one.url),
    text.realNow,
    text.now,
    them.map((one) => one.contentType),
  ]);
}

export type WaitingMedia = {
  id: Uuid;
  phone: string;
  carrier: string;
  url: string;
  content_type: string | null;
  tries: number;
};

const waitingMedia = statement(
  "list-waiting-media",
  `select id, phone, carrier, url, content_type, tries from message_media
   where tenant_id = $1 and message_id = $2 and due_at <= $3 order by id`,
);

/** What of a text is to be fetched by now. */
export function waiting(tx: Tx, tenantId: Uuid, messageId: Uuid, realNow: Date): Promise<WaitingMedia[]> {
  return tx.rows<WaitingMedia>(waitingMedia, [tenantId, messageId, realNow]);
}

const dueMedia = crossTenant(
  "list-due-media",
  `select tenant_id, message_id from message_media
   where due_at <= $1 and ($2::uuid is null or tenant_id = $2) group by tenant_id, message_id order by tenant_id, message_id limit 1000`,
);

/** Texts with something to be fetched, of one tenant or all (null). */
export function due(tx: Tx, realNow: Date, tenantId: Uuid | null): Promise<{ tenant_id: Uuid; message_id: Uuid }[]> {
  return tx.rows(dueMedia, [realNow, tenantId]);
}

/** Notes what became of one ($2), with the change: `changed` is what the change has returned, `now` the tenant's time. */
const noted = (changed: string, kind: EventKind, data: string, now: string): string =>
  `insert into events (tenant_id, kind, at, carrier, campaign_id, object_ids, thread_ids, data)
   select $1, '${kind}', ${now}::timestamptz, ${changed}.carrier, ${changed}.campaign_id, array[${changed}.message_id],
     array[message.thread_id], jsonb_build_object('media_id', $2::uuid, ${data})
   from ${changed} join messages message on message.tenant_id = $1 and message.campaign_id = ${changed}.campaign_id and message.id = ${changed}.message_id
   on conflict do nothing`;

const keepMedia = changing(
  "keep-message-media",
  `with kept as (
     update message_media set state = 'kept', content_type = $3, bytes = $4, url = null, due_at = null, tries = tries + 1
     where tenant_id = $1 and id = $2 and state = 'waiting' returning campaign_id, message_id, carrier),
   noted as (${noted("kept", "message.media_kept", "'content_type', $3::text, 'bytes', $4::int", "$5")})
   select message_id from kept`,
);

/** False when it is not there any more, or not to be fetched: the bytes are nobody's then. */
export async function keep(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  { contentType, bytes, now }: { contentType: string; bytes: number; now: Date },
): Promise<boolean> {
  return (await tx.rows(keepMedia, [tenantId, id, contentType, bytes, now])).length === 1;
}

const failMedia = changingAndReading(
  "fail-message-media",
  `with failed as (
     update message_media set state = 'failed', problem = $3, url = null, due_at = null, tries = tries + 1
     where tenant_id = $1 and id = $2 and state = 'waiting' returning campaign_id, message_id, carrier)
   ${noted("failed", "message.media_failed", "'problem', $3::text", "$4")}`,
);

export async function fail(tx: Tx, tenantId: Uuid, id: Uuid, problem: string, now: Date): Promise<void> {
  await tx.run(failMedia, [tenantId, id, problem, now]);
}

const putOffMedia = changing(
  "put-off-message-media",
  `update message_media set problem = $3, due_at = $4, tries = tries + 1
   where tenant_id = $1 and id = $2 and state = 'waiting'`,
);

/** It is tried again at a real time. Until then `problem` says what happened. */
export async function putOff(tx: Tx, tenantId: Uuid, id: Uuid, problem: string, until: Date): Promise<void> {
  await tx.run(putOffMedia, [tenantId, id, problem, until]);
}

const bytesSince = statement(
  "sum-media-bytes-since",
  `select coalesce(sum(bytes), 0)::float8 as tenant, coalesce(sum(bytes) filter (where phone = $3), 0)::float8 as phone
   from message_media where tenant_id = $1 and created_at > $2`,
);

/** How much is kept of what came since then: from one phone, and from all. */
export async function keptSince(
  tx: Tx,
  tenantId: Uuid,
  phone: string,
  since: Date,
): Promise<{ tenant: number; phone: number }> {
  return (await tx.first<{ tenant: number; phone: number }>(bytesSince, [tenantId, since, phone]))!;
}

/** Of a campaign that the asker sees: row security leaves out the others. */
const findMedia = statement(
  "find-message-media",
  `select media.id, media.state, media.content_type, media.bytes, media.problem
   from message_media media
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = media.campaign_id
   where media.tenant_id = $1 and media.id = $2
     and (campaign.id is not null or (media.campaign_id = '${NO_ID}' and $3::boolean))`,
);

/** That of strangers, who are in no campaign, only where it is to be seen too. */
export function find(tx: Tx, tenantId: Uuid, id: Uuid, withStrangers: boolean): Promise<Media | undefined> {
  return tx.first<Media>(findMedia, [tenantId, id, withStrangers]);
}

/** The media of a text as a column; null where none came with it. `message` is the table's name in the statement. */
export const mediaColumn = (message: string): string => `
  case when ${message}.direction = 'inbound' then (
    select jsonb_agg(jsonb_build_object('id', media.id, 'state', media.state, 'content_type', media.content_type,
      'bytes', media.bytes, 'problem', media.problem) order by media.id)
    from message_media media where media.tenant_id = $1 and media.message_id = ${message}.id) end as media`;
