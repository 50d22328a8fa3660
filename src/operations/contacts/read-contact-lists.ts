import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import type { Contact } from "#store/contacts/contacts.ts";
import * as contacts from "#store/contacts/contacts.ts";
import type { CountedList } from "#store/contacts/lists.ts";
import * as lists from "#store/contacts/lists.ts";

/** The lists of an organization, newest first. 404 without it. */
export async function listContactLists(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  page: PageRequest,
): Promise<Page<CountedList>> {
  const { tenantId } = caller;
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  return pageOf(await lists.list(ctx.db, tenantId, organizationId, page), page.limit);
}

export async function getContactList(ctx: Context, caller: Caller, id: Uuid): Promise<CountedList> {
  const found = await lists.find(ctx.db, caller.tenantId, id);
  if (!found) throw notFound("List");
  return found;
}

/** The contacts of a list, newest first. 404 without it. */
export async function listContactsOfList(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  page: PageRequest,
): Promise<Page<Contact>> {
  const { tenantId } = caller;
  if (!(await lists.find(ctx.db, tenantId, id))) throw notFound("List");
  return pageOf(await contacts.ofList(ctx.db, tenantId, id, page), page.limit);
}
