import type { MediaState } from "#domain/messaging/media.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import * as events from "#store/system/events.ts";

// Where a person's data is besides the contact itself. Rows stay where they are counted or billed, or where they keep a
// carrier from bringing the same thing twice; what they say of the person goes. Each phone becomes one that is none.

const threadsOf = statement(
  "list-threads-to-erase",
  `select campaign_id, id, state from threads where tenant_id = $1 and phone = any($2::text[]) and contact_id = any($3::uuid[])`,
);

const holdAttempts = statement(
  "hold-attempts-to-erase",
  "select from attempts where tenant_id = $1 and phone = any($2::text[]) order by ref for update",
);

/** Holds what was sent to the phones. Receipts and look-ups have an attempt before they want its message, and so does an erasure. */
export async function hold(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<void> {
  await tx.run(holdAttempts, [tenantId, phones]);
}

export type ErasedThread = { campaign_id: Uuid; id: Uuid; state: string };

/** The threads of contacts, under all the numbers that they have had. */
export function threadsOfContacts(
  tx: Tx,
  tenantId: Uuid,
  contactIds: readonly Uuid[],
  phones: readonly string[],
): Promise<ErasedThread[]> {
  return tx.rows<ErasedThread>(threadsOf, [tenantId, phones, contactIds]);
}

const eraseMessages = changingAndReading(
  "erase-messages-of-threads",
  `with thread as (select * from unnest($2::uuid[], $3::uuid[]) as thread (campaign_id, id)),
   theirs as (
     select message.campaign_id, message.id from thread
     cross join lateral (
       select campaign_id, id from messages where tenant_id = $1 and campaign_id = thread.campaign_id and thread_id = thread.id
       order by id for update) as message)
   update messages message set text = null, media_urls = null, phone = 'erased:' || message.id::text, updated_at = $4
   from theirs
   where message.tenant_id = $1 and message.campaign_id = theirs.campaign_id and message.id = theirs.id
   returning message.id`,
);

// Nothing may leave for it any more, whatever comes back from a carrier or a model.
const eraseThreads = changing(
  "erase-threads",
  `with held as (
     select thread.campaign_id, thread.id from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
     join threads thread on thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id and ${anyOf("it.id")}
     order by thread.id for update of thread)
   update threads thread set phone = 'erased:' || thread.id::text, agent_awake = false, do_not_message = true, outcome = null,
     reply_due_at = null, answer_failing_since = null, person_wanted_at = null, call_scheduled_at = null, transfer_requested_at = null, updated_at = $4
   from held where thread.tenant_id = $1 and thread.campaign_id = held.campaign_id and thread.id = held.id`,
);

const eraseExtractions = changing(
  "erase-extractions",
  `delete from extractions extraction using unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   where extraction.tenant_id = $1 and extraction.campaign_id = it.campaign_id and extraction.thread_id = it.id`,
);

const eraseNotes = changing(
  "erase-thread-notes",
  `delete from thread_notes note using unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   where note.tenant_id = $1 and note.campaign_id = it.campaign_id and note.thread_id = it.id`,
);

const eraseAttempts = changing(
  "erase-attempts",
  `update attempts set phone = 'erased:' || message_id::text, based_on = null, text_digest = null
   where tenant_id = $1 and phone = any($2::text[]) and message_id = any($3::uuid[])`,
);

/** One that still waits may be stored at this moment. */
export type ErasedMedia = { id: Uuid; state: MediaState };

const eraseMedia = changing(
  "erase-message-media",
  "delete from message_media where tenant_id = $1 and message_id = any($2::uuid[]) returning id, state",
);

const eraseHolds = changing(
  "erase-holds",
  "delete from holds where tenant_id = $1 and phone = any($2::text[]) and message_id = any($3::uuid[])",
);

/**
 * Erases conversations: their texts, numbers, notes and extractions. How many texts there were, of how many segments, when and
 * with what result, stays. Messages come before threads, as everybody locks them, and again after: one that came in
 * meanwhile was written under the thread's lock. Returns what had come with the texts: its files are still to be removed.
 */
export async function conversations(
  tx: Tx,
  tenantId: Uuid,
  threads: readonly ErasedThread[],
  phones: readonly string[],
  at: Date,
): Promise<ErasedMedia[]> {
  if (threads.length === 0) return [];
  const keys = [threads.map((thread) => thread.campaign_id), threads.map((thread) => thread.id)];
  await tx.rows(eraseMessages, [tenantId, ...keys, at]);
  await tx.run(eraseThreads, [tenantId, ...keys, at]);
  const ids = (await tx.rows<{ id: Uuid }>(eraseMessages, [tenantId, ...keys, at])).map((row) => row.id);
  await tx.run(eraseExtractions, [tenantId, ...keys]);
  await tx.run(eraseNotes, [tenantId, ...keys]);
  await tx.run(eraseAttempts, [tenantId, phones, ids]);
  await tx.run(eraseHolds, [tenantId, phones, ids]);
  return tx.rows<ErasedMedia>(eraseMedia, [tenantId, ids]);
}

const eraseStrangers = changing(
  "erase-messages-of-stranger",
  `update messages set text = null, media_urls = null, phone = 'erased:' || id::text, updated_at = $3
   where tenant_id = $1 and phone = any($2::text[]) and thread_id is null returning id`,
);

const eraseChecks = changing(
  "erase-number-checks",
  "delete from number_checks where tenant_id = $1 and phone = any($2::text[])",
);

const eraseLines = changing(
  "erase-line-types",
  "delete from line_types where tenant_id = $1 and phone = any($2::text[])",
);

const eraseConsents = changing(
  "erase-consents",
  "delete from consents where tenant_id = $1 and phone = any($2::text[])",
);

/**
 * Erases what belongs to numbers that are nobody else's: their consent, and texts outside of campaigns. The proofs of consents go by
 * erased-consents.ts. Returns as `conversations` does.
 */
export async function numbers(tx: Tx, tenantId: Uuid, phones: readonly string[], at: Date): Promise<ErasedMedia[]> {
  if (phones.length === 0) return [];
  const ids = (await tx.rows<{ id: Uuid }>(eraseStrangers, [tenantId, phones, at])).map((row) => row.id);
  await tx.run(eraseAttempts, [tenantId, phones, ids]);
  await tx.run(eraseHolds, [tenantId, phones, ids]);
  await tx.run(eraseChecks, [tenantId, phones]);
  await tx.run(eraseLines, [tenantId, phones]);
  await tx.run(eraseConsents, [tenantId, phones]);
  return tx.rows<ErasedMedia>(eraseMedia, [tenantId, ids]);
}

const eraseInbound = changing(
  "erase-inbound-texts",
  `update inbound_texts set sender = 'erased', text = '' where tenant_id = $1 and sender = any($2::text[])`,
);

const eraseParts = changing(
  "erase-inbound-parts",
  "delete from inbound_parts where tenant_id = $1 and sender = any($2::text[])",
);

const eraseImportErrors = changing(
  "erase-import-errors",
  "delete from import_errors where tenant_id = $1 and (phone = any($2::text[]) or phones && $2::text[])",
);

const eraseLeftOut = changing(
  "erase-left-out-leads",
  "delete from left_out_leads where tenant_id = $1 and value = any($2::text[])",
);

const eraseReasons = changing(
  "erase-do-not-call-reasons",
  "update do_not_call set reason = null where tenant_id = $1 and phone = any($2::text[])",
);

/** Erases what carriers, files and requests have brought, and what was noted beside a listed number. The listing stays. */
export async function traces(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<void> {
  await tx.run(eraseInbound, [tenantId, phones]);
  await tx.run(eraseParts, [tenantId, phones]);
  await tx.run(eraseImportErrors, [tenantId, phones]);
  await tx.run(eraseLeftOut, [tenantId, phones]);
  await tx.run(eraseReasons, [tenantId, phones]);
  await events.forgetPhonesOf(tx, tenantId, phones);
}

const forgetRequests = changing(
  "erase-requests-about",
  `delete from idempotency_keys where tenant_id = $1 and operation like any($2::text[])`,
);

// Every word against every answer would be thousands of comparisons an answer: what could be one is picked out instead.
const NAMES = String.raw`(?:\+|%2B)[0-9]{7,15}|lead_[0-9a-z]{26}`;
const naming = (column: string, words: string): string =>
  `exists (select from regexp_matches(${column}, '${NAMES}', 'g') as named where named[1] = any(${words}))`;

const forgetRequestsOfMany = changing(
  "erase-requests-about-many",
  `delete from idempotency_keys where tenant_id = $1 and ${naming("operation", "$2::text[]")}`,
);

const answersAboutMany = statement(
  "list-answers-about-many",
  `select operation, key, case when octet_length(body) <= $3 then body end as body from idempotency_keys
   where tenant_id = $1 and ${naming("body", "$2::text[]")} for update`,
);

/** Up to so many words each is looked for by itself, wherever it stands. */
const FEW_WORDS = 20;

const answersAbout = statement(
  "list-answers-about",
  `select operation, key, case when octet_length(body) <= $3 then body end as body from idempotency_keys
   where tenant_id = $1 and body like any($2::text[]) for update`,
);

const setAnswer = changing(
  "set-kept-answer",
  "update idempotency_keys set body = $4 where tenant_id = $1 and operation = $2 and key = $3",
);

/** Larger answers are not taken apart: they are replaced whole. */
const MAX_PARTED_BYTES = 1024 * 1024;

/**
 * Rewrites the answers that are kept for repeated requests and name a person by one of these words (numbers in E.164, ids of
 * contacts), and forgets requests whose path does. `rewrite` gets null for an answer that is too long to be read.
 */
export async function answers(
  tx: Tx,
  tenantId: Uuid,
  words: readonly string[],
  rewrite: (body: string | null) => string,
): Promise<void> {
  const paths = words.flatMap((word) => [word, encodeURIComponent(word)]);
  const few = words.length <= FEW_WORDS;
  await tx.run(few ? forgetRequests : forgetRequestsOfMany, [tenantId, few ? paths.map(containing) : paths]);
  const found = await tx.rows<{ operation: string; key: string; body: string | null }>(
    few ? answersAbout : answersAboutMany,
    [tenantId, few ? words.map(containing) : words, MAX_PARTED_BYTES],
  );
  for (const { operation, key, body } of found) await tx.run(setAnswer, [tenantId, operation, key, rewrite(body)]);
}

const containing = (word: string): string => `%${word.replace(/[\\%_]/g, "\\$&")}%`;
