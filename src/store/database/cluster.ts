import type { NetworkDrops } from "#domain/system/network-drop.ts";
import type { ObjectUploads } from "#domain/system/object-uploads.ts";
import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, crossTenantChanging, statement, type Tx } from "./db.ts";
import { ON_UNKNOWN_TIMELINE } from "./timeline.ts";

// How the service itself is doing, whoever's work it does.

export type Node = {
  id: Uuid;
  roles: string[];
  started_at: Date;
  is_alive: boolean;
  lost_at: Date | null;
  drops: NetworkDrops;
  /** Null where objects stay on the node's disk. */
  objects: ObjectUploads | null;
};

const listNodes = crossTenant(
  "list-nodes",
  `select id, roles, started_at, lost_at, drops, objects, lost_at is null and exists (
     select from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
       and classid::bigint = (nodes.lock_key >> 32) & 4294967295 and objid::bigint = nodes.lock_key & 4294967295
       and database = (select oid from pg_database where datname = current_database())) as is_alive
   from nodes order by is_alive desc, started_at desc limit 50`,
);

/** Running nodes, and the newest of those that were lost. A node that holds its lock is running, whatever its row says. */
export const nodes = (tx: Tx): Promise<Node[]> => tx.rows<Node>(listNodes);

export type Jobs = { waiting: number; due: number; oldest_due_at: Date | null; failing: number };

// What is locked is being done. A job that was tried often failed every time.
const countJobs = crossTenant(
  "count-jobs",
  `select count(*)::int as waiting, count(*) filter (where run_at <= $1)::int as due,
     min(run_at) filter (where run_at <= $1) as oldest_due_at, count(*) filter (where attempts >= 3)::int as failing
   from graphile_worker.jobs where locked_at is null`,
);

/** Jobs that nobody has taken yet; `now` is real time. */
export async function jobs(tx: Tx, now: Date): Promise<Jobs> {
  return (await tx.first<Jobs>(countJobs, [now]))!;
}

const databaseSize = crossTenant("read-database-size", "select pg_database_size(current_database())::float8 as bytes");

/** All of the database, on its disk. */
export async function databaseBytes(tx: Tx): Promise<number> {
  return (await tx.first<{ bytes: number }>(databaseSize))!.bytes;
}

const claimKey = crossTenantChanging(
  "claim-secret-key",
  "update cluster set secret_fingerprint = $1 where secret_fingerprint is null",
);

const readKey = crossTenant("read-secret-fingerprint", "select secret_fingerprint from cluster");

/** True when the database's hashes are made with the key of this fingerprint: with the first that ever came with one. */
export async function isHashedBy(tx: Tx, fingerprint: string): Promise<boolean> {
  await tx.run(claimKey, [fingerprint]);
  return (await tx.first<{ secret_fingerprint: string }>(readKey))!.secret_fingerprint === fingerprint;
}

// Of no tenant: it takes one, so that a tenant's transaction stays one of its scope.
const readFence = statement(
  "read-whether-fenced",
  `select fenced_at is not null or ${ON_UNKNOWN_TIMELINE} as fenced from cluster where $1::uuid is not null`,
);

/** Whether the database was put back to an earlier day, or another server took over that may be behind: nothing may leave. In a transaction of a tenant's. */
export const isFenced = async (tx: Tx, tenantId: Uuid): Promise<boolean> =>
  (await tx.first<{ fenced: boolean }>(readFence, [tenantId]))!.fenced;
