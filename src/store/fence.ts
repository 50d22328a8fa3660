import type { Uuid } from "#domain/id.ts";
import * as callClock from "./call-clock.ts";
import { anyOf, crossTenant, statement, type Tx } from "./db.ts";

export type Cluster = { id: Uuid; mark: number; fenced_at: Date | null; fence_reason: string | null };

const readCluster = crossTenant(
  "read-cluster",
  "select id, mark::float8 as mark, fenced_at, fence_reason from cluster",
);

/** Which database this is, how far it has come, and whether it is fenced. */
export const read = async (tx: Tx): Promise<Cluster> => (await tx.first<Cluster>(readCluster))!;

const advanceMark = crossTenant(
  "advance-mark",
  "update cluster set mark = mark + 1 returning id, mark::float8 as mark",
);

/** One step further. The answer is to be kept outside the database, once this has committed. */
export const advance = async (tx: Tx): Promise<{ id: Uuid; mark: number }> =>
  (await tx.first<{ id: Uuid; mark: number }>(advanceMark))!;

const raiseFence = crossTenant(
  "raise-fence",
  "update cluster set fenced_at = $1, fence_reason = $2 where fenced_at is null",
);

/** Keeps everything from being handed to a carrier, on every node, from the commit on. False when it was up already. */
export const raise = async (tx: Tx, reason: string, now: Date): Promise<boolean> =>
  (await tx.run(raiseFence, [now, reason])) > 0;

/** The reason of a dial of which the database has forgotten all but that it was placed: nobody is called again because of that. */
export const RESTORED = "restored";

const lowerFence = crossTenant(
  "lower-fence",
  "update cluster set fenced_at = null, fence_reason = null, mark = greatest(mark, $1)",
);

const forgetCalls = crossTenant("forget-open-calls", "update dials set reason = $1 where state = 'dialing'");

/** Lets sending go on. `mark` is the furthest that any record knows: the database is ahead of them all again. */
export async function lower(tx: Tx, mark: number): Promise<void> {
  // Calls that went on when the backup was taken: how they went is forgotten, too.
  await tx.run(forgetCalls, [RESTORED]);
  await tx.run(lowerFence, [mark]);
}

const messagesOf = statement(
  "find-journaled-messages",
  `select message.id, message.state from unnest($2::uuid[], $3::uuid[]) as text (campaign_id, id)
   cross join lateral (
     select id, state from messages where tenant_id = $1 and campaign_id = text.campaign_id and id = text.id) message`,
);

const reopen = statement(
  "reopen-journaled-attempts",
  `with text as (
     select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) as text (ref, campaign_id, message_id, phone)),
   message as (
     update messages message set state = 'sending', due_at = null, updated_at = $6
     from text
     where message.tenant_id = $1 and message.campaign_id = text.campaign_id and message.id = text.message_id
       and message.state in ('scheduled', 'held')
     returning message.campaign_id, message.id)
   insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at)
   select $1, text.ref, text.campaign_id, text.message_id, text.phone, 'uncertain', $7, $8, $9, $6, $10
   from text join message on message.campaign_id = text.campaign_id and message.id = text.message_id
   on conflict do nothing
   returning ref`,
);

const dialsOf = statement(
  "find-journaled-dials",
  `select dial.id, dial.state from unnest($2::uuid[], $3::uuid[]) as call (campaign_id, id)
   cross join lateral (
     select id, state from dials where tenant_id = $1 and campaign_id = call.campaign_id and id = call.id) dial`,
);

const reopenDials = statement(
  "reopen-journaled-dials",
  `with call as (
     select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) as call (ref, campaign_id, dial_id, phone)),
   dial as (
     update dials dial set state = 'dialing', due_at = null, reason = '${RESTORED}', call_id = coalesce(dial.call_id, call.ref),
       updated_at = $6
     from call
     where dial.tenant_id = $1 and dial.campaign_id = call.campaign_id and dial.id = call.dial_id
       and dial.state in ('scheduled', 'held')
     returning dial.campaign_id, dial.id)
   insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at, channel, outreach)
   select $1, call.ref, call.campaign_id, call.dial_id, call.phone, 'uncertain', $7, $8, $9, $6, $10, 'voice', true
   from call join dial on dial.campaign_id = call.campaign_id and dial.id = call.dial_id
   on conflict do nothing
   returning ref`,
);

const enterCalls = statement(
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

/**
 * Enters attempts that the database has forgotten, as in doubt: from here they are looked up like any other. A text
 * (or call, whose dial stands in a message's place) whose message the database knows to be over, or whose attempt it knows, stays as it is. Answers with how many were
 * entered and with those whose message the database has never seen.
 */
export async function reopenAttempts<T extends { ref: Uuid; campaignId: Uuid; messageId: Uuid; phone: string }>(
  tx: Tx,
  tenantId: Uuid,
  texts: readonly T[],
  it: { channel: "sms" | "voice"; nodeId: Uuid; carrier: string; sender: string; at: Date; checkAt: Date },
): Promise<{ reopened: number; unknown: T[] }> {
  const isCall = it.channel === "voice";
  const campaigns = texts.map((text) => text.campaignId);
  const ids = texts.map((text) => text.messageId);
  const known = new Set(
    (await tx.rows<{ id: Uuid }>(isCall ? dialsOf : messagesOf, [tenantId, campaigns, ids])).map((row) => row.id),
  );
  const reopened = await tx.rows<{ ref: Uuid }>(isCall ? reopenDials : reopen, [
    tenantId,
    texts.map((text) => text.ref),
    campaigns,
    ids,
    texts.map((text) => text.phone),
    it.at,
    it.nodeId,
    it.carrier,
    it.sender,
    it.checkAt,
  ]);
  if (isCall) await enter(tx, tenantId, texts, new Set(reopened.map((row) => row.ref)), it);
  return { reopened: reopened.length, unknown: texts.filter((text) => !known.has(text.messageId)) };
}

/** The calls of attempts that were entered, as far as anything is known of them. Unless the look-up finds none, they end their dials. */
async function enter(
  tx: Tx,
  tenantId: Uuid,
  texts: readonly { ref: Uuid; messageId: Uuid }[],
  reopened: ReadonlySet<Uuid>,
  it: { nodeId: Uuid; carrier: string; sender: string; at: Date },
): Promise<void> {
  const calls = texts.filter(({ ref }) => reopened.has(ref));
  if (calls.length === 0) return;
  const starts = await callClock.take(tx, tenantId, it.at, calls.length);
  const [refs, dialIds] = [calls.map(({ ref }) => ref), calls.map(({ messageId }) => messageId)];
  await tx.run(enterCalls, [tenantId, refs, dialIds, it.at, it.carrier, it.sender, it.nodeId, starts]);
}
