import { RECIPIENT_RANK, type RecipientState } from "#domain/messaging/message.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";

/** One recipient of one campaign, and the conversation with it. */
export type Thread = {
  id: Uuid;
  campaign_id: Uuid;
  contact_id: Uuid;
  lane_id: Uuid;
  phone: string;
  state: RecipientState;
  reason: string | null;
  next_step: number;
  first_sent_at: Date | null;
  last_inbound_at: Date | null;
  last_inbound_step: number | null;
  answered_step: number | null;
  agent_awake: boolean;
  do_not_message: boolean;
  outcome: string | null;
  transfer_requested_at: Date | null;
  call_scheduled_at: Date | null;
  /** When the last call of this conversation was answered, and how it ended. */
  called_at: Date | null;
  call_outcome: string | null;
  reply_due_at: Date | null;
  /** The model has failed so often at the contact's latest text, since then; 0 and null while no answer waits for it. */
  answer_failures: number;
  answer_failing_since: Date | null;
  /** Since when a person is wanted: no answer of the agent's will come, or none could be used. */
  person_wanted_at: Date | null;
  /** The user who takes care of it. */
  assignee_id: Uuid | null;
};

const COLUMNS = `id, campaign_id, contact_id, lane_id, phone, state, reason, next_step, first_sent_at, last_inbound_at,
  last_inbound_step, answered_step, agent_awake, do_not_message, outcome, transfer_requested_at, call_scheduled_at, called_at,
  call_outcome, reply_due_at, answer_failures, answer_failing_since, person_wanted_at, assignee_id`;

export type Move = { campaignId: Uuid; threadId: Uuid; state: RecipientState; reason: string | null };

const moveThreads = changingAndReading(
  "move-threads",
  `with move as (
     select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[]) as move (campaign_id, id, state, reason)),
   -- Row by row, by the whole key, in the order that they come in: no statistics can lead the planner astray.
   old as (
     select thread.campaign_id, thread.id, thread.state, move.state as new, move.reason from move
     cross join lateral (
       select campaign_id, id, state from threads where tenant_id = $1 and campaign_id = move.campaign_id and id = move.id
       for no key update) as thread),
   moved as (
     -- From what was locked alone: joined with the list again, the two were compared each with each.
     update threads thread set state = old.new, reason = old.reason, updated_at = $6,
       first_sent_at = case when old.new in ('sent', 'delivered', 'unknown') then coalesce(thread.first_sent_at, $6)
         else thread.first_sent_at end
     from old
     where thread.tenant_id = $1 and thread.campaign_id = old.campaign_id and thread.id = old.id and ${anyOf("old.id")}
       and ($8::jsonb ->> old.new)::int >= ($8::jsonb ->> old.state)::int
       and (old.new <> old.state or old.reason is distinct from thread.reason)
       and (($8::jsonb ->> old.new)::int > ($8::jsonb ->> old.state)::int or ($8::jsonb ->> old.state)::int = 0)
     returning thread.campaign_id, old.state as old, old.new)
   insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
   select $1, campaign_id, $7, state, sum(n) from (
     select campaign_id, old as state, -1 as n from moved union all select campaign_id, new, 1 from moved) as change
   group by campaign_id, state having sum(n) <> 0
   on conflict do nothing`,
);

const holdThreads = statement(
  "hold-threads",
  `select thread.id from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   cross join lateral (
     select id from threads where tenant_id = $1 and campaign_id = it.campaign_id and id = it.id
     for no key update skip locked) as thread`,
);

/** Locks those of the threads that nobody else has. Answers with their ids. A claim moves no others: who has one may want the lane. */
export async function hold(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaign_id: Uuid; thread_id: Uuid | null }[],
): Promise<Set<Uuid>> {
  const known = them.filter((key): key is { campaign_id: Uuid; thread_id: Uuid } => key.thread_id !== null);
  if (known.length === 0) return new Set();
  const values = [tenantId, known.map((key) => key.campaign_id), known.map((key) => key.thread_id)];
  return new Set((await tx.rows<{ id: Uuid }>(holdThreads, values)).map(({ id }) => id));
}

const RANKS = JSON.stringify(RECIPIENT_RANK);

/**
 * Moves recipients to new states and counts it. Only upward by RECIPIENT_RANK (sideways among those that have not
 * begun), so a late word changes nothing. A thread may come once a call; `changeId` is new for each.
 */
