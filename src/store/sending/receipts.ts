import { MESSAGE_RANK } from "#domain/messaging/message.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { DeliveryReceipt } from "#ports/sms-carrier.ts";
import type { Db, Tx } from "#store/database/db.ts";
import * as attempts from "#store/messaging/attempts.ts";
import * as earlyReceipts from "#store/messaging/early-receipts.ts";
import { carryOver } from "./settlements.ts";

/** `now` is the tenant's time. */
type Change = { now: Date; newId(): Uuid };

/** Records what receipts say of their texts, and of the recipients of these: of several for one text the furthest. In a transaction. */
export async function record(
  tx: Tx,
  tenantId: Uuid,
  receipts: readonly DeliveryReceipt[],
  { now, newId }: Change,
): Promise<void> {
  const furthest = new Map<Uuid, attempts.Receipt>();
  for (const { ref, status, carrierId, errorCode } of receipts) {
    const known = furthest.get(ref);
    if (known && MESSAGE_RANK[known.state] >= MESSAGE_RANK[status]) continue;
    furthest.set(ref, { ref, state: status, carrierId: carrierId ?? null, errorCode: errorCode ?? null });
  }
  const moved = await attempts.receive(tx, tenantId, [...furthest.values()], { now, changeId: newId() });
  await carryOver(tx, tenantId, moved, newId, now);
}

/** Records, once, the receipts that came before it was known that these ids are of these attempts. */
export async function recordEarly(
  db: Db,
  tenantId: Uuid,
  carrier: string,
  named: readonly { ref: Uuid; carrierId: string }[],
  change: Change,
): Promise<void> {
  if (named.length === 0) return;
  await db.transaction(async (tx) => {
    const early = await earlyReceipts.take(tx, tenantId, carrier, named);
    const receipts = early.map(({ ref, carrierId, status, errorCode }) => ({
      ...{ ref, carrierId, status },
      ...(errorCode !== null && { errorCode }),
    }));
    if (receipts.length > 0) await record(tx, tenantId, receipts, change);
  });
}
