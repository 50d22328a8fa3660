import * as contract from "#contract/agents/extractions.ts";
import type { QueryOf } from "#contract/values/operation.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { threadIdView } from "#http/server/views.ts";
import {
  EXTRACTIONS_KEY,
  exportExtractions,
  type FoundExtraction,
  searchExtractions,
  valuesOf,
} from "#operations/agents/read-extractions.ts";
import { reanalyzeThreads } from "#operations/agents/reanalyze-threads.ts";

export function extractionRoutes(edge: Edge): void {
  route(edge, contract.searchExtractions, async ({ ctx, caller, query }) => {
    const wanted = { ...queryOf(query), ...textPageRequest(query, EXTRACTIONS_KEY) };
    return pageAnswer("extractions", await searchExtractions(ctx, caller, wanted), extractionView);
  });

  route(edge, contract.exportExtractions, async ({ ctx, caller, query }) => ({
    ...(await exportExtractions(ctx, caller, queryOf(query))),
    fileName: "extractions.csv",
  }));

  route(edge, contract.reanalyzeThreads, async ({ ctx, caller, body }) => {
    const organizationId = requireId("organization", body.organization_id, "Organization");
    const { started, notFound, at } = await reanalyzeThreads(ctx, caller, organizationId, body.thread_ids);
    return { started, not_found: notFound, at: at.toISOString() };
  });
}

const queryOf = (query: QueryOf<typeof contract.exportExtractions>) => ({
  organizationId: requireId("organization", query.organization_id, "Organization"),
  channel: query.channel as "sms" | "voice" | undefined,
  campaignId: query.campaign_id,
  agentId: query.agent_id === undefined ? undefined : requireId("agent", query.agent_id, "Agent"),
  field: query.field,
  value: query.value,
  begin: query.begin === undefined ? undefined : requireInstant("begin", query.begin),
  end: query.end === undefined ? undefined : requireInstant("end", query.end),
});

const extractionView = (found: FoundExtraction) => ({
  channel: found.channel,
  id: found.channel === "sms" ? threadIdView(found.phone, found.campaign!) : publicId("call", found.id),
  at: found.at.toISOString(),
  phone_number: found.phone,
  lead_id: found.contact_id && publicId("contact", found.contact_id),
  contact_name: found.contact_name,
  campaign_id: found.campaign,
  campaign_name: found.campaign_name,
  agent_id: publicId("agent", found.agent_id),
  agent_name: found.agent_name,
  is_met: found.is_met,
  fields: valuesOf(found),
});
