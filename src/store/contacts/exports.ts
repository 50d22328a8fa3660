import type { Contact } from "#domain/contacts/contact.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

// What goes into a file is read in pages by key, each a statement of its own: a slow reader holds no transaction.

/** The names of the fields on a page, and where the next one begins; null after the last. */
export type NamedFields = { names: string[]; last: string | null };

const contactPage = statement(
  "export-contacts",
  `select id, organization_id, phone, fields, created_at, updated_at from contacts
   where tenant_id = $1 and organization_id = $2 and phone > $3 and phone like '+%' order by phone limit $4`,
);

/** An organization's contacts in the order of phones, after a phone. */
export function contacts(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  after: string,
  limit: number,
): Promise<Contact[]> {
  return tx.rows<Contact>(contactPage, [tenantId, organizationId, after, limit]);
}

const contactNames = statement(
  "export-contact-field-names",
  `with page as materialized (
     select phone, fields from contacts
     where tenant_id = $1 and organization_id = $2 and phone > $3 and phone like '+%' order by phone limit $4)
   select array(select distinct name from page, jsonb_object_keys(page.fields) as name) as names,
     (select phone from page order by phone desc limit 1) as last`,
);

export async function contactFieldNames(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  after: string,
  limit: number,
): Promise<NamedFields> {
  return (await tx.first<NamedFields>(contactNames, [tenantId, organizationId, after, limit]))!;
}

export type ExportedRecipient = {
  id: Uuid;
  contact_id: Uuid;
  phone: string;
  state: string;
  reason: string | null;
  first_sent_at: Date | null;
  last_inbound_at: Date | null;
  outcome: string | null;
  called_at: Date | null;
  call_outcome: string | null;
  fields: LeadFields;
  /** The user who takes care of the conversation, and what people have noted in it, oldest first. */
  assignee: string | null;
  notes: { at: string; author: string | null; text: string }[];
};

// An erased recipient is counted by its campaign, and has nothing left to export.
const recipientPage = statement(
  "export-recipients",
  `select thread.id, thread.contact_id, thread.phone, thread.state, thread.reason, thread.first_sent_at, thread.last_inbound_at,
     thread.outcome, thread.called_at, thread.call_outcome, contact.fields, assignee.name as assignee, noted.notes
   from threads thread
   join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
   left join users assignee on assignee.tenant_id = $1 and assignee.id = thread.assignee_id
   cross join lateral (
     select coalesce(jsonb_agg(jsonb_build_object('at', created_at, 'author', author, 'text', text) order by created_at, id), '[]') as notes
     from thread_notes
     where tenant_id = $1 and campaign_id = $2 and thread_id = thread.id and kind = 'note') as noted
   where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id > $3 and thread.phone like '+%'
   order by thread.id limit $4`,
);

/** A campaign's recipients in the order of their ids, after an id. */
export function recipients(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  after: Uuid,
  limit: number,
): Promise<ExportedRecipient[]> {
  return tx.rows<ExportedRecipient>(recipientPage, [tenantId, campaignId, after, limit]);
}

const recipientNames = statement(
  "export-recipient-field-names",
  `with page as materialized (
     select thread.id, contact.fields from threads thread
     join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
     where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id > $3 and thread.phone like '+%'
     order by thread.id limit $4)
   select array(select distinct name from page, jsonb_object_keys(page.fields) as name) as names,
     (select id from page order by id desc limit 1) as last`,
);

export async function recipientFieldNames(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  after: Uuid,
  limit: number,
): Promise<NamedFields> {
  return (await tx.first<NamedFields>(recipientNames, [tenantId, campaignId, after, limit]))!;
}
