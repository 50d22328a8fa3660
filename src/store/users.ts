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

const findUser = statement("find-user", `select ${COLUMNS} from users where tenant_id = $1 and id = $2`);

export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<User | undefined> {
  return tx.first<User>(findUser, [tenantId, id]);
}

const listUsers = statement(
  "list-users",
  `select ${COLUMNS} from users where tenant_id = $1 and organization_id = $2 and id < $3 order by id desc limit $4`,
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
