import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";

// Conversations whose time is over, a piece of a campaign at a time. What is to be kept of them is kept by the statements that remove: the campaign's figures,
// that a recipient was written to, and that it had answered. Attempts come before messages, and messages before threads, as everybody locks them.

/** A campaign's texts are walked along in the order of their ids, which is that of time, so many at once. */
const TEXTS_AT_ONCE = 2_000;
/** What a conversation may have of them: of one that is longer the rest is removed with it. */
export const THREADS_AT_ONCE = 500;

const nextCampaign = statement(
  "next-campaign-with-old-texts",
  `select id from campaigns where tenant_id = $1 and id > $2 and status in ('completed', 'deleted') and created_at < $3
     and exists (select from messages where messages.tenant_id = $1 and messages.campaign_id = campaigns.id)
   order by id limit 1`,
);

/** The campaign after this one that is over and has texts, maybe from before a time. */
export async function campaignAfter(tx: Tx, tenantId: Uuid, id: Uuid, before: Date): Promise<Uuid | undefined> {
  return (await tx.first<{ id: Uuid }>(nextCampaign, [tenantId, id, before]))?.id;
}

const pageOfCampaign = statement(
  "page-old-texts",
  `select array_agg(distinct thread_id) filter (where thread_id is not null) as threads, (array_agg(id order by id desc))[1] as last,
     count(*)::int as n
   from (
     select id, thread_id from messages where tenant_id = $1 and campaign_id = $2 and id > $3 order by id limit ${TEXTS_AT_ONCE}) as page`,
);

/** The conversations of a campaign's next texts; `last` is undefined after the last. */
export async function page(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  after: Uuid,
): Promise<{ threads: Uuid[]; last: Uuid | undefined }> {
  const row = await tx.first<{ threads: Uuid[] | null; last: Uuid | null; n: number }>(pageOfCampaign, [
    tenantId,
    campaignId,
    after,
  ]);
  return { threads: row?.threads ?? [], last: row?.n === TEXTS_AT_ONCE ? row.last! : undefined };
}

/** Of a message: it was neither begun nor is it in doubt, and nobody can settle it any more. */
const OPEN = "(message.due_at is not null or message.state in ('scheduled', 'held', 'sending', 'unknown'))";
const LAST = "greatest(message.created_at, message.sent_at)";

// Nothing of it waits, is under way, in doubt or to be called, and all of it is from before the time.
const overThreads = statement(
  "list-conversations-that-are-over",
  `select thread.id from unnest($3::uuid[]) as it (id)
   join threads thread on thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = it.id
   join campaigns campaign on campaign.tenant_id = $1 and campaign.id = $2 and campaign.status in ('completed', 'deleted')
   where thread.reply_due_at is null and thread.extraction_due_at is null and thread.answer_failing_since is null
     and coalesce(thread.call_scheduled_at, '-infinity') < $4
     and not exists (
       select from messages message where message.tenant_id = $1 and message.campaign_id = $2 and message.thread_id = it.id
         and (${OPEN} or ${LAST} >= $4))
     and not exists (
       select from messages message
       join attempts attempt on attempt.tenant_id = $1 and attempt.message_id = message.id
         and attempt.state in ('in_flight', 'uncertain', 'held')
       where message.tenant_id = $1 and message.campaign_id = $2 and message.thread_id = it.id)
     and not exists (
       select from dials dial where dial.tenant_id = $1 and dial.campaign_id = $2 and dial.thread_id = it.id
         and (dial.due_at is not null or dial.state in ('scheduled', 'held', 'dialing', 'unknown')))
   order by thread.id limit ${THREADS_AT_ONCE + 1}`,
);

/** Those of a campaign's conversations that can go; one more than fit into a batch where there are more. */
export async function over(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  threads: readonly Uuid[],
  before: Date,
): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(overThreads, [tenantId, campaignId, threads, before])).map(({ id }) => id);
}

