import type { Organization } from "#store/organizations.ts";
import * as organizations from "#store/organizations.ts";
import type { Caller, Context } from "./context.ts";

/** Makes an organization. Its name is no key: two of the same name are two. */
export async function createOrganization(
  ctx: Context,
  caller: Caller,
  input: { name: string; contact_email?: string | undefined },
): Promise<Organization> {
  const it = {
    id: caller.newId(),
    name: input.name,
    contact_email: input.contact_email ?? null,
    created_at: ctx.now(),
  };
  await organizations.insert(ctx.db, caller.tenantId, it);
  return it;
}
