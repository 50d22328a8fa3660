import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { isAccount, partOf } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as numbers from "#store/numbers/phone-numbers.ts";

/** A request waits 45 s for its purchase at most: what is older is nobody's any more. And each carrier is asked once in this time. */
const ASK_EVERY_MS = 60_000;
/** What a carrier does not know of by then, it was never asked for: its lists may be some minutes behind. */
const FORGOTTEN_AFTER_MS = 15 * 60_000;
const ORDERS_A_PAGE = 100;
const CARRIER_TIMEOUT_MS = 10_000;

/**
 * Finds out what became of orders whose request had no answer, or not in time, of all tenants: what the carrier has given out is the tenant's, what it
 * does not know of is dropped. Buys nothing. For the sweep; safe to run anywhere, any time.
 */
export async function settleOrders(ctx: Context): Promise<void> {
  let after = { tenantId: NO_ID, id: NO_ID };
  for (;;) {
    const before = new Date(ctx.now().getTime() - ASK_EVERY_MS);
    const orders = await numbers.pending(ctx.db, before, after, ORDERS_A_PAGE);
    for (const { tenant_id, ...order } of orders) {
      if (isAccount(order.carrier)) await settle(ctx, tenant_id, order);
    }
    const last = orders.at(-1);
    if (!last || orders.length < ORDERS_A_PAGE) return;
    after = { tenantId: last.tenant_id, id: last.id };
  }
}

type Order = numbers.NumberOrder & { tried_at: Date };

async function settle(ctx: Context, tenantId: Uuid, order: Order): Promise<void> {
  const { phone, carrier, organization_id, user_id, tried_at } = order;
  const now = ctx.now();
  await numbers.note(ctx.db, tenantId, phone, "asked", now);
  try {
    const tenant = await tenants.find(ctx.db, tenantId);
    const inventory =
      tenant && (await partOf(ctx.carriers, ctx.db, { tenantId, mode: tenant.mode }, carrier, "inventory"));
    if (!inventory?.find) return;
    const found = await inventory.find(tenantId, phone, AbortSignal.timeout(CARRIER_TIMEOUT_MS));
    if (found === "under_way") return;
    if (found) {
      const owner = { organization_id, user_id, at: now, can: found.capabilities, isAnswer: false };
      await numbers.bought(ctx.db, tenantId, phone, owner);
    } else if (now.getTime() - tried_at.getTime() > FORGOTTEN_AFTER_MS) await numbers.drop(ctx.db, tenantId, phone);
  } catch (err) {
    ctx.log.warn({ err, carrier }, "a carrier could not be asked about the order of a number");
  }
}
