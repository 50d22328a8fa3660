import type { Evidence } from "#domain/agents/extraction.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";

export type Extraction = {
  thread_id: Uuid;
  fields: Record<string, string>;
  evidence: Record<string, Evidence>;
  lead_outcome: string | null;
  objective_met: boolean;
  do_not_message: boolean;
  call_transferred: boolean;
  call_scheduled: boolean;
  call_scheduled_time: Date | null;
  extracted_at: Date;
  through_step: number;
};

const COLUMNS = `thread_id, fields, evidence, lead_outcome, objective_met, do_not_message, call_transferred, call_scheduled,
  call_scheduled_time, extracted_at, through_step`;

const saveExtraction = changingAndReading(
  "save-extraction",
  // A contact may be erased while a model reads its words.
  `with thread as (
     select id from threads where tenant_id = $1 and campaign_id = $2 and id = $3 and phone like '+%' for no key update),
   kept as (
     insert into extractions (tenant_id, campaign_id, ${COLUMNS}, agent_id, agent_version)
     select $1, $2, thread.id, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, campaign.agent_id, campaign.agent_version
     from thread join campaigns campaign on campaign.tenant_id = $1 and campaign.id = $2
     on conflict (tenant_id, campaign_id, thread_id) do update set fields = excluded.fields, evidence = excluded.evidence,
       lead_outcome = excluded.lead_outcome, objective_met = excluded.objective_met, do_not_message = excluded.do_not_message,
       call_transferred = excluded.call_transferred, call_scheduled = excluded.call_scheduled,
       call_scheduled_time = excluded.call_scheduled_time, extracted_at = excluded.extracted_at, through_step = excluded.through_step,
       agent_id = case when extractions.through_step = excluded.through_step then extractions.agent_id else excluded.agent_id end,
       agent_version = case when extractions.through_step = excluded.through_step then extractions.agent_version else excluded.agent_version end
     where extractions.through_step <= excluded.through_step
     returning thread_id, objective_met, extracted_at),
   caught_up as (
     update threads set extraction_due_at = null
     where tenant_id = $1 and campaign_id = $2 and id = $3 and extraction_due_at is not null and next_step <= $13::int + 1)
   insert into events (tenant_id, kind, at, campaign_id, thread_ids, data)
   select $1, 'extraction.completed', extracted_at, $2, array[thread_id],
     jsonb_build_object('objective_met', objective_met)
   from kept
   on conflict do nothing`,
);

/**
 * Stores an extraction unless there is one of a later state of the conversation, or its contact has been erased. The agent is the campaign's; the same words
 * read again stay those of the agent that said them, though the campaign has another by now.
 */
export async function save(tx: Tx, tenantId: Uuid, campaignId: Uuid, extraction: Extraction): Promise<void> {
  await tx.run(saveExtraction, [
    tenantId,
    campaignId,
    extraction.thread_id,
    JSON.stringify(extraction.fields),
    JSON.stringify(extraction.evidence),
    extraction.lead_outcome,
    extraction.objective_met,
    extraction.do_not_message,
    extraction.call_transferred,
    extraction.call_scheduled,
    extraction.call_scheduled_time,
    extraction.extracted_at,
    extraction.through_step,
  ]);
}

const wantExtractions = changing(
  "want-extractions",
  `with held as (
     select thread.campaign_id, thread.id from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
     join threads thread on thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id and ${anyOf("it.id")}
     where thread.extraction_due_at is distinct from $4
     order by thread.id for no key update of thread)
   update threads thread set extraction_due_at = $4
   from held where thread.tenant_id = $1 and thread.campaign_id = held.campaign_id and thread.id = held.id`,
);

/** The sweep enqueues conversations' extractions at `dueAt` (the tenant's time), unless they are there by then; null: no more. */
export async function want(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaignId: Uuid; threadId: Uuid }[],
  dueAt: Date | null,
): Promise<void> {
  if (them.length === 0) return;
  const keys = [them.map(({ campaignId }) => campaignId), them.map(({ threadId }) => threadId)];
  await tx.run(wantExtractions, [tenantId, ...keys, dueAt]);
}

const dueExtractions = crossTenant(
  "due-extractions",
  `select thread.tenant_id, thread.campaign_id, thread.id from tenants
   join threads thread on thread.tenant_id = tenants.id
   where thread.extraction_due_at <= $1::timestamptz + tenants.clock_offset_ms * interval '1 millisecond'
     and ($2::uuid is null or tenants.id = $2)
   limit 1000`,
);

/** Threads whose extraction is overdue, of every tenant or one. */
export function behind(
  tx: Tx,
  now: Date,
  tenantId: Uuid | null,
): Promise<{ tenant_id: Uuid; campaign_id: Uuid; id: Uuid }[]> {
  return tx.rows(dueExtractions, [now, tenantId]);
}

const findExtraction = statement(
  "find-extraction",
  `select ${COLUMNS} from extractions where tenant_id = $1 and campaign_id = $2 and thread_id = $3`,
);

export function find(tx: Tx, tenantId: Uuid, campaignId: Uuid, threadId: Uuid): Promise<Extraction | undefined> {
  return tx.first<Extraction>(findExtraction, [tenantId, campaignId, threadId]);
}

const listExtractions = statement(
  "list-extractions",
  `select extraction.thread_id as id, thread.phone, extraction.*
   from extractions extraction
   join threads thread on thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = extraction.thread_id
   where extraction.tenant_id = $1 and extraction.campaign_id = $2 and extraction.thread_id < $3
   order by extraction.thread_id desc limit $4`,
);

export type ListedExtraction = Extraction & { id: Uuid; phone: string };

export function list(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  page: { before: Uuid; limit: number },
): Promise<ListedExtraction[]> {
  return tx.rows<ListedExtraction>(listExtractions, [tenantId, campaignId, page.before, page.limit + 1]);
}
