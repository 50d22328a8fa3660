import type { Uuid } from "#domain/id.ts";
import type { LeadFields } from "#domain/lead.ts";
import { statement, type Tx } from "./db.ts";

export type Contact = {
  id: Uuid;
  organization_id: Uuid;
  phone: string;
  fields: LeadFields;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = "id, organization_id, phone, fields, created_at, updated_at";

const upsertContacts = statement(
  "upsert-contacts",
  `with lead as (select * from unnest($3::uuid[], $4::text[], $5::text[]) as lead (id, phone, fields)),
   known as (
     insert into consents (tenant_id, phone) select $1, phone from lead on conflict (tenant_id, phone) do nothing)
   insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
   select $1, id, $2, phone, fields::jsonb, $6, $6 from lead
   on conflict (tenant_id, organization_id, phone)
   do update set fields = contacts.fields || excluded.fields, updated_at = excluded.updated_at
   returning ${COLUMNS}`,
);

/**
 * Stores contacts of one organization; a number that it has gets the given fields and keeps the others. A phone may
 * come once a call, and phones in order, so that two imports never wait for each other crosswise.
 */
export function upsertMany(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  contacts: readonly { id: Uuid; phone: string; fields: LeadFields }[],
  now: Date,
): Promise<Contact[]> {
  return tx.rows<Contact>(upsertContacts, [
    tenantId,
    organizationId,
    contacts.map((it) => it.id),
    contacts.map((it) => it.phone),
    contacts.map((it) => JSON.stringify(it.fields)),
    now,
  ]);
}
