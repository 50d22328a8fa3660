import type { Uuid } from "#domain/id.ts";
import { statement, type Tx } from "./db.ts";

export type User = {
  id: Uuid;
  organization_id: Uuid;
  name: string;
  email: string;
  permission: "admin" | "member" | "viewer";
  created_at: Date;
};

/** A user with his way into the console: a password, or until when he is invited to set one. */
export type Member = User & { can_sign_in: boolean; invited_until: Date | null };

const COLUMNS = "id, organization_id, name, email, permission, created_at";

const insertUser = statement(
  "insert-user",
  `insert into users (tenant_id, id, organization_id, name, email, permission, created_at)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
);

/** False when the tenant has a user of this id or e-mail address, whatever its case. */
export async function insert(tx: Tx, tenantId: Uuid, it: User): Promise<boolean> {
  const values = [tenantId, it.id, it.organization_id, it.name, it.email, it.permission, it.created_at];
  return (await tx.run(insertUser, values)) === 1;
}

const findUser = statement(
  "find-user",
  `select ${COLUMNS} from users where tenant_id = $1 and id = $2 and deleted_at is null`,
);

export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<User | undefined> {
  return tx.first<User>(findUser, [tenantId, id]);
}

const findByEmail = statement(
  "find-user-by-email",
  `select ${COLUMNS} from users where tenant_id = $1 and lower(email) = lower($2) and deleted_at is null`,
);

export function byEmail(tx: Tx, tenantId: Uuid, email: string): Promise<User | undefined> {
  return tx.first<User>(findByEmail, [tenantId, email]);
}

const listUsers = statement(
  "list-users",
  `select ${COLUMNS} from users
   where tenant_id = $1 and organization_id = $2 and id < $3 and deleted_at is null order by id desc limit $4`,
);

/** Newest first, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  page: { before: Uuid; limit: number },
): Promise<User[]> {
  return tx.rows<User>(listUsers, [tenantId, organizationId, page.before, page.limit + 1]);
}

const MEMBER = `select u.id, u.organization_id, u.name, u.email, u.permission, u.created_at,
    exists (select from logins where tenant_id = $1 and user_id = u.id) as can_sign_in,
    (select expires_at from invitations where tenant_id = $1 and user_id = u.id and expires_at > $2) as invited_until
  from users u where u.tenant_id = $1 and u.deleted_at is null`;

const listMembers = statement("list-members", `${MEMBER} and u.id < $3 order by u.id desc limit $4`);

/** Those of all organizations, newest first, one more than a page. */
export function members(
  tx: Tx,
  tenantId: Uuid,
  { now, before, limit }: { now: Date; before: Uuid; limit: number },
): Promise<Member[]> {
  return tx.rows<Member>(listMembers, [tenantId, now, before, limit + 1]);
}

const findMember = statement("find-member", `${MEMBER} and u.id = $3`);

export function member(tx: Tx, tenantId: Uuid, id: Uuid, now: Date): Promise<Member | undefined> {
  return tx.first<Member>(findMember, [tenantId, now, id]);
}

const lockUser = statement(
  "lock-user",
  `select ${COLUMNS} from users where tenant_id = $1 and id = $2 and deleted_at is null for no key update`,
);

export function lock(tx: Tx, tenantId: Uuid, id: Uuid): Promise<User | undefined> {
  return tx.first<User>(lockUser, [tenantId, id]);
}

const lockAdmins = statement(
  "lock-admins",
  `select id from users
   where tenant_id = $1 and permission = 'admin' and deleted_at is null
     and id in (select user_id from logins where tenant_id = $1)
   order by id for no key update`,
);

/** The admins who can sign in, kept as they are until the transaction ends. Before any other user is locked. */
export async function lockedAdmins(tx: Tx, tenantId: Uuid): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(lockAdmins, [tenantId])).map(({ id }) => id);
}

const changeUser = statement(
  "change-user",
  "update users set name = $3, permission = $4 where tenant_id = $1 and id = $2 and deleted_at is null",
);

export async function change(tx: Tx, tenantId: Uuid, it: Pick<User, "id" | "name" | "permission">): Promise<void> {
  await tx.run(changeUser, [tenantId, it.id, it.name, it.permission]);
}

const removeUser = statement(
  "remove-user",
  "update users set deleted_at = $3 where tenant_id = $1 and id = $2 and deleted_at is null",
);

/** What is his stays; his address is free again. */
export async function remove(tx: Tx, tenantId: Uuid, id: Uuid, at: Date): Promise<void> {
  await tx.run(removeUser, [tenantId, id, at]);
}
