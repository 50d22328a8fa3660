import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { DeliveryReceipt } from "#ports/sms-carrier.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { optOut } from "#store/compliance/opt-outs.ts";
import { together } from "#store/database/together.ts";
import * as attempts from "#store/messaging/attempts.ts";
import { record } from "#store/sending/receipts.ts";

/**
 * Records a carrier's receipts of texts. Safe to repeat and in any order: states only rise. Receipts for unknown refs are ignored. A carrier's report
 * that the contact has opted out with it is an opt-out. An account (`carrier`, its public id) reports on its own texts alone: whoever has the keys of
 * one account of a tenant says nothing of another's.
 */
export async function recordReceipts(
  ctx: Context,
  tenantId: Uuid,
  given: readonly DeliveryReceipt[],
  carrier?: string,
): Promise<void> {
  const receipts = carrier === undefined ? given : await ofCarrier(ctx, tenantId, given, carrier);
  if (receipts.length === 0) return;
  await recordOptOuts(ctx, tenantId, receipts);
  // A carrier brings each by a webhook of its own.
  await together(ctx, "record-receipts", tenantId, receipts, recordSets);
}

async function recordSets(
  ctx: Context,
  tenantId: Uuid,
  sets: readonly (readonly DeliveryReceipt[])[],
): Promise<Map<readonly DeliveryReceipt[], void>> {
  await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    await record(tx, tenantId, sets.flat(), { now, newId: ctx.newId });
  });
  return new Map();
}

async function ofCarrier(
  ctx: Context,
  tenantId: Uuid,
  receipts: readonly DeliveryReceipt[],
  carrier: string,
): Promise<DeliveryReceipt[]> {
  const refs = receipts.map(({ ref }) => ref);
  const own = await attempts.ofCarrier(ctx.db, tenantId, carrier, refs);
  return receipts.filter(({ ref }) => own.has(ref));
}

/** Committed before the receipts are: a carrier that gets no answer sends everything again. */
async function recordOptOuts(ctx: Context, tenantId: Uuid, receipts: readonly DeliveryReceipt[]): Promise<void> {
  const stopped = receipts.filter((receipt) => receipt.optedOut).map(({ ref }) => ref);
  if (stopped.length === 0) return;
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  for (const phone of await attempts.phonesOf(ctx.db, tenantId, stopped)) {
    await ctx.journal.append({ kind: "opt_out", source: "carrier", tenantId, phone, at: at.toISOString() });
    await ctx.db.transaction((tx) =>
      optOut(tx, tenantId, phone, {
        source: "carrier",
        quote: null,
        at,
        newId: ctx.newId,
        hash: ctx.hashPhone,
      }),
    );
  }
}
