import { conflict, notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, modesOf } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import type { User } from "#store/accounts/users.ts";
import * as users from "#store/accounts/users.ts";

/**
 * Makes a user of an organization, in test mode alone where the organization is or where a test key requests it. 404 without the organization, 409
 * when the tenant has a user of this e-mail address.
 */
export async function createUser(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  input: { name: string; email: string; permission?: User["permission"] | undefined },
): Promise<User> {
  const { tenantId } = caller;
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const user: User = {
    id: caller.newId(),
    organization_id: organizationId,
    organization_ids: [organizationId],
    name: input.name,
    email: input.email,
    permission: input.permission ?? "manager",
    test_only: false,
    created_at: ctx.now(),
  };
  const { name, email, permission } = user;
  const object = { kind: "user", id: publicId("user", user.id) };
  ctx.audit.note({ object, organizationId, before: null, after: { name, email, permission } });
  const isNew = await ctx.db.transaction(async (tx) => {
    const modes: Uuid[] = [];
    for (const mode of await modesOf(tx, caller))
      if (await organizations.find(tx, mode, organizationId)) modes.push(mode);
    return users.insert(tx, modes, { ...user, test_only: modes.length === 1 });
  });
  // A repeat of a request whose answer was lost finds its own row; in any other case the address is another user's.
  if (!isNew && !(await users.find(ctx.db, tenantId, user.id))) {
    throw conflict("A user with this email exists", "email");
  }
  return user;
}
