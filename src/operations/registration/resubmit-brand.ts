import { type Brand, brandFields } from "#domain/numbers/brand.ts";
import { failure, notFound } from "#domain/values/errors.ts";
import { asRefusal, requireRegistry } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as brands from "#store/numbers/brands.ts";

/**
 * Sends a REJECTED brand to the registry again, with the given fields changed; it becomes PENDING. 409 for any other. One that an account's registry
 * does not reject any more, since an earlier try was taken whose answer is lost, is not sent a second time.
 */
export async function resubmitBrand(
  ctx: Context,
  caller: Caller,
  id: string,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Brand> {
  const { tenantId } = caller;
  const old = await brands.find(ctx.db, tenantId, id);
  if (!old) throw notFound("Brand");
  if (old.status !== "REJECTED")
    throw failure("conflict", `Only a REJECTED brand can be resubmitted, this is ${old.status}`);
  const fields = { ...brandFields(old.fields), ...brandFields(body) };
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const registry = await requireRegistry(ctx, caller, old.carrier);
  const verdict = () => registry.brandStatus(id, fields, at, at, signal);
  const refused = (error: unknown) => {
    throw asRefusal(error);
  };
  const before = old.carrier === null ? undefined : await verdict().catch(refused);
  const isTaken = before !== undefined && before.status !== "REJECTED";
  if (!isTaken) await registry.registerBrand(fields, id, at, signal).catch(refused);
  const { identityStatus, score } = isTaken
    ? before
    : await verdict().catch(() => ({ identityStatus: "", score: null }));
  const status = isTaken ? before.status : "PENDING";
  const change = { fields: { ...fields, identityStatus }, status, reasons: [], score, at };
  const changed = await brands.change(ctx.db, tenantId, old, change);
  if (!changed) throw failure("conflict", "This brand has just been resubmitted");
  return changed;
}
