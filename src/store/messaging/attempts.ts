import { MESSAGE_RANK, type MessageState } from "#domain/messaging/message.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { DoubtedText } from "#ports/sms-carrier.ts";
import {
  anyOf,
  changing,
  changingAndReading,
  crossTenant,
  crossTenantChanging,
  statement,
  type Tx,
} from "#store/database/db.ts";
import { AFTER_RECEIPTS, AFTER_SETTLING, afterMoveAlone, andAfterMove, finishMove, type Moved } from "./after-move.ts";

export type SettledAttempt = {
  ref: Uuid;
  /** uncertain: to be looked up at `checkAt`; held: it cannot be, so an operator decides. */
  state: "accepted" | "rejected" | "not_sent" | "uncertain" | "held";
  carrierId: string | null;
  errorCode: string | null;
};

export type SettledMessage = {
  campaign_id: Uuid;
  thread_id: Uuid | null;
  id: Uuid;
  step: number;
  phone: string;
  state: MessageState;
  reason: string | null;
};

const MOVED = "campaign_id, thread_id, id, step, phone, state, reason";

// An attempt is found by its ref, never by its state: said outright, the state makes PostgreSQL read all that is open or
// was since the last vacuum, for each batch. So it is hidden in coalesce.
// The owner, whoever looks an attempt up and the carrier's receipts may want to settle the same attempts at once: each
// locks them in the order of their refs, and before it locks a message.
// A certain word also settles what was given to a person meanwhile. That a text was taken is true of one, too, that was thought not to
// be: it is not sent again, if it still waits. The attempt stays as it is then, for another may have followed it.
const SETTLE = `with result as (
     select * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
       as result (ref, state, carrier_id, error_code, due_at)
     where ${anyOf("ref")}),
   open as (
     select result.*, attempt.was from (select * from result order by ref) result
     cross join lateral (
       select attempt.state as was from attempts attempt where attempt.tenant_id = $1 and attempt.ref = result.ref
         and coalesce(attempt.state in ('in_flight', 'uncertain')
           or (attempt.state = 'held' and result.state in ('accepted', 'rejected', 'not_sent'))
           or (attempt.state = 'not_sent' and result.state = 'accepted'), false) for update) attempt),
   attempt as (
     update attempts attempt set state = case when open.was = 'not_sent' then open.was else open.state end,
       carrier_id = coalesce(open.carrier_id, attempt.carrier_id), may_have_left = open.was = 'not_sent',
       error_code = case when open.was = 'not_sent' then attempt.error_code else open.error_code end,
       settled_at = $7, check_at = $8
     from open
     where attempt.tenant_id = $1 and attempt.ref = open.ref
     returning attempt.campaign_id, attempt.message_id, open.was, open.state, attempt.carrier_id, open.error_code, open.due_at),
   moved as (
     update messages message set
       state = case when attempt.state = 'accepted' then 'accepted' when attempt.state = 'rejected' then 'failed'
         when attempt.state = 'held' then 'unknown' else 'scheduled' end,
       due_at = case when attempt.state = 'not_sent' then attempt.due_at end,
       carrier_id = coalesce(attempt.carrier_id, message.carrier_id),
       reason = attempt.error_code,
       sent_at = case when attempt.state = 'accepted' then $7 end,
       updated_at = $7
     from attempt
     where attempt.state <> 'uncertain' and message.tenant_id = $1 and message.campaign_id = attempt.campaign_id
       and message.id = attempt.message_id
       and message.state = any(case when attempt.was = 'held' then '{unknown}' when attempt.was = 'not_sent' then '{scheduled,held}'
         else '{sending}' end::text[])
     returning message.campaign_id, message.thread_id, message.id, message.step, message.phone, message.state, message.reason, attempt.was)`;

const settleAttempts = changingAndReading(
  "settle-attempts",
  `${SETTLE},${andAfterMove(AFTER_SETTLING, { now: "$7", changeId: "$9" })} select ${MOVED} from moved`,
  `${SETTLE} select ${MOVED}, was from moved where $9::uuid is not null`,
);
const afterSettling = afterMoveAlone("settled-messages", AFTER_SETTLING, "was");

