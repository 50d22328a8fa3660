import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";
import * as counts from "./counts.ts";

/** A lead as it enters a campaign, with the ids of all that may be made for it: one message id for each step. */
export type NewLead = { contactId: Uuid; threadId: Uuid; messageIds: readonly Uuid[]; phone: string; fields: string };

/** The messages of every new lead: the starting message and the drips, with when each is due. */
export type PlannedStep = { step: number; kind: "start" | "drip"; dueAt: Date };

// Consents come first, as everywhere: what is not read of a `with` is done last, and two would wait for each other crosswise.
const insertLeads = statement(
  "insert-campaign-leads",
  `with lead as (
     select * from unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[]) as lead (contact_id, thread_id, phone, fields)),
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
     select $1, $2, lead.thread_id, contact.id, $4, lead.phone, $9 from lead join contact on contact.phone = lead.phone
     on conflict (tenant_id, campaign_id, phone) do nothing
     returning id, phone),
   message as (
     insert into messages (tenant_id, campaign_id, id, thread_id, lane_id, phone, direction, kind, step, state, due_at, created_at, updated_at)
     select $1, $2, message.id, thread.id, $4, thread.phone, 'outbound', message.kind, message.step, 'scheduled', message.due_at, $9, $9
     from unnest($10::uuid[], $11::uuid[], $12::text[], $13::int[], $14::timestamptz[]) as message (id, thread_id, kind, step, due_at)
     join thread on thread.id = message.thread_id
     on conflict do nothing)
   select count(*)::int as added from thread`,
);

export type LeadTarget = { tenantId: Uuid; campaignId: Uuid; organizationId: Uuid; laneId: Uuid };

/**
 * Adds leads to a campaign in one statement: their consents, contacts, threads and messages. A phone that is in the
 * campaign is passed over (its contact's fields are updated). Phones once each and in order. Answers with how many
 * were added.
 */
export async function insert(
  tx: Tx,
  target: LeadTarget,
  leads: readonly NewLead[],
  steps: readonly PlannedStep[],
  it: { now: Date; changeId: Uuid },
): Promise<number> {
  const { tenantId, campaignId, organizationId, laneId } = target;
  const planned = leads.flatMap((lead) =>
    steps.map((step, i) => ({ id: lead.messageIds[i]!, threadId: lead.threadId, step })),
  );
  const row = await tx.first<{ added: number }>(insertLeads, [
    tenantId,
    campaignId,
    organizationId,
    laneId,
    leads.map((lead) => lead.contactId),
    leads.map((lead) => lead.threadId),
    leads.map((lead) => lead.phone),
    leads.map((lead) => lead.fields),
    it.now,
    planned.map((message) => message.id),
    planned.map((message) => message.threadId),
    planned.map((message) => message.step.kind),
    planned.map((message) => message.step.step),
    planned.map((message) => message.step.dueAt),
  ]);
  const added = row!.added;
  await counts.add(tx, tenantId, it.changeId, [
    { campaignId, state: "scheduled", n: added },
    { campaignId, state: "pending", n: added * steps.length },
  ]);
  return added;
}

/** Rows a statement: large enough that its fixed cost does not matter, small enough that others get their turn. */
export const LEADS_A_STATEMENT = 2_500;

/**
 * Adds any number of leads, in statements of some thousands; the next is built while PostgreSQL works on the one before. Phones are sorted over the
 * whole, so that two imports cannot deadlock.
 */
export async function insertAll(
  tx: Tx,
  target: LeadTarget,
  leads: readonly { phone: string; fields: object }[],
  steps: readonly PlannedStep[],
  it: { now: Date; newId: () => Uuid },
): Promise<number> {
  // Ids first, in the caller's order: that is the order in which they are texted.
  const ordered = leads.map((lead) => ({
    lead,
    contactId: it.newId(),
    threadId: it.newId(),
    messageIds: steps.map(() => it.newId()),
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
    running = insert(tx, target, chunk, steps, { now: it.now, changeId: it.newId() });
    // Awaited a turn later; a failure before that must not count as an unhandled rejection.
    running.catch(() => {});
  }
  return added + (await running);
}

const DAY_MS = 86_400_000;

/** The starting message at once, each drip its days later. The claim checks the day again, from when the first one left. */
export function plannedSteps(drips: readonly { day: number }[], dueAt: Date): PlannedStep[] {
  return [
    { step: 0, kind: "start", dueAt },
    ...drips.map(({ day }, i) => ({
      step: i + 1,
      kind: "drip" as const,
      dueAt: new Date(dueAt.getTime() + day * DAY_MS),
    })),
  ];
}
