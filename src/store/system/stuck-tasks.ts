import { SET_ASIDE_AFTER, type WatchedTask } from "#domain/system/watched-task.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, crossTenantChanging, statement, type Tx } from "#store/database/db.ts";

// What processes were at when they stood still. There are next to none, and every process knows them all.

export type StuckTask = { tenant_id: Uuid; kind: WatchedTask["kind"]; id: string; times: number };

const noteStuck = crossTenantChanging(
  "note-stuck-tasks",
  `insert into stuck_tasks as known (tenant_id, kind, id, times, first_at, last_at)
   select tenant_id, kind, id, 1, $4, $4 from unnest($1::uuid[], $2::text[], $3::text[]) as task (tenant_id, kind, id)
   on conflict (tenant_id, kind, id) do update set times = known.times + 1, last_at = excluded.last_at,
     set_aside_at = coalesce(known.set_aside_at, case when known.times + 1 >= ${SET_ASIDE_AFTER} then excluded.last_at end)`,
);

/** Records the tasks at which a process was blocked, each named once. `at` is real time. */
export async function note(tx: Tx, them: readonly WatchedTask[], at: Date): Promise<void> {
  if (them.length === 0) return;
  const columns = [them.map((task) => task.tenantId), them.map((task) => task.kind), them.map((task) => task.id)];
  await tx.run(noteStuck, [...columns, at]);
}

const listStuck = crossTenant(
  "list-stuck-tasks",
  "select tenant_id, kind, id, times from stuck_tasks order by tenant_id, kind, id",
);

/** Of every tenant. */
export const list = (tx: Tx): Promise<StuckTask[]> => tx.rows<StuckTask>(listStuck);

const listStuckOfImport = statement(
  "list-stuck-tasks-of-import",
  `select tenant_id, kind, id, times from stuck_tasks
   where tenant_id = $1 and kind in ('import_row', 'import_file') and starts_with(id, $2) order by kind, id`,
);

/** Rows of an import's file, and the file itself, that have held whoever read them. */
export const ofImport = (tx: Tx, tenantId: Uuid, importId: Uuid): Promise<StuckTask[]> =>
  tx.rows<StuckTask>(listStuckOfImport, [tenantId, importId]);

const clearStuck = changing(
  "clear-stuck-task",
  "delete from stuck_tasks where tenant_id = $1 and kind = $2 and id = $3 and set_aside_at is null",
);

/** It has ended well. */
export async function clear(tx: Tx, { tenantId, kind, id }: WatchedTask): Promise<void> {
  await tx.run(clearStuck, [tenantId, kind, id]);
}

export type SetAsideTask = StuckTask & { set_aside_at: Date };

const listAside = statement(
  "list-set-aside-tasks",
  `select tenant_id, kind, id, times, set_aside_at from stuck_tasks
   where tenant_id = $1 and set_aside_at is not null and discarded_at is null order by set_aside_at desc, kind, id limit $2`,
);

/** The newest first; of which nobody has decided yet. */
export const setAside = (tx: Tx, tenantId: Uuid, limit: number): Promise<SetAsideTask[]> =>
  tx.rows<SetAsideTask>(listAside, [tenantId, limit]);

const takeBack = changing(
  "take-back-set-aside-task",
  "delete from stuck_tasks where tenant_id = $1 and kind = $2 and id = $3 and set_aside_at is not null",
);

/** False when it is not set aside. */
export const retry = async (tx: Tx, { tenantId, kind, id }: WatchedTask): Promise<boolean> =>
  (await tx.run(takeBack, [tenantId, kind, id])) > 0;

const discardAside = changing(
  "discard-set-aside-task",
  `update stuck_tasks set discarded_at = coalesce(discarded_at, $4)
   where tenant_id = $1 and kind = $2 and id = $3 and set_aside_at is not null`,
);

/** False when it is not set aside. It stays so. */
export const discard = async (tx: Tx, { tenantId, kind, id }: WatchedTask, at: Date): Promise<boolean> =>
  (await tx.run(discardAside, [tenantId, kind, id, at])) > 0;
