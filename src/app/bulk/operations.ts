import { addLeads } from "#operations/campaigns/add-leads.ts";
import { addVoiceLeads } from "#operations/campaigns/add-voice-leads.ts";
import { createCampaign, preflightNewCampaign } from "#operations/campaigns/create-campaign.ts";
import { createVoiceCampaign, preflightNewVoiceCampaign } from "#operations/campaigns/create-voice-campaign.ts";
import { preflightCampaign } from "#operations/campaigns/preflight-campaign.ts";
import { createContactList } from "#operations/contacts/create-contact-list.ts";
import type { BulkOperation } from "#operations/context.ts";

export type BulkName =
  | "create-contact-list"
  | "create-campaign"
  | "add-leads"
  | "create-voice-campaign"
  | "add-voice-leads"
  | "preflight-new-campaign"
  | "preflight-new-voice-campaign"
  | "preflight-campaign";

export const BULK_OPERATIONS: Record<BulkName, BulkOperation> = {
  "create-contact-list": createContactList,
  "create-campaign": createCampaign,
  "add-leads": addLeads,
  "create-voice-campaign": createVoiceCampaign,
  "add-voice-leads": addVoiceLeads,
  "preflight-new-campaign": preflightNewCampaign,
  "preflight-new-voice-campaign": preflightNewVoiceCampaign,
  "preflight-campaign": preflightCampaign,
};
