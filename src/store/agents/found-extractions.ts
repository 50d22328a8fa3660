import type { Uuid } from "#domain/values/id.ts";
import { CONTACT_NAME } from "#store/contacts/full-name.ts";
import { anyOf, changingAndReading, statement, type Tx } from "#store/database/db.ts";

/** What a conversation by text or a call has found out. */
export type FoundExtraction = {
  channel: "sms" | "voice";
  /** Of the thread, or of the call. */
  id: Uuid;
  at: Date;
  phone: string;
  contact_id: Uuid | null;
  contact_name: string | null;
  campaign: string | null;
  campaign_name: string | null;
  agent_id: Uuid;
  agent_name: string | null;
  is_met: boolean;
  fields: Record<string, unknown>;
  evidence: Record<string, { quote?: string }>;
};

export type ExtractionFilter = {
  channel: "sms" | "voice" | undefined;
  campaignId: Uuid | undefined;
  agentId: Uuid | undefined;
  field: string | undefined;
  value: string | undefined;
  begin: Date | undefined;
  end: Date | undefined;
};

/** $9 is the field, $10 what its value has in it. */
const matches = (fields: string): string =>
  `exists (select from jsonb_each_text(${fields}) as it (name, value)
     where it.value <> '' and ($9::text is null or it.name = $9) and ($10::text is null or position(lower($10) in lower(it.value)) > 0))`;

/** How many rows of conversations, and of calls, one statement reads: a field or value that is rare is looked for no further than this at once. */
export const WALKED = 2_000;

// Each campaign's conversations are walked along its index, and calls along the organization's, the campaign's or the agent's: $13 of them. Where that
// was not all, `cut` has the last that was walked; of two the later one, since above it nothing is missing.
const found = statement(
  "find-extractions",
  `with walked_texts as materialized (
     select made.extracted_at as at, made.thread_id as id, campaign.id as campaign_id, campaign.agent_id, campaign.agent_version
     from campaigns campaign
     cross join lateral (
       select thread_id, extracted_at from extractions
       where tenant_id = $1 and campaign_id = campaign.id and (extracted_at, thread_id) < ($3::timestamptz, $4::uuid)
         and extracted_at >= $5 and extracted_at < $12
       order by extracted_at desc, thread_id desc limit $13) as made
     where campaign.tenant_id = $1 and campaign.organization_id = $2 and coalesce($11::text, 'sms') = 'sms'
       and ($7::uuid is null or campaign.id = $7)
       and ($8::uuid is null or campaign.agent_id = $8 or campaign.settings -> 'former_agent_ids' ? $8::text)
     order by made.extracted_at desc, made.thread_id desc limit $13),
   walked_calls as materialized (
     select call.start_at as at, call.id, call.campaign_id, call.agent_id, call.agent_version, call.successful, call.phone, call.contact_id
     from calls call
     where call.tenant_id = $1 and call.organization_id = $2 and coalesce($11::text, 'voice') = 'voice'
       and call.start_at <= $3 and (call.start_at, call.id) < ($3::timestamptz, $4::uuid)
       and call.start_at >= $5 and call.start_at < $12
       and ($7::uuid is null or call.campaign_id = $7) and ($8::uuid is null or call.agent_id = $8)
     order by call.start_at desc, call.id desc limit $13),
   cut as (
     select at, id from (
       (select at, id, (select count(*) from walked_texts) as n from walked_texts order by at, id limit 1)
       union all (select at, id, (select count(*) from walked_calls) from walked_calls order by at, id limit 1)) as ends
     where n = $13 order by at desc, id desc limit 1),
   texts as (
     select 'sms' as channel, walked.id, walked.at, walked.campaign_id, coalesce(made.agent_id, walked.agent_id) as agent_id,
       coalesce(made.agent_version, walked.agent_version) as agent_version,
       made.objective_met as is_met, made.fields, made.evidence
     from walked_texts walked
     join extractions made on made.tenant_id = $1 and made.campaign_id = walked.campaign_id and made.thread_id = walked.id
     where ${matches("made.fields")} and ($8::uuid is null or coalesce(made.agent_id, walked.agent_id) = $8)
     order by walked.at desc, walked.id desc limit $6),
   spoken as (
     select 'voice' as channel, walked.id, walked.at, walked.campaign_id, walked.agent_id, walked.agent_version,
       walked.successful as is_met, detail.extracted_fields as fields, detail.evidence, walked.phone, walked.contact_id
     from walked_calls walked
     join call_details detail on detail.tenant_id = $1 and detail.call_id = walked.id
     where ${matches("detail.extracted_fields")}
     order by walked.at desc, walked.id desc limit $6),
   page as (
     select * from (
       select texts.*, thread.phone, thread.contact_id from texts
       join threads thread on thread.tenant_id = $1 and thread.campaign_id = texts.campaign_id and thread.id = texts.id
       union all select * from spoken) as either
     where not exists (select from cut where (either.at, either.id) < (cut.at, cut.id))
     order by at desc, id desc limit $6)
   select cut.at as cut_at, cut.id as cut_id, page.channel, page.id, page.at, page.phone, page.contact_id, page.agent_id, page.is_met, page.fields, page.evidence,
     campaign.campaign_id as campaign, campaign.name as campaign_name,
     (select ${CONTACT_NAME} from contacts contact
      where contact.tenant_id = $1 and contact.id = page.contact_id) as contact_name,
     (select version.config ->> 'agent_name' from agent_versions version
      where version.tenant_id = $1 and version.agent_id = page.agent_id and version.version = page.agent_version) as agent_name
   from (values (1)) as one (n)
   left join page on true
   left join cut on true
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = page.campaign_id
   order by page.at desc, page.id desc`,
);