export async function move(tx: Tx, tenantId: Uuid, moves: readonly Move[], changeId: Uuid, now: Date): Promise<void> {
  if (moves.length === 0) return;
  // Two that move the same threads lock them in the same order.
  const sorted = moves.toSorted((a, b) => (a.threadId < b.threadId ? -1 : 1));
  await tx.run(moveThreads, [
    tenantId,
    sorted.map((move) => move.campaignId),
    sorted.map((move) => move.threadId),
    sorted.map((move) => move.state),
    sorted.map((move) => move.reason),
    now,
    changeId,
    RANKS,
  ]);
}

const lockThreads = statement(
  "lock-threads",
  `select thread.* from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   cross join lateral (
     select ${COLUMNS} from threads where tenant_id = $1 and campaign_id = it.campaign_id and id = it.id
     for no key update) as thread`,
);

export type ThreadKey = { campaignId: Uuid; threadId: Uuid };

/** Locks conversations in the order of their ids; each is there once, however often it is named. */
export function lockAll(tx: Tx, tenantId: Uuid, them: readonly ThreadKey[]): Promise<Thread[]> {
  const once = new Map(them.map((key) => [key.threadId, key]));
  const sorted = [...once.values()].sort((a, b) => (a.threadId < b.threadId ? -1 : 1));
  return tx.rows<Thread>(lockThreads, [
    tenantId,
    sorted.map(({ campaignId }) => campaignId),
    sorted.map(({ threadId }) => threadId),
  ]);
}

export async function lock(tx: Tx, tenantId: Uuid, campaignId: Uuid, id: Uuid): Promise<Thread | undefined> {
  return (await lockAll(tx, tenantId, [{ campaignId, threadId: id }]))[0];
}

const findThread = statement(
  "find-thread",
  `select ${COLUMNS} from threads where tenant_id = $1 and campaign_id = $2 and id = $3`,
);

export function find(tx: Tx, tenantId: Uuid, campaignId: Uuid, id: Uuid): Promise<Thread | undefined> {
  return tx.first<Thread>(findThread, [tenantId, campaignId, id]);
}

const findByPhone = statement(
  "find-thread-by-phone",
  `select ${COLUMNS} from threads where tenant_id = $1 and campaign_id = $2 and phone = $3`,
);

export function byPhone(tx: Tx, tenantId: Uuid, campaignId: Uuid, phone: string): Promise<Thread | undefined> {
  return tx.first<Thread>(findByPhone, [tenantId, campaignId, phone]);
}

const latestOnLanes = statement(
  "lock-latest-threads",
  // Locked one by one, in the order of their ids, as everybody does who locks several.
  `with latest as materialized (
     select found.campaign_id, found.id, it.phone from unnest($2::text[], $3::uuid[]) as it (phone, lane_id)
     cross join lateral (
       select campaign_id, id from threads where tenant_id = $1 and phone = it.phone and lane_id = it.lane_id
       order by first_sent_at desc nulls last, id desc limit 1) as found
     order by found.id)
   select thread.* from latest
   cross join lateral (
     select ${COLUMNS} from threads
     where tenant_id = $1 and campaign_id = latest.campaign_id and id = latest.id and phone = latest.phone
     for no key update) as thread`,
);

/** The conversations that texts from these phones to these lanes belong to: of each, once each, the one last written to. Locked. */
export function lockLatest(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { phone: string; laneId: Uuid }[],
): Promise<Thread[]> {
  return tx.rows<Thread>(latestOnLanes, [tenantId, them.map(({ phone }) => phone), them.map(({ laneId }) => laneId)]);
}

const reachedFrom = statement(
  "has-reached-phone-from-number",
  `select exists (
       select from threads thread join lanes lane on lane.tenant_id = $1 and lane.id = thread.lane_id
       where thread.tenant_id = $1 and thread.phone = $2 and lane.carrier = $3 and lane.sender = $4)
     or exists (
       select from calls call where call.tenant_id = $1 and call.phone = $2 and call.number = $4)
     -- Of a call that was removed its dial is there still.
     or exists (
       select from dials dial join dial_lanes lane on lane.tenant_id = $1 and lane.id = dial.lane_id
       where dial.tenant_id = $1 and dial.phone = $2 and $4 = any(array_append(lane.numbers, dial.number)))
     as there`,
);

