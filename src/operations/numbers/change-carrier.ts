import { isDeepStrictEqual } from "node:util";
import { requireLive } from "#domain/accounts/modes.ts";
import type { CarrierRecord } from "#domain/numbers/carrier-account.ts";
import { conflict, failure, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { differing, refuseLent } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";
import * as phoneNumbers from "#store/numbers/phone-numbers.ts";
import * as trunkNumbers from "#store/numbers/trunk-numbers.ts";

export type CarrierChanges = {
  name?: string | undefined;
  /** Null: all of the tenant's organizations. */
  organizationId?: Uuid | null | undefined;
  settings?: Record<string, unknown> | undefined;
};

/** Changes what is given. New settings count from the next text on. 404 for an account that is not the tenant's, 400 naming every wrong field. */
export async function updateCarrier(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  changes: CarrierChanges,
): Promise<CarrierRecord> {
  const tenantId = requireLive(caller);
  const { accounts } = ctx.carriers;
  const { organizationId } = changes;
  if (organizationId && !(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  await ctx.db.transaction(async (tx) => {
    const account = await carrierAccounts.lock(tx, tenantId, id);
    if (!account) throw notFound("Carrier");
    refuseLent(account);
    const settings = changes.settings ?? account.settings;
    const isNew = {
      settings: !isDeepStrictEqual(settings, account.settings),
      organization: organizationId !== undefined && organizationId !== account.organization_id,
    };
    if (isNew.settings) {
      const credentials = accounts.unseal(tenantId, account);
      accounts.refuseWrong(account.kind, { credentials, settings });
      // What is in doubt is looked up where it was sent, or it is found nowhere and sent again.
      const { identity, places } = accounts.driver(account.kind);
      const now = { credentials, settings: account.settings };
      const [moved] = differing([...identity, ...places], now, { credentials, settings });
      if (moved !== undefined && (await carrierAccounts.hasOpenAttempts(tx, tenantId, account.carrier)))
        throw conflict(`Texts by this account are on their way: change ${moved} when they have arrived`);
    }
    const organization_id = organizationId === undefined ? account.organization_id : organizationId;
    if (isNew.organization && organization_id !== null && (await lentCarriers.loansOf(tx, account.carrier)).length > 0)
      throw conflict("The account is lent to other tenants: it cannot be one organization's", "organization_id");
    await carrierAccounts.change(
      tx,
      tenantId,
      { ...account, name: changes.name ?? account.name, organization_id, settings },
      isNew,
    );
  });
  return (await carrierAccounts.find(ctx.db, tenantId, id)) ?? missing();
}

const missing = (): never => {
  throw notFound("Carrier");
};

/** Removes an account with its numbers, which stay the tenant's at the carrier. 409 while a campaign that is not over goes out by it. */
export async function deleteCarrier(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const tenantId = requireLive(caller);
  await ctx.db.transaction(async (tx) => {
    const account = await carrierAccounts.lock(tx, tenantId, id);
    if (!account) throw notFound("Carrier");
    refuseLent(account);
    const loans = await lentCarriers.loansOf(tx, account.carrier);
    if (loans.length > 0) throw failure("conflict", `The account is lent to ${loans.length} tenants: end that first`);
    const campaign = await carrierAccounts.usedBy(tx, tenantId, account.carrier);
    if (campaign !== undefined) throw failure("conflict", `The campaign ${campaign} sends by this account`);
    await carrierAccounts.remove(tx, tenantId, account);
    // What is planned by it waits for nothing any more.
    const [now, realNow] = [await tenants.tenantNow(tx, tenantId, ctx.now()), ctx.now()];
    await dials.hasten(tx, tenantId, account.carrier, { now, realNow });
    if (account.kind === "sip")
      await trunkNumbers.keepOnly(tx, tenantId, await phoneNumbers.owned(tx, tenantId, undefined));
  });
}
