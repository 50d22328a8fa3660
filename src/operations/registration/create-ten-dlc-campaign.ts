import {
  grantOf,
  type RegisteredCampaign,
  type TenDlcCampaign,
  tenDlcCampaignId,
  tenDlcFields,
} from "#domain/numbers/ten-dlc-campaign.ts";
import { conflict, notFound } from "#domain/values/errors.ts";
import { asRefusal, requireRegistry } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { CampaignVerdict } from "#ports/registry.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as brands from "#store/numbers/brands.ts";
import * as tenDlcCampaigns from "#store/numbers/ten-dlc-campaigns.ts";

const UNKNOWN: CampaignVerdict = { status: "PENDING", reasons: [] };

/** Sends a brand's 10DLC campaign to the registry, and stores it as PENDING until the registry has decided. 409 unless the brand is ACTIVE. */
export async function createTenDlcCampaign(
  ctx: Context,
  caller: Caller,
  body: Record<string, unknown> & { brandId: string; useCase: string },
  signal: AbortSignal,
): Promise<RegisteredCampaign> {
  const { tenantId } = caller;
  const brand = await brands.find(ctx.db, tenantId, body.brandId);
  if (!brand) throw notFound("Brand");
  if (brand.status !== "ACTIVE") {
    throw conflict(`Only an ACTIVE brand can have campaigns, this is ${brand.status}`, "brandId");
  }
  const fields = tenDlcFields(body);
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const registry = await requireRegistry(ctx, caller, brand.carrier);
  const { campaignId } = await registry
    .registerCampaign(brand.id, fields, tenDlcCampaignId(caller.newId()), now, signal)
    .catch((error) => {
      throw asRefusal(error);
    });
  // Registered: what is not answered from here on is asked by the poll.
  const verdict = await registry.campaignStatus(campaignId, fields, now, now, signal).catch(() => UNKNOWN);
  const campaign: TenDlcCampaign = {
    id: campaignId,
    brand_id: brand.id,
    fields,
    status: verdict.status,
    reasons: [...verdict.reasons],
    ...grantOf(body.useCase, brand.score, verdict),
    created_at: now,
    updated_at: now,
  };
  ctx.audit.note({ object: { kind: "campaign", id: campaignId } });
  await tenDlcCampaigns.insert(ctx.db, tenantId, campaign);
  return { campaign, score: brand.score, numbers: [] };
}
