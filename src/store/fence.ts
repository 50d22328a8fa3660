import type { Uuid } from "#domain/id.ts";
import { crossTenant, statement, type Tx } from "./db.ts";

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

const lowerFence = crossTenant(
  "lower-fence",
  "update cluster set fenced_at = null, fence_reason = null, mark = greatest(mark, $1)",
);

/** Lets sending go on. `mark` is the furthest that any record knows: the database is ahead of them all again. */
export async function lower(tx: Tx, mark: number): Promise<void> {
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
     update dials dial set state = 'dialing', due_at = null, updated_at = $6
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
  const reopened = await tx.run(isCall ? reopenDials : reopen, [
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
  return { reopened, unknown: texts.filter((text) => !known.has(text.messageId)) };
}
