import type { CallAnalysis } from "#domain/calls/analysis.ts";
import type { Answerer, DisconnectionReason } from "#domain/calls/call.ts";
import type { CallCost } from "#domain/calls/cost.ts";
import type { CallUsage, Utterance } from "#domain/calls/report.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";

/** A call that has ended and is not analysed yet. */
export type UnanalysedCall = {
  id: Uuid;
  campaign_id: Uuid;
  thread_id: Uuid | null;
  channel: "sms" | "voice" | null;
  organization_id: Uuid;
  organization: string;
  agent_id: Uuid;
  agent_version: number;
  carrier: string;
  direction: "inbound" | "outbound";
  phone: string;
  objective: string | null;
  fields: LeadFields | null;
  status: "ended" | "error";
  reason: DisconnectionReason;
  answerer: Answerer | null;
  in_voicemail: boolean;
  duration_ms: number;
  dialed_at: Date;
  answered_at: Date | null;
  end_at: Date;
  utterances: Utterance[] | null;
  usage: CallUsage | null;
  voicemail_left: boolean | null;
};

const unanalysedCalls = statement(
  "list-unanalysed-calls",
  `select call.id, call.campaign_id, call.thread_id, campaign.channel, call.organization_id, organization.name as organization,
     call.agent_id, call.agent_version, call.carrier, call.direction, call.phone,
     coalesce(dial.objective, campaign.settings ->> 'objective') as objective, contact.fields, call.status, call.reason, call.answerer,
     call.in_voicemail, call.duration_ms, call.dialed_at, call.answered_at, call.end_at, detail.utterances, detail.usage,
     detail.voicemail_left
   from (
     select * from calls where tenant_id = $1 and analysed_at is null and status in ('ended', 'error') and id > $2
     order by id limit $3) call
   join organizations organization on organization.tenant_id = $1 and organization.id = call.organization_id
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = call.campaign_id
   left join dials dial on dial.tenant_id = $1 and dial.campaign_id = call.campaign_id and dial.id = call.dial_id
   left join contacts contact on contact.tenant_id = $1 and contact.id = call.contact_id
   left join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
   order by call.id`,
);

/** The oldest calls past `after` (NO_ID for the first) that are not analysed. */
export function unanalysed(tx: Tx, tenantId: Uuid, after: Uuid, limit: number): Promise<UnanalysedCall[]> {
  return tx.rows<UnanalysedCall>(unanalysedCalls, [tenantId, after, limit]);
}

const saveAnalyses = changingAndReading(
  "save-call-analyses",
  `with it as (
     select * from unnest($2::uuid[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[])
       as it (id, sentiment, successful, summary, fields, evidence, cost)
     where ${anyOf("id")}),
   judged as (
     update calls call set sentiment = it.sentiment, successful = it.successful, analysed_at = $9
     from it where call.tenant_id = $1 and call.id = it.id and call.analysed_at is null
     returning call.id, organization_id, carrier, campaign_id, thread_id, direction, call.successful, call.sentiment),
   noted as (
     insert into events (tenant_id, kind, at, organization_id, carrier, campaign_id, n, object_ids, thread_ids, data)
     select $1, 'call.analysed', $9, organization_id, carrier, campaign_id, count(*)::int, array_agg(id), array_agg(thread_id),
       jsonb_agg(jsonb_build_object('direction', direction, 'call_successful', successful, 'user_sentiment', sentiment))
     from judged group by organization_id, carrier, campaign_id
     on conflict do nothing)
   insert into call_details (tenant_id, call_id, extracted_fields, evidence, summary, cost)
   select $1, it.id, it.fields::jsonb, it.evidence::jsonb, it.summary, it.cost::jsonb from it join judged on judged.id = it.id
   on conflict (tenant_id, call_id) do update set extracted_fields = excluded.extracted_fields, evidence = excluded.evidence,
     summary = excluded.summary, cost = excluded.cost
   returning call_id`,
);

/** Stores the analyses of calls, and their costs. A call that another process has analysed meanwhile stays as it is. */
export async function save(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { id: Uuid; analysis: CallAnalysis; cost: CallCost }[],
  now: Date,
): Promise<void> {
  if (them.length === 0) return;
  await tx.run(saveAnalyses, [
    tenantId,
    them.map(({ id }) => id),
    them.map(({ analysis }) => analysis.sentiment),
    them.map(({ analysis }) => analysis.successful),
    them.map(({ analysis }) => analysis.summary),
    them.map(({ analysis }) => JSON.stringify(analysis.extractedFields)),
    them.map(({ analysis }) => JSON.stringify(analysis.evidence)),
    them.map(({ cost }) => JSON.stringify(cost)),
    now,
  ]);
}

const waitingTenants = crossTenant(
  "tenants-with-unanalysed-calls",
  `select id from tenants where ($1::uuid is null or id = $1) and exists (
     select from calls where tenant_id = tenants.id and analysed_at is null and status in ('ended', 'error')) limit 1000`,
);

/** Tenants with calls to be analysed, or the given one if it has any. */
export async function waiting(tx: Tx, tenantId: Uuid | null): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(waitingTenants, [tenantId])).map((row) => row.id);
}
