import { randomBytes } from "node:crypto";
import { SECRET_BYTES } from "#domain/api-key.ts";
import { failure, notFound } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import { type Permission, refusePermission } from "#domain/permission.ts";
import { invitationText, invitedUntil } from "#domain/session.ts";
import type { Tx } from "#store/db.ts";
import * as invitations from "#store/invitations.ts";
import * as logins from "#store/logins.ts";
import * as sessions from "#store/sessions.ts";
import type { Member, User } from "#store/users.ts";
import * as users from "#store/users.ts";
import type { Caller, Context } from "./context.ts";

/** Changes a user's name or permission, which counts from his next request on. 409 for the last admin's permission. */
export async function updateUser(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  input: { name?: string | undefined; permission?: Permission | undefined },
): Promise<Member> {
  const { tenantId } = caller;
  return ctx.db.transaction(async (tx) => {
    const { user, isLastAdmin } = await locked(tx, caller, id);
    const permission = input.permission ?? user.permission;
    if (permission !== user.permission) {
      refuse(caller, user.permission, permission);
      if (isLastAdmin) throw failure("conflict", "The last admin who can sign in cannot be lowered");
    }
    await users.change(tx, tenantId, { id, name: input.name ?? user.name, permission });
    return (await users.member(tx, tenantId, id, ctx.now()))!;
  });
}

/** Deletes a user, his way into the console and his sessions. What is his stays. 409 for the last admin. */
export async function deleteUser(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const { tenantId } = caller;
  await ctx.db.transaction(async (tx) => {
    const { user, isLastAdmin } = await locked(tx, caller, id);
    refuse(caller, user.permission);
    if (isLastAdmin) throw failure("conflict", "The last admin who can sign in cannot be deleted");
    await users.remove(tx, tenantId, id, ctx.now());
    await logins.remove(tx, tenantId, id);
    await invitations.remove(tx, tenantId, id);
    await sessions.endAll(tx, tenantId, id, undefined);
  });
}

/** Invites a user to set a password: what goes into the link, told now and never again. It replaces the one before. */
export async function inviteUser(ctx: Context, caller: Caller, id: Uuid): Promise<{ token: string; expiresAt: Date }> {
  const { tenantId } = caller;
  const token = randomBytes(SECRET_BYTES).toString("base64url");
  const now = ctx.now();
  const expiresAt = invitedUntil(now);
  await ctx.db.transaction(async (tx) => {
    const user = await users.lock(tx, tenantId, id);
    if (!user) throw notFound("User");
    refuse(caller, user.permission);
    const digest = ctx.digest(invitationText(token));
    await invitations.put(tx, tenantId, { user_id: id, digest, created_at: now, expires_at: expiresAt });
  });
  return { token, expiresAt };
}

/** A user, and whether without him nobody could see to the console any more. Both hold until the transaction ends. */
async function locked(tx: Tx, { tenantId }: Caller, id: Uuid): Promise<{ user: User; isLastAdmin: boolean }> {
  const admins = await users.lockedAdmins(tx, tenantId);
  const user = await users.lock(tx, tenantId, id);
  if (!user) throw notFound("User");
  return { user, isLastAdmin: admins.length === 1 && admins[0] === id };
}

const refuse = (caller: Caller, ...permissions: readonly Permission[]): void => {
  for (const each of permissions) refusePermission({ ...caller, isPerson: caller.person !== undefined }, each);
};
