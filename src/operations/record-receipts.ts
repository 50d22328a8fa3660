import type { Uuid } from "#domain/id.ts";
import { MESSAGE_RANK } from "#domain/message.ts";
import type { DeliveryReceipt } from "#ports/sms-carrier.ts";
import * as attempts from "#store/attempts.ts";
import { carryOver } from "#store/settlements.ts";
import * as tenants from "#store/tenants.ts";
import type { Context } from "./context.ts";

/**
 * Records what a carrier says became of texts. Safe to repeat and in any order: states only rise. Receipts for refs
 * that are not ours are passed over.
 */
export async function recordReceipts(
  ctx: Context,
  tenantId: Uuid,
  receipts: readonly DeliveryReceipt[],
): Promise<void> {
  const furthest = new Map<Uuid, attempts.Receipt>();
  for (const { ref, status, carrierId, errorCode } of receipts) {
    const known = furthest.get(ref);
    if (known && MESSAGE_RANK[known.state] >= MESSAGE_RANK[status]) continue;
    furthest.set(ref, { ref, state: status, carrierId: carrierId ?? null, errorCode: errorCode ?? null });
  }
  await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const moved = await attempts.receive(tx, tenantId, [...furthest.values()], { now, changeId: ctx.newId() });
    await carryOver(tx, tenantId, moved, ctx.newId, now);
  });
}
