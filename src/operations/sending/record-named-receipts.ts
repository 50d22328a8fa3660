import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { ReceiptById } from "#ports/carrier-session.ts";
import type { DeliveryReceipt } from "#ports/sms-carrier.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as attempts from "#store/messaging/attempts.ts";
import * as earlyReceipts from "#store/messaging/early-receipts.ts";
import { recordEarly } from "#store/sending/receipts.ts";
import { recordReceipts } from "./record-receipts.ts";

/** A receipt for a text that was handed over longer ago is not looked for: gateways use their ids again. */
const NAMES_WITHIN_MS = 3 * 86_400_000;
/** The process that was answered records what came early within moments, or has died. */
const RECORDED_WITHIN_MS = 5_000;
/** The answer of a hand-over is here within a minute, or never. */
const EARLY_FOR_MS = 3_600_000;

/**
 * Records receipts that name their text by the carrier's id, or, where the answer with that id was lost, by its phone and the end of our ref. Those
 * that name none that is known are kept until the answer is here. Safe to repeat.
 */
export async function recordNamedReceipts(
  ctx: Context,
  tenantId: Uuid,
  carrier: string,
  receipts: readonly ReceiptById[],
): Promise<void> {
  const found = await find(ctx, tenantId, carrier, receipts);
  await recordReceipts(ctx, tenantId, found);
  const known = new Set(found.map(({ receipt }) => receipt));
  const early = receipts.filter((receipt) => !known.has(receipt));
  if (early.length === 0) return;
  const kept = early.map(({ carrierId, status, errorCode, to }) => ({
    ...{ carrierId, status, errorCode: errorCode ?? null, phone: to ?? null },
  }));
  await earlyReceipts.insert(ctx.db, tenantId, carrier, kept, ctx.now());
  // Again: whoever settles the answer commits the id before it looks for these, and may have looked before they were there.
  const since = await find(ctx, tenantId, carrier, early);
  await applyEarly(ctx, tenantId, carrier, since);
}

/**
 * The same for receipts of one number, which had other holders before: each is theirs who have sent the text that it names. One that names no text of
 * any is the holder's, whose answer may still be on its way.
 */
export async function recordHoldersReceipts(
  ctx: Context,
  [holder, ...formers]: readonly [Holder, ...Holder[]],
  receipts: readonly ReceiptById[],
): Promise<void> {
  let left = receipts;
  if (formers.length > 0) {
    const own = await find(ctx, holder.tenantId, holder.carrier, receipts);
    const theirs = new Set(own.map(({ receipt }) => receipt));
    let others = receipts.filter((receipt) => !theirs.has(receipt));
    for (const { tenantId, carrier } of formers) {
      if (others.length === 0) break;
      const found = await find(ctx, tenantId, carrier, others);
      await recordReceipts(ctx, tenantId, found);
      const settled = new Set(found.map(({ receipt }) => receipt));
      others = others.filter((receipt) => !settled.has(receipt));
      left = left.filter((receipt) => !settled.has(receipt));
    }
  }
  if (left.length > 0) await recordNamedReceipts(ctx, holder.tenantId, holder.carrier, left);
}

type Holder = { tenantId: Uuid; carrier: string };
type Found = DeliveryReceipt & { carrierId: string; receipt: ReceiptById };

async function find(ctx: Context, tenantId: Uuid, carrier: string, receipts: readonly ReceiptById[]): Promise<Found[]> {
  const since = await tenants.tenantNow(ctx.db, tenantId, new Date(ctx.now().getTime() - NAMES_WITHIN_MS));
  const sought = receipts.map(({ carrierId, to, sender, reference }) => ({
    ...{ carrierId, phone: to ?? null, sender: sender ?? null },
    ending: reference === undefined ? null : reference.toString(16).padStart(4, "0"),
  }));
  const refs = await attempts.named(ctx.db, tenantId, carrier, sought, since);
  return receipts.flatMap((receipt, i) => {
    const ref = refs[i];
    const { carrierId, status, errorCode } = receipt;
    return ref === undefined
      ? []
      : [{ ref, carrierId, status, ...(errorCode !== undefined && { errorCode }), receipt }];
  });
}

async function applyEarly(
  ctx: Context,
  tenantId: Uuid,
  carrier: string,
  named: readonly { ref: Uuid; carrierId: string }[],
): Promise<void> {
  if (named.length === 0) return;
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  await recordEarly(ctx.db, tenantId, carrier, named, { now, newId: ctx.newId });
}

/** Records receipts of an account's own texts, and with those that name the carrier's id what came for it before. */
export async function recordReportedReceipts(
  ctx: Context,
  tenantId: Uuid,
  carrier: string,
  receipts: readonly DeliveryReceipt[],
): Promise<void> {
  await recordReceipts(ctx, tenantId, receipts, carrier);
  const named = receipts.flatMap(({ ref, carrierId }) => (carrierId === undefined ? [] : [{ ref, carrierId }]));
  await applyEarly(ctx, tenantId, carrier, named);
}

/** Records what a process that died left, and forgets what names no text of ours. */
export async function sweepEarlyReceipts(ctx: Context): Promise<void> {
  const ago = (ms: number) => new Date(ctx.now().getTime() - ms);
  const left = await earlyReceipts.named(ctx.db, ago(RECORDED_WITHIN_MS));
  const groups = Map.groupBy(left, ({ tenant_id, carrier }) => `${tenant_id} ${carrier}`);
  for (const group of groups.values()) {
    const { tenant_id, carrier } = group[0]!;
    const named = group.map(({ ref, carrier_id }) => ({ ref, carrierId: carrier_id }));
    await applyEarly(ctx, tenant_id, carrier, named);
  }
  await earlyReceipts.forget(ctx.db, ago(EARLY_FOR_MS));
}
