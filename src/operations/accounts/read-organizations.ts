import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { Organization } from "#store/accounts/organizations.ts";
import * as organizations from "#store/accounts/organizations.ts";

export async function listOrganizations(
  ctx: Context,
  caller: Caller,
  page: PageRequest & { name: string | undefined; withArchived: boolean },
): Promise<Page<Organization>> {
  return pageOf(await organizations.list(ctx.db, caller.tenantId, page), page.limit);
}

export async function getOrganization(ctx: Context, caller: Caller, id: Uuid): Promise<Organization> {
  const found = await organizations.find(ctx.db, caller.tenantId, id);
  if (!found) throw notFound("Organization");
  return found;
}
