import * as contract from "#contract/numbers/ten-dlc-campaigns.ts";
import { tenDlcRecord } from "#domain/numbers/ten-dlc-campaign.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { assignTenDlcNumbers } from "#operations/registration/assign-ten-dlc-numbers.ts";
import { createTenDlcCampaign } from "#operations/registration/create-ten-dlc-campaign.ts";
import {
  getTenDlcCampaign,
  listTenDlcCampaigns,
  TEN_DLC_CAMPAIGN_KEY,
} from "#operations/registration/read-ten-dlc-campaigns.ts";

export function tenDlcCampaignRoutes(edge: Edge): void {
  route(edge, contract.createTenDlcCampaign, async ({ ctx, caller, body, signal }) =>
    tenDlcRecord(await createTenDlcCampaign(ctx, caller, body, signal)),
  );

  route(edge, contract.listTenDlcCampaigns, async ({ ctx, caller, query, signal }) => {
    const wanted = { ...textPageRequest(query, TEN_DLC_CAMPAIGN_KEY), brandId: query.brandId };
    return pageAnswer("campaigns", await listTenDlcCampaigns(ctx, caller, wanted, signal), tenDlcRecord);
  });

  route(edge, contract.getTenDlcCampaign, async ({ ctx, caller, params, signal }) =>
    tenDlcRecord(await getTenDlcCampaign(ctx, caller, params.campaign_id, signal)),
  );

  route(edge, contract.assignTenDlcNumbers, async ({ ctx, caller, params, body, signal }) => {
    await assignTenDlcNumbers(ctx, caller, params.campaign_id, body.phone_numbers, signal);
    return tenDlcRecord(await getTenDlcCampaign(ctx, caller, params.campaign_id, signal));
  });
}