/**
 * Writes down what became of attempts, and moves their messages on. Answers with the messages that moved: one that
 * a receipt had raised before stays where it is. `dueAt` is when what was not sent is tried again.
 */
export async function settle(
  tx: Tx,
  tenantId: Uuid,
  results: readonly (SettledAttempt & { dueAt?: Date })[],
  change: { now: Date; checkAt: Date; changeId: Uuid },
): Promise<SettledMessage[]> {
  const moved = await tx.rows<SettledMessage & Moved>(settleAttempts, [
    tenantId,
    results.map((result) => result.ref),
    results.map((result) => result.state),
    results.map((result) => result.carrierId),
    results.map((result) => result.errorCode),
    results.map((result) => result.dueAt ?? null),
    change.now,
    change.checkAt,
    change.changeId,
  ]);
  await finishMove(tx, tenantId, moved, afterSettling, change);
  return moved;
}

export type Receipt = { ref: Uuid; state: MessageState; carrierId: string | null; errorCode: string | null };

const RECEIVE = `with receipt as (
     select * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as receipt (ref, state, carrier_id, error_code)
     where ${anyOf("ref")}),
   known as (
     select attempt.campaign_id, attempt.message_id, receipt.* from receipt
     cross join lateral (select campaign_id, message_id from attempts where tenant_id = $1 and ref = receipt.ref offset 0) attempt),
   open as (
     select receipt.*, attempt.was from (select * from receipt order by ref) receipt
     cross join lateral (
       select attempt.state as was from attempts attempt where attempt.tenant_id = $1 and attempt.ref = receipt.ref
         and coalesce(attempt.state in ('in_flight', 'uncertain', 'held', 'not_sent'), false) for update) attempt),
   proven as (
     update attempts attempt set state = case when open.was = 'not_sent' then open.was else 'accepted' end,
       may_have_left = open.was = 'not_sent', settled_at = $6, carrier_id = coalesce(attempt.carrier_id, open.carrier_id)
     from open
     where attempt.tenant_id = $1 and attempt.ref = open.ref and (open.was <> 'not_sent' or open.state in ('sent', 'delivered'))),
   old as (
     select message.campaign_id, message.id, message.state, known.state as new, known.carrier_id, known.error_code
     -- The count is always so; asked, so that the attempts are locked by then.
     from (
       select known.* from known left join open on open.ref = known.ref
       where (select count(*) from open) >= 0
         -- What was given up, or was not found, says no more of its message than that it was taken: another is to be sent, or was.
         and (open.was is distinct from 'not_sent' or known.state in ('sent', 'delivered'))
       order by known.campaign_id, known.message_id) as known
     cross join lateral (
       select campaign_id, id, state from messages
       where tenant_id = $1 and campaign_id = known.campaign_id and id = known.message_id for update) as message),
   moved as (
     -- One that is due again, because a look-up had not found it, was sent after all and is so no longer.
     update messages message set state = old.new, due_at = null, reason = old.error_code, updated_at = $6,
       sent_at = coalesce(message.sent_at, $6), carrier_id = coalesce(message.carrier_id, old.carrier_id)
     from old
     where message.tenant_id = $1 and message.campaign_id = old.campaign_id and message.id = old.id and ${anyOf("old.id")}
       and ($8::jsonb ->> old.new)::int > ($8::jsonb ->> old.state)::int
     returning message.campaign_id, message.thread_id, message.id, message.step, message.phone, message.state, message.reason,
       old.state as old)`;

const recordReceipts = changingAndReading(
  "record-receipts",
  `${RECEIVE},${andAfterMove(AFTER_RECEIPTS, { now: "$6", changeId: "$7" })} select ${MOVED} from moved`,
  `${RECEIVE} select ${MOVED}, old from moved where $7::uuid is not null`,
);
const afterReceipts = afterMoveAlone("received-messages", AFTER_RECEIPTS, "old");

