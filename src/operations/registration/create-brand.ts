import { type Brand, brandFields, brandId } from "#domain/numbers/brand.ts";
import type { Uuid } from "#domain/values/id.ts";
import { asRefusal, registryForNew } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { BrandVerdict } from "#ports/registry.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as brands from "#store/numbers/brands.ts";

const UNKNOWN: BrandVerdict = { status: "PENDING", identityStatus: "", reasons: [], score: null };

/**
 * Sends a brand to the registry, and stores it as PENDING until the registry has decided. Its times are the tenant's own. In live mode the registry is
 * that of a carrier account.
 */
export async function createBrand(
  ctx: Context,
  caller: Caller,
  body: Record<string, unknown>,
  carrierId: Uuid | undefined,
  signal: AbortSignal,
): Promise<Brand> {
  const { tenantId } = caller;
  const fields = brandFields(body);
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const { registry, carrier } = await registryForNew(ctx, caller, carrierId);
  const registered = await answered(registry.registerBrand(fields, brandId(caller.newId()), now, signal));
  // Registered: what is not answered from here on is asked by the poll.
  const verdict = await registry.brandStatus(registered.brandId, fields, now, now, signal).catch(() => UNKNOWN);
  const brand: Brand = {
    id: registered.brandId,
    fields: { ...fields, identityStatus: verdict.identityStatus },
    status: verdict.status,
    reasons: [...verdict.reasons],
    score: verdict.score,
    carrier,
    created_at: now,
    updated_at: now,
  };
  ctx.audit.note({ object: { kind: "brand", id: brand.id } });
  await brands.insert(ctx.db, tenantId, brand);
  return brand;
}

const answered = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error) => {
    throw asRefusal(error);
  });
