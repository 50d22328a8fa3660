import { requireLive } from "#domain/accounts/modes.ts";
import type { CarrierRecord } from "#domain/numbers/carrier-account.ts";
import type { CarrierKind } from "#domain/numbers/carrier-kind.ts";
import { notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";

export type NewCarrier = {
  kind: CarrierKind;
  name: string;
  organizationId: Uuid | null;
  credentials: Record<string, string>;
  settings: Record<string, unknown>;
};

/** Keeps an account with a carrier, its credentials sealed. Asks the carrier nothing: that is for connecting it. 400 naming every wrong field. */
export async function createCarrier(ctx: Context, caller: Caller, given: NewCarrier): Promise<CarrierRecord> {
  const tenantId = requireLive(caller);
  const { accounts } = ctx.carriers;
  const { kind, name, organizationId, credentials, settings } = given;
  accounts.refuseWrong(kind, { credentials, settings });
  if (organizationId !== null && !(await organizations.find(ctx.db, tenantId, organizationId))) {
    throw notFound("Organization");
  }
  const id = caller.newId();
  const carrier = publicId("carrier", id);
  const account = { id, carrier, organization_id: organizationId, kind, name, settings, created_at: ctx.now() };
  await ctx.db.transaction(async (tx) => {
    const sealed = await accounts.seal(tx, tenantId, carrier, credentials);
    await carrierAccounts.insert(tx, tenantId, { ...account, credentials: sealed });
  });
  return (await carrierAccounts.find(ctx.db, tenantId, id))!;
}
