import { randomBytes } from "node:crypto";
import { ROLES, type Role, scopesOf } from "#contract/accounts/roles.ts";
import { refuseGrant, SECRET_BYTES } from "#domain/accounts/api-key.ts";
import { requireAdminProof, requireProof } from "#domain/accounts/factor.ts";
import { invitationText, invitedUntil } from "#domain/accounts/session.ts";
import { failure, notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, isOfBothModes, modesOf } from "#operations/context.ts";
import * as factors from "#store/accounts/factors.ts";
import * as invitations from "#store/accounts/invitations.ts";
import * as logins from "#store/accounts/logins.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as recoveryCodes from "#store/accounts/recovery-codes.ts";
import * as sessions from "#store/accounts/sessions.ts";
import type { Member, User } from "#store/accounts/users.ts";
import * as users from "#store/accounts/users.ts";
import type { Tx } from "#store/database/db.ts";
import * as inbox from "#store/messaging/inbox.ts";

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
      if (permission === "admin") requireAdminProof(caller.person, ctx.now());
      if (isLastAdmin) throw failure("conflict", "The last admin who can sign in cannot be lowered");
    }
    // Organizations that the user has may exist in the other mode alone, as the demo data's do.
    const added = (input.organizationIds ?? []).filter((each) => !user.organization_ids.includes(each));
    for (const each of added)
      if (!(await organizations.find(tx, caller.tenantId, each))) throw notFound("Organization");
    const organization_ids = [...new Set([user.organization_id, ...(input.organizationIds ?? user.organization_ids)])];
    const changed = { ...user, name: input.name ?? user.name, permission, organization_ids };
    await users.change(tx, modes, changed);
    ctx.audit.note({ organizationId: user.organization_id, before: shown(user), after: shown(changed) });
    // A session gets no more rights than it was signed in with: who is raised signs in again.
    if (!user.test_only && ROLES.indexOf(permission) < ROLES.indexOf(user.permission))
      await sessions.endAll(tx, caller.accountId, id, undefined);
    // An admin may have taken conversations of any organization.
    if (permission !== "admin") await inbox.release(tx, modes, id, organization_ids);
    const [member] = await users.asMembers(tx, caller.accountId, [changed], ctx.now());
    return member!;
  });
}

/** Deletes a user, with login and sessions. What the user owns stays. 409 for the last admin. */
export async function deleteUser(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const { accountId } = caller;
  await ctx.db.transaction(async (tx) => {
    const { user, isLastAdmin, modes } = await locked(tx, caller, id);
    if (!user.test_only) refuse(caller, user.permission);
    if (isLastAdmin) throw failure("conflict", "The last admin who can sign in cannot be deleted");
    await users.remove(tx, modes, id, ctx.now());
    ctx.audit.note({ organizationId: user.organization_id, before: shown(user), after: null });
    await inbox.release(tx, modes, id, null);
    if (user.test_only) return;
    await logins.remove(tx, accountId, id);
    await invitations.remove(tx, accountId, id);
    await forgetFactors(tx, accountId, id);
    await sessions.endAll(tx, accountId, id, undefined);
  });
}

/**
 * Invites a user to set a password. Returns what goes into the link, which is not returned again later. It replaces an earlier invitation. 409 for a
 * user made by a test key.
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
    // By the link whoever has it is the user: it makes an admin, or has one's place.
    if (user.permission === "admin") requireAdminProof(caller.person, ctx.now());
    ctx.audit.note({ organizationId: user.organization_id, after: { expires_at: expiresAt } });
    const digest = ctx.digest(invitationText(token));
    await invitations.put(tx, caller.accountId, { user_id: id, digest, created_at: now, expires_at: expiresAt });
  });
  return { token, expiresAt };
}

/**
 * Ends one session of a user, or all but the caller's own; returns how many. What refuses a change of the user refuses this: a test key signs nobody
 * out who works live. 404 for a session that is not the user's.
 */
export async function endUserSessions(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  sessionId: Uuid | undefined,
): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    const { user } = await locked(tx, caller, id);
    if (user.test_only) return 0;
    refuse(caller, user.permission);
    if (sessionId === undefined) {
      const ended = await sessions.endAll(tx, caller.accountId, id, caller.person?.sessionId);
      ctx.audit.note({ counts: { sessions: ended } });
      return ended;
    }
    if (!(await sessions.end(tx, caller.accountId, id, sessionId))) throw notFound("Session");
    ctx.audit.note({ before: { session_id: publicId("session", sessionId) }, counts: { sessions: 1 } });
    return 1;
  });
}

/** Of a user, for the audit log. */
const shown = ({ name, email, permission, organization_ids }: User) => ({ name, email, permission, organization_ids });

/**
 * Removes all second factors and recovery codes of a user who has lost them, and ends the user's sessions; returns how many factors. What is required
 * is asked for at the next sign-in. It needs a fresh proof, as removing one does.
 */
export async function resetFactors(ctx: Context, caller: Caller, id: Uuid): Promise<number> {
  if (caller.person?.userId === id) requireProof(caller.person, ctx.now());
  else requireAdminProof(caller.person, ctx.now());
  return ctx.db.transaction(async (tx) => {
    const { user } = await locked(tx, caller, id);
    if (user.test_only) return 0;
    refuse(caller, user.permission);
    const removed = await forgetFactors(tx, caller.accountId, id);
    ctx.audit.note({ object: { kind: "user", id: publicId("user", id) }, counts: { factors: removed } });
    await sessions.endAll(tx, caller.accountId, id, caller.person?.userId === id ? caller.person.sessionId : undefined);
    return removed;
  });
}

async function forgetFactors(tx: Tx, accountId: Uuid, userId: Uuid): Promise<number> {
  await recoveryCodes.removeAll(tx, accountId, userId);
  return factors.removeAll(tx, accountId, userId);
}

/**
 * A user in every mode that has the user, and whether no admin with a login would be left without this one. All rows are locked until the transaction
 * ends. 403 for a user of both modes whom a test key would change.
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
 * 403 unless the caller may give somebody these roles, or take them away. Every signed-in user may switch to live mode; a test key may not, so it may
 * not do so through a user either.
 */
function refuse(caller: Caller, ...roles: readonly Role[]): void {
  const mode = caller.person ? caller.mode : "live";
  for (const role of roles) refuseGrant(caller, { mode, scopes: scopesOf(role) });
}