const RANKS = JSON.stringify(MESSAGE_RANK);

/**
 * Records what a carrier says became of texts, one receipt a ref. A state only rises by MESSAGE_RANK; a receipt also
 * proves that an attempt whose reply was lost had been taken. Of an attempt that is not_sent it counts only if it says so: that it failed
 * decides nothing about the one that follows it. Answers with the messages that moved.
 */
export async function receive(
  tx: Tx,
  tenantId: Uuid,
  receipts: readonly Receipt[],
  change: { now: Date; changeId: Uuid },
): Promise<SettledMessage[]> {
  const moved = await tx.rows<SettledMessage & Moved>(recordReceipts, [
    tenantId,
    receipts.map((receipt) => receipt.ref),
    receipts.map((receipt) => receipt.state),
    receipts.map((receipt) => receipt.carrierId),
    receipts.map((receipt) => receipt.errorCode),
    change.now,
    change.changeId,
    RANKS,
  ]);
  await finishMove(tx, tenantId, moved, afterReceipts, change);
  return moved;
}

/** Why a message waits that had been sent, perhaps, before. */
export const RESENT = "resent_by_operator";

const giveUpAttempt = changingAndReading(
  "give-up-attempt",
  `with given as (
     update attempts set state = 'not_sent', may_have_left = true, error_code = '${RESENT}', settled_at = $4
     where tenant_id = $1 and campaign_id = $2 and message_id = $3 and state = 'held' returning campaign_id, message_id),
   moved as (
     update messages message set state = 'scheduled', due_at = $4, reason = '${RESENT}', updated_at = $4
     from given
     where message.tenant_id = $1 and message.campaign_id = given.campaign_id and message.id = given.message_id
       and message.state = 'unknown'
     returning message.campaign_id, message.thread_id),
   counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, campaign_id, $5, 'pending', 1 from moved where thread_id is not null
     on conflict do nothing)
   select campaign_id from moved`,
);

/** Lets a message whose attempt is held be sent once more, due `now`; false when none of it is held. */
export async function giveUp(
  tx: Tx,
  tenantId: Uuid,
  attempt: { campaignId: Uuid; messageId: Uuid; now: Date; changeId: Uuid },
): Promise<boolean> {
  const moved = await tx.rows(giveUpAttempt, [
    tenantId,
    attempt.campaignId,
    attempt.messageId,
    attempt.now,
    attempt.changeId,
  ]);
  return moved.length === 1;
}

const openForPhone = statement(
  "count-open-attempts",
  `select count(*)::int as n from attempts
   where tenant_id = $1 and phone = any($2::text[]) and state in ('in_flight', 'uncertain') and ref >= $3`,
);

/** Attempts at these phones, no older than the id `since`, that may still be on their way to the carrier. */
export async function openFor(tx: Tx, tenantId: Uuid, phones: readonly string[], since: Uuid): Promise<number> {
  return (await tx.first<{ n: number }>(openForPhone, [tenantId, phones, since]))!.n;
}

const phonesWithOpen = statement(
  "list-phones-with-open-attempts",
  `select distinct phone from attempts
   where tenant_id = $1 and phone = any($2::text[]) and state in ('in_flight', 'uncertain')`,
);

