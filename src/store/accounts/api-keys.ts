import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, crossTenantChanging, statement, type Tx } from "#store/database/db.ts";
import * as organizations from "./organizations.ts";
import * as tenants from "./tenants.ts";

export type ApiKey = {
  id: Uuid;
  /** The tenant's public id. */
  tenant_id: Uuid;
  name: string;
  mode: "live" | "test";
  digest: Buffer;
  scopes: string[];
  /** The organizations that the key is limited to; null: not limited. */
  organization_ids: Uuid[] | null;
  /** Addresses and networks that it may be used from; null: anywhere. */
  allowed_addresses: string[] | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
};

const COLUMNS =
  "id, tenant_id, name, mode, digest, scopes, organization_ids, allowed_addresses, created_at, expires_at, revoked_at, last_used_at";

// On a distributed database the tenant's rows are on another server than its keys.
const findByLookup = crossTenant(
  "find-api-keys",
  `select key.lookup, ${COLUMNS.replace(/\w+/g, (name) => `key.${name}`)}, owner.in_mode,
     key.organization_ids is not null and coalesce((
       select bool_and(o.archived_at is not null) from organizations o
       where o.tenant_id = owner.in_mode and o.id = any(key.organization_ids)), false) as is_archived
   from api_keys key
     join lateral (
       select case tenant.mode when key.mode then tenant.id else tenant.other_id end as in_mode
       from tenants tenant where tenant.id = key.tenant_id) owner on true
   where key.lookup = any($1::text[])`,
  `select lookup, ${COLUMNS}, null as in_mode, null as is_archived from api_keys where lookup = any($1::text[])`,
);

/** A key with the id of what belongs to its mode. `is_archived`: it is limited to organizations, and all of them are archived. */
export type FoundKey = ApiKey & { in_mode: Uuid; is_archived: boolean };

type KeyRow = ApiKey & { lookup: string; in_mode: Uuid | null; is_archived: boolean | null };

/** By one statement where one server has it all. What a key's tenant has is read for each by itself: another's server may be down. */
export async function byLookups(
  tx: Tx,
  lookups: readonly string[],
): Promise<ReadonlyMap<string, Promise<FoundKey | undefined>>> {
  const rows = await tx.rows<KeyRow>(findByLookup, [[...new Set(lookups)]]);
  return new Map(rows.map(({ lookup, ...key }) => [lookup, whole(tx, key)]));
}

async function whole(tx: Tx, key: Omit<KeyRow, "lookup">): Promise<FoundKey | undefined> {
  const { in_mode, is_archived } = key;
  if (in_mode !== null && is_archived !== null) return { ...key, in_mode, is_archived };
  const inMode = await tenants.inMode(tx, key.tenant_id, key.mode);
  if (inMode === undefined) return undefined;
  const { organization_ids } = key;
  const isArchived = organization_ids !== null && (await organizations.areArchived(tx, inMode, organization_ids));
  return { ...key, in_mode: inMode, is_archived: isArchived };
}

type NewKey = Omit<ApiKey, "revoked_at" | "last_used_at">;

const valuesOf = (lookup: string, key: NewKey): unknown[] => [
  ...[key.tenant_id, lookup, key.id, key.name, key.mode, key.digest, key.scopes, key.created_at, key.expires_at],
  ...[key.organization_ids, key.allowed_addresses],
];

const insertKey = changing(
  "insert-api-key",
  `insert into api_keys (tenant_id, lookup, id, name, mode, digest, scopes, created_at, expires_at, organization_ids, allowed_addresses)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (lookup) do nothing`,
);

/** False when a key with this lookup exists. */
export async function insert(tx: Tx, lookup: string, key: NewKey): Promise<boolean> {
  const values = valuesOf(lookup, key);
  return (await tx.run(insertKey, values)) === 1;
}

const insertNewKey = changing(
  "insert-new-api-key",
  `insert into api_keys (tenant_id, lookup, id, name, mode, digest, scopes, created_at, expires_at, organization_ids, allowed_addresses)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   on conflict (id) do update set digest = excluded.digest
   where api_keys.tenant_id = excluded.tenant_id and api_keys.lookup = excluded.lookup`,
);

/**
 * Stores a generated key. The same id again is a repeated request whose answer was lost: nobody has seen that secret, and the new one replaces it.
 */
export async function insertNew(tx: Tx, lookup: string, key: NewKey): Promise<void> {
  const values = valuesOf(lookup, key);
  await tx.run(insertNewKey, values);
}

const listKeys = statement(
  "list-api-keys",
  `select ${COLUMNS} from api_keys where tenant_id = $1 and id < $2 and mode = any($4::text[]) order by id desc limit $3`,
);

export function list(
  tx: Tx,
  tenantId: Uuid,
  page: { before: Uuid; limit: number; modes: readonly ApiKey["mode"][] },
): Promise<ApiKey[]> {
  return tx.rows<ApiKey>(listKeys, [tenantId, page.before, page.limit + 1, page.modes]);
}

const findKey = statement(
  "find-api-key-by-id",
  `select ${COLUMNS} from api_keys where tenant_id = $1 and id = $2 and mode = any($3::text[])`,
);

export function find(tx: Tx, tenantId: Uuid, id: Uuid, modes: readonly ApiKey["mode"][]): Promise<ApiKey | undefined> {
  return tx.first<ApiKey>(findKey, [tenantId, id, modes]);
}

const endKey = changing(
  "end-api-key",
  `update api_keys set revoked_at = case when $4::boolean then $3 else revoked_at end,
     expires_at = case when $4 then expires_at else least(coalesce(expires_at, $3), $3) end
   where tenant_id = $1 and id = $2`,
);

/** Revokes a key, at once. */
export async function revoke(tx: Tx, tenantId: Uuid, id: Uuid, at: Date): Promise<void> {
  await tx.run(endKey, [tenantId, id, at, true]);
}

/** Lets a key expire at `at`, unless it does so sooner. */
export async function expire(tx: Tx, tenantId: Uuid, id: Uuid, at: Date): Promise<void> {
  await tx.run(endKey, [tenantId, id, at, false]);
}

/** Of any tenants. An index scan takes sorted ids in their order, so that two nodes that write the same do not wait for each other in a circle. */
const touchKeys = crossTenantChanging(
  "touch-api-keys",
  "update api_keys set last_used_at = $2 where id = any($1::uuid[]) and (last_used_at is null or last_used_at < $2)",
);

/** Notes when keys were last used. */
export async function touch(tx: Tx, ids: readonly Uuid[], at: Date): Promise<void> {
  await tx.run(touchKeys, [[...ids].sort(), at]);
}
