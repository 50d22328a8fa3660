import { BRAND_ID, type Brand, brandFields } from "#domain/numbers/brand.ts";
import { notFound } from "#domain/values/errors.ts";
import { pacificDay } from "#domain/values/pacific-day.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import type { Page } from "#domain/values/paging.ts";
import { registryOf } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as brands from "#store/numbers/brands.ts";
import { pollVerdicts, verdictOf } from "./poll-verdicts.ts";

/** The parts of the list's page key: when a brand was registered, and its id. */
export const BRAND_KEY = [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, BRAND_ID] as const;

export async function getBrand(ctx: Context, caller: Caller, id: string, signal: AbortSignal): Promise<Brand> {
  const found = await brands.find(ctx.db, caller.tenantId, id);
  if (!found) throw notFound("Brand");
  return withVerdict(ctx, caller, found, signal);
}

export type BrandUse = { brand: Brand; day: string; campaigns: { id: string; segments: number }[] };

/** What a brand has sent on the tenant's Pacific day. 404 without it. */
export async function getBrandUse(ctx: Context, { tenantId }: Caller, id: string): Promise<BrandUse> {
  const brand = await brands.find(ctx.db, tenantId, id);
  if (!brand) throw notFound("Brand");
  const { date: day } = pacificDay(await tenants.tenantNow(ctx.db, tenantId, ctx.now()));
  return { brand, day, campaigns: await brands.usesOn(ctx.db, tenantId, id, day) };
}

/** The tenant's brands, newest first, each with the registry's latest answer; what a carrier's says, the poll has asked. */
export async function listBrands(
  ctx: Context,
  caller: Caller,
  page: TextPageRequest,
  signal: AbortSignal,
): Promise<Page<Brand>> {
  const [at, id] = page.after ?? [];
  const before = at && id ? { at: new Date(at), id } : undefined;
  const found = await brands.list(ctx.db, caller.tenantId, { before, limit: page.limit });
  const cut = textPageOf(found, page.limit, (brand) => [brand.created_at.toISOString(), brand.id]);
  const items: Brand[] = [];
  for (const brand of cut.items) {
    items.push(brand.carrier === null ? await withVerdict(ctx, caller, brand, signal) : brand);
  }
  return { ...cut, items };
}

/** Queries the registry about every brand that is PENDING, of all tenants. For the sweep; safe to run anywhere, any time. */
export const pollBrands = (ctx: Context): Promise<void> =>
  pollVerdicts(ctx, brands, (tenant, brand: Brand, signal) => withVerdict(ctx, tenant, brand, signal));

/** A PENDING brand with the verdict, if there is one by now. A registry that does not answer leaves it PENDING. */
async function withVerdict(
  ctx: Context,
  tenant: Pick<Caller, "tenantId" | "mode">,
  brand: Brand,
  signal: AbortSignal,
): Promise<Brand> {
  if (brand.status !== "PENDING") return brand;
  const { tenantId } = tenant;
  const registry = await registryOf(ctx, tenant, brand.carrier);
  if (!registry) return brand;
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const fields = brandFields(brand.fields);
  const answer = registry.brandStatus(brand.id, fields, brand.updated_at, at, signal);
  const verdict = await verdictOf(ctx, { what: "brand", id: brand.id }, answer);
  if (verdict === undefined) return brand;
  const { status, reasons, score, identityStatus } = verdict;
  const change = { fields: { ...fields, identityStatus }, status, reasons, score, at };
  return (
    (await brands.change(ctx.db, tenantId, brand, change)) ?? (await brands.find(ctx.db, tenantId, brand.id)) ?? brand
  );
}
