import type { Role } from "#contract/accounts/roles.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

export type User = {
  id: Uuid;
  /** The organization that the user was made in. */
  organization_id: Uuid;
  /** All organizations of the user, that one among them. */
  organization_ids: Uuid[];
  name: string;
  email: string;
  permission: Role;
  /** Made by a test key: there is no such user in live mode, and nobody can sign in as one. */
  test_only: boolean;
  created_at: Date;
};

/** A user who has a password or has signed in by a provider, or with the time until which the invitation to set one is valid. */
export type Member = User & { can_sign_in: boolean; invited_until: Date | null };

const COLUMNS = "id, organization_id, organization_ids, name, email, permission, test_only, created_at";

const insertUser = changing(
  "insert-user",
  `insert into users (tenant_id, id, organization_id, name, email, permission, test_only, created_at, organization_ids)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
);

/** Makes a user in each of these modes. False when the first has one of this id or e-mail address, whatever its case. */
export async function insert(tx: Tx, tenantIds: readonly Uuid[], user: User): Promise<boolean> {
  const values = [
    user.id,
    user.organization_id,
    user.name,
    user.email,
    user.permission,
    user.test_only,
    user.created_at,
    user.organization_ids,
  ];
  for (const tenantId of tenantIds) {
    if ((await tx.run(insertUser, [tenantId, ...values])) === 1) continue;
    // What is in both modes has one address in both.
    if (tenantId !== tenantIds[0]) throw new Error(`user ${user.id} cannot be in both modes`);
    return false;
  }
  return true;
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
  `select ${COLUMNS} from users where tenant_id = $1 and lower(email) = lower($2) and not test_only and deleted_at is null`,
);

export function byEmail(tx: Tx, tenantId: Uuid, email: string): Promise<User | undefined> {
  return tx.first<User>(findByEmail, [tenantId, email]);
}

const listUsers = statement(
  "list-users",
  `select ${COLUMNS} from users
   where tenant_id = $1 and $2 = any(organization_ids) and id < $3 and deleted_at is null order by id desc limit $4`,
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

const listMembers = statement(
  "list-members",
  `select ${COLUMNS} from users where tenant_id = $1 and deleted_at is null and id < $2 order by id desc limit $3`,
);

const waysIn = statement(
  "list-ways-in",
  `select user_id as id, true as can_sign_in, null::timestamptz as invited_until from logins
     where tenant_id = $1 and user_id = any($2::uuid[])
   union all
   select user_id, false, expires_at from invitations where tenant_id = $1 and user_id = any($2::uuid[]) and expires_at > $3`,
);
// Asked by itself: on a distributed database identities are beside the tenant's other rows, and logins are not.
const withIdentity = statement(
  "list-users-with-identity",
  "select distinct user_id as id from identities where tenant_id = $1 and user_id = any($2::uuid[])",
);

/** These users with their logins, which belong to the account. */
export async function asMembers(tx: Tx, accountId: Uuid, them: readonly User[], now: Date): Promise<Member[]> {
  const ids = them.map(({ id }) => id);
  const [ways, known] = await Promise.all([
    tx.rows<Pick<Member, "id" | "can_sign_in" | "invited_until">>(waysIn, [accountId, ids, now]),
    tx.rows<{ id: Uuid }>(withIdentity, [accountId, ids]),
  ]);
  const canSignIn = new Set([...ways.filter((way) => way.can_sign_in), ...known].map(({ id }) => id));
  const invited = new Map(ways.flatMap(({ id, invited_until: until }) => (until ? [[id, until]] : [])));
  return them.map((user) => ({
    ...user,
    can_sign_in: canSignIn.has(user.id),
    invited_until: invited.get(user.id) ?? null,
  }));
}

/** Those of all organizations, newest first, one more than a page. */
export function all(tx: Tx, tenantId: Uuid, page: { before: Uuid; limit: number }): Promise<User[]> {
  return tx.rows<User>(listMembers, [tenantId, page.before, page.limit + 1]);
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
     and (id = any($2::uuid[]) or id in (select user_id from identities where tenant_id = $1))
   order by id for no key update`,
);
const usersWithLogin = statement("list-users-with-login", "select user_id as id from logins where tenant_id = $1");

/** The admins who can sign in, locked until the transaction ends. To be called before any other user is locked. */
export async function lockedAdmins(tx: Tx, tenantId: Uuid): Promise<Uuid[]> {
  const withLogin = (await tx.rows<{ id: Uuid }>(usersWithLogin, [tenantId])).map(({ id }) => id);
  return (await tx.rows<{ id: Uuid }>(lockAdmins, [tenantId, withLogin])).map(({ id }) => id);
}

const changeUser = changing(
  "change-user",
  `update users set name = $3, permission = $4, organization_ids = $5
   where tenant_id = $1 and id = $2 and deleted_at is null`,
);

/** Changes a user in each of these modes. */
export async function change(
  tx: Tx,
  tenantIds: readonly Uuid[],
  user: Pick<User, "id" | "name" | "permission" | "organization_ids">,
): Promise<void> {
  for (const tenantId of tenantIds)
    await tx.run(changeUser, [tenantId, user.id, user.name, user.permission, user.organization_ids]);
}

const moveUser = changing(
  "move-user",
  "update users set organization_id = $3 where tenant_id = $1 and id = $2 and deleted_at is null",
);

/** Says, in each of these modes, which organization a user belongs to first of all. */
export async function move(tx: Tx, tenantIds: readonly Uuid[], id: Uuid, organizationId: Uuid): Promise<void> {
  for (const tenantId of tenantIds) await tx.run(moveUser, [tenantId, id, organizationId]);
}

const removeUser = changing(
  "remove-user",
  "update users set deleted_at = $3 where tenant_id = $1 and id = $2 and deleted_at is null",
);

/** Removes a user in each of these modes. What the user owns stays; the address is free again. */
export async function remove(tx: Tx, tenantIds: readonly Uuid[], id: Uuid, at: Date): Promise<void> {
  for (const tenantId of tenantIds) await tx.run(removeUser, [tenantId, id, at]);
}
