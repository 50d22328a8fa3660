import { BRAND_ID, type Brand, brandFields } from "#domain/numbers/brand.ts";
import { notFound } from "#domain/values/errors.ts";
import { NO_ID } from "#domain/values/id.ts";
import { pacificDay } from "#domain/values/pacific-day.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import type { Page } from "#domain/values/paging.ts";
import { registryOf } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as brands from "#store/numbers/brands.ts";

/** The parts of the list's page key: when a brand was registered, and its id. */
export const BRAND_KEY = [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, BRAND_ID] as const;

/** Brands that one poll queries. */
const BRANDS_A_PAGE = 100;
/** A registry that does not answer within this time is queried again at the next poll. */
const REGISTRY_TIMEOUT_MS = 10_000;
/** A carrier's registry decides in minutes to days, and is asked by the poll so often. */
const ASK_EVERY_MS = 60_000;

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
export async function pollBrands(ctx: Context): Promise<void> {
  let after = { tenantId: NO_ID, id: "" };
  for (;;) {
    const askedBefore = new Date(ctx.now().getTime() - ASK_EVERY_MS);
    const waiting = await brands.pending(ctx.db, after, BRANDS_A_PAGE, askedBefore);
    for (const { tenant_id, ...brand } of waiting) {
      if (brand.carrier !== null) await brands.asked(ctx.db, tenant_id, brand.id, ctx.now());
      const tenant = await tenants.find(ctx.db, tenant_id);
      const caller = { tenantId: tenant_id, mode: tenant?.mode ?? "test" };
      await withVerdict(ctx, caller, brand, AbortSignal.timeout(REGISTRY_TIMEOUT_MS));
    }
    const last = waiting.at(-1);
    if (!last || waiting.length < BRANDS_A_PAGE) return;
    after = { tenantId: last.tenant_id, id: last.id };
  }
}

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
  const verdict = await registry.brandStatus(brand.id, fields, brand.updated_at, at, signal).catch((error: unknown) => {
    ctx.log.warn({ brand: brand.id, err: error }, "the registry could not be asked about a brand");
    return undefined;
  });
  if (verdict === undefined || verdict.status === "PENDING") return brand;
  const { status, reasons, score, identityStatus } = verdict;
  const change = { fields: { ...fields, identityStatus }, status, reasons, score, at };
  return (
    (await brands.change(ctx.db, tenantId, brand, change)) ?? (await brands.find(ctx.db, tenantId, brand.id)) ?? brand
  );
}
