import { addLeads } from "#operations/add-leads.ts";
import type { Caller, Context } from "#operations/context.ts";
import { createCampaign } from "#operations/create-campaign.ts";
import { createContactList } from "#operations/create-contact-list.ts";

export type BulkName = "create-contact-list" | "create-campaign" | "add-leads";

type BulkOperation = (
  ctx: Context,
  caller: Caller,
  params: Record<string, string>,
  bytes: Uint8Array,
) => Promise<Record<string, unknown>>;

/** The operations whose body may hold 100,000 leads. */
export const BULK_OPERATIONS: Record<BulkName, BulkOperation> = {
  "create-contact-list": createContactList,
  "create-campaign": createCampaign,
  "add-leads": addLeads,
};
