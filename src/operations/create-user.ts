import { failure, notFound } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import * as organizations from "#store/organizations.ts";
import type { User } from "#store/users.ts";
import * as users from "#store/users.ts";
import { type Caller, type Context, isOfBothModes, modesOf } from "./context.ts";

/** Makes a user of an organization, by a test key in test mode alone. 404 without it, 409 when the tenant has a user of this e-mail address. */
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
    name: input.name,
    email: input.email,
    permission: input.permission ?? "member",
    test_only: !isOfBothModes(caller),
    created_at: ctx.now(),
  };
  const isNew = await ctx.db.transaction(async (tx) => users.insert(tx, await modesOf(tx, caller), user));
  // A repeat of a request whose answer was lost finds its own row; any other has the address of somebody else.
  if (!isNew && !(await users.find(ctx.db, tenantId, user.id))) {
    throw failure("conflict", "A user with this email exists");
  }
  return user;
}
