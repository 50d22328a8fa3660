import { SCOPES } from "#domain/accounts/key-scopes.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";

/** The operator at the command line, who may do everything in a tenant's live mode; undefined when there is no such tenant. */
export async function operatorOf(ctx: Context, accountId: Uuid): Promise<Caller | undefined> {
  const tenantId = await tenants.inMode(ctx.db, accountId, "live");
  if (tenantId === undefined) return undefined;
  return {
    tenantId,
    accountId,
    keyId: accountId,
    mode: "live",
    scopes: SCOPES,
    organizations: undefined,
    newId: ctx.newId,
  };
}
