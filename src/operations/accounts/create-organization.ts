import { publicId } from "#domain/values/id.ts";
import { type Caller, type Context, modesOf } from "#operations/context.ts";
import type { Organization } from "#store/accounts/organizations.ts";
import * as organizations from "#store/accounts/organizations.ts";

/** Makes an organization; a test key makes one in test mode alone. Its name need not be unique. */
export async function createOrganization(
  ctx: Context,
  caller: Caller,
  input: { name: string; contact_email?: string | undefined },
): Promise<Organization> {
  const organization = {
    id: caller.newId(),
    name: input.name,
    contact_email: input.contact_email ?? null,
    created_at: ctx.now(),
    archived_at: null,
  };
  const object = { kind: "organization", id: publicId("organization", organization.id) };
  ctx.audit.note({ object, organizationId: organization.id, before: null, after: { ...input } });
  await ctx.db.transaction(async (tx) => organizations.insert(tx, await modesOf(tx, caller), organization));
  return organization;
}