/** Whether a conversation with a phone is from a number by this account, or a call with it from the number. */
export async function hasReached(
  tx: Tx,
  tenantId: Uuid,
  { phone, carrier, sender }: { phone: string; carrier: string; sender: string },
): Promise<boolean> {
  return (await tx.first<{ there: boolean }>(reachedFrom, [tenantId, phone, carrier, sender]))!.there;
}

const ofPhone = statement(
  "list-threads-of-phone",
  "select campaign_id, id from threads where tenant_id = $1 and phone = any($2::text[])",
);

export function idsOfPhones(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
): Promise<{ campaign_id: Uuid; id: Uuid }[]> {
  return tx.rows(ofPhone, [tenantId, phones]);
}

// Before they are saved, and by itself: what one part of a statement leaves for an insert in another is sent to every server of a distributed database.
const noteConversations = changing(
  "note-thread-conversations",
  `insert into events (tenant_id, kind, at, campaign_id, thread_ids, data)
   select $1, 'thread.updated', $2, thread.campaign_id, array[thread.id], jsonb_build_object('agent_awake', it.agent_awake)
   from unnest($3::uuid[], $4::uuid[], $5::boolean[], $6::timestamptz[], $7::timestamptz[])
     as it (campaign_id, id, agent_awake, answer_failing_since, person_wanted_at)
   join threads thread on thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id
   where ${anyOf("it.id")} and (thread.agent_awake <> it.agent_awake or (thread.person_wanted_at is null) <> (it.person_wanted_at is null)
     or (thread.answer_failing_since is null) <> (it.answer_failing_since is null))
   on conflict do nothing`,
);

const saveConversations = changing(
  "save-thread-conversations",
  `update threads thread set next_step = it.next_step, last_inbound_at = it.last_inbound_at, last_inbound_step = it.last_inbound_step,
     answered_step = it.answered_step, agent_awake = it.agent_awake, do_not_message = it.do_not_message, outcome = it.outcome,
     transfer_requested_at = it.transfer_requested_at, reply_due_at = it.reply_due_at, updated_at = $2,
     first_sent_at = it.first_sent_at, call_scheduled_at = it.call_scheduled_at,
     reply_node_id = case when thread.reply_due_at = it.reply_due_at then thread.reply_node_id end,
     answer_failures = it.answer_failures, answer_failing_since = it.answer_failing_since, person_wanted_at = it.person_wanted_at
   from unnest($3::uuid[], $4::uuid[], $5::int[], $6::timestamptz[], $7::int[], $8::int[], $9::boolean[], $10::boolean[],
       $11::text[], $12::timestamptz[], $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::int[], $17::timestamptz[],
       $18::timestamptz[])
     as it (campaign_id, id, next_step, last_inbound_at, last_inbound_step, answered_step, agent_awake, do_not_message,
       outcome, transfer_requested_at, reply_due_at, first_sent_at, call_scheduled_at, answer_failures, answer_failing_since,
       person_wanted_at)
   where ${anyOf("it.id")} and thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id`,
);

/** Who took the turn away (a STOP, a person) has ended the waiting too. */
const waits = (thread: Thread): boolean => thread.reply_due_at !== null && thread.answer_failing_since !== null;

/** Writes back what conversations change in locked threads, once each. Their recipient states move by `move`. */
export async function save(tx: Tx, tenantId: Uuid, them: readonly Thread[], now: Date): Promise<void> {
  if (them.length === 0) return;
  const campaigns = them.map((thread) => thread.campaign_id);
  const ids = them.map((thread) => thread.id);
  const awake = them.map((thread) => thread.agent_awake);
  const failingSince = them.map((thread) => (waits(thread) ? thread.answer_failing_since : null));
  const wanted = them.map((thread) => thread.person_wanted_at);
  await Promise.all([
    tx.run(noteConversations, [tenantId, now, campaigns, ids, awake, failingSince, wanted]),
    tx.run(saveConversations, [
      tenantId,
      now,
      campaigns,
      ids,
      them.map((thread) => thread.next_step),
      them.map((thread) => thread.last_inbound_at),
      them.map((thread) => thread.last_inbound_step),
      them.map((thread) => thread.answered_step),
      awake,
      them.map((thread) => thread.do_not_message),
      them.map((thread) => thread.outcome),
      them.map((thread) => thread.transfer_requested_at),
      them.map((thread) => thread.reply_due_at),
      them.map((thread) => thread.first_sent_at),
      them.map((thread) => thread.call_scheduled_at),
      them.map((thread) => (waits(thread) ? thread.answer_failures : 0)),
      failingSince,
      wanted,
    ]),
  ]);
}

