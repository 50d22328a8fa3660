import type { Uuid } from "#domain/values/id.ts";
import type { DeliveryReceipt } from "#ports/sms-carrier.ts";
import { changing, crossTenant, crossTenantChanging, type Tx } from "#store/database/db.ts";

// Receipts that name a text by its carrier's id, and came before it was known whose that id is.

export type EarlyReceipt = { carrierId: string; status: DeliveryReceipt["status"]; errorCode: string | null };
/** `phone`: whom the text was for, where the receipt says so. Its end alone is kept. */
export type NewEarlyReceipt = EarlyReceipt & { phone: string | null };

const insertEarly = changing(
  "insert-early-receipts",
  `insert into early_receipts (tenant_id, carrier, carrier_id, status, error_code, received_at, phone_end)
   select $1, $2, carrier_id, status, error_code, $6, right(phone, 4)
   from unnest($3::text[], $4::text[], $5::text[], $7::text[]) as it (carrier_id, status, error_code, phone)
   order by carrier_id, status
   on conflict do nothing`,
);

/** Keeps them until the answer of their text's hand-over is here. Safe to repeat. */
export async function insert(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
  receipts: readonly NewEarlyReceipt[],
  now: Date,
): Promise<void> {
  await tx.run(insertEarly, [
    tenantId,
    carrier,
    receipts.map(({ carrierId }) => carrierId),
    receipts.map(({ status }) => status),
    receipts.map(({ errorCode }) => errorCode),
    now,
    receipts.map(({ phone }) => phone),
  ]);
}

const takeEarly = changing(
  "take-early-receipts",
  `delete from early_receipts early
   using unnest($3::text[], $4::uuid[]) as it (carrier_id, ref), attempts attempt
   where early.tenant_id = $1 and early.carrier = $2 and early.carrier_id = it.carrier_id
     and attempt.tenant_id = $1 and attempt.ref = it.ref and coalesce(right(attempt.phone, 4) = early.phone_end, true)
   returning it.ref, early.carrier_id as "carrierId", early.status, early.error_code as "errorCode"`,
);

/**
 * Those that came for the ids of these attempts, and for their phones where they say one, once: whoever takes them records them in the same
 * transaction.
 */
export function take(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
  named: readonly { ref: Uuid; carrierId: string }[],
): Promise<(EarlyReceipt & { ref: Uuid })[]> {
  const [ids, refs] = [named.map(({ carrierId }) => carrierId), named.map(({ ref }) => ref)];
  return tx.rows<EarlyReceipt & { ref: Uuid }>(takeEarly, [tenantId, carrier, ids, refs]);
}

export type Named = { tenant_id: Uuid; carrier: string; carrier_id: string; ref: Uuid };

const namedEarly = crossTenant(
  "list-named-early-receipts",
  // Attempts have the tenant's time. One of more than three days before is not meant: gateways use their ids again.
  `select distinct on (early.tenant_id, early.carrier, early.carrier_id) early.tenant_id, early.carrier, early.carrier_id, attempt.ref
   from early_receipts early
   join tenants tenant on tenant.id = early.tenant_id
   join attempts attempt on attempt.tenant_id = early.tenant_id and attempt.carrier = early.carrier
     and attempt.carrier_id = early.carrier_id and attempt.carrier <> 'simulator'
     and attempt.at <= early.received_at + tenant.clock_offset_ms * interval '1 millisecond'
     and attempt.at > early.received_at + tenant.clock_offset_ms * interval '1 millisecond' - interval '3 days'
     and coalesce(right(attempt.phone, 4) = early.phone_end, true)
   where early.received_at <= $1 and not exists (
     select from attempts later where later.tenant_id = early.tenant_id and later.phone = attempt.phone and later.carrier = attempt.carrier
       and later.sender = attempt.sender and later.at > attempt.at and later.carrier_id is null and later.state = 'in_flight')
   order by early.tenant_id, early.carrier, early.carrier_id, attempt.at desc limit 1000`,
);

/**
 * Those that have waited since `before` though their text is known by now, the newest of their id (and phone) that had left when they came, unless one after it still
 * waits for its answer: the process that was to record them has died. Of every tenant.
 */
export function named(tx: Tx, before: Date): Promise<Named[]> {
  return tx.rows<Named>(namedEarly, [before]);
}

// A change of all tenants' rows locks them on each server: so one looks first.
const anyOld = crossTenant(
  "any-old-early-receipt",
  "select tenant_id from early_receipts where received_at < $1 limit 1",
);
const forgetEarly = crossTenantChanging("forget-early-receipts", "delete from early_receipts where received_at < $1");

/** Nobody is going to ask for those of before any more: they are of texts that left by another service. */
export async function forget(tx: Tx, before: Date): Promise<void> {
  if (await tx.first(anyOld, [before])) await tx.run(forgetEarly, [before]);
}
