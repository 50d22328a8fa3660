import type { Uuid } from "#domain/values/id.ts";
import { changingAndReading, type Tx } from "#store/database/db.ts";
import * as counts from "./counts.ts";
import { insertInBatches, LEADS_A_STATEMENT, type Lead, threadsOf } from "./lead-batches.ts";

export type VoiceTarget = {
  tenantId: Uuid;
  /** The lane's id too. */
  campaignId: Uuid;
  organizationId: Uuid;
  agentId: Uuid;
  agentVersion: number;
  dueAt: Date;
};

const insertLeads = changingAndReading(
  "insert-voice-leads",
  `with lead as (
     select * from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[])
       as lead (contact_id, thread_id, dial_id, phone, fields)),
   ${threadsOf("$2")},
   dial as (
     insert into dials (tenant_id, campaign_id, id, thread_id, lane_id, phone, contact_id, agent_id, agent_version, purpose, n, state,
       due_at, created_at, updated_at)
     select $1, $2, lead.dial_id, thread.id, $2, thread.phone, thread.contact_id, $10, $11, 'call', 1, 'scheduled', $12, $9, $9
     from lead join thread on thread.id = lead.thread_id
     on conflict do nothing)
   select count(*)::int as added from thread`,
);

// Nobody is called after a campaign's end: who waited for it then may be brought back by being added again.
const requeueExpired = changingAndReading(
  "requeue-expired-leads",
  `with expired as (
     select id, contact_id, phone from threads
     where tenant_id = $1 and campaign_id = $2 and phone = any($3::text[]) and state = 'expired' order by id for update),
   again as (
     select thread.id, thread.contact_id, thread.phone, lead.dial_id, former.n
     from expired thread join unnest($3::text[], $4::uuid[]) as lead (phone, dial_id) on lead.phone = thread.phone
     cross join lateral (
       select max(n) as n from dials where tenant_id = $1 and campaign_id = $2 and thread_id = thread.id) former),
   dial as (
     insert into dials (tenant_id, campaign_id, id, thread_id, lane_id, phone, contact_id, agent_id, agent_version, purpose, n, state,
       due_at, created_at, updated_at)
     select $1, $2, dial_id, id, $2, phone, contact_id, $5, $6, 'call', n + 1, 'scheduled', $7, $8, $8 from again
     on conflict do nothing)
   update threads thread set state = 'scheduled', reason = null, updated_at = $8
   from again where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = again.id
   returning thread.id`,
);

type Parts = { now: Date; newId: () => Uuid };

/**
 * Adds any number of leads to a campaign of calls: their consents, contacts, threads and first dials. A phone that is in the campaign is
 * passed over. Answers with how many were added.
 */
export async function insertAll(tx: Tx, target: VoiceTarget, leads: readonly Lead[], parts: Parts): Promise<number> {
  const { tenantId, campaignId, organizationId, agentId, agentVersion, dueAt } = target;
  const dialId = () => ({ dialId: parts.newId() });
  return insertInBatches(leads, parts.newId, dialId, async (batch) => {
    const row = await tx.first<{ added: number }>(insertLeads, [
      tenantId,
      campaignId,
      organizationId,
      batch.map((lead) => lead.contactId),
      batch.map((lead) => lead.threadId),
      batch.map((lead) => lead.dialId),
      batch.map((lead) => lead.phone),
      batch.map((lead) => lead.fields),
      parts.now,
      agentId,
      agentVersion,
      dueAt,
    ]);
    const { added } = row!;
    await counts.add(tx, tenantId, parts.newId(), [
      { campaignId, state: "scheduled", n: added },
      { campaignId, state: "pending", n: added },
    ]);
    return added;
  });
}

/** Brings back those of the leads that had expired in the campaign, whose end is now later; returns how many. */
export async function requeue(tx: Tx, target: VoiceTarget, phones: readonly string[], parts: Parts): Promise<number> {
  const { tenantId, campaignId, agentId, agentVersion, dueAt } = target;
  let requeued = 0;
  for (let from = 0; from < phones.length; from += LEADS_A_STATEMENT) {
    const chunk = phones.slice(from, from + LEADS_A_STATEMENT);
    requeued += await tx.run(requeueExpired, [
      tenantId,
      campaignId,
      chunk,
      chunk.map(() => parts.newId()),
      agentId,
      agentVersion,
      dueAt,
      parts.now,
    ]);
  }
  await counts.add(tx, tenantId, parts.newId(), [
    { campaignId, state: "expired", n: -requeued },
    { campaignId, state: "scheduled", n: requeued },
    { campaignId, state: "pending", n: requeued },
  ]);
  return requeued;
}