const dueReplies = crossTenant(
  "due-replies",
  `select thread.tenant_id, thread.campaign_id, thread.id from tenants
   join threads thread on thread.tenant_id = tenants.id
   where thread.reply_due_at <= $1::timestamptz + tenants.clock_offset_ms * interval '1 millisecond'
     and ($2::uuid is null or tenants.id = $2) and tenants.sending_stopped_at is null
   limit 1000`,
);

/** Threads whose answer is due, of every tenant or one, whose sending is not stopped. */
export function withDueReplies(
  tx: Tx,
  now: Date,
  tenantId: Uuid | null,
): Promise<{ tenant_id: Uuid; campaign_id: Uuid; id: Uuid }[]> {
  return tx.rows(dueReplies, [now, tenantId]);
}

export type Recipient = Thread & {
  contact_fields: Record<string, unknown>;
  starting_state: string | null;
  /** A call to it is being placed, or goes on. */
  is_called: boolean;
};

const listThreads = statement(
  "list-threads",
  `select ${COLUMNS.replace(/\w+/g, (name) => `thread.${name}`)}, contact.fields as contact_fields, message.state as starting_state,
     exists (select from dials dial where dial.tenant_id = $1 and dial.campaign_id = $2 and dial.thread_id = thread.id
       and dial.state = 'dialing') as is_called
   from threads thread
   join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
   left join messages message on message.tenant_id = $1 and message.campaign_id = $2 and message.thread_id = thread.id and message.step = 0
   where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id < $3 and ($4::text is null or thread.state = $4)
     and ($6::text is null or thread.reason = $6) and ($7::text is null or thread.phone = $7)
   order by thread.id desc limit $5`,
);

/** What recipients are chosen by; all of them when nothing is said. */
export type RecipientFilter = { state: string | undefined; reason: string | undefined; phone: string | undefined };

/** A campaign's recipients, newest first. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  page: { before: Uuid; limit: number } & RecipientFilter,
): Promise<Recipient[]> {
  const { before, limit, state, reason, phone } = page;
  const values = [tenantId, campaignId, before, state ?? null, limit + 1, reason ?? null, phone ?? null];
  return tx.rows<Recipient>(listThreads, values);
}

export type ReasonCount = { state: RecipientState; reason: string; n: number };

const countReasons = statement(
  "count-thread-reasons",
  `select state, reason, count(*)::int as n from threads
   where tenant_id = $1 and campaign_id = $2 and reason is not null group by state, reason order by n desc, state, reason limit 100`,
);

/** How many recipients are in which state for which reason, the most first; those without a reason are left out. */
export function reasonCounts(tx: Tx, tenantId: Uuid, campaignId: Uuid): Promise<ReasonCount[]> {
  return tx.rows<ReasonCount>(countReasons, [tenantId, campaignId]);
}

/** Enough to know what holds most of a campaign of a million. */
const SAMPLE = 1_000;

const countHeld = statement(
  "count-held-threads",
  `select it.campaign_id, held.reason, count(*)::int as n from unnest($2::uuid[]) as it (campaign_id)
   cross join lateral (
     select reason from threads
     where tenant_id = $1 and campaign_id = it.campaign_id and state = 'held' and reason is not null limit ${SAMPLE}) as held
   group by it.campaign_id, held.reason`,
);

/** By campaign, how many of some held recipients are so for which reason. */
export async function heldReasons(
  tx: Tx,
  tenantId: Uuid,
  campaignIds: readonly Uuid[],
): Promise<Map<Uuid, Map<string, number>>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await tx.rows<{ campaign_id: Uuid; reason: string; n: number }>(countHeld, [tenantId, campaignIds]);
  const held = new Map<Uuid, Map<string, number>>();
  for (const { campaign_id, reason, n } of rows) {
    held.set(campaign_id, (held.get(campaign_id) ?? new Map<string, number>()).set(reason, n));
  }
  return held;
}
