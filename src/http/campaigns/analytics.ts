import * as contract from "#contract/campaigns/analytics.ts";
import { publicId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { timeView } from "#http/server/views.ts";
import { campaignAnalytics, listFailedNumbers, voiceCampaignAnalytics } from "#operations/campaigns/read-analytics.ts";

export function analyticsRoutes(edge: Edge): void {
  route(edge, contract.getCampaignAnalytics, async ({ ctx, caller, params }) => ({
    campaign_id: params.campaign_id,
    analytics: await campaignAnalytics(ctx, caller, params.campaign_id),
  }));

  route(edge, contract.getVoiceCampaignAnalytics, async ({ ctx, caller, params }) => ({
    campaign_id: params.campaign_id,
    analytics: await voiceCampaignAnalytics(ctx, caller, params.campaign_id),
  }));

  route(edge, contract.listFailedNumbers, async ({ ctx, caller, params, query }) => {
    const page = await listFailedNumbers(ctx, caller, params.campaign_id, pageRequest(query));
    const view = ({
      id: _,
      phone,
      contact_id,
      last_attempt_at,
      next_attempt_at,
      ...rest
    }: (typeof page.items)[number]) => ({
      phone_number: phone,
      lead_id: publicId("contact", contact_id),
      ...rest,
      last_attempt_at: timeView(last_attempt_at),
      next_attempt_at: timeView(next_attempt_at),
    });
    return { campaign_id: params.campaign_id, ...pageAnswer("failed_numbers", page, view) };
  });
}
