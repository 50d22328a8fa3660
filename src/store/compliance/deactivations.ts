import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, crossTenant, type Tx } from "#store/database/db.ts";

const listReaders = crossTenant(
  "list-readers-of-deactivations",
  `select account.tenant_id, account.carrier, account.revision, tenant.mode,
     to_char(account.deactivations_read_on, 'YYYY-MM-DD') as read_on
   from carrier_accounts account join tenants tenant on tenant.id = account.tenant_id
   where account.status = 'connected' and account.settings @> '{"deactivations": true}'
     and (account.deactivations_read_on is null or account.deactivations_read_on < $1::date)
     and (account.deactivations_asked_at is null or account.deactivations_asked_at < $2)
   order by account.id limit 100`,
);

export type Reader = {
  tenant_id: Uuid;
  carrier: string;
  revision: number;
  mode: "live" | "test";
  read_on: string | null;
};

/** Connected accounts that have opted in, and have not read the list of this day nor asked for one since a time. */
export function readers(tx: Tx, day: string, askedBefore: Date): Promise<Reader[]> {
  return tx.rows<Reader>(listReaders, [day, askedBefore]);
}

const noteAsked = changing(
  "note-deactivations-asked",
  "update carrier_accounts set deactivations_asked_at = $3 where tenant_id = $1 and carrier = $2",
);

export async function asked(tx: Tx, tenantId: Uuid, carrier: string, at: Date): Promise<void> {
  await tx.run(noteAsked, [tenantId, carrier, at]);
}

const noteRead = changing(
  "note-deactivations-read",
  `update carrier_accounts set deactivations_read_on = $3::date, deactivations_asked_at = null
   where tenant_id = $1 and carrier = $2 and (deactivations_read_on is null or deactivations_read_on < $3::date)`,
);

/** The list of a day is kept: the next one is that of the day after. */
export async function read(tx: Tx, tenantId: Uuid, carrier: string, day: string): Promise<void> {
  await tx.run(noteRead, [tenantId, carrier, day]);
}

const deactivate = changingAndReading(
  "deactivate-phones",
  `with held as (
     select phone from consents where tenant_id = $1 and phone = any($2::text[]) and (deactivated_at is null or deactivated_at < $3)
     order by phone for no key update)
   update consents consent set deactivated_at = $3 from held
   where consent.tenant_id = $1 and consent.phone = held.phone returning consent.phone`,
);

/** Notes that these were given up at this time, of those that the tenant knows. Returns whom it did not have noted so late. Safe to repeat. */
export async function deactivated(tx: Tx, tenantId: Uuid, phones: readonly string[], at: Date): Promise<string[]> {
  return (await tx.rows<{ phone: string }>(deactivate, [tenantId, phones, at])).map(({ phone }) => phone);
}
