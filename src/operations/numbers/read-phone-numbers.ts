import { type PhoneNumber, requireAreaCode } from "#domain/numbers/phone-number.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import { asRefusal, heeded, stocksOf } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as numberHealth from "#store/numbers/health.ts";
import * as numbers from "#store/numbers/phone-numbers.ts";

/** The numbers that an organization may call from: its own, and those of no organization. 404 without it. */
export async function listPhoneNumbers(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  page: PageRequest,
): Promise<Page<PhoneNumber>> {
  const { tenantId } = caller;
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const found = pageOf(await numbers.list(ctx.db, tenantId, organizationId, page), page.limit);
  if (caller.organizations === undefined) return found;
  // For a number of no organization, its agent and buyer may belong to another organization.
  return {
    ...found,
    items: found.items.map((phoneNumber) =>
      phoneNumber.organization_id === null ? { ...phoneNumber, user_id: null, agent_id: null } : phoneNumber,
    ),
  };
}

/** Numbers that can be bought now, E.164. 404 for an organization that is not there, 400 for an invalid area code, and where no carrier gives out any. */
export async function searchPhoneNumbers(
  ctx: Context,
  caller: Caller,
  wanted: {
    areaCode: string | undefined;
    contains: string | undefined;
    limit: number;
    carrierId: Uuid | undefined;
    organizationId: Uuid | undefined;
  },
  signal: AbortSignal,
): Promise<string[]> {
  const areaCode = wanted.areaCode === undefined ? undefined : requireAreaCode(ctx.numberPlan, wanted.areaCode);
  const { organizationId } = wanted;
  if (organizationId !== undefined && !(await organizations.find(ctx.db, caller.tenantId, organizationId)))
    throw notFound("Organization");
  const stocks = await stocksOf(ctx, caller, { id: wanted.carrierId, organizationId });
  const owned = await numbers.owned(ctx.tenantDb, caller.tenantId, areaCode);
  const asked = {
    limit: wanted.limit + owned.size,
    ...(areaCode === undefined ? {} : { areaCode }),
    ...(wanted.contains === undefined ? {} : { contains: wanted.contains }),
  };
  const offered = (
    await Promise.all(
      stocks.map(({ inventory, account }) => heeded(ctx, caller.tenantId, account, inventory.search(asked, signal))),
    ).catch((error) => {
      throw asRefusal(error);
    })
  ).flat();
  return [...new Set(offered)].filter((phone) => !owned.has(phone)).slice(0, wanted.limit);
}

const DAY_MS = 86_400_000;

export type NumberHealth = numberHealth.NumberHealth;

/** The call results of the numbers that an organization has called from, or was called on, in the last days. 404 without the organization. */
export async function phoneNumberHealth(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  days: number,
): Promise<{ since: Date; numbers: NumberHealth[] }> {
  const { tenantId } = caller;
  const [organization, now] = await Promise.all([
    organizations.find(ctx.db, tenantId, organizationId),
    tenants.tenantNow(ctx.db, tenantId, ctx.now()),
  ]);
  if (!organization) throw notFound("Organization");
  const since = new Date(now.getTime() - days * DAY_MS);
  return { since, numbers: await numberHealth.since(ctx.db, tenantId, organizationId, since) };
}
