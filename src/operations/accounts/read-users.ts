import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import type { Member, User } from "#store/accounts/users.ts";
import * as users from "#store/accounts/users.ts";

/** The users of an organization, newest first. 404 without it. */
export async function listUsers(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  page: PageRequest,
): Promise<Page<User>> {
  const { tenantId } = caller;
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  return pageOf(await users.list(ctx.db, tenantId, organizationId, page), page.limit);
}

/** The users of all organizations, newest first, with who can sign in to the console. */
export async function listMembers(ctx: Context, caller: Caller, page: PageRequest): Promise<Page<Member>> {
  const some = await users.all(ctx.db, caller.tenantId, page);
  return pageOf(await users.asMembers(ctx.db, caller.accountId, some, ctx.now()), page.limit);
}
