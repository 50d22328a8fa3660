import { type Brand, brandFields, brandId } from "#domain/numbers/brand.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as brands from "#store/numbers/brands.ts";

/** Sends a brand to the registry, and stores it as PENDING until the registry has decided. Its times are the tenant's own. */
export async function createBrand(
  ctx: Context,
  caller: Caller,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Brand> {
  const { tenantId } = caller;
  const fields = brandFields(body);
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const registered = await ctx.registry.registerBrand(fields, brandId(caller.newId()), now, signal);
  const verdict = await ctx.registry.brandStatus(registered.brandId, fields, now, now, signal);
  const brand: Brand = {
    id: registered.brandId,
    fields: { ...fields, identityStatus: verdict.identityStatus },
    status: verdict.status,
    reasons: [...verdict.reasons],
    score: verdict.score,
    created_at: now,
    updated_at: now,
  };
  await brands.insert(ctx.db, tenantId, brand);
  return brand;
}
