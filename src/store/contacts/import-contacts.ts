import type { LeadFields } from "#domain/contacts/lead.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";

// What an import does to contacts, in sets: a row of a file costs no statement of its own. Everything runs in the
// transaction that moves the import on, under the lock of its row.

export type ImportedLead = { id: Uuid; phone: string; fields: LeadFields };
export type ImportTarget = { id: Uuid; organization_id: Uuid; list_id: Uuid };

const lockKnown = statement(
  "lock-contacts-of-import",
  `select contact.id, contact.phone, contact.fields, touched.contact_id is not null as repeated
   from unnest($3::text[]) as lead (phone)
   cross join lateral (
     select id, phone, fields from contacts where tenant_id = $1 and organization_id = $2 and phone = lead.phone
     for no key update) as contact
   -- Row by row: joined, all that the import has touched would be read for each piece.
   left join lateral (
     select contact_id from import_contacts where tenant_id = $1 and import_id = $4 and contact_id = contact.id
     offset 0) as touched on true`,
);

type Known = { id: Uuid; phone: string; fields: LeadFields; repeated: boolean };

const insertNew = changing(
  "insert-contacts-of-import",
  `insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
   select $1, id, $2, phone, fields::jsonb, $6, $6 from unnest($3::uuid[], $4::text[], $5::text[]) as lead (id, phone, fields)
   on conflict (tenant_id, organization_id, phone) do nothing
   returning id`,
);

// By the phone, as they were looked up: without statistics the id is looked for among all that the organization has.
const updateKnown = changing(
  "update-contacts-of-import",
  `update contacts contact set fields = contact.fields || given.fields::jsonb, updated_at = $5
   from unnest($3::text[], $4::text[]) as given (phone, fields)
   where contact.tenant_id = $1 and contact.organization_id = $2 and contact.phone = given.phone`,
);

const knowPhones = changing(
  "know-phones-of-import",
  `insert into consents (tenant_id, phone) select $1, phone from unnest($2::text[]) as phone
   on conflict (tenant_id, phone) do nothing`,
);

// One that came before in the same file keeps what it was before the first time.
const touch = changing(
  "touch-contacts-of-import",
  `insert into import_contacts (tenant_id, import_id, contact_id, before, given, at)
   select $1, $2, id, before::jsonb, given::jsonb, $6 from unnest($3::uuid[], $4::text[], $5::text[]) as it (id, before, given)
   on conflict (tenant_id, import_id, contact_id)
   do update set given = import_contacts.given || excluded.given, at = excluded.at`,
);

const addMembers = changingAndReading(
  "add-list-members-of-import",
  `with list as (select id from lists where tenant_id = $1 and id = $2 for key share)
   insert into list_members (tenant_id, list_id, contact_id)
   select $1, list.id, contact_id from list, unnest($3::uuid[]) as contact_id
   on conflict (tenant_id, list_id, contact_id) do nothing`,
);

export type Stored = { created: number; updated: number; repeated: number };

/**
 * Stores leads of an import: makes the contacts that are new, gives the others the fields of the file, remembers what both
 * were before, and adds all to the import's list, unless that has been deleted. Opt-outs are not touched. Phones once
 * each and in order.
 */
export async function store(
  tx: Tx,
  tenantId: Uuid,
  target: ImportTarget,
  leads: readonly ImportedLead[],
  at: Date,
): Promise<Stored> {
  if (leads.length === 0) return { created: 0, updated: 0, repeated: 0 };
  const known = new Map<string, Known>();
  const made = new Set<Uuid>();
  // Another may make a contact between the look and the insert: then it is one that is known.
  for (
    let waiting = leads;
    waiting.length > 0;
    waiting = waiting.filter(({ id, phone }) => !made.has(id) && !known.has(phone))
  ) {
    const phones = waiting.map(({ phone }) => phone);
    for (const row of await tx.rows<Known>(lockKnown, [tenantId, target.organization_id, phones, target.id]))
      known.set(row.phone, row);
    const fresh = waiting.filter(({ phone }) => !known.has(phone));
    if (fresh.length === 0) break;
    const values = [tenantId, target.organization_id, fresh.map(({ id }) => id), fresh.map(({ phone }) => phone)];
    const inserted = await tx.rows<{ id: Uuid }>(insertNew, [...values, fresh.map(fieldsOf), at]);
    for (const row of inserted) made.add(row.id);
  }
  const touched = leads.map((lead) => {
    const before = known.get(lead.phone);
    const given = fieldsOf(lead);
    return before
      ? { id: before.id, before: JSON.stringify(before.fields), given }
      : { id: lead.id, before: null, given: null };
  });
  const old = leads.filter(({ phone }) => known.has(phone));
  const changes = [old.map(({ phone }) => phone), old.map(fieldsOf)];
  const ids = touched.map(({ id }) => id);
  // Sent together: none needs another's answer, and a connection runs them in this order.
  await Promise.all([
    old.length > 0 ? tx.run(updateKnown, [tenantId, target.organization_id, ...changes, at]) : 0,
    tx.run(knowPhones, [tenantId, leads.map(({ phone }) => phone)]),
    tx.run(touch, [
      tenantId,
      target.id,
      ids,
      touched.map(({ before }) => before),
      touched.map(({ given }) => given),
      at,
    ]),
    tx.run(addMembers, [tenantId, target.list_id, ids]),
  ]);
  const repeated = [...known.values()].filter((row) => row.repeated).length;
  return { created: made.size, updated: known.size - repeated, repeated };
}

