import { notFound } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/paging.ts";
import type { Organization } from "#store/organizations.ts";
import * as organizations from "#store/organizations.ts";
import type { Caller, Context } from "./context.ts";

export async function listOrganizations(
  ctx: Context,
  caller: Caller,
  page: PageRequest & { name: string | undefined },
): Promise<Page<Organization>> {
  return pageOf(await organizations.list(ctx.db, caller.tenantId, page), page.limit);
}

export async function getOrganization(ctx: Context, caller: Caller, id: Uuid): Promise<Organization> {
  const found = await organizations.find(ctx.db, caller.tenantId, id);
  if (!found) throw notFound("Organization");
  return found;
}
