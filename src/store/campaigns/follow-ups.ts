import type { FollowUpChange, PlannedThread } from "#domain/sending/follow-ups.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

// How the follow-ups of a locked campaign are planned anew, some thousand threads at a time.

/** Threads a statement; each gets a row a follow-up. */
export const THREADS_A_STATEMENT = 2_000;

type Target = { tenantId: Uuid; campaignId: Uuid; laneId: Uuid };

const plannedThreads = statement(
  "list-planned-threads",
  `select thread.id, thread.phone, thread.first_sent_at, contact.fields,
     not thread.do_not_message and thread.transfer_requested_at is null and thread.texts_removed_at is null
       and thread.state in ('scheduled', 'held', 'sending', 'unknown', 'sent', 'delivered', 'replied') as is_open,
     planned.messages
   from (
     -- Of one whose texts were removed nothing says what has left.
     select id, phone, first_sent_at, contact_id, do_not_message, transfer_requested_at, texts_removed_at, state from threads
     where tenant_id = $1 and campaign_id = $2 and id > $3 order by id limit ${THREADS_A_STATEMENT}) as thread
   left join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
   cross join lateral (
     select coalesce(jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'step', step, 'waits', due_at is not null,
         'left', due_at is null and state not in ('suppressed', 'expired'), 'text', text,
         'at', extract(epoch from coalesce(sent_at, updated_at)) * 1000)), '[]') as messages
     from messages where tenant_id = $1 and campaign_id = $2 and thread_id = thread.id and kind in ('start', 'drip')) as planned
   order by thread.id`,
);

/** Threads of a campaign after this one, in order, THREADS_A_STATEMENT at most. */
export function after(tx: Tx, tenantId: Uuid, campaignId: Uuid, id: Uuid): Promise<PlannedThread[]> {
  return tx.rows<PlannedThread>(plannedThreads, [tenantId, campaignId, id]);
}

const moveFollowUps = changing(
  "move-follow-ups",
  `update messages message set state = 'scheduled', due_at = planned.due_at, rule = null, reason = null, updated_at = $5
   from unnest($3::uuid[], $4::timestamptz[]) as planned (id, due_at)
   where message.tenant_id = $1 and message.campaign_id = $2 and message.id = planned.id and message.due_at < 'infinity'`,
);

const withdrawFollowUps = changing(
  "withdraw-follow-ups",
  `with gone as (
     update messages message set state = 'suppressed', due_at = null, rule = 'no_such_drip', reason = 'no_such_drip', updated_at = $4
     where message.tenant_id = $1 and message.campaign_id = $2 and message.id = any($3::uuid[]) and message.due_at is not null
     returning message.id)
   select count(*)::int as n from gone`,
);

const insertFollowUps = changing(
  "insert-follow-ups",
  `with made as (
     insert into messages (tenant_id, campaign_id, id, thread_id, lane_id, phone, direction, kind, step, state, due_at, created_at, updated_at)
     select $1, $2, planned.id, thread.id, $3, thread.phone, 'outbound', 'drip', planned.step, 'scheduled', planned.due_at, $8, $8
     from unnest($4::uuid[], $5::uuid[], $6::int[], $7::timestamptz[]) as planned (id, thread_id, step, due_at)
     join threads thread on thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = planned.thread_id
       and thread.state not in ('opted_out', 'completed') and not thread.do_not_message and thread.texts_removed_at is null
     left join consents consent on consent.tenant_id = $1 and consent.phone = thread.phone
     where consent.opted_out_at is null
     on conflict do nothing
     returning id)
   select count(*)::int as n from made`,
);

/**
 * Makes these changes; by how many more messages the campaign waits now. What a pause puts off is decided anew when it is over, and who has opted
 * out meanwhile gets nothing.
 */
export async function change(
  tx: Tx,
  { tenantId, campaignId, laneId }: Target,
  { move, withdraw, add }: FollowUpChange,
  { now, newId }: { now: Date; newId: () => Uuid },
): Promise<number> {
  const ids = move.map(({ id }) => id);
  const dueAt = move.map(({ dueAt }) => dueAt);
  if (move.length > 0) await tx.run(moveFollowUps, [tenantId, campaignId, ids, dueAt, now]);
  const gone =
    withdraw.length > 0 && (await tx.first<{ n: number }>(withdrawFollowUps, [tenantId, campaignId, withdraw, now]));
  const made =
    add.length > 0 &&
    (await tx.first<{ n: number }>(insertFollowUps, [
      tenantId,
      campaignId,
      laneId,
      add.map(newId),
      add.map(({ threadId }) => threadId),
      add.map(({ step }) => step),
      add.map(({ dueAt }) => dueAt),
      now,
    ]));
  return (made ? made.n : 0) - (gone ? gone.n : 0);
}