const fieldsOf = ({ fields }: ImportedLead): string => JSON.stringify(fields);

const nextTouched = statement(
  "next-contacts-to-undo",
  `select touched.contact_id as id, contact.phone
   from (select contact_id from import_contacts where tenant_id = $1 and import_id = $2 order by contact_id limit $3) touched
   left join lateral (
     select phone from contacts where tenant_id = $1 and id = touched.contact_id and phone like '+%' offset 0) contact on true
   order by contact.phone`,
);

const lockTouched = statement(
  "lock-contacts-to-undo",
  `select contact.id, contact.fields, touched.before, touched.given,
     contact.updated_at = touched.at
       and not exists (select from threads where tenant_id = $1 and phone = contact.phone and contact_id = contact.id)
       and not exists (select from dials where tenant_id = $1 and phone = contact.phone and contact_id = contact.id)
       and not exists (select from calls where tenant_id = $1 and phone = contact.phone and contact_id = contact.id) as unused
   from unnest($3::uuid[]) as wanted (id)
   cross join lateral (
     select id, phone, fields, updated_at from contacts where tenant_id = $1 and id = wanted.id and phone like '+%'
     for no key update) as contact
   cross join lateral (
     select before, given, at from import_contacts where tenant_id = $1 and import_id = $2 and contact_id = contact.id
     offset 0) as touched`,
);

/** A contact as an import left it, and as it is. */
export type Touched = {
  id: Uuid;
  fields: LeadFields;
  /** Null when the import made it. */
  before: LeadFields | null;
  given: LeadFields | null;
  /** Nobody has changed it, taken it into a list or campaign, or been on the phone with it, since. */
  unused: boolean;
};

/** The next contacts that an undo has to look at; `locked` are those of them that are still there. */
export async function lockNext(
  tx: Tx,
  tenantId: Uuid,
  importId: Uuid,
  limit: number,
): Promise<{ ids: Uuid[]; locked: Touched[] }> {
  const ids = (await tx.rows<{ id: Uuid }>(nextTouched, [tenantId, importId, limit])).map((row) => row.id);
  // In the order of phones, as imports lock them.
  return { ids, locked: await tx.rows<Touched>(lockTouched, [tenantId, importId, ids]) };
}

// As an erased contact keeps its row: deleting one would look through the tenant's threads for it.
const removeContacts = changing(
  "remove-contacts-of-import",
  `update contacts contact set phone = 'removed:' || it.id::text, fields = '{}', former_phones = null, updated_at = $3
   from unnest($2::uuid[]) as it (id)
   where contact.tenant_id = $1 and contact.id = it.id and ${anyOf("it.id")}`,
);

const restoreContacts = changing(
  "restore-contacts-of-import",
  `update contacts contact set fields = it.fields::jsonb, updated_at = $4
   from unnest($2::uuid[], $3::text[]) as it (id, fields)
   where contact.tenant_id = $1 and contact.id = it.id and ${anyOf("it.id")}`,
);

const forgetTouched = changing(
  "forget-contacts-of-import",
  "delete from import_contacts where tenant_id = $1 and import_id = $2 and contact_id = any($3::uuid[])",
);

/** Undoes what an import did to contacts that `lockNext` has locked. */
export async function undo(
  tx: Tx,
  tenantId: Uuid,
  importId: Uuid,
  outcome: { looked: readonly Uuid[]; removed: readonly Uuid[]; restored: readonly { id: Uuid; fields: LeadFields }[] },
  at: Date,
): Promise<void> {
  const { looked, removed, restored } = outcome;
  await Promise.all([
    tx.run(removeContacts, [tenantId, removed, at]),
    tx.run(restoreContacts, [tenantId, restored.map(({ id }) => id), restored.map(fieldsJson), at]),
    tx.run(forgetTouched, [tenantId, importId, looked]),
  ]);
}

const fieldsJson = ({ fields }: { fields: LeadFields }): string => JSON.stringify(fields);
