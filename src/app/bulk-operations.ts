import { addLeads } from "#operations/add-leads.ts";
import type { Caller, Context } from "#operations/context.ts";
import { createCampaign, preflightNewCampaign } from "#operations/create-campaign.ts";
import { createContactList } from "#operations/create-contact-list.ts";
import { preflightCampaign } from "#operations/preflight-campaign.ts";

export type BulkName =
  | "create-contact-list"
  | "create-campaign"
  | "add-leads"
  | "preflight-new-campaign"
  | "preflight-campaign";

type BulkOperation = (
  ctx: Context,
  caller: Caller,
  params: Record<string, string>,
  bytes: Uint8Array,
) => Promise<Record<string, unknown>>;

/** The operations whose body may hold 100,000 leads, or whose campaign may. */
export const BULK_OPERATIONS: Record<BulkName, BulkOperation> = {
  "create-contact-list": createContactList,
  "create-campaign": createCampaign,
  "add-leads": addLeads,
  "preflight-new-campaign": preflightNewCampaign,
  "preflight-campaign": preflightCampaign,
};