/** To which of these phones something may still be on its way. */
export async function phonesWithOpenAttempts(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<Set<string>> {
  return new Set((await tx.rows<{ phone: string }>(phonesWithOpen, [tenantId, phones])).map((row) => row.phone));
}

const attemptsOfCarrier = statement(
  "list-attempts-of-carrier",
  "select ref from attempts where tenant_id = $1 and carrier = $2 and ref = any($3::uuid[])",
);

/** Those of the attempts that went by a carrier. */
export async function ofCarrier(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
  refs: readonly Uuid[],
): Promise<ReadonlySet<Uuid>> {
  return new Set((await tx.rows<{ ref: Uuid }>(attemptsOfCarrier, [tenantId, carrier, refs])).map((row) => row.ref));
}

// A gateway uses its ids again, and may say no phone, say it in a way of its own, or say both numbers the other way round. Where texts went to the
// phone that it names, the receipt is of one of these; and where the latest of these has no id yet, it may be that one's: it waits for the answer.
const attemptsByIds = statement(
  "find-attempts-by-carrier-id",
  `select distinct on (receipt.n) receipt.n::int - 1 as i, attempt.ref
   from unnest($3::text[], $4::text[], $6::text[]) with ordinality as receipt (carrier_id, phone, sender, n)
   join attempts attempt on attempt.tenant_id = $1 and attempt.carrier = $2 and attempt.carrier_id = receipt.carrier_id
     and attempt.carrier <> 'simulator' and attempt.at > $5
   where (attempt.phone = receipt.phone or not exists (
       select from attempts other where other.tenant_id = $1 and other.phone = receipt.phone and other.carrier = $2 and other.at > $5))
     and not exists (
       select from attempts later where later.tenant_id = $1 and later.phone = attempt.phone and later.carrier = $2
         and later.sender = attempt.sender and later.at > attempt.at and later.carrier_id is null and later.state in ('in_flight', 'uncertain'))
   order by receipt.n, attempt.phone = receipt.phone desc nulls last, attempt.sender = receipt.sender desc nulls last, attempt.at desc`,
);

const attemptsByEnds = statement(
  "find-attempts-by-end-of-ref",
  `select receipt.n::int - 1 as i, min(attempt.ref::text)::uuid as ref
   from unnest($3::text[], $4::text[]) with ordinality as receipt (ending, phone, n)
   join attempts attempt on attempt.tenant_id = $1 and attempt.carrier = $2 and attempt.phone = receipt.phone
     and attempt.at > $5 and attempt.carrier_id is null and right(attempt.ref::text, 4) = receipt.ending
   group by receipt.n having count(*) = 1`,
);

type Sought = { carrierId: string; phone: string | null; sender: string | null; ending: string | null };

/**
 * Attempts by an account since a time of the tenant's, in the order in which they are sought: by the carrier's id of it, the newest to that phone, from
 * that sender, where an id came again; else by its phone and the end of its ref, where only one of them has both and none has an id. Undefined: none that is known.
 */
export async function named(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
  sought: readonly Sought[],
  since: Date,
): Promise<(Uuid | undefined)[]> {
  const found: (Uuid | undefined)[] = sought.map(() => undefined);
  const phones = sought.map(({ phone }) => phone);
  const ids = sought.map(({ carrierId }) => carrierId);
  type Row = { i: number; ref: Uuid };
  const senders = sought.map(({ sender }) => sender);
  const byId = await tx.rows<Row>(attemptsByIds, [tenantId, carrier, ids, phones, since, senders]);
  for (const { i, ref } of byId) found[i] = ref;
  const endings = sought.map(({ ending }, i) => (found[i] === undefined ? ending : null));
  if (endings.every((ending) => ending === null)) return found;
  for (const { i, ref } of await tx.rows<Row>(attemptsByEnds, [tenantId, carrier, endings, phones, since]))
    found[i] = ref;
  return found;
}

const phonesOfAttempts = statement(
  "list-phones-of-attempts",
  "select distinct phone from attempts where tenant_id = $1 and ref = any($2::uuid[]) and phone like '+%' order by phone",
);

/** Whom attempts were for, in order; nobody who was erased meanwhile. */
export async function phonesOf(tx: Tx, tenantId: Uuid, refs: readonly Uuid[]): Promise<string[]> {
  return (await tx.rows<{ phone: string }>(phonesOfAttempts, [tenantId, refs])).map((row) => row.phone);
}

const inFlightOfCampaign = statement(
  "count-attempts-in-flight-of-campaign",
  `select count(*)::int as n from attempts where tenant_id = $1 and campaign_id = $2 and state = 'in_flight'`,
);

/** A campaign's attempts that are being handed to the carrier at this moment. */
export async function inFlightOf(tx: Tx, tenantId: Uuid, campaignId: Uuid): Promise<number> {
  return (await tx.first<{ n: number }>(inFlightOfCampaign, [tenantId, campaignId]))!.n;
}

const inFlightOfOrganization = statement(
  "count-attempts-in-flight-of-organization",
  `select count(*)::int as n from attempts attempt
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = attempt.campaign_id
   left join dials dial on dial.tenant_id = $1 and dial.campaign_id = attempt.campaign_id and dial.id = attempt.message_id
   left join agents agent on agent.tenant_id = $1 and agent.id = dial.agent_id
   where attempt.tenant_id = $1 and attempt.state = 'in_flight' and coalesce(campaign.organization_id, agent.organization_id) = $2`,
);

/** The attempts of an organization's campaigns, and of its single calls, that are being handed to the carrier at this moment. */
export async function inFlightOfAll(tx: Tx, tenantId: Uuid, organizationId: Uuid): Promise<number> {
  return (await tx.first<{ n: number }>(inFlightOfOrganization, [tenantId, organizationId]))!.n;
}

const carriersOfDead = crossTenant(
  "carriers-of-dead-nodes",
  "select distinct carrier from attempts where state = 'in_flight' and node_id = any($1::uuid[])",
);

/** The carriers to which dead nodes were handing something over. */
export async function carriersOf(tx: Tx, deadNodes: readonly Uuid[]): Promise<string[]> {
  return (await tx.rows<{ carrier: string }>(carriersOfDead, [deadNodes])).map((row) => row.carrier);
}

const doubtDead = crossTenantChanging(
  "doubt-attempts-of-dead-nodes",
  `update attempts set state = 'uncertain', check_at = case when unmarked then $4::timestamptz else $3::timestamptz end
   where state = 'in_flight' and node_id = any($1::uuid[]) and carrier = $2`,
);

/**
 * What a dead node had in flight with a carrier is uncertain from now on, and may be looked up at `checkAt`. What it had not marked has not left, and from
 * here on cannot (marks.ts): that is settled `now`.
 */
export function doubt(
  tx: Tx,
  deadNodes: readonly Uuid[],
  carrier: string,
  { now, checkAt }: { now: Date; checkAt: Date },
): Promise<number> {
  return tx.run(doubtDead, [deadNodes, carrier, checkAt, now]);
}

const postponeLookUp = changing(
  "postpone-look-up",
  `update attempts set check_at = $3 where tenant_id = $1 and ref = any($2::uuid[])
     and coalesce(state = 'uncertain', false)`,
);

/** Uncertain attempts that could not be looked up now are to be at `checkAt`. */
export async function postpone(tx: Tx, tenantId: Uuid, refs: readonly Uuid[], checkAt: Date): Promise<void> {
  await tx.run(postponeLookUp, [tenantId, refs, checkAt]);
}

// A change of all tenants' rows locks them on each server of a cluster, what only reads does not. Mostly nothing is overdue.
const anyOverdue = crossTenant(
  "any-overdue-attempt",
  "select tenant_id from attempts where state = 'in_flight' and check_at <= $1 limit 1",
);
const liveNodes = crossTenant("list-live-nodes", "select id from nodes where lost_at is null");
const doubtOverdue = crossTenantChanging(
  "doubt-overdue-attempts",
  `update attempts set state = 'uncertain', check_at = $2
   where state = 'in_flight' and check_at <= $3
     and (node_id = $1 or node_id <> all($4::uuid[]))`,
);

/**
 * The same for attempts whose own time is over and that nobody is going to settle: of nodes that are in no register,
 * and of this one, whose database failed it when it wanted to write the carrier's answer down.
 */
export async function doubtOverdueOf(tx: Tx, node: Uuid, times: { now: Date; checkAt: Date }): Promise<number> {
  if (!(await tx.first(anyOverdue, [times.now]))) return 0;
  // Who enters the register after this has nothing that is overdue.
  const live = (await tx.rows<{ id: Uuid }>(liveNodes)).map(({ id }) => id);
  return tx.run(doubtOverdue, [node, times.checkAt, times.now, live]);
}

export type OpenAttempt = {
  tenant_id: Uuid;
  ref: Uuid;
  carrier: string;
  phone: string;
  campaign_id: Uuid;
  /** The message of a text, the dial of a call: the column is message_id for both. */
  intent_id: Uuid;
  error_code: string | null;
  /** It was never marked, and has not left. */
  unmarked: boolean | null;
};
type Channel = "sms" | "voice";

const carriersInDoubt = crossTenant(
  "list-carriers-in-doubt",
  "select distinct carrier from attempts where state = 'uncertain' and channel = $1 and check_at <= $2",
);

/** The carriers, or lines, that have uncertain attempts whose time to be looked up has come. */
export async function uncertainCarriers(tx: Tx, channel: Channel, now: Date): Promise<string[]> {
  return (await tx.rows<{ carrier: string }>(carriersInDoubt, [channel, now])).map((row) => row.carrier);
}

const uncertainAttempts = crossTenant(
  "list-uncertain-attempts",
  `select tenant_id, ref, carrier, phone, campaign_id, message_id as intent_id, error_code, unmarked from attempts
   where state = 'uncertain' and channel = $1 and check_at <= $2 and (carrier = any($3::text[]) or check_at <= $4)
   order by tenant_id, carrier, phone limit 1000`,
);

/**
 * Uncertain attempts with these carriers whose time to be looked up has come, of every tenant; and those with others whose time had come
 * by `unaskedSince`, for none that could look them up is there.
 */
export function uncertain(
  tx: Tx,
  channel: Channel,
  wanted: { now: Date; carriers: readonly string[]; unaskedSince: Date },
): Promise<OpenAttempt[]> {
  return tx.rows<OpenAttempt>(uncertainAttempts, [channel, wanted.now, wanted.carriers, wanted.unaskedSince]);
}

const doubtedTexts = statement(
  "list-doubted-texts",
  `select attempt.ref, attempt.sender, attempt.phone as to, message.text, coalesce(cardinality(message.media_urls), 0) as media,
     attempt.text_digest as digest, attempt.at,
     array(select other.carrier_id from attempts other
       where other.tenant_id = $1 and other.phone = attempt.phone and other.at > attempt.at - interval '2 days'
         and other.carrier_id is not null) as "otherIds"
   from attempts attempt
   left join messages message on message.tenant_id = $1 and message.campaign_id = attempt.campaign_id and message.id = attempt.message_id
   where attempt.tenant_id = $1 and attempt.ref = any($2::uuid[])`,
);

/** What a carrier has to know of attempts to look them up. */
export function doubted(tx: Tx, tenantId: Uuid, refs: readonly Uuid[]): Promise<DoubtedText[]> {
  return tx.rows<DoubtedText>(doubtedTexts, [tenantId, refs]);
}

const countSending = statement(
  "count-sending",
  `select attempt.campaign_id, count(*)::int as n from attempts attempt
   join messages message on message.tenant_id = $1 and message.campaign_id = attempt.campaign_id and message.id = attempt.message_id
   where attempt.tenant_id = $1 and attempt.campaign_id = any($2::uuid[]) and attempt.state in ('in_flight', 'uncertain')
     and message.step = 0 and message.state = 'sending'
   group by attempt.campaign_id`,
);

/** Starting messages on their way, by campaign: recipients who are `sending`, a state too brief to be stored. */
export async function sendingCounts(tx: Tx, tenantId: Uuid, campaignIds: readonly Uuid[]): Promise<Map<Uuid, number>> {
  const rows = await tx.rows<{ campaign_id: Uuid; n: number }>(countSending, [tenantId, campaignIds]);
  return new Map(rows.map((row) => [row.campaign_id, row.n]));
}
