import { invalidField, notFound } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/paging.ts";
import { normalizePhone } from "#domain/phone.ts";
import type { Contact } from "#store/contacts.ts";
import * as contacts from "#store/contacts.ts";
import * as organizations from "#store/organizations.ts";
import type { Caller, Context } from "./context.ts";

/** The contacts of an organization, newest first, or the one with a phone number, in whatever form it is written. */
export async function listContacts(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  page: PageRequest & { phoneNumber: string | undefined },
): Promise<Page<Contact>> {
  const { tenantId } = caller;
  const normal = page.phoneNumber === undefined ? undefined : normalizePhone(page.phoneNumber);
  if (normal && "problem" in normal) throw invalidField("phone_number", normal.problem);
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const found = await contacts.list(ctx.db, tenantId, organizationId, { ...page, phone: normal?.phone });
  return pageOf(found, page.limit);
}

export async function getContact(ctx: Context, caller: Caller, id: Uuid): Promise<Contact> {
  const found = await contacts.find(ctx.db, caller.tenantId, id);
  if (!found) throw notFound("Contact");
  return found;
}
