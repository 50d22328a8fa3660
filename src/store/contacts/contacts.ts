import type { Contact } from "#domain/contacts/contact.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";

export type { Contact };

const COLUMNS = "id, organization_id, phone, fields, created_at, updated_at";

// Consents come first, as everywhere: what is not read of a `with` is done last, and two would wait for each other crosswise.
const upsertContacts = changingAndReading(
  "upsert-contacts",
  `with lead as (select * from unnest($3::uuid[], $4::text[], $5::text[]) as lead (id, phone, fields)),
   known as (
     insert into consents (tenant_id, phone) select $1, phone from lead on conflict (tenant_id, phone) do nothing
     returning 1)
   insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
   select $1, id, $2, phone, fields::jsonb, $6, $6 from lead where (select count(*) from known) >= 0
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
    contacts.map((contact) => contact.id),
    contacts.map((contact) => contact.phone),
    contacts.map((contact) => JSON.stringify(contact.fields)),
    now,
  ]);
}

// An erased contact keeps its row, since threads and messages refer to it, but nothing of the person: its phone is
// then no number any more. So does one that was removed with its import. Live phones are E.164 and start with "+".
const LIVE = "phone like '+%'";

const findContact = statement(
  "find-contact",
  `select ${COLUMNS} from contacts where tenant_id = $1 and id = $2 and ${LIVE}`,
);

export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Contact | undefined> {
  return tx.first<Contact>(findContact, [tenantId, id]);
}

const contactsOfPhone = statement(
  "list-contacts-of-phone",
  `select ${COLUMNS.replace(/\w+/g, (name) => `contact.${name}`)} from organizations organization
   join contacts contact on contact.tenant_id = $1 and contact.organization_id = organization.id and contact.phone = $2
   where organization.tenant_id = $1 order by contact.id`,
);

/** The contacts with a phone in the tenant's organizations, one each. */
export function ofPhone(tx: Tx, tenantId: Uuid, phone: string): Promise<Contact[]> {
  return tx.rows<Contact>(contactsOfPhone, [tenantId, phone]);
}

const listMembers = statement(
  "list-contacts-of-list",
  `select ${COLUMNS.replace(/\w+/g, (name) => `contact.${name}`)} from list_members member
   join contacts contact on contact.tenant_id = $1 and contact.id = member.contact_id
   where member.tenant_id = $1 and member.list_id = $2 and member.contact_id < $3
   order by member.contact_id desc limit $4`,
);

/** The contacts of a list, newest first, one more than a page. */
export function ofList(
  tx: Tx,
  tenantId: Uuid,
  listId: Uuid,
  page: { before: Uuid; limit: number },
): Promise<Contact[]> {
  return tx.rows<Contact>(listMembers, [tenantId, listId, page.before, page.limit + 1]);
}

const knowPhone = changing(
  "know-phone",
  "insert into consents (tenant_id, phone) values ($1, $2) on conflict (tenant_id, phone) do nothing",
);

const updateContact = changing(
  "update-contact",
  `update contacts set phone = coalesce($3, phone), fields = (fields || $4::jsonb) - $5::text[], updated_at = $6,
     former_phones = case when $3 <> phone then array_append(former_phones, phone) else former_phones end
   where tenant_id = $1 and id = $2 and ${LIVE}
   returning ${COLUMNS}`,
);

/**
 * Sets and clears fields; the others stay. Undefined when there is no such contact. Fails with a unique violation when
 * another contact of the organization has the phone.
 */
export async function update(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  change: { phone: string | undefined; fields: LeadFields; cleared: readonly string[]; at: Date },
): Promise<Contact | undefined> {
  if (change.phone !== undefined) await tx.run(knowPhone, [tenantId, change.phone]);
  const values = [tenantId, id, change.phone ?? null, JSON.stringify(change.fields), change.cleared, change.at];
  return tx.first<Contact>(updateContact, values);
}

const lockContacts = statement(
  "lock-contacts",
  `select id, phone, former_phones from contacts
   where tenant_id = $1 and id = any($2::uuid[]) and ${anyOf("id")} and ${LIVE} order by phone for update`,
);

/** Locks contacts: no import, list or campaign can give them anything until the commit. Each with every number it has had. */
export async function lock(tx: Tx, tenantId: Uuid, ids: readonly Uuid[]): Promise<{ id: Uuid; phones: string[] }[]> {
  type Row = { id: Uuid; phone: string; former_phones: string[] | null };
  const rows = await tx.rows<Row>(lockContacts, [tenantId, ids]);
  return rows.map((row) => ({ id: row.id, phones: [...new Set([row.phone, ...(row.former_phones ?? [])])] }));
}

const othersWithPhones = statement(
  "list-phones-of-other-contacts",
  `select distinct contact.phone from organizations organization
   cross join lateral (
     select phone from contacts
     where tenant_id = $1 and organization_id = organization.id and phone = any($2::text[]) and id <> all($3::uuid[])) as contact
   where organization.tenant_id = $1`,
);

/** Which of these phones are also another contact's than these, of any organization. */
export async function sharedPhones(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  ids: readonly Uuid[],
): Promise<Set<string>> {
  const rows = await tx.rows<{ phone: string }>(othersWithPhones, [tenantId, phones, ids]);
  return new Set(rows.map((row) => row.phone));
}

const eraseContacts = changing(
  "erase-contacts",
  `update contacts set phone = 'erased:' || id::text, fields = '{}', former_phones = null, updated_at = $3
   where tenant_id = $1 and id = any($2::uuid[]) and ${anyOf("id")} and ${LIVE}
   returning organization_id`,
);

// By way of the organizations' lists and imports, since what they hold is not indexed by contact: a probe each.
const leaveLists = changing(
  "erase-list-members",
  `delete from list_members member using lists list
   where list.tenant_id = $1 and list.organization_id = any($2::uuid[])
     and member.tenant_id = $1 and member.list_id = list.id and member.contact_id = any($3::uuid[])`,
);

const leaveImports = changing(
  "erase-contact-of-imports",
  `delete from import_contacts touched using imports
   where imports.tenant_id = $1 and imports.organization_id = any($2::uuid[])
     and touched.tenant_id = $1 and touched.import_id = imports.id and touched.contact_id = any($3::uuid[])`,
);

/** Empties contacts that are locked of all that is personal and takes them off their lists. */
export async function erase(tx: Tx, tenantId: Uuid, ids: readonly Uuid[], at: Date): Promise<void> {
  const erased = await tx.rows<{ organization_id: Uuid }>(eraseContacts, [tenantId, ids, at]);
  const organizations = [...new Set(erased.map((row) => row.organization_id))];
  await tx.run(leaveLists, [tenantId, organizations, ids]);
  await tx.run(leaveImports, [tenantId, organizations, ids]);
}
