import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

export type Organization = {
  id: Uuid;
  name: string;
  contact_email: string | null;
  created_at: Date;
  /** Since when nothing goes out for it; null: it is not archived. */
  archived_at: Date | null;
};

const insertOrganization = changing(
  "insert-organization",
  `insert into organizations (tenant_id, id, name, contact_email, created_at) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, id) do nothing`,
);

/** Makes an organization in each of these modes. Safe to repeat with the same id. */
export async function insert(
  tx: Tx,
  tenantIds: readonly Uuid[],
  organization: Omit<Organization, "archived_at">,
): Promise<void> {
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
  "select id, name, contact_email, created_at, archived_at from organizations where tenant_id = $1 and id = $2",
);

export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Organization | undefined> {
  return tx.first<Organization>(findOrganization, [tenantId, id]);
}

const listOrganizations = statement(
  "list-organizations",
  `select id, name, contact_email, created_at, archived_at from organizations
   where tenant_id = $1 and id < $2 and ($3::text is null or name = $3) and ($5::boolean or archived_at is null)
   order by id desc limit $4`,
);

/** Newest first, older than `before`. Asks for one more than a page, so that the caller sees whether more follow. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  page: { before: Uuid; limit: number; name: string | undefined; withArchived: boolean },
): Promise<Organization[]> {
  const { before, limit, name, withArchived } = page;
  return tx.rows<Organization>(listOrganizations, [tenantId, before, name ?? null, limit + 1, withArchived]);
}

const holdOrganization = statement(
  "hold-organization",
  "select archived_at from organizations where tenant_id = $1 and id = $2 for share",
);

/** Since when an organization is archived, held until the commit: it is archived before this transaction or after it. Undefined without it. */
export function hold(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Pick<Organization, "archived_at"> | undefined> {
  return tx.first(holdOrganization, [tenantId, id]);
}

const archiveOrganization = changing(
  "archive-organization",
  `update organizations set archived_at = case when $3::timestamptz is null then null else coalesce(archived_at, $3) end
   where tenant_id = $1 and id = $2`,
);

/** Archives an organization, from this time on or since an earlier one; null takes it out again. Waits for claims that hold it. */
export async function archive(tx: Tx, tenantId: Uuid, id: Uuid, at: Date | null): Promise<void> {
  await tx.run(archiveOrganization, [tenantId, id, at]);
}

const allArchived = statement(
  "check-organizations-archived",
  "select bool_and(archived_at is not null) as archived from organizations where tenant_id = $1 and id = any($2::uuid[])",
);

/** Whether there are some of these organizations, and all are archived. */
export async function areArchived(tx: Tx, tenantId: Uuid, ids: readonly Uuid[]): Promise<boolean> {
  return (await tx.first<{ archived: boolean | null }>(allArchived, [tenantId, ids]))!.archived === true;
}
