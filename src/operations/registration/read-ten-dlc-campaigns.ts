import {
  grantOf,
  type RegisteredCampaign,
  TEN_DLC_CAMPAIGN_ID,
  type TenDlcCampaign,
} from "#domain/numbers/ten-dlc-campaign.ts";
import { notFound } from "#domain/values/errors.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import type { Page } from "#domain/values/paging.ts";
import { registryOf } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as brands from "#store/numbers/brands.ts";
import * as tenDlcCampaigns from "#store/numbers/ten-dlc-campaigns.ts";
import { pollVerdicts, verdictOf } from "./poll-verdicts.ts";

/** The parts of the list's page key: when a campaign was registered, and its id. */
export const TEN_DLC_CAMPAIGN_KEY = [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, TEN_DLC_CAMPAIGN_ID] as const;

export async function getTenDlcCampaign(
  ctx: Context,
  caller: Caller,
  id: string,
  signal: AbortSignal,
): Promise<RegisteredCampaign> {
  const found = await tenDlcCampaigns.find(ctx.db, caller.tenantId, id);
  if (!found) throw notFound("10DLC campaign");
  return (await complete(ctx, caller, [found], signal, true))[0]!;
}

/** The tenant's 10DLC campaigns, or a brand's, newest first, each with the registry's latest answer; what a carrier's says, the poll has asked. */
export async function listTenDlcCampaigns(
  ctx: Context,
  caller: Caller,
  query: TextPageRequest & { brandId: string | undefined },
  signal: AbortSignal,
): Promise<Page<RegisteredCampaign>> {
  const [at, id] = query.after ?? [];
  const before = at && id ? { at: new Date(at), id } : undefined;
  const found = await tenDlcCampaigns.list(ctx.db, caller.tenantId, { ...query, before });
  const cut = textPageOf(found, query.limit, (campaign) => [campaign.created_at.toISOString(), campaign.id]);
  return { ...cut, items: await complete(ctx, caller, cut.items, signal, false) };
}

/** Queries the registry about every 10DLC campaign that is PENDING, of all tenants. For the sweep; safe to run anywhere, any time. */
export const pollTenDlcCampaigns = (ctx: Context): Promise<void> =>
  pollVerdicts(ctx, tenDlcCampaigns, async (tenant, campaign: TenDlcCampaign, signal) => {
    const brand = await brands.find(ctx.db, tenant.tenantId, campaign.brand_id);
    await withVerdict(ctx, tenant, campaign, brand, signal);
  });

type Tenant = Pick<Caller, "tenantId" | "mode">;

async function complete(
  ctx: Context,
  tenant: Tenant,
  them: readonly TenDlcCampaign[],
  signal: AbortSignal,
  asksCarrier: boolean,
): Promise<RegisteredCampaign[]> {
  const { tenantId } = tenant;
  const known = await brands.ofIds(ctx.db, tenantId, [...new Set(them.map((campaign) => campaign.brand_id))]);
  const numbers = await tenDlcCampaigns.numbers(ctx.db, tenantId, them);
  const items: RegisteredCampaign[] = [];
  for (const stored of them) {
    const brand = known.get(stored.brand_id);
    const isAsked = asksCarrier || brand?.carrier === null;
    const campaign = isAsked ? await withVerdict(ctx, tenant, stored, brand, signal) : stored;
    items.push({ campaign, score: brand?.score ?? null, numbers: numbers.get(stored.id)! });
  }
  return items;
}

/** A PENDING campaign with the verdict, if there is one by now. A registry that does not answer leaves it PENDING. */
async function withVerdict(
  ctx: Context,
  tenant: Tenant,
  campaign: TenDlcCampaign,
  brand: brands.BrandFacts | undefined,
  signal: AbortSignal,
): Promise<TenDlcCampaign> {
  if (campaign.status !== "PENDING") return campaign;
  const { tenantId } = tenant;
  const registry = await registryOf(ctx, tenant, brand?.carrier ?? null);
  if (!registry) return campaign;
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const answer = registry.campaignStatus(campaign.id, campaign.fields, campaign.created_at, at, signal);
  const verdict = await verdictOf(ctx, { what: "10DLC campaign", id: campaign.id }, answer);
  if (verdict === undefined) return campaign;
  const granted = grantOf(campaign.fields.useCase ?? "", brand?.score ?? null, verdict);
  const change = { status: verdict.status, reasons: [...verdict.reasons], ...granted, at };
  return (
    (await tenDlcCampaigns.decide(ctx.db, tenantId, campaign.id, change)) ??
    (await tenDlcCampaigns.find(ctx.db, tenantId, campaign.id)) ??
    campaign
  );
}
