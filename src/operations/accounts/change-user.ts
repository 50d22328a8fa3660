import { randomBytes } from "node:crypto";
import { type Role, scopesOf } from "#contract/accounts/roles.ts";
import { refuseGrant, SECRET_BYTES } from "#domain/accounts/api-key.ts";
import { invitationText, invitedUntil } from "#domain/accounts/session.ts";
import { failure, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, isOfBothModes, modesOf } from "#operations/context.ts";
import * as invitations from "#store/accounts/invitations.ts";
import * as logins from "#store/accounts/logins.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as sessions from "#store/accounts/sessions.ts";
import type { Member, User } from "#store/accounts/users.ts";
import * as users from "#store/accounts/users.ts";
import type { Tx } from "#store/database/db.ts";

/**
 * Changes a user's name, permission or organizations, which counts from the next request on. 409 for the last admin's permission, 404 for an
 * organization that is not there.
 */
export async function updateUser(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  input: { name?: string | undefined; permission?: Role | undefined; organizationIds?: readonly Uuid[] | undefined },
): Promise<Member> {
  return ctx.db.transaction(async (tx) => {
    const { user, isLastAdmin, modes } = await locked(tx, caller, id);
    const permission = input.permission ?? user.permission;
    if (permission !== user.permission && !user.test_only) {
      refuse(caller, user.permission, permission);
      if (isLastAdmin) throw failure("conflict", "The last admin who can sign in cannot be lowered");
    }
    // Those that the user has may be of the other mode alone, as the demo data's are.
    const added = (input.organizationIds ?? []).filter((each) => !user.organization_ids.includes(each));
    for (const each of added)
      if (!(await organizations.find(tx, caller.tenantId, each))) throw notFound("Organization");
    const organization_ids = [...new Set([user.organization_id, ...(input.organizationIds ?? user.organization_ids)])];
    const changed = { ...user, name: input.name ?? user.name, permission, organization_ids };
    await users.change(tx, modes, changed);
    const [member] = await users.asMembers(tx, caller.accountId, [changed], ctx.now());
    return member!;
  });
}

/** Deletes a user, his way into the console and his sessions. What is his stays. 409 for the last admin. */
export async function deleteUser(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const { accountId } = caller;
  await ctx.db.transaction(async (tx) => {
    const { user, isLastAdmin, modes } = await locked(tx, caller, id);
    if (!user.test_only) refuse(caller, user.permission);
    if (isLastAdmin) throw failure("conflict", "The last admin who can sign in cannot be deleted");
    await users.remove(tx, modes, id, ctx.now());
    if (user.test_only) return;
    await logins.remove(tx, accountId, id);
    await invitations.remove(tx, accountId, id);
    await sessions.endAll(tx, accountId, id, undefined);
  });
}

/**
 * Invites a user to set a password: what goes into the link, told now and never again. It replaces the one before. 409 for one whom a
 * test key made.
 */
export async function inviteUser(ctx: Context, caller: Caller, id: Uuid): Promise<{ token: string; expiresAt: Date }> {
  const token = randomBytes(SECRET_BYTES).toString("base64url");
  const now = ctx.now();
  const expiresAt = invitedUntil(now);
  await ctx.db.transaction(async (tx) => {
    const { user } = await locked(tx, caller, id);
    if (user.test_only)
      throw failure("conflict", "A user that a test key made is in test mode alone and cannot sign in");
    refuse(caller, user.permission);
    const digest = ctx.digest(invitationText(token));
    await invitations.put(tx, caller.accountId, { user_id: id, digest, created_at: now, expires_at: expiresAt });
  });
  return { token, expiresAt };
}

/**
 * A user in the modes that he is in, and whether without him nobody could see to the console any more. All hold until the transaction ends.
 * 403 for a user of both modes whom a test key would change.
 */
async function locked(
  tx: Tx,
  caller: Caller,
  id: Uuid,
): Promise<{ user: User; isLastAdmin: boolean; modes: readonly Uuid[] }> {
  const { accountId, tenantId } = caller;
  const admins = await users.lockedAdmins(tx, accountId);
  const user = await users.lock(tx, tenantId, id);
  if (!user) throw notFound("User");
  if (user.test_only) return { user, isLastAdmin: false, modes: [tenantId] };
  if (!isOfBothModes(caller)) {
    throw failure("live_key_required", "Only a live key, or somebody signed in, may change a user of both modes");
  }
  return { user, isLastAdmin: admins.length === 1 && admins[0] === id, modes: await modesOf(tx, caller) };
}

/**
 * 403 unless the caller may make somebody a user of these roles, or take them from one. Whoever is signed in may turn to live; a test key may
 * not, so it may not do so by way of a user either.
 */
function refuse(caller: Caller, ...roles: readonly Role[]): void {
  const mode = caller.person ? caller.mode : "live";
  for (const role of roles) refuseGrant(caller, { mode, scopes: scopesOf(role) });
}
