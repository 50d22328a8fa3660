import type { Uuid } from "#domain/values/id.ts";
import * as numberChecks from "#store/compliance/number-checks.ts";
import { anyOf, changingAndReading, type Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as threads from "#store/messaging/threads.ts";
import type { Refused } from "./claims.ts";
import type { Known } from "./gate-facts.ts";

const refusal = (table: "messages" | "dials") =>
  `with refused as (
     select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::text[], $7::text[])
       as refused (campaign_id, id, state, due_at, rule, reason)
     where ${anyOf("id")}),
   moved as (
     update ${table} claimed set state = refused.state, due_at = refused.due_at, rule = refused.rule, reason = refused.reason,
       updated_at = $8
     from refused where claimed.tenant_id = $1 and claimed.campaign_id = refused.campaign_id and claimed.id = refused.id
     returning claimed.campaign_id, claimed.thread_id, claimed.due_at),
   hold as (
     insert into holds (tenant_id, phone, at, message_id, campaign_id, rule, until)
     select $1, phone, $8, id, campaign_id, rule, until
     from unnest($10::text[], $11::uuid[], $12::uuid[], $13::text[], $14::timestamptz[]) as hold (phone, id, campaign_id, rule, until)
     on conflict do nothing)
   insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
   select $1, campaign_id, $9, 'pending', -count(*)::int from moved
   where due_at is null and thread_id is not null group by campaign_id
   on conflict do nothing`;

/** Of texts and of calls. */
const REFUSALS = {
  messages: changingAndReading("refuse-messages", refusal("messages")),
  dials: changingAndReading("refuse-dials", refusal("dials")),
};

type Claimed = { id: Uuid; campaign_id: Uuid; thread_id: Uuid | null; phone: string };

/**
 * Puts off what may not leave, or drops it, moves the recipients concerned (`isRecipients`), and queues the check of numbers that are held for one.
 * Returns what it refused. The rest it leaves: others have locked their threads, and may need the lane.
 */
export async function refuse<T extends Claimed>(
  tx: Tx,
  tenantId: Uuid,
  table: keyof typeof REFUSALS,
  them: readonly Refused<T>[],
  parts: { known: Known; isRecipients: (claimed: T) => boolean; newId: () => Uuid; now: Date },
): Promise<Refused<T>[]> {
  const { isRecipients, now } = parts;
  await ask(tx, tenantId, them, parts);
  const recipients = them.map(({ claimed }) => claimed).filter(isRecipients);
  const free = await threads.hold(tx, tenantId, recipients);
  const refused = them.filter(({ claimed }) => !isRecipients(claimed) || free.has(claimed.thread_id!));
  if (refused.length === 0) return refused;
  const held = refused.flatMap(({ claimed, rule, hold }) => (hold ? [{ claimed, rule, until: hold.until }] : []));
  await tx.run(REFUSALS[table], [
    tenantId,
    refused.map(({ claimed }) => claimed.campaign_id),
    refused.map(({ claimed }) => claimed.id),
    refused.map(({ state }) => state),
    refused.map(({ dueAt }) => dueAt),
    refused.map(({ rule }) => rule),
    refused.map(({ reason }) => reason),
    now,
    parts.newId(),
    held.map(({ claimed }) => claimed.phone),
    held.map(({ claimed }) => claimed.id),
    held.map(({ claimed }) => claimed.campaign_id),
    held.map(({ rule }) => rule),
    held.map(({ until }) => until),
  ]);
  const moves: threads.Move[] = refused
    .filter(({ claimed }) => isRecipients(claimed))
    .map(({ claimed, state, rule, reason }) => ({
      campaignId: claimed.campaign_id,
      threadId: claimed.thread_id!,
      state: state === "held" || state === "expired" ? state : rule === "opted_out" ? "opted_out" : "skipped",
      reason,
    }));
  await threads.move(tx, tenantId, moves, parts.newId(), now);
  return refused;
}

/** Queues the look-up of numbers that are held until it is known whether they have been reassigned since their consent. */
async function ask<T extends Claimed>(
  tx: Tx,
  tenantId: Uuid,
  them: readonly Refused<T>[],
  { known, now }: { known: Known; now: Date },
): Promise<void> {
  const unchecked = them
    .filter((refusal) => refusal.rule === "reassigned_unchecked")
    .map(({ claimed }) => claimed.phone);
  if (unchecked.length === 0) return;
  const consentAt = (phone: string) => known.of(phone, undefined).screening!.consent!.at;
  const questions = [...new Set(unchecked)].map((phone) => ({ phone, consentAt: consentAt(phone) }));
  await numberChecks.want(tx, tenantId, questions, now);
  await queue.enqueue(tx, [{ job: "check-numbers", payload: { tenantId } }]);
}
