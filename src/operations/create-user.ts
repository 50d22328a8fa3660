import { failure, notFound } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import * as organizations from "#store/organizations.ts";
import type { User } from "#store/users.ts";
import * as users from "#store/users.ts";
import type { Caller, Context } from "./context.ts";

/** Makes a user of an organization. 404 without it, 409 when the tenant has a user of this e-mail address. */
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
    created_at: ctx.now(),
  };
  const isNew = await users.insert(ctx.db, tenantId, user);
  // A repeat of a request whose answer was lost finds its own row; any other has the address of somebody else.
  if (!isNew && !(await users.find(ctx.db, tenantId, user.id))) {
    throw failure("conflict", "A user with this email exists");
  }
  return user;
}
