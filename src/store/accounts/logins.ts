import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";

/** What a user signs in with. `email` is in lower case, `password` a hash. */
export type Login = { tenant_id: Uuid; user_id: Uuid; email: string; password: string };

const findLogin = crossTenant("find-login", "select tenant_id, user_id, email, password from logins where email = $1");

export function byEmail(tx: Tx, email: string): Promise<Login | undefined> {
  return tx.first<Login>(findLogin, [email]);
}

const anyLogin = crossTenant("any-login", "select exists (select from logins) as there");

/** Whether anybody can sign in to the console. */
export async function any(tx: Tx): Promise<boolean> {
  return (await tx.first<{ there: boolean }>(anyLogin))!.there;
}

const loginOfUser = statement(
  "login-of-user",
  "select tenant_id, user_id, email, password from logins where tenant_id = $1 and user_id = $2",
);

export function ofUser(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<Login | undefined> {
  return tx.first<Login>(loginOfUser, [tenantId, userId]);
}

const holdLogin = statement(
  "hold-login",
  "select from logins where tenant_id = $1 and user_id = $2 and password = $3 for share",
);

/** Locks a login until the transaction ends. False when its password has changed since, or it is gone. */
export async function hold(tx: Tx, login: Login): Promise<boolean> {
  return (await tx.run(holdLogin, [login.tenant_id, login.user_id, login.password])) === 1;
}

const changePassword = changing(
  "change-password",
  "update logins set password = $4, changed_at = $5 where tenant_id = $1 and user_id = $2 and password = $3",
);

/** Changes a login's password. False when it has changed already, or the login is gone. */
export async function change(tx: Tx, login: Login, password: string, at: Date): Promise<boolean> {
  return (await tx.run(changePassword, [login.tenant_id, login.user_id, login.password, password, at])) === 1;
}

const insertLogin = changing(
  "insert-login",
  `insert into logins (tenant_id, user_id, email, password, changed_at) values ($1, $2, $3, $4, $5)
   on conflict do nothing`,
);

/** Sets a user's password, whatever it was. False when another tenant's user signs in with this address. */
export async function put(tx: Tx, login: Login, at: Date): Promise<boolean> {
  await remove(tx, login.tenant_id, login.user_id);
  return (await tx.run(insertLogin, [login.tenant_id, login.user_id, login.email, login.password, at])) === 1;
}

const removeLogin = changing("remove-login", "delete from logins where tenant_id = $1 and user_id = $2");

export async function remove(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<void> {
  await tx.run(removeLogin, [tenantId, userId]);
}
