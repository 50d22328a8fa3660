import type { Attestation } from "#domain/calls/attestation.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { changingAndReading, statement, type Tx } from "#store/database/db.ts";

const knownCall = statement(
  "find-inbound-call",
  "select from calls where tenant_id = $1 and carrier = $2 and carrier_id = $3 and direction = 'inbound'",
);

/** Whether the carrier has reported this call before. */
export const isKnown = async (tx: Tx, tenantId: Uuid, carrier: string, carrierId: string): Promise<boolean> =>
  (await tx.run(knownCall, [tenantId, carrier, carrierId])) > 0;

/** With whether its organization is archived. */
export type AnsweringAgent = {
  id: Uuid;
  version: number;
  organization_id: Uuid;
  user_id: Uuid;
  archived_at: Date | null;
};

const findAgent = statement(
  "find-answering-agent",
  `select agent.id, agent.version, agent.organization_id, agent.user_id, organization.archived_at from (
     (select agent_id, 1 as choice from phone_numbers where tenant_id = $1 and phone = $2 and bought_at is not null and agent_id is not null)
     union all
     (select agent_id, 2 from calls where tenant_id = $1 and phone = $3 and number = $2 order by start_at desc limit 1)) as answering
   join agents agent on agent.tenant_id = $1 and agent.id = answering.agent_id and agent.deleted_at is null
   join organizations organization on organization.tenant_id = $1 and organization.id = agent.organization_id
   order by answering.choice limit 1`,
);

/** The agent that answers a number of ours: the one that it is linked to, else the one that last called this phone from it. */
export function agentOf(tx: Tx, tenantId: Uuid, number: string, phone: string): Promise<AnsweringAgent | undefined> {
  return tx.first<AnsweringAgent>(findAgent, [tenantId, number, phone]);
}

const findConversation = statement(
  "find-conversation-with-caller",
  `select thread.campaign_id, thread.id as thread_id, campaign.settings ->> 'objective' as objective
   from threads thread
   join campaigns campaign on campaign.tenant_id = $1 and campaign.id = thread.campaign_id
   where thread.tenant_id = $1 and thread.phone = $3 and (campaign.sender = $2 or campaign.settings ->> 'outbound_number' = $2)
   order by thread.first_sent_at desc nulls last, thread.id desc limit 1`,
);

/** The conversation that this phone has with a number of ours, by text or by call. */
export function conversationWith(
  tx: Tx,
  tenantId: Uuid,
  number: string,
  phone: string,
): Promise<{ campaign_id: Uuid; thread_id: Uuid; objective: string | null } | undefined> {
  return tx.first(findConversation, [tenantId, number, phone]);
}

const findContact = statement(
  "find-calling-contact",
  "select id, fields from contacts where tenant_id = $1 and organization_id = $2 and phone = $3",
);

export function contactOf(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  phone: string,
): Promise<{ id: Uuid; fields: LeadFields } | undefined> {
  return tx.first(findContact, [tenantId, organizationId, phone]);
}

const insertCall = changingAndReading(
  "insert-inbound-call",
  `with made as (
     insert into calls (tenant_id, id, organization_id, user_id, campaign_id, contact_id, direction, purpose, carrier, carrier_id, agent_id,
       agent_version, number, phone, status, start_at, dialed_at, node_id, created_at,
       attestation)
     values ($1, $2, $3, $4, '${NO_ID}', $5, 'inbound', 'single', $6, $7, $8, $9, $10, $11, 'registered', $12, $13, $14, $13, $15)
     on conflict (tenant_id, carrier, carrier_id) where direction = 'inbound' do nothing
     returning id, organization_id, carrier, campaign_id, direction)
   insert into events (tenant_id, kind, at, organization_id, carrier, campaign_id, object_ids, data)
   select $1, 'call.started', $13, organization_id, carrier, campaign_id, array[id], jsonb_build_object('direction', direction) from made
   on conflict do nothing`,
);

export type InboundCall = {
  id: Uuid;
  organizationId: Uuid;
  userId: Uuid;
  contactId: Uuid | null;
  carrier: string;
  carrierId: string;
  agentId: Uuid;
  agentVersion: number;
  number: string;
  phone: string;
  /** From clock.ts. */
  startAt: Date;
  now: Date;
  nodeId: Uuid;
  attestation: Attestation | null;
};

/** Stores an inbound call; false when the carrier has reported it before. */
export async function insert(tx: Tx, tenantId: Uuid, call: InboundCall): Promise<boolean> {
  const values = [
    tenantId,
    call.id,
    call.organizationId,
    call.userId,
    call.contactId,
    call.carrier,
    call.carrierId,
    call.agentId,
    call.agentVersion,
    call.number,
    call.phone,
    call.startAt,
    call.now,
    call.nodeId,
    call.attestation,
  ];
  return (await tx.run(insertCall, values)) === 1;
}
