import type { Uuid } from "#domain/id.ts";
import { statement, type Tx } from "./db.ts";

/** `organization_id` is NO_ID where the entry holds for the whole tenant. */
export type DoNotCallEntry = { phone: string; organization_id: Uuid; reason: string | null; created_at: Date };

const COLUMNS = "phone, organization_id, reason, created_at";

const insertEntries = statement(
  "insert-do-not-call",
  `insert into do_not_call (tenant_id, phone, organization_id, reason, created_at)
   select $1, phone, $3, $4, $5 from unnest($2::text[]) as phone
   on conflict (tenant_id, phone, organization_id) do nothing`,
);

/** Lists phones whose consents are locked; those that are listed stay as they are. The number that is new. */
export function insert(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  it: Omit<DoNotCallEntry, "phone">,
): Promise<number> {
  return tx.run(insertEntries, [tenantId, phones, it.organization_id, it.reason, it.created_at]);
}

const findEntry = statement(
  "find-do-not-call",
  `select ${COLUMNS} from do_not_call where tenant_id = $1 and phone = $2 and organization_id = $3`,
);

export function find(tx: Tx, tenantId: Uuid, phone: string, organizationId: Uuid): Promise<DoNotCallEntry | undefined> {
  return tx.first<DoNotCallEntry>(findEntry, [tenantId, phone, organizationId]);
}

const removeEntries = statement(
  "remove-do-not-call",
  "delete from do_not_call where tenant_id = $1 and phone = $2 and ($3::uuid is null or organization_id = $3)",
);

/** Takes a phone off, for one organization or, without one, altogether. The number of entries that went. */
export function remove(tx: Tx, tenantId: Uuid, phone: string, organizationId: Uuid | undefined): Promise<number> {
  return tx.run(removeEntries, [tenantId, phone, organizationId ?? null]);
}

const listEntries = statement(
  "list-do-not-call",
  `select ${COLUMNS} from do_not_call
   where tenant_id = $1 and (phone, organization_id) > ($2, $3::uuid)
     and ($4::text is null or phone = $4) and ($5::uuid is null or organization_id = $5)
   order by phone, organization_id limit $6`,
);

/** In the order of phones, after the given one, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  page: {
    after: { phone: string; organizationId: Uuid };
    phone: string | undefined;
    organizationId: Uuid | undefined;
    limit: number;
  },
): Promise<DoNotCallEntry[]> {
  const { after, phone, organizationId } = page;
  const values = [tenantId, after.phone, after.organizationId, phone ?? null, organizationId ?? null, page.limit + 1];
  return tx.rows<DoNotCallEntry>(listEntries, values);
}
