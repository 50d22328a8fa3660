import type { SmsAgent } from "#domain/agents/agent.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { CampaignSettings, CampaignStatus } from "#store/campaigns/campaigns.ts";
import { anyOf, statement, type Tx } from "#store/database/db.ts";

/** The parties of a conversation and its terms: all that a turn needs besides the texts. */
export type Background = {
  agent: SmsAgent;
  organization: string;
  /** Of the organization. */
  archived_at: Date | null;
  settings: CampaignSettings;
  status: CampaignStatus;
  carrier: string;
  public_campaign_id: string;
  phone: string;
  fields: LeadFields;
  /** Of the phone's consent; null where it has none. */
  opted_out_at: Date | null;
  keyword_at: Date | null;
  /** What has been extracted so far. */
  known: Record<string, string> | null;
  /** The agent's answers since a time. */
  replies: number;
};

const listBackgrounds = statement(
  "list-conversation-backgrounds",
  `select thread.id as thread_id, version.config as agent, organization.name as organization, organization.archived_at, campaign.settings, campaign.status, campaign.carrier,
     campaign.campaign_id as public_campaign_id, thread.phone, contact.fields, consent.opted_out_at, consent.keyword_at, extraction.fields as known,
     (select count(*)::int from messages where tenant_id = $1 and campaign_id = it.campaign_id and thread_id = it.id
       and kind = 'reply' and created_at >= $4) as replies
   from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   join threads thread on thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id
   join campaigns campaign on campaign.tenant_id = $1 and campaign.id = thread.campaign_id
   join organizations organization on organization.tenant_id = $1 and organization.id = campaign.organization_id
   join agent_versions version on version.tenant_id = $1 and version.agent_id = campaign.agent_id
     and version.version = campaign.agent_version
   join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
   left join consents consent on consent.tenant_id = $1 and consent.phone = thread.phone
   left join extractions extraction on extraction.tenant_id = $1 and extraction.campaign_id = thread.campaign_id
     and extraction.thread_id = thread.id
   where ${anyOf("it.id")}`,
);

/** The backgrounds of conversations, by their threads. The agents' answers are counted from `since`. */
export async function backgrounds(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaignId: Uuid; threadId: Uuid }[],
  since: Date,
): Promise<Map<Uuid, Background>> {
  const values = [tenantId, them.map(({ campaignId }) => campaignId), them.map(({ threadId }) => threadId), since];
  const rows = await tx.rows<Background & { thread_id: Uuid }>(listBackgrounds, values);
  return new Map(rows.map((row) => [row.thread_id, row]));
}
