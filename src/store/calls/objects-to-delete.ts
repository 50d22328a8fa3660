import type { Uuid } from "#domain/values/id.ts";
import { type ObjectStore, ObjectsAway } from "#ports/object-store.ts";
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

const noteRemoved = changing(
  "note-removed-objects",
  "update doomed_objects set removed_at = $3 where tenant_id = $1 and name = any($2::text[]) and removed_at is null",
);

const strikeOffRemoved = changing(
  "strike-off-objects-removed-twice",
  "delete from doomed_objects where tenant_id = $1 and name = any($2::text[]) and removed_at < $3",
);

/** Few enough that a shared store takes them at once. */
const AT_ONCE = 20;

/**
 * Removes files that were written down, and strikes them off. From a shared store they are removed once more, by the sweep, when no upload of them can be
 * under way any more, and are struck off then; while it is away they wait for the sweep. Returns how many were removed. `at` is real time.
 */
export async function remove(
  tx: Tx,
  objects: ObjectStore,
  tenantId: Uuid,
  names: readonly string[],
  at: Date,
): Promise<number> {
  const done: string[] = [];
  let away = false;
  const removeOne = async (name: string) => {
    try {
      await objects.remove(name);
      done.push(name);
    } catch (error) {
      if (!(error instanceof ObjectsAway)) throw error;
      away = true;
    }
  };
  for (let i = 0; i < names.length && !away; i += AT_ONCE) {
    await Promise.all(names.slice(i, i + AT_ONCE).map(removeOne));
  }
  if (done.length === 0) return 0;
  if (objects.shared === undefined) await tx.run(strikeOff, [tenantId, done]);
  else {
    await tx.run(strikeOffRemoved, [tenantId, done, new Date(at.getTime() - objects.shared.settlesMs)]);
    await tx.run(noteRemoved, [tenantId, done, at]);
  }
  return done.length;
}

const leftBehind = crossTenant(
  "list-objects-to-delete",
  `select tenant_id, name from doomed_objects
   where case when removed_at is null then doomed_at < $1 else removed_at < $2 end order by tenant_id, name limit 1000`,
);

/** Files whose removal was interrupted, and those that are to be removed for the second time, of every tenant. */
export function left(tx: Tx, doomedBefore: Date, removedBefore: Date): Promise<ObjectToDelete[]> {
  return tx.rows<ObjectToDelete>(leftBehind, [doomedBefore, removedBefore]);
}
