import { refuseForeign } from "#domain/accounts/organization.ts";
import type { Lead, LeadFields } from "#domain/contacts/lead.ts";
import { invalidField, notFound } from "#domain/values/errors.ts";
import { NO_ID, requireId, type Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import { statement, type Tx } from "#store/database/db.ts";
import * as lists from "./lists.ts";

/** Sources of stored leads: a list of contacts, the recipients of an earlier campaign, or both. */
export type Audience = {
  list_id?: string;
  from_campaign?: { campaign_id: string; status?: string; reason?: string };
};

/** Rows a statement: what the connection holds at once. */
const ROWS_A_PAGE = 10_000;

type Row = { id: Uuid; contact_id: Uuid; phone: string; fields: LeadFields };
type Target = { organizationId: Uuid; most: number };

// Who has been erased has no phone that starts with a plus.
const listLeads = statement(
  "read-list-leads",
  `select contact.id, contact.id as contact_id, contact.phone, contact.fields from list_members member
   join contacts contact on contact.tenant_id = $1 and contact.id = member.contact_id
   where member.tenant_id = $1 and member.list_id = $2 and member.contact_id > $3 and contact.phone like '+%'
   order by member.contact_id limit $4`,
);

const findSource = statement(
  "find-source-campaign",
  "select id, organization_id from campaigns where tenant_id = $1 and campaign_id = $2 and status <> 'deleted'",
);

const recipientLeads = statement(
  "read-recipient-leads",
  `select thread.id, thread.contact_id, thread.phone, contact.fields from threads thread
   join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
   where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id > $3 and thread.phone like '+%'
     and ($5::text is null or thread.state = $5) and ($6::text is null or thread.reason = $6)
   order by thread.id limit $4`,
);

/** A lead that was read from a contact, and which. */
export type StoredLead = Lead & { contactId: Uuid };

/**
 * The contacts of an audience as leads, in the order in which they came; none when none is named. Their consents were
 * recorded when they were stored. 404 for what is not there, 400 for what is another organization's and for more than
 * `most` of either kind. Before they are stored as leads, `lockPresent` says who is still there.
 */
export async function read(tx: Tx, tenantId: Uuid, audience: Audience, target: Target): Promise<StoredLead[]> {
  const listed = await ofList(tx, tenantId, audience.list_id, target);
  const before = await ofCampaign(tx, tenantId, audience.from_campaign, target);
  return [...listed, ...before].map(({ contact_id, phone, fields }, index) => ({
    index,
    contactId: contact_id,
    phone,
    fields,
  }));
}

// An erasure, and an import that is undone, change the number: they wait for this lock, and whoever changes fields does not.
const lockContacts = statement(
  "lock-contacts-of-audience",
  `select contact.id from unnest($2::uuid[]) as wanted (id)
   cross join lateral (
     select id from contacts where tenant_id = $1 and id = wanted.id and phone like '+%' for key share) as contact`,
);

/**
 * Those of these leads whose contacts have not been erased since they were read; none of them is until the commit. To be called before
 * anything is locked, as an erasure locks the contact first.
 */
export async function lockPresent(tx: Tx, tenantId: Uuid, leads: readonly StoredLead[]): Promise<StoredLead[]> {
  const ids = [...new Set(leads.map(({ contactId }) => contactId))].sort();
  const present = new Set<Uuid>();
  for (const piece of piecesOf(ids, ROWS_A_PAGE)) {
    for (const { id } of await tx.rows<{ id: Uuid }>(lockContacts, [tenantId, piece])) present.add(id);
  }
  return leads.filter(({ contactId }) => present.has(contactId));
}

async function ofList(tx: Tx, tenantId: Uuid, listId: string | undefined, target: Target): Promise<Row[]> {
  if (listId === undefined) return [];
  const list = await lists.find(tx, tenantId, requireId("list", listId, "List"));
  if (!list) throw notFound("List");
  refuseForeign(target.organizationId, { list_id: list });
  return pages("list_id", target.most, (after) => tx.rows<Row>(listLeads, [tenantId, list.id, after, ROWS_A_PAGE]));
}

async function ofCampaign(tx: Tx, tenantId: Uuid, from: Audience["from_campaign"], target: Target): Promise<Row[]> {
  if (from === undefined) return [];
  const source = await tx.first<{ id: Uuid; organization_id: Uuid }>(findSource, [tenantId, from.campaign_id]);
  if (!source) throw notFound("Campaign", "from_campaign.campaign_id");
  refuseForeign(target.organizationId, { "from_campaign.campaign_id": source });
  const { status = null, reason = null } = from;
  return pages("from_campaign", target.most, (after) =>
    tx.rows<Row>(recipientLeads, [tenantId, source.id, after, ROWS_A_PAGE, status, reason]),
  );
}

async function pages(field: string, most: number, read: (after: Uuid) => Promise<Row[]>): Promise<Row[]> {
  const all: Row[] = [];
  for (let after: Uuid = NO_ID; ; ) {
    const page = await read(after);
    all.push(...page);
    if (all.length > most) throw invalidField(field, `names more than ${most} contacts, the most for one call`);
    if (page.length < ROWS_A_PAGE) return all;
    after = page.at(-1)!.id;
  }
}
