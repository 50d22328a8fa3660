import { requireLive } from "#domain/accounts/modes.ts";
import type { CarrierRecord } from "#domain/numbers/carrier-account.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";

/** 404 for an account that is not the tenant's. */
export async function getCarrier(ctx: Context, caller: Caller, id: Uuid): Promise<CarrierRecord> {
  const found = await carrierAccounts.find(ctx.db, requireLive(caller), id);
  if (!found) throw notFound("Carrier");
  return found;
}

/** The tenant's accounts, newest first. */
export async function listCarriers(ctx: Context, caller: Caller, page: PageRequest): Promise<Page<CarrierRecord>> {
  return pageOf(await carrierAccounts.list(ctx.db, requireLive(caller), page), page.limit);
}
