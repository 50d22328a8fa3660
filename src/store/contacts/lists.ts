import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";
import type { LineLookup } from "./list-lines.ts";

export type ContactList = { id: Uuid; organization_id: Uuid; user_id: Uuid; name: string; created_at: Date };

export type CountedList = ContactList & LineLookup & { count: number };

const SELECT = `select id, organization_id, user_id, name, created_at, line_lookup, line_lookup_problem, lines_looked_up,
    (select count(*)::int from list_members member where member.tenant_id = $1 and member.list_id = list.id) as count
  from lists list where tenant_id = $1`;

const insertList = changing(
  "insert-list",
  `insert into lists (tenant_id, id, organization_id, user_id, name, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (tenant_id, id) do nothing`,
);

/** Safe to repeat with the same id. */
export async function insert(tx: Tx, tenantId: Uuid, list: ContactList): Promise<void> {
  await tx.run(insertList, [tenantId, list.id, list.organization_id, list.user_id, list.name, list.created_at]);
}

const holdList = statement("hold-list", "select id from lists where tenant_id = $1 and id = $2 for key share");

/** Keeps a list from being deleted. False when there is no such list. */
export async function hold(tx: Tx, tenantId: Uuid, id: Uuid): Promise<boolean> {
  return (await tx.first(holdList, [tenantId, id])) !== undefined;
}

const insertMembers = changing(
  "insert-list-members",
  `insert into list_members (tenant_id, list_id, contact_id) select $1, $2, contact_id from unnest($3::uuid[]) as contact_id
   on conflict (tenant_id, list_id, contact_id) do nothing returning contact_id as id`,
);

/** Answers with the ids of those who were not on it. */
export async function addMembers(tx: Tx, tenantId: Uuid, listId: Uuid, contactIds: readonly Uuid[]): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(insertMembers, [tenantId, listId, contactIds])).map((row) => row.id);
}

const findList = statement("find-list", `${SELECT} and id = $2`);

/** With the number of contacts in it. */
export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<CountedList | undefined> {
  return tx.first(findList, [tenantId, id]);
}

const listLists = statement("list-lists", `${SELECT} and organization_id = $2 and id < $3 order by id desc limit $4`);

/** An organization's lists, newest first, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  page: { before: Uuid; limit: number },
): Promise<CountedList[]> {
  return tx.rows(listLists, [tenantId, organizationId, page.before, page.limit + 1]);
}

const removeList = changing("remove-list", "delete from lists where tenant_id = $1 and id = $2");

/** Its members go with it, the contacts stay. False when there is no such list. */
export async function remove(tx: Tx, tenantId: Uuid, id: Uuid): Promise<boolean> {
  return (await tx.run(removeList, [tenantId, id])) === 1;
}
