import type { SmsAgent } from "#domain/agents/agent.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { CampaignSettings, CampaignStatus } from "#store/campaigns/campaigns.ts";
import { statement, type Tx } from "#store/database/db.ts";

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
};

const findBackground = statement(
  "find-conversation-background",
  `select version.config as agent, organization.name as organization, organization.archived_at, campaign.settings, campaign.status, campaign.carrier,
     campaign.campaign_id as public_campaign_id, thread.phone, contact.fields
   from threads thread
   join campaigns campaign on campaign.tenant_id = $1 and campaign.id = thread.campaign_id
   join organizations organization on organization.tenant_id = $1 and organization.id = campaign.organization_id
   join agent_versions version on version.tenant_id = $1 and version.agent_id = campaign.agent_id
     and version.version = campaign.agent_version
   join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
   where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = $3`,
);

export function background(tx: Tx, tenantId: Uuid, campaignId: Uuid, threadId: Uuid): Promise<Background | undefined> {
  return tx.first<Background>(findBackground, [tenantId, campaignId, threadId]);
}
