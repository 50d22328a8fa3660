import { ContactListBody, createContactList as contract, MAX_LEADS } from "#contract/contacts/contacts.ts";
import { renamer } from "#contract/values/names.ts";
import { warned, warner } from "#contract/values/unknown-names.ts";
import { validator } from "#contract/values/validate.ts";
import { refuseForeign } from "#domain/accounts/organization.ts";
import { contactRecord } from "#domain/contacts/contact.ts";
import { readLeadBody } from "#domain/contacts/lead-body.ts";
import { sortOut } from "#domain/contacts/left-out.ts";
import { zoneWarning } from "#domain/contacts/zone-warning.ts";
import { notFound } from "#domain/values/errors.ts";
import { publicId, requireId, type Uuid } from "#domain/values/id.ts";
import { rethrowNamed } from "#domain/values/named-fault.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as contacts from "#store/contacts/contacts.ts";
import * as lists from "#store/contacts/lists.ts";

/** Rows a statement: large enough that its fixed cost does not matter, small enough that other connections get their turn. */
const CONTACTS_A_STATEMENT = 5_000;

const problemsOf = validator(ContactListBody, "body");
const renamed = renamer(contract, ContactListBody);
const warningsOf = warner(ContactListBody, "field");

type Input = { list_name: string; organization_id: string; user_id: string; contacts: unknown[] };

/**
 * Stores a list of contacts, from the bytes of a request, in one transaction. A contact is one per organization and phone: one that is known gets the
 * given fields. Of several in the request with one phone the first is taken. `left_out` has the others, and those without a usable phone, which
 * are in `invalid` too.
 *
 * Answers with the response's own fields, plain data that can leave a thread. 400 for wrong fields, 413 past MAX_LEADS, 404 for an unknown
 * organization or user.
 */
export async function createContactList(
  ctx: Context,
  caller: Caller,
  _params: Record<string, string>,
  bytes: Uint8Array,
): Promise<Record<string, unknown>> {
  const { tenantId } = caller;
  const read = readLeadBody<Input>(bytes, { field: "contacts", most: MAX_LEADS, tenantId, renamed, problemsOf });
  const { body: input, unusable } = read;
  const { organizationId, userId } = await findOwners(ctx, tenantId, input).catch((error) =>
    rethrowNamed(error, input),
  );

  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const list = {
    id: caller.newId(),
    organization_id: organizationId,
    user_id: userId,
    name: input.list_name,
    created_at: now,
  };
  const { taken, leftOut } = sortOut(read, { items: input.contacts, field: "contacts", own: [] });
  // Ids in the caller's order, rows in the order of phones: so two imports cannot deadlock.
  const rows = taken.map(({ phone, fields }) => ({ id: caller.newId(), phone, fields }));
  const pieces = piecesOf(
    rows.toSorted((a, b) => (a.phone < b.phone ? -1 : 1)),
    CONTACTS_A_STATEMENT,
  );
  const stored = await ctx.db.transaction(async (tx) => {
    const records = new Map<string, Record<string, unknown>>();
    await lists.insert(tx, tenantId, list);
    await leadConsents.bring(tx, tenantId, rows, { now, newId: ctx.newId });
    for (const piece of pieces) {
      const written = await contacts.upsertMany(tx, tenantId, organizationId, piece, now);
      const ids = written.map((contact) => contact.id);
      await lists.addMembers(tx, tenantId, list.id, ids);
      for (const contact of written) records.set(contact.phone, contactRecord(contact));
    }
    ctx.audit.note({
      object: { kind: "list", id: publicId("list", list.id) },
      organizationId,
      after: { list_name: list.name },
      counts: { contacts: rows.length, left_out: leftOut.length },
    });
    return records;
  });
  const answer = {
    list_id: publicId("list", list.id),
    count: rows.length,
    leads: rows.map((row) => stored.get(row.phone)),
    invalid: unusable,
    left_out: leftOut,
  };
  return warned(answer, [...warningsOf(input), ...zoneWarning(taken, "contacts")]);
}

/** Whose list it is, or a 404. */
async function findOwners(ctx: Context, tenantId: Uuid, input: Input): Promise<{ organizationId: Uuid; userId: Uuid }> {
  const organizationId = requireId("organization", input.organization_id, "Organization");
  const userId = requireId("user", input.user_id, "User");
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const user = await users.find(ctx.db, tenantId, userId);
  if (!user) throw notFound("User");
  refuseForeign(organizationId, { user_id: user });
  return { organizationId, userId };
}
