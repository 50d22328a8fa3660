import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

export type Organization = { id: Uuid; name: string; contact_email: string | null; created_at: Date };

const insertOrganization = statement(
  "insert-organization",
  `insert into organizations (tenant_id, id, name, contact_email, created_at) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, id) do nothing`,
);

/** Makes an organization in each of these modes. Safe to repeat with the same id. */
export async function insert(tx: Tx, tenantIds: readonly Uuid[], organization: Organization): Promise<void> {
  for (const tenantId of tenantIds)
    await tx.run(insertOrganization, [
      tenantId,
      organization.id,
      organization.name,
      organization.contact_email,
      organization.created_at,
    ]);
}

const findOrganization = statement(
  "find-organization",
  "select id, name, contact_email, created_at from organizations where tenant_id = $1 and id = $2",
);

export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Organization | undefined> {
  return tx.first<Organization>(findOrganization, [tenantId, id]);
}

const listOrganizations = statement(
  "list-organizations",
  `select id, name, contact_email, created_at from organizations
   where tenant_id = $1 and id < $2 and ($3::text is null or name = $3)
   order by id desc limit $4`,
);

/** Newest first, older than `before`. Asks for one more than a page, so that the caller sees whether more follow. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  page: { before: Uuid; limit: number; name: string | undefined },
): Promise<Organization[]> {
  return tx.rows<Organization>(listOrganizations, [tenantId, page.before, page.name ?? null, page.limit + 1]);
}
