import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";

// What people do with conversations among themselves. Nothing of it is a message, so no agent sees it and no contact gets it.

/** A note, or whom a person has assigned the conversation to: then `text` is the name, "" for nobody. */
export type Note = {
  id: Uuid;
  kind: "note" | "assigned";
  /** Null: an API key. */
  author_id: Uuid | null;
  author: string | null;
  text: string;
  created_at: Date;
};

type Key = { campaignId: Uuid; threadId: Uuid };

const UNTIL = `(select coalesce(
  (select read_until from inboxes where tenant_id = $1 and user_id = $14 and organization_id = $4),
  (select created_at from users where tenant_id = $1 and id = $14)))`;

/**
 * Whether the user $14 has yet to read a conversation of the organization $4, in a statement that has it as `thread`: what was read of it counts, else
 * the time up to which the user has read everything.
 */
export const unread = (thread: string): string => `coalesce(
  ${thread}.last_inbound_step > (
    select step from thread_reads where tenant_id = $1 and campaign_id = ${thread}.campaign_id and thread_id = ${thread}.id and user_id = $14),
  ${thread}.last_inbound_at > ${UNTIL}, false)`;

const addNote = changingAndReading(
  "add-thread-note",
  `with thread as (select campaign_id, id, agent_awake from threads where tenant_id = $1 and campaign_id = $2 and id = $3),
   noted as (
     insert into events (tenant_id, kind, at, campaign_id, thread_ids, data)
     select $1, 'thread.updated', $9, campaign_id, array[id], jsonb_build_object('agent_awake', agent_awake) from thread
     on conflict do nothing)
   insert into thread_notes (tenant_id, campaign_id, thread_id, id, kind, author_id, author, text, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
);

/** Adds a note to a thread that is locked, so that an erasure finds it; the same again, by its id, changes nothing. */
export async function note(tx: Tx, tenantId: Uuid, { campaignId, threadId }: Key, note: Note): Promise<void> {
  const { id, kind, author_id, author, text, created_at } = note;
  await tx.run(addNote, [tenantId, campaignId, threadId, id, kind, author_id, author, text, created_at]);
}

const listNotes = statement(
  "list-thread-notes",
  `select id, kind, author_id, author, text, created_at from thread_notes
   where tenant_id = $1 and campaign_id = $2 and thread_id = $3 order by created_at, id`,
);

/** Of one conversation, oldest first. */
export function notes(tx: Tx, tenantId: Uuid, { campaignId, threadId }: Key): Promise<Note[]> {
  return tx.rows<Note>(listNotes, [tenantId, campaignId, threadId]);
}

const assignThread = changing(
  "assign-thread",
  `update threads set assignee_id = $4, updated_at = $5
   where tenant_id = $1 and campaign_id = $2 and id = $3 and assignee_id is distinct from $4`,
);

/** False where the user has it already. */
export async function assign(
  tx: Tx,
  tenantId: Uuid,
  { campaignId, threadId }: Key,
  userId: Uuid | null,
  now: Date,
): Promise<boolean> {
  return (await tx.run(assignThread, [tenantId, campaignId, threadId, userId, now])) === 1;
}

const releaseThreads = changing(
  "release-threads",
  `with held as (
     select campaign_id, id from threads where tenant_id = $1 and assignee_id = $2
       and ($3::uuid[] is null or campaign_id in (select id from campaigns where tenant_id = $1 and not organization_id = any($3)))
     order by id for no key update)
   update threads thread set assignee_id = null from held
   where thread.tenant_id = $1 and thread.campaign_id = held.campaign_id and thread.id = held.id`,
);

/** Takes conversations away from a user: all, or those outside of the organizations that the user still has. */
export async function release(
  tx: Tx,
  tenantIds: readonly Uuid[],
  userId: Uuid,
  remaining: readonly Uuid[] | null,
): Promise<void> {
  for (const tenantId of tenantIds) await tx.run(releaseThreads, [tenantId, userId, remaining]);
}

const markRead = changing(
  "mark-thread-read",
  `insert into thread_reads (tenant_id, campaign_id, thread_id, user_id, step) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, campaign_id, thread_id, user_id) do update set step = excluded.step`,
);

/** Notes that a user has read a conversation up to this step. */
export async function read(
  tx: Tx,
  tenantId: Uuid,
  { campaignId, threadId }: Key,
  userId: Uuid,
  step: number,
): Promise<void> {
  await tx.run(markRead, [tenantId, campaignId, threadId, userId, step]);
}

const markAllRead = changing(
  "mark-inbox-read",
  `insert into inboxes (tenant_id, user_id, organization_id, read_until) values ($1, $2, $3, $4)
   on conflict (tenant_id, user_id, organization_id) do update set read_until = excluded.read_until`,
);

const forgetReads = changing(
  "forget-thread-reads",
  `delete from thread_reads where tenant_id = $1 and user_id = $2
     and campaign_id in (select id from campaigns where tenant_id = $1 and organization_id = $3)`,
);

/** Notes that a user has read everything of an organization up to now. */
export async function readAll(tx: Tx, tenantId: Uuid, userId: Uuid, organizationId: Uuid, now: Date): Promise<void> {
  await tx.run(markAllRead, [tenantId, userId, organizationId, now]);
  await tx.run(forgetReads, [tenantId, userId, organizationId]);
}

const isUnreadThread = statement(
  "is-thread-unread",
  `select ${unread("thread").replaceAll("$14", "$5")} as unread from threads thread
   where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = $3`,
);

/** Whether a user has yet to read a conversation of an organization. */
export async function isUnread(
  tx: Tx,
  tenantId: Uuid,
  { campaignId, threadId }: Key,
  organizationId: Uuid,
  userId: Uuid,
): Promise<boolean> {
  const row = await tx.first<{ unread: boolean }>(isUnreadThread, [
    tenantId,
    campaignId,
    threadId,
    organizationId,
    userId,
  ]);
  return row?.unread ?? false;
}