const textsOfThreads = statement(
  "list-old-texts-of-conversations",
  `select message.id, message.phone from unnest($3::uuid[]) as it (id)
   join messages message on message.tenant_id = $1 and message.campaign_id = $2 and message.thread_id = it.id`,
);

const strangers = statement(
  "page-old-texts-of-strangers",
  `select message.id, message.phone, not ${OPEN} and ${LAST} < $3 and not exists (
     select from attempts attempt where attempt.tenant_id = $1 and attempt.message_id = message.id
       and attempt.state in ('in_flight', 'uncertain', 'held')) as is_over,
     message.created_at < $3 as is_old
   from messages message where message.tenant_id = $1 and message.campaign_id = '${NO_ID}' and message.id > $2
   order by message.id limit ${TEXTS_AT_ONCE}`,
);

export type OldText = { id: Uuid; phone: string };

/** Of the texts outside of campaigns the next that can go; `last` is undefined after the last that is old. */
export async function ofStrangers(
  tx: Tx,
  tenantId: Uuid,
  after: Uuid,
  before: Date,
): Promise<{ texts: OldText[]; last: Uuid | undefined }> {
  const rows = await tx.rows<OldText & { is_over: boolean; is_old: boolean }>(strangers, [tenantId, after, before]);
  const last = rows.at(-1);
  return {
    texts: rows.filter((row) => row.is_over),
    last: rows.length === TEXTS_AT_ONCE && last!.is_old ? last!.id : undefined,
  };
}

/** The texts of these conversations. */
export function ofThreads(tx: Tx, tenantId: Uuid, campaignId: Uuid, threads: readonly Uuid[]): Promise<OldText[]> {
  return tx.rows<OldText>(textsOfThreads, [tenantId, campaignId, threads]);
}

const holdAttempts = statement(
  "hold-old-attempts",
  "select from attempts where tenant_id = $1 and phone = any($2::text[]) and message_id = any($3::uuid[]) order by ref for update",
);
const holdMessages = statement(
  "hold-old-texts",
  "select from messages where tenant_id = $1 and campaign_id = $2 and id = any($3::uuid[]) order by id for update",
);
const holdThreads = statement(
  "hold-old-conversations",
  "select from threads where tenant_id = $1 and campaign_id = $2 and id = any($3::uuid[]) order by id for update",
);

/** Locks what is to go. Whoever wants to write to one of the conversations waits, and finds it removed. */
export async function hold(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  { texts, threads }: { texts: readonly OldText[]; threads: readonly Uuid[] },
): Promise<void> {
  const ids = texts.map(({ id }) => id);
  await tx.run(holdAttempts, [tenantId, [...new Set(texts.map(({ phone }) => phone))], ids]);
  await tx.run(holdMessages, [tenantId, campaignId, ids]);
  if (threads.length > 0) await tx.run(holdThreads, [tenantId, campaignId, threads]);
}

const removeAttempts = changing(
  "remove-old-attempts",
  "delete from attempts where tenant_id = $1 and phone = any($2::text[]) and message_id = any($3::uuid[])",
);
const removeHolds = changing(
  "remove-old-holds",
  "delete from holds where tenant_id = $1 and phone = any($2::text[]) and message_id = any($3::uuid[])",
);
const removeMedia = changing(
  "remove-old-media",
  "delete from message_media where tenant_id = $1 and message_id = any($2::uuid[]) returning id",
);

/** Removes attempts and decisions of texts or dials: how many attempts. */
export async function removeAttemptsOf(tx: Tx, tenantId: Uuid, them: readonly OldText[]): Promise<number> {
  const key = [tenantId, [...new Set(them.map(({ phone }) => phone))], them.map(({ id }) => id)];
  await tx.run(removeHolds, key);
  return tx.run(removeAttempts, key);
}

const LEFT =
  "direction = 'outbound' and state in ('accepted', 'sent', 'delivered', 'undelivered', 'failed') and sent_at is not null";