type Key = { at: Date; id: Uuid };
type FoundRow = FoundExtraction & { cut_at: Date | null; cut_id: Uuid | null };

/**
 * An organization's, newest first, before a time and id; one more than a page. `cut`: the last that was looked at, where there may be more after it
 * though the page is not full.
 */
export async function list(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  page: { before: { at: Date | "infinity"; id: Uuid }; limit: number; walked?: number },
  filter: ExtractionFilter,
): Promise<{ rows: FoundExtraction[]; cut: Key | undefined }> {
  const rows = await tx.rows<FoundRow>(found, [
    tenantId,
    organizationId,
    page.before.at,
    page.before.id,
    filter.begin ?? "-infinity",
    page.limit + 1,
    filter.campaignId ?? null,
    filter.agentId ?? null,
    filter.field ?? null,
    filter.value ?? null,
    filter.channel ?? null,
    filter.end ?? "infinity",
    page.walked ?? WALKED,
  ]);
  const { cut_at, cut_id } = rows[0]!;
  return {
    // One row stands for none.
    rows: rows.filter(({ id }) => id !== null),
    cut: cut_at === null || cut_id === null ? undefined : { at: cut_at, id: cut_id },
  };
}

const wantAgain = changingAndReading(
  "want-extractions-again",
  `with named as (
     select campaign.id as campaign_id, thread.id
     from unnest($3::text[], $4::text[]) as it (campaign, phone)
     join campaigns campaign on campaign.tenant_id = $1 and campaign.organization_id = $2 and campaign.campaign_id = it.campaign
       and campaign.channel = 'sms'
     join threads thread on thread.tenant_id = $1 and thread.campaign_id = campaign.id and thread.phone = it.phone),
   held as (
     select thread.campaign_id, thread.id from named
     join threads thread on thread.tenant_id = $1 and thread.campaign_id = named.campaign_id and thread.id = named.id
       and ${anyOf("thread.id")}
     order by thread.id for no key update of thread)
   update threads thread set extraction_due_at = $5 from held
   where thread.tenant_id = $1 and thread.campaign_id = held.campaign_id and thread.id = held.id
   returning thread.campaign_id, thread.id`,
);

/** Makes the extractions of an organization's threads by text due. Answers with the keys of those that there are. */
export function wantAll(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  threads: readonly { campaignId: string; phone: string }[],
  dueAt: Date,
): Promise<{ campaign_id: Uuid; id: Uuid }[]> {
  const [campaigns, phones] = [threads.map(({ campaignId }) => campaignId), threads.map(({ phone }) => phone)];
  return tx.rows(wantAgain, [tenantId, organizationId, campaigns, phones, dueAt]);
}
