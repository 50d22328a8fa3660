import { refuseArchived, refuseForeign } from "#domain/accounts/organization.ts";
import {
  areaCodeOf,
  noNumbers,
  type PhoneNumber,
  provisioningFailed,
  requireAreaCode,
  requirePhone,
} from "#domain/numbers/phone-number.ts";
import { AppError, invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { asRefusal, heeded, type Stock, stockNamed, stocksOf } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as users from "#store/accounts/users.ts";
import * as numbers from "#store/numbers/phone-numbers.ts";

/** Who the number is to belong to; ids that the caller has named. */
export type NumberOwner = { organizationId: Uuid | undefined; userId: Uuid | undefined };
/** And the account that it is bought by, where that is said. */
type Wanted = NumberOwner & { carrierId?: Uuid | undefined };

/** Somebody else may buy a number between the search and the purchase; not this often in a row. */
const SPARE_CANDIDATES = 20;

/** A purchase takes seconds. The process of an order older than this has died. */
const ABANDONED_AFTER_MS = 60_000;
/** A request that had no answer for certain is repeated within this time, and then gets what it has ordered. */
const REPEATED_WITHIN_MS = 60 * 60_000;
/** Telnyx is waited for up to 20 s, and the requests before and after the order take their time. */
const BUY_WITHIN_MS = 45_000;

/**
 * Buys any number of an area code. The order is stored before the carrier is called: whatever fails in between, the next request for the area code
 * resumes the order, and no number is paid for without a record. What had no answer is the answer of its owner's next request. Repeated under its Idempotency-Key it buys one number. Fails with 400 for an invalid
 * area code, `no_numbers_available`, `provisioning_failed`, `carrier_problem`, or `order_pending` where the carrier has yet to say; 409 for an archived organization.
 */
export async function createPhoneNumber(
  ctx: Context,
  caller: Caller,
  wanted: Wanted & { areaCode: string },
  signal: AbortSignal,
): Promise<PhoneNumber> {
  const { tenantId } = caller;
  const areaCode = requireAreaCode(ctx.numberPlan, wanted.areaCode);
  const owner = await checkedOwner(ctx, caller, wanted);
  const stocks = await stocksOf(ctx, caller, { id: wanted.carrierId, organizationId: wanted.organizationId });
  const [id, now] = [caller.newId(), ctx.now()];
  const abandonedBefore = new Date(now.getTime() - ABANDONED_AFTER_MS);
  const begun = await numbers.begun(ctx.db, tenantId, { id, areaCode, abandonedBefore });
  if (begun && (begun.id === id || stocks.some(({ inventory }) => inventory.name === begun.carrier))) {
    const bought = await completeOrder(ctx, caller, begun, owner, signal);
    if (bought) return bought;
  }
  const since = new Date(now.getTime() - REPEATED_WITHIN_MS);
  for (const stock of stocks) {
    const mine = { ...ownerBy(stock, owner), carrier: stock.inventory.name, areaCode, since, at: now };
    const unanswered = await numbers.takeUp(ctx.db, tenantId, mine);
    const bought = await completeOrder(ctx, caller, unanswered, owner, signal);
    if (bought) return bought;
  }
  const owned = await numbers.owned(ctx.tenantDb, tenantId, areaCode);
  for (const stock of stocks) {
    const { inventory } = stock;
    const search = inventory.search({ areaCode, limit: owned.size + SPARE_CANDIDATES }, signal);
    const offered = await asked(ctx, tenantId, stock, search);
    for (const phone of offered.filter((number) => !owned.has(number))) {
      const order = {
        id,
        phone,
        ...ownerBy(stock, owner),
        carrier: inventory.name,
        area_code: areaCode,
        created_at: now,
      };
      noteOrder(ctx, order);
      if (!(await numbers.order(ctx.db, tenantId, order))) continue;
      const bought = await complete(ctx, tenantId, stock, order, signal);
      if (bought) return bought;
    }
  }
  throw noNumbers(areaCode);
}

/** Buys this number. One that the tenant has already is returned as it is; 400 for one that is not available. */
export async function purchasePhoneNumber(
  ctx: Context,
  caller: Caller,
  wanted: Wanted & { phone: string },
  signal: AbortSignal,
): Promise<PhoneNumber> {
  const { tenantId } = caller;
  const phone = requirePhone("phone_number", wanted.phone);
  const owner = await checkedOwner(ctx, caller, wanted);
  const stocks = await stocksOf(ctx, caller, { id: wanted.carrierId, organizationId: wanted.organizationId });
  const mine = await numbers.find(ctx.db, tenantId, phone);
  if (mine) {
    await numbers.answered(ctx.db, tenantId, phone);
    return mine;
  }
  const [id, area_code] = [caller.newId(), areaCodeOf(phone)];
  for (const stock of stocks) {
    const { inventory } = stock;
    const order = { id, phone, ...ownerBy(stock, owner), carrier: inventory.name, area_code, created_at: ctx.now() };
    noteOrder(ctx, order);
    const bought = (await numbers.order(ctx.db, tenantId, order))
      ? await complete(ctx, tenantId, stock, order, signal)
      : // Another request is buying it, or has left its order behind: perhaps from another carrier than this one.
        await completeOrder(ctx, caller, await numbers.ordered(ctx.db, tenantId, phone), owner, signal);
    if (bought) return bought;
  }
  throw invalidField("phone_number", "is not to be had: choose one that the search offers");
}

const noteOrder = (ctx: Context, { phone, organization_id }: Pick<PhoneNumber, "phone" | "organization_id">): void =>
  ctx.audit.note({ object: { kind: "phone_number", id: phone }, organizationId: organization_id });

type Owner = Pick<PhoneNumber, "organization_id" | "user_id">;

/** A number of an organization's account is that organization's. */
const ownerBy = ({ account }: Stock, owner: Owner): Owner => ({
  ...owner,
  organization_id: owner.organization_id ?? account?.organization_id ?? null,
});

/** Completes an order that somebody has begun, with the carrier that it was begun with. */
async function completeOrder(
  ctx: Context,
  caller: Caller,
  order: PhoneNumber | undefined,
  owner: Owner,
  signal: AbortSignal,
): Promise<PhoneNumber | undefined> {
  if (!order) return undefined;
  if (order.bought_at !== null) {
    await numbers.answered(ctx.db, caller.tenantId, order.phone);
    return order;
  }
  const stock = await stockNamed(ctx, caller, order.carrier);
  if (!stock) throw provisioningFailed(`the carrier that ${order.phone} was ordered from is no longer configured`);
  const organization_id = owner.organization_id ?? order.organization_id;
  return complete(ctx, caller.tenantId, stock, { ...order, ...owner, organization_id }, signal);
}

/**
 * Asks the carrier for what was ordered; undefined, and the order is deleted, when the carrier does not have it. An order stays where it is not known
 * what became of it: operations/numbers/settle-orders.ts finds out.
 */
async function complete(
  ctx: Context,
  tenantId: Uuid,
  stock: Stock,
  order: numbers.NumberOrder,
  signal: AbortSignal,
): Promise<PhoneNumber | undefined> {
  const { phone, organization_id, user_id } = order;
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUY_WITHIN_MS)]);
  await numbers.note(ctx.db, tenantId, phone, "tried", ctx.now());
  const found = await asked(ctx, tenantId, stock, stock.inventory.purchase(tenantId, phone, within)).catch(
    async (error) => {
      const isUnsure = within.aborted || (error instanceof AppError && error.code === "order_pending");
      if (isUnsure) await numbers.note(ctx.db, tenantId, phone, "unanswered", ctx.now());
      throw error;
    },
  );
  if (found) {
    // Nothing that was bought is without its row: the order may have been dropped meanwhile, for one that the carrier did not know.
    await numbers.order(ctx.db, tenantId, order);
    const owner = { organization_id, user_id, at: ctx.now(), can: found.capabilities, isAnswer: true };
    await numbers.bought(ctx.db, tenantId, phone, owner);
    // The sweep may have found it bought before.
    await numbers.answered(ctx.db, tenantId, phone);
  } else await numbers.drop(ctx.db, tenantId, phone);
  return numbers.find(ctx.db, tenantId, phone);
}

const asked = <T>(ctx: Context, tenantId: Uuid, { account }: Stock, answer: Promise<T>): Promise<T> =>
  heeded(ctx, tenantId, account, answer).catch((error: Error) => {
    throw account ? asRefusal(error) : provisioningFailed(error.message);
  });

async function checkedOwner(
  ctx: Context,
  { tenantId, organizations: limit }: Caller,
  { organizationId, userId }: NumberOwner,
): Promise<{ organization_id: Uuid | null; user_id: Uuid | null }> {
  if (limit !== undefined && organizationId === undefined)
    throw invalidField("organization_id", "is required from who is limited to organizations");
  const [organization, user] = await Promise.all([
    organizationId && organizations.find(ctx.db, tenantId, organizationId),
    userId && users.find(ctx.db, tenantId, userId),
  ]);
  if (organizationId && !organization) throw notFound("Organization");
  if (organization) refuseArchived(organization);
  if (userId && !user) throw notFound("User");
  if (organizationId && user) refuseForeign(organizationId, { user_id: user });
  return { organization_id: organizationId ?? null, user_id: userId ?? null };
}
