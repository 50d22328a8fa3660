import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";

const putInvitation = changing(
  "put-invitation",
  `insert into invitations (tenant_id, user_id, digest, created_at, expires_at) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, user_id) do update
     set digest = excluded.digest, created_at = excluded.created_at, expires_at = excluded.expires_at`,
);

/** Invites a user; replaces an earlier invitation. */
export async function put(
  tx: Tx,
  tenantId: Uuid,
  invitation: { user_id: Uuid; digest: Buffer; created_at: Date; expires_at: Date },
): Promise<void> {
  await tx.run(putInvitation, [
    tenantId,
    invitation.user_id,
    invitation.digest,
    invitation.created_at,
    invitation.expires_at,
  ]);
}

const findInvitation = crossTenant(
  "find-invitation",
  "select tenant_id, user_id from invitations where digest = $1 and expires_at > $2",
);

const emailOfInvited = statement(
  "find-email-of-invited-user",
  "select email from users where tenant_id = $1 and id = $2 and deleted_at is null",
);

export type Invitation = { tenant_id: Uuid; user_id: Uuid; email: string };

/** The user whom the link of this digest invites, until it expires. */
export async function byDigest(tx: Tx, digest: Buffer, now: Date): Promise<Invitation | undefined> {
  const found = await tx.first<Omit<Invitation, "email">>(findInvitation, [digest, now]);
  const user = found && (await tx.first<{ email: string }>(emailOfInvited, [found.tenant_id, found.user_id]));
  return user && { ...found, ...user };
}

const takeInvitation = changing(
  "take-invitation",
  "delete from invitations where tenant_id = $1 and user_id = $2 and digest = $3",
);

/** Uses an invitation up. False when another request has. */
export async function take(tx: Tx, tenantId: Uuid, userId: Uuid, digest: Buffer): Promise<boolean> {
  return (await tx.run(takeInvitation, [tenantId, userId, digest])) === 1;
}

const removeInvitation = changing("remove-invitation", "delete from invitations where tenant_id = $1 and user_id = $2");

export async function remove(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<void> {
  await tx.run(removeInvitation, [tenantId, userId]);
}
