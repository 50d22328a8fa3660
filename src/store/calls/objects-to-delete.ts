import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, type Tx } from "#store/database/db.ts";

// Files that nothing refers to any more. Written down with what takes the last reference away, since a file cannot be removed in a
// transaction; struck off when the file has gone.

export type ObjectToDelete = { tenant_id: Uuid; name: string };

const addObjects = changing(
  "add-objects-to-delete",
  `insert into doomed_objects (tenant_id, name, doomed_at) select $1, name, $3 from unnest($2::text[]) as name
   on conflict (tenant_id, name) do nothing`,
);

/** `at` is real time. */
export async function add(tx: Tx, tenantId: Uuid, names: readonly string[], at: Date): Promise<void> {
  if (names.length > 0) await tx.run(addObjects, [tenantId, names, at]);
}

const strikeOff = changing(
  "strike-off-objects-to-delete",
  "delete from doomed_objects where tenant_id = $1 and name = any($2::text[])",
);

export async function gone(tx: Tx, tenantId: Uuid, names: readonly string[]): Promise<void> {
  if (names.length > 0) await tx.run(strikeOff, [tenantId, names]);
}

const leftBehind = crossTenant(
  "list-objects-to-delete",
  "select tenant_id, name from doomed_objects where doomed_at < $1 order by tenant_id, name limit 1000",
);

/** Files whose removal was interrupted, of every tenant. */
export function left(tx: Tx, before: Date): Promise<ObjectToDelete[]> {
  return tx.rows<ObjectToDelete>(leftBehind, [before]);
}
