import type { Uuid } from "#domain/values/id.ts";
import * as callClock from "#store/calls/clock.ts";
import { anyOf, changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import { RESTORED } from "#store/system/fence.ts";

// Attempts that a database which was put back has forgotten. Each is in the journal, whatever became of it: one that its carrier refused
// is followed by another at the same message. The last that is known of is the one in doubt; those before it are kept beside it as
// not_sent, by this reason, and looked up with it. Their refs are UUIDv7s, so that the last is the greatest, in whatever order they come.
// A call has its dial in a message's place.

const LIVE = "('in_flight', 'uncertain', 'accepted', 'held')";

/** Journaled attempts, as far as the database does not know them. */
const FRESH = `fresh as (
     select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) as it (ref, campaign_id, message_id, phone)
     where ${anyOf("it.ref")} and not exists (select from attempts known where known.tenant_id = $1 and known.ref = it.ref))`;

const supersede = changingAndReading(
  "supersede-attempts-before-journaled",
  `with ${FRESH},
   open as (
     select attempt.ref, attempt.error_code is not distinct from '${RESTORED}' as was_entered from fresh
     join attempts attempt on attempt.tenant_id = $1 and attempt.message_id = fresh.message_id and attempt.ref < fresh.ref
       and attempt.state in ('in_flight', 'uncertain', 'held')
     order by attempt.ref for update of attempt)
   update attempts attempt set state = 'not_sent', error_code = '${RESTORED}', settled_at = $6,
     -- One that was given to a person was sent again at a person's word.
     may_have_left = attempt.may_have_left or attempt.state = 'held'
   from open where attempt.tenant_id = $1 and attempt.ref = open.ref and attempt.state in ('in_flight', 'uncertain', 'held')
   returning open.was_entered`,
);

/** An insert of attempts that are in doubt from now on, from `source`. */
const DOUBTED = (source: string): string => `
   insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at, channel, outreach,
     error_code, text_digest)
   select $1, ref, campaign_id, id, phone, 'uncertain', $7, $8, $9, $6, $10, $11, ref = any($12::uuid[]), '${RESTORED}', $13::jsonb ->> ref::text
   from ${source}
   on conflict do nothing
   returning ref`;

/** The messages (or dials) of fresh attempts that nothing is known to have become of yet, locked. */
const WAITING = (table: string, states: string): string => `waiting as (
     select fresh.ref, fresh.phone, it.* from (select * from fresh order by campaign_id, message_id) as fresh
     cross join lateral (
       select campaign_id, id, thread_id, state from ${table}
       where tenant_id = $1 and campaign_id = fresh.campaign_id and id = fresh.message_id for update) it
     where it.state in (${states}) and not exists (
       select from attempts live where live.tenant_id = $1 and live.message_id = it.id and live.state in ${LIVE}))`;

/** One that was given to a person, and counted as over, waits again. */
const COUNTED = `counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, campaign_id, $14, 'pending', count(*)::int from waiting where state = 'unknown' and thread_id is not null group by campaign_id
     on conflict do nothing)`;

const reopenMessages = changingAndReading(
  "reopen-journaled-attempts",
  `with ${FRESH},
   ${WAITING("messages", "'scheduled', 'held', 'sending', 'unknown'")},
   moved as (
     update messages message set state = 'sending', due_at = null, updated_at = $6
     from waiting where message.tenant_id = $1 and message.campaign_id = waiting.campaign_id and message.id = waiting.id),
   ${COUNTED}
   ${DOUBTED("waiting")}`,
);

const reopenDials = changingAndReading(
  "reopen-journaled-dials",
  `with ${FRESH},
   ${WAITING("dials", "'scheduled', 'held', 'dialing', 'unknown'")},
   moved as (
     update dials dial set state = 'dialing', due_at = null, reason = '${RESTORED}', updated_at = $6,
       -- The call of one that was given to a person keeps its record.
       call_id = case when waiting.state = 'unknown' then waiting.ref else coalesce(dial.call_id, waiting.ref) end
     from waiting where dial.tenant_id = $1 and dial.campaign_id = waiting.campaign_id and dial.id = waiting.id),
   ${COUNTED}
   ${DOUBTED("waiting")}`,
);

/** Those that were followed by another, beside it. */
const keepEarlier = (channel: string, table: string, state: string) =>
  changingAndReading(
    `keep-earlier-journaled-${channel}`,
    `with ${FRESH}
     insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, settled_at, check_at, channel,
       outreach, error_code, text_digest)
     select $1, fresh.ref, fresh.campaign_id, fresh.message_id, fresh.phone, 'not_sent', $7, $8, $9, $6, $6, $10, $11,
       fresh.ref = any($12::uuid[]), '${RESTORED}', $13::jsonb ->> fresh.ref::text
     from fresh join ${table} it on it.tenant_id = $1 and it.campaign_id = fresh.campaign_id and it.id = fresh.message_id
       and it.state = '${state}'
     on conflict do nothing`,
  );

const known = (table: string) =>
  statement(
    `find-journaled-${table}`,
    `select it.id from unnest($2::uuid[], $3::uuid[]) as text (campaign_id, id)
     cross join lateral (select id from ${table} where tenant_id = $1 and campaign_id = text.campaign_id and id = text.id) it`,
  );

const SMS = {
  known: known("messages"),
  reopen: reopenMessages,
  keepEarlier: keepEarlier("texts", "messages", "sending"),
};
const VOICE = {
  known: known("dials"),
  reopen: reopenDials,
  keepEarlier: keepEarlier("calls", "dials", "dialing"),
};

const enterCalls = changing(
  "enter-journaled-calls",
  `insert into calls (tenant_id, id, organization_id, user_id, campaign_id, thread_id, dial_id, contact_id, direction, purpose, carrier,
     agent_id, agent_version, number, phone, status, reason, start_at, dialed_at, end_at, node_id, created_at)
   select $1, dial.call_id, agent.organization_id, coalesce(dial.user_id, agent.user_id), dial.campaign_id, dial.thread_id, dial.id,
     dial.contact_id, 'outbound', dial.purpose, $5, dial.agent_id, dial.agent_version, $6, dial.phone, 'error', 'error_unknown',
     call.start_at, $4, $4, $7, $4
   from unnest($2::uuid[], $3::uuid[], $8::timestamptz[]) as call (ref, dial_id, start_at)
   join attempts attempt on attempt.tenant_id = $1 and attempt.ref = call.ref
   join dials dial on dial.tenant_id = $1 and dial.campaign_id = attempt.campaign_id and dial.id = call.dial_id
   join agents agent on agent.tenant_id = $1 and agent.id = dial.agent_id
   where ${anyOf("call.ref")}
   on conflict do nothing`,
);

type Journaled = {
  ref: Uuid;
  campaignId: Uuid;
  messageId: Uuid;
  phone: string;
  outreach: boolean;
  digest?: string;
};

/**
 * Enters attempts that the database has forgotten, at most one a message, as in doubt: from here they are looked up like any other. An open
 * attempt at the same message gives way to a later one. A text (or call) whose message the database knows to be over, or whose attempt it
 * knows, stays as it is. Answers with how many messages have one now that had none
 * of these, and with those whose message the database has never seen.
 */
export async function reopen<T extends Journaled>(
  tx: Tx,
  tenantId: Uuid,
  them: readonly T[],
  attempt: {
    channel: "sms" | "voice";
    nodeId: Uuid;
    carrier: string;
    sender: string;
    at: Date;
    checkAt: Date;
    changeId: Uuid;
  },
): Promise<{ reopened: number; unknown: T[] }> {
  const of = attempt.channel === "voice" ? VOICE : SMS;
  const campaigns = them.map(({ campaignId }) => campaignId);
  const ids = them.map(({ messageId }) => messageId);
  const found = new Set((await tx.rows<{ id: Uuid }>(of.known, [tenantId, campaigns, ids])).map((row) => row.id));
  const fresh = [tenantId, them.map(({ ref }) => ref), campaigns, ids, them.map(({ phone }) => phone), attempt.at];
  const outreach = them.filter((one) => one.outreach).map(({ ref }) => ref);
  const entered = [
    ...fresh,
    attempt.nodeId,
    attempt.carrier,
    attempt.sender,
    attempt.checkAt,
    attempt.channel,
    outreach,
    Object.fromEntries(them.map(({ ref, digest }) => [ref, digest ?? null])),
  ];
  const superseded = await tx.rows<{ was_entered: boolean }>(supersede, fresh);
  const reopened = await tx.rows<{ ref: Uuid }>(of.reopen, [...entered, attempt.changeId]);
  await tx.run(of.keepEarlier, entered);
  if (attempt.channel === "voice") await enter(tx, tenantId, them, new Set(reopened.map((row) => row.ref)), attempt);
  const again = superseded.filter((row) => row.was_entered).length;
  return { reopened: reopened.length - again, unknown: them.filter((one) => !found.has(one.messageId)) };
}

/** The calls of attempts that were entered, as far as anything is known of them. Unless the look-up finds none, they end their dials. */
async function enter(
  tx: Tx,
  tenantId: Uuid,
  them: readonly Journaled[],
  reopened: ReadonlySet<Uuid>,
  attempt: { nodeId: Uuid; carrier: string; sender: string; at: Date },
): Promise<void> {
  const calls = them.filter(({ ref }) => reopened.has(ref));
  if (calls.length === 0) return;
  const starts = await callClock.take(tx, tenantId, attempt.at, calls.length);
  const [refs, dialIds] = [calls.map(({ ref }) => ref), calls.map(({ messageId }) => messageId)];
  await tx.run(enterCalls, [
    tenantId,
    refs,
    dialIds,
    attempt.at,
    attempt.carrier,
    attempt.sender,
    attempt.nodeId,
    starts,
  ]);
}

const listEarlier = statement(
  "list-earlier-journaled-attempts",
  `select attempt.ref, earlier.ref as earlier
   from attempts attempt
   join attempts earlier on earlier.tenant_id = $1 and earlier.phone = attempt.phone and earlier.message_id = attempt.message_id
     and earlier.ref <> attempt.ref and earlier.state = 'not_sent' and earlier.error_code = '${RESTORED}'
   where attempt.tenant_id = $1 and attempt.ref = any($2::uuid[])`,
);

/**
 * Asks a carrier which attempts in doubt it has taken. One that stands for others at the same message, of which the database has forgotten
 * how they ended, was taken if any of them was.
 */
export async function lookUp<T>(
  tx: Tx,
  tenantId: Uuid,
  open: readonly { ref: Uuid; error_code: string | null }[],
  ask: (refs: Uuid[]) => Promise<Map<Uuid, T>>,
): Promise<Map<Uuid, T>> {
  const refs = open.map(({ ref }) => ref);
  const restored = open.filter((attempt) => attempt.error_code === RESTORED).map(({ ref }) => ref);
  if (restored.length === 0) return ask(refs);
  const rows = await tx.rows<{ ref: Uuid; earlier: Uuid }>(listEarlier, [tenantId, restored]);
  const taken = await ask([...refs, ...rows.map((row) => row.earlier)]);
  for (const { ref, earlier } of rows) {
    const first = taken.get(earlier);
    if (first !== undefined && !taken.has(ref)) taken.set(ref, first);
  }
  return taken;
}
