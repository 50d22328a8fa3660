import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import { changingAndReading, statement, type Tx } from "#store/database/db.ts";
import * as counts from "./counts.ts";
import { insertInBatches, type Lead, threadsOf } from "./lead-batches.ts";

/** The messages of every new lead: the starting message and the drips, with when each is due. */
export type PlannedStep = { step: number; kind: "start" | "drip"; dueAt: Date };

const insertLeads = changingAndReading(
  "insert-campaign-leads",
  `with lead as (
     select * from unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[]) as lead (contact_id, thread_id, phone, fields)),
   ${threadsOf("$4")},
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
 * Adds any number of leads to a campaign: their consents, contacts, threads and messages. A phone that is in the campaign is passed over (its
 * contact's fields are updated). Phones once each. Answers with how many were added.
 */
export async function insertAll(
  tx: Tx,
  target: LeadTarget,
  leads: readonly Lead[],
  steps: readonly PlannedStep[],
  parts: { now: Date; newId: () => Uuid },
): Promise<number> {
  const { tenantId, campaignId, organizationId, laneId } = target;
  const messageIds = () => ({ messageIds: steps.map(() => parts.newId()) });
  return insertInBatches(leads, parts.newId, messageIds, async (batch) => {
    const changeId = parts.newId();
    const planned = batch.flatMap((lead) =>
      steps.map((step, i) => ({ id: lead.messageIds[i]!, threadId: lead.threadId, step })),
    );
    const row = await tx.first<{ added: number }>(insertLeads, [
      tenantId,
      campaignId,
      organizationId,
      laneId,
      batch.map((lead) => lead.contactId),
      batch.map((lead) => lead.threadId),
      batch.map((lead) => lead.phone),
      batch.map((lead) => lead.fields),
      parts.now,
      planned.map((message) => message.id),
      planned.map((message) => message.threadId),
      planned.map((message) => message.step.kind),
      planned.map((message) => message.step.step),
      planned.map((message) => message.step.dueAt),
    ]);
    const { added } = row!;
    await counts.add(tx, tenantId, changeId, [
      { campaignId, state: "scheduled", n: added },
      { campaignId, state: "pending", n: added * steps.length },
    ]);
    return added;
  });
}

const PHONES_A_PAGE = 5_000;

const readStates = statement(
  "states-of-campaign-leads",
  "select phone, state from threads where tenant_id = $1 and campaign_id = $2 and phone = any($3::text[])",
);

/** The states of those of these leads that are in a campaign, by their phones. */
export async function statesOf(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  leads: readonly Pick<Lead, "phone">[],
): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  for (const piece of piecesOf(leads, PHONES_A_PAGE)) {
    const phones = piece.map(({ phone }) => phone);
    for (const { phone, state } of await tx.rows<{ phone: string; state: string }>(readStates, [
      tenantId,
      campaignId,
      phones,
    ]))
      states.set(phone, state);
  }
  return states;
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
