import pg from "pg";
import type { Uuid } from "#domain/id.ts";
import { statement, type Tx } from "./db.ts";

// A node is alive as long as a session of its own holds an advisory lock: PostgreSQL frees it the moment the
// process dies, however it dies. The lock's key is made from the node's id.

const insertNode = statement(
  "insert-node",
  "insert into nodes (id, lock_key, roles, started_at) values ($1, $2, $3, $4)",
);

export type HeldNode = { id: Uuid; alive(): boolean; leave(): Promise<void> };

/**
 * Takes a node's lock on a connection of its own and enters it in the register, in this order: a node in the
 * register without a lock is dead. `alive` turns false for good when the connection is lost.
 */
export async function join(
  url: string,
  tx: Tx,
  it: { id: Uuid; roles: readonly string[]; now: Date },
): Promise<HeldNode> {
  const client = new pg.Client({ connectionString: url, application_name: `parley node ${it.id}`, keepAlive: true });
  let alive = true;
  client.on("error", () => {
    alive = false;
  });
  client.on("end", () => {
    alive = false;
  });
  const lockKey = BigInt.asIntN(64, BigInt(`0x${it.id.replaceAll("-", "").slice(16)}`)).toString();
  try {
    await client.connect();
    await client.query("select pg_advisory_lock($1::bigint)", [lockKey]);
    await tx.run(insertNode, [it.id, lockKey, it.roles, it.now]);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  return {
    id: it.id,
    alive: () => alive,
    async leave() {
      await tx.run(leaveNode, [it.id]);
      alive = false;
      await client.end();
    },
  };
}

const leaveNode = statement("leave-node", "delete from nodes where id = $1");

const markLostNodes = statement(
  "mark-lost-nodes",
  `update nodes set lost_at = $1
   where lost_at is null and not exists (
     select from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
       and classid::bigint = (nodes.lock_key >> 32) & 4294967295 and objid::bigint = nodes.lock_key & 4294967295
       and database = (select oid from pg_database where datname = current_database()))
   returning id`,
);

/** Enters the death of every node whose lock is gone, and answers with them. Each is reported to one caller. */
export async function markLost(tx: Tx, now: Date): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(markLostNodes, [now])).map((row) => row.id);
}

const noteQueueWorkers = statement(
  "note-queue-workers",
  "update nodes set queue_workers = queue_workers || $2::text[] where id = $1",
);

/** Remembers under which names this node locks jobs, so that they can be freed when it dies. */
export async function noteWorkers(tx: Tx, id: Uuid, workers: readonly string[]): Promise<void> {
  await tx.run(noteQueueWorkers, [id, workers]);
}

// A job that was rung for again while it ran has lost its key to the new one and may never run again.
const forgetJobsOf = statement(
  "forget-replaced-jobs-of-nodes",
  `delete from graphile_worker._private_jobs where key is null and locked_by = any(array(
     select unnest(queue_workers) from nodes where id = any($1::uuid[])))`,
);

const freeJobsOf = statement(
  "free-jobs-of-nodes",
  `select graphile_worker.force_unlock_workers(array(
     select unnest(queue_workers) from nodes where id = any($1::uuid[])))`,
);

/** Gives back the jobs that dead nodes had locked; without it they would stay locked for four hours. */
export async function freeJobs(tx: Tx, ids: readonly Uuid[]): Promise<void> {
  await tx.run(forgetJobsOf, [ids]);
  await tx.run(freeJobsOf, [ids]);
}
