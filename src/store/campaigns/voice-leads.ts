import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";
import * as counts from "./counts.ts";
import { LEADS_A_STATEMENT } from "./leads.ts";

export type VoiceTarget = {
  tenantId: Uuid;
  /** The lane's id too. */
  campaignId: Uuid;
  organizationId: Uuid;
  agentId: Uuid;
  agentVersion: number;
  dueAt: Date;
};

// Consents come first, as everywhere: what is not read of a `with` is done last, and two would wait for each other crosswise.
const insertLeads = statement(
  "insert-voice-leads",
  `with lead as (
     select * from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[])
       as lead (contact_id, thread_id, dial_id, phone, fields)),
   known as (
     insert into consents (tenant_id, phone) select $1, phone from lead on conflict (tenant_id, phone) do nothing
     returning 1),
   contact as (
     insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
     select $1, contact_id, $3, phone, fields::jsonb, $9, $9 from lead where (select count(*) from known) >= 0
     on conflict (tenant_id, organization_id, phone)
     do update set fields = contacts.fields || excluded.fields, updated_at = excluded.updated_at
     returning id, phone),
   thread as (
     insert into threads (tenant_id, campaign_id, id, contact_id, lane_id, phone, updated_at)
     select $1, $2, lead.thread_id, contact.id, $2, lead.phone, $9 from lead join contact on contact.phone = lead.phone
     on conflict (tenant_id, campaign_id, phone) do nothing
     returning id, phone, contact_id),
   dial as (
     insert into dials (tenant_id, campaign_id, id, thread_id, lane_id, phone, contact_id, agent_id, agent_version, purpose, n, state,
       due_at, created_at, updated_at)
     select $1, $2, lead.dial_id, thread.id, $2, thread.phone, thread.contact_id, $10, $11, 'call', 1, 'scheduled', $12, $9, $9
     from lead join thread on thread.id = lead.thread_id
     on conflict do nothing)
   select count(*)::int as added from thread`,
);

// Nobody is called after a campaign's end: who waited for it then may be brought back by being added again.
const requeueExpired = statement(
  "requeue-expired-leads",
  `with again as (
     select thread.id, thread.contact_id, thread.phone, lead.dial_id, expired.n
     from unnest($3::text[], $4::uuid[]) as lead (phone, dial_id)
     join threads thread on thread.tenant_id = $1 and thread.campaign_id = $2 and thread.phone = lead.phone and thread.state = 'expired'
     cross join lateral (
       select max(n) as n from dials where tenant_id = $1 and campaign_id = $2 and thread_id = thread.id) expired
     order by thread.id for update of thread),
   dial as (
     insert into dials (tenant_id, campaign_id, id, thread_id, lane_id, phone, contact_id, agent_id, agent_version, purpose, n, state,
       due_at, created_at, updated_at)
     select $1, $2, dial_id, id, $2, phone, contact_id, $5, $6, 'call', n + 1, 'scheduled', $7, $8, $8 from again
     on conflict do nothing)
   update threads thread set state = 'scheduled', reason = null, updated_at = $8
   from again where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = again.id
   returning thread.id`,
);

type NewLead = { contactId: Uuid; threadId: Uuid; dialId: Uuid; phone: string; fields: string };
type Parts = { now: Date; newId: () => Uuid };

/**
 * Adds any number of leads to a campaign of calls, in statements of some thousands as those of texts (leads.ts): their consents,
 * contacts, threads and first dials. A phone that is in the campaign is passed over. Answers with how many were added.
 */
export async function insertAll(
  tx: Tx,
  target: VoiceTarget,
  leads: readonly { phone: string; fields: object }[],
  it: Parts,
): Promise<number> {
  // Ids first, in the caller's order: that is the order in which they are called.
  const ordered = leads.map((lead) => ({
    lead,
    contactId: it.newId(),
    threadId: it.newId(),
    dialId: it.newId(),
  }));
  ordered.sort((a, b) => (a.lead.phone < b.lead.phone ? -1 : 1));
  let added = 0;
  let running: Promise<number> = Promise.resolve(0);
  for (let from = 0; from < ordered.length; from += LEADS_A_STATEMENT) {
    const chunk = ordered.slice(from, from + LEADS_A_STATEMENT).map(({ lead, ...ids }) => ({
      ...ids,
      phone: lead.phone,
      fields: JSON.stringify(lead.fields),
    }));
    added += await running;
    running = insertChunk(tx, target, chunk, it);
    // Awaited a turn later; a failure before that must not count as an unhandled rejection.
    running.catch(() => {});
  }
  return added + (await running);
}

async function insertChunk(tx: Tx, target: VoiceTarget, leads: readonly NewLead[], it: Parts): Promise<number> {
  const { tenantId, campaignId, organizationId, agentId, agentVersion, dueAt } = target;
  const row = await tx.first<{ added: number }>(insertLeads, [
    tenantId,
    campaignId,
    organizationId,
    leads.map((lead) => lead.contactId),
    leads.map((lead) => lead.threadId),
    leads.map((lead) => lead.dialId),
    leads.map((lead) => lead.phone),
    leads.map((lead) => lead.fields),
    it.now,
    agentId,
    agentVersion,
    dueAt,
  ]);
  const { added } = row!;
  await counts.add(tx, tenantId, it.newId(), [
    { campaignId, state: "scheduled", n: added },
    { campaignId, state: "pending", n: added },
  ]);
  return added;
}

/** Brings back those of the leads that had expired in the campaign, whose end is now later; returns how many. */
export async function requeue(tx: Tx, target: VoiceTarget, phones: readonly string[], it: Parts): Promise<number> {
  const { tenantId, campaignId, agentId, agentVersion, dueAt } = target;
  let requeued = 0;
  for (let from = 0; from < phones.length; from += LEADS_A_STATEMENT) {
    const chunk = phones.slice(from, from + LEADS_A_STATEMENT);
    requeued += await tx.run(requeueExpired, [
      tenantId,
      campaignId,
      chunk,
      chunk.map(() => it.newId()),
      agentId,
      agentVersion,
      dueAt,
      it.now,
    ]);
  }
  await counts.add(tx, tenantId, it.newId(), [
    { campaignId, state: "expired", n: -requeued },
    { campaignId, state: "scheduled", n: requeued },
    { campaignId, state: "pending", n: requeued },
  ]);
  return requeued;
}