// The figures as campaigns/analytics.ts has them.
const removeTexts = changingAndReading(
  "remove-old-texts",
  `with gone as (
     delete from messages where tenant_id = $1 and campaign_id = $2 and id = any($3::uuid[])
     returning direction, state, sent_at, created_at, segments, media_urls),
   kept as (
     insert into removed_texts (tenant_id, campaign_id, hour, sent, delivered, failed, received, segments, picture_texts)
     select $1, $2::uuid, date_trunc('hour', coalesce(sent_at, created_at), 'UTC') as hour,
       count(*) filter (where ${LEFT})::int, count(*) filter (where state = 'delivered')::int,
       count(*) filter (where direction = 'outbound' and state in ('undelivered', 'failed'))::int,
       count(*) filter (where direction = 'inbound')::int,
       coalesce(sum(segments) filter (where ${LEFT}), 0)::int, count(*) filter (where ${LEFT} and media_urls is not null)::int
     from gone
     where $2 <> '${NO_ID}' and (direction = 'inbound' or state in ('accepted', 'sent', 'delivered', 'undelivered', 'failed'))
     group by hour order by hour
     on conflict (tenant_id, campaign_id, hour) do update set sent = removed_texts.sent + excluded.sent,
       delivered = removed_texts.delivered + excluded.delivered, failed = removed_texts.failed + excluded.failed,
       received = removed_texts.received + excluded.received, segments = removed_texts.segments + excluded.segments,
       picture_texts = removed_texts.picture_texts + excluded.picture_texts)
   select count(*)::int as n from gone`,
);

const removeExtractions = changing(
  "remove-old-extractions",
  "delete from extractions where tenant_id = $1 and campaign_id = $2 and thread_id = any($3::uuid[])",
);
const removeNotes = changing(
  "remove-old-thread-notes",
  "delete from thread_notes where tenant_id = $1 and campaign_id = $2 and thread_id = any($3::uuid[])",
);
// Nobody is wanted any more for what nobody can read.
const markThreads = changing(
  "mark-removed-conversations",
  `update threads set texts_removed_at = $4, had_replies = coalesce(had_replies, false) or last_inbound_at is not null, last_inbound_step = null,
     answered_step = null, person_wanted_at = null
   where tenant_id = $1 and campaign_id = $2 and id = any($3::uuid[])`,
);

/**
 * Removes texts with their attempts, decisions and pictures, and what was found out of and noted to the conversations that they are all of. Returns how many
 * there were, and the ids of what had come with them: its files are still to be removed.
 */
export async function remove(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  { texts, threads }: { texts: readonly OldText[]; threads: readonly Uuid[] },
  now: Date,
): Promise<{ messages: number; attempts: number; media: Uuid[] }> {
  const ids = texts.map(({ id }) => id);
  const attempts = await removeAttemptsOf(tx, tenantId, texts);
  const media = await tx.rows<{ id: Uuid }>(removeMedia, [tenantId, ids]);
  const messages = (await tx.first<{ n: number }>(removeTexts, [tenantId, campaignId, ids]))!.n;
  if (threads.length > 0) {
    await tx.run(removeExtractions, [tenantId, campaignId, threads]);
    await tx.run(removeNotes, [tenantId, campaignId, threads]);
    await tx.run(markThreads, [tenantId, campaignId, threads, now]);
  }
  return { messages, attempts, media: media.map(({ id }) => id) };
}

const removeInbound = changing(
  "remove-old-inbound-texts",
  `delete from inbound_texts where tenant_id = $1 and (carrier, carrier_id) in (
     select carrier, carrier_id from inbound_texts where tenant_id = $1 and received_at < $2 order by received_at limit ${TEXTS_AT_ONCE})`,
);

/** Removes what carriers have brought before a time, and would bring twice no more: how many; as many as fit where there are more. */
export const removeBrought = (tx: Tx, tenantId: Uuid, before: Date): Promise<number> =>
  tx.run(removeInbound, [tenantId, before]);
export const BROUGHT_AT_ONCE = TEXTS_AT_ONCE;
