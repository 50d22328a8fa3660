import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { NetworkDrops } from "#domain/system/network-drop.ts";
import type { ObjectUploads } from "#domain/system/object-uploads.ts";
import type { Uuid } from "#domain/values/id.ts";
import { optionsOf, UNREACHABLE } from "#store/database/connections.ts";
import { crossTenant, crossTenantChanging, type Tx } from "#store/database/db.ts";
import { type Moment, moment, msSince } from "./moments.ts";

// A node is alive as long as a session of its own holds an advisory lock: PostgreSQL frees it the moment the
// process dies, however it dies. The lock's key is made from the node's id.

/**
 * Settings that end the session of a node that can no longer be reached or has stopped running, though nobody closed its socket: after silence of the
 * client, whatever the cause, and, should the session be busy, after silence of the network. It has to be lost within 30 s.
 */
export const LOCK_SESSION = { idle_session_timeout: 10_000, ...UNREACHABLE };

/** How often the session is checked. */
const PROVE_EVERY_MS = 500;
/**
 * A proof is good for this long: less than the shortest settle time of a carrier, so that nothing is handed over by a
 * node whose texts others may be looking up already.
 */
const PROOF_GOOD_MS = 1_500;
/** PostgreSQL has ended a session without traffic for this long: see above. */
const GIVE_UP_AFTER_MS = LOCK_SESSION.idle_session_timeout;
/** Clocks that are further apart make windows, due times and leases wrong: then nothing is sent. */
const MAX_SKEW_MS = 1_000;

const insertNode = crossTenantChanging(
  "insert-node",
  "insert into nodes (id, lock_key, roles, started_at, process_id) values ($1, $2, $3, $4, $5)",
);

export type HeldNode = {
  id: Uuid;
  /** False when it may not hand over anything now: its lock may be gone, or its clock is wrong. May turn true again. */
  alive(): boolean;
  /** True once its lock is gone for good. */
  lost(): boolean;
  /** How far this process's clock is from the database's, at least; 0 while the two may agree. */
  skewMs(): number;
  /** Ends what lost processes (`lostProcesses`) left standing in transactions. Answers with how many sessions that were. */
  endSessions(processes: readonly Uuid[]): Promise<number>;
  /** Deletes the entry as well, unless something is still in flight, which others are to settle as that of a lost node. */
  leave(): Promise<void>;
  /** Gives the lock back and leaves the entry, so that others take this node for dead and settle what it left. */
  abandon(): Promise<void>;
};

/**
 * Takes a node's lock on a connection of its own and enters it in the register, in this order: a node in the
 * register without a lock is dead. From then on it proves twice a second that the lock is still its own. `now` is the
 * clock that the node works by; `process` the same for every place that a process takes, and part of its sessions' names.
 */
export async function join(
  url: string,
  db: Tx,
  node: { id: Uuid; process?: Uuid; roles: readonly string[]; now: () => Date },
): Promise<HeldNode> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `parley node ${node.id}`,
    keepAlive: true,
    options: optionsOf(LOCK_SESSION),
    connectionTimeoutMillis: GIVE_UP_AFTER_MS,
    query_timeout: GIVE_UP_AFTER_MS,
  });
  const losing = new AbortController();
  const lost = losing.signal;
  const lose = () => losing.abort();
  client.on("error", lose);
  client.on("end", lose);
  const lockKey = BigInt.asIntN(64, BigInt(`0x${node.id.replaceAll("-", "").slice(16)}`)).toString();
  const proof = proofOf(client, node.now);
  try {
    await client.connect();
    await client.query("select pg_advisory_lock($1::bigint)", [lockKey]);
    await db.run(insertNode, [node.id, lockKey, node.roles, node.now(), node.process ?? node.id]);
    await proof.renew();
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  const proving = (async () => {
    while (!lost.aborted) {
      await pause(PROVE_EVERY_MS, undefined, { ref: false, signal: lost }).catch(() => {});
      // Without an answer the session is gone, or will be, and this process must not wait to be notified.
      if (!lost.aborted) await proof.renew().catch(lose);
    }
    await client.end().catch(() => {});
  })();
  const abandon = () => {
    lose();
    return proving;
  };
  return {
    id: node.id,
    alive: () => !lost.aborted && proof.ageMs() < PROOF_GOOD_MS && proof.skewMs() === 0,
    lost: () => lost.aborted,
    skewMs: proof.skewMs,
    async endSessions(processes) {
      // Of this session: it has the right that all of the login's have, which the role that the others work as may lack.
      return (await client.query<{ n: number }>(END_SESSIONS, [processes])).rows[0]!.n;
    },
    async leave() {
      if ((await db.first(findInFlight, [node.id])) === undefined) await db.run(leaveNode, [node.id]);
      await abandon();
    },
    abandon,
  };
}

/** When the session was last known to be alive. Its answer also has the database's time. */
function proofOf(client: pg.Client, now: () => Date) {
  let at: Moment = { steadyMs: Number.NEGATIVE_INFINITY, wallMs: 0 };
  let skewMs = 0;
  return {
    skewMs: () => skewMs,
    ageMs: () => msSince(at, now()),
    async renew() {
      // It was there when it answered, so at least when it was asked.
      const asked = moment(now());
      const { rows } = await client.query<{ at: Date }>("select clock_timestamp() as at");
      const theirs = rows[0]!.at.getTime();
      const [behind, ahead] = [theirs - now().getTime(), theirs - asked.wallMs];
      skewMs = behind > MAX_SKEW_MS ? behind : ahead < -MAX_SKEW_MS ? ahead : 0;
      at = asked;
    },
  };
}

// A statement of its own: what is whole on every server of a distributed database is not changed by what one of them has. Nothing is claimed for a
// node that leaves.
const findInFlight = crossTenant(
  "find-attempt-in-flight-of-node",
  "select 1 as found from attempts where node_id = $1 and state = 'in_flight' limit 1",
);
const leaveNode = crossTenantChanging("leave-node", "delete from nodes where id = $1");

// Waits for its client, or for a lock to then wait for its client with: what is busy by itself comes to an end. For this long
// already, so that nothing is ended of a process that only lost its place and is taking another.
const END_SESSIONS = `
  select count(*) filter (where pg_terminate_backend(pid))::int as n from pg_stat_activity
  where datname = current_database() and usename = session_user and pid <> pg_backend_pid()
    and application_name like 'parley %' and right(application_name, 36) = any($1::text[])
    and wait_event_type in ('Client', 'Lock') and xact_start < clock_timestamp() - interval '2 seconds'`;

/** How a process's sessions are named, so that what is left of it can be found: a role, and the process. */
export const sessionName = (role: string, process: Uuid): string => `parley ${role} ${process}`;

const lostProcessIds = crossTenant(
  "list-lost-processes",
  `select distinct process_id from nodes lost where lost_at > $1 and process_id is not null
     and not exists (select from nodes where process_id = lost.process_id and lost_at is null)`,
);

/** Processes whose place was lost after `since` and that have taken no other: dead, or as good as dead. */
export async function lostProcesses(tx: Tx, since: Date): Promise<Uuid[]> {
  return (await tx.rows<{ process_id: Uuid }>(lostProcessIds, [since])).map((row) => row.process_id);
}

const markLostNodes = crossTenantChanging(
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

const nodesOfRole = crossTenant(
  "list-nodes-of-role",
  "select id from nodes where lost_at is null and $1 = any(roles) order by id",
);

/** Those that are not known to be lost. */
export async function ofRole(tx: Tx, role: string): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(nodesOfRole, [role])).map((row) => row.id);
}

const noteQueueWorkers = crossTenantChanging("note-queue-workers", "update nodes set queue_workers = $2 where id = $1");

/** Remembers under which names this node locks jobs, so that they can be freed when it dies. */
export async function noteWorkers(tx: Tx, id: Uuid, workers: readonly string[]): Promise<void> {
  await tx.run(noteQueueWorkers, [id, workers]);
}

const noteCallAddress = crossTenantChanging(
  "note-call-address-of-node",
  "update nodes set call_address = $2 where id = $1",
);

/** Where this node listens for others that carriers bring calls to. */
export async function noteAddress(tx: Tx, id: Uuid, address: string): Promise<void> {
  await tx.run(noteCallAddress, [id, address]);
}

const callAddresses = crossTenant(
  "list-call-addresses",
  "select call_address as address from nodes where call_address is not null and lost_at is null order by id desc limit 100",
);

/** Where the nodes that hold calls listen, the latest first. */
export async function addresses(tx: Tx): Promise<string[]> {
  return (await tx.rows<{ address: string }>(callAddresses, [])).map((row) => row.address);
}

const noteNodesDrops = crossTenantChanging("note-drops-of-node", "update nodes set drops = $2 where id = $1");

/** Remembers what a node has dropped since its process began, for those who ask another. */
export async function noteDrops(tx: Tx, id: Uuid, drops: NetworkDrops): Promise<void> {
  await tx.run(noteNodesDrops, [id, JSON.stringify(drops)]);
}

const noteNodesObjects = crossTenantChanging("note-objects-of-node", "update nodes set objects = $2 where id = $1");

/** Remembers what of a node's disk the shared store has not confirmed yet, for those who ask another. */
export async function noteObjects(tx: Tx, id: Uuid, { waiting, failing }: ObjectUploads): Promise<void> {
  await tx.run(noteNodesObjects, [id, JSON.stringify({ waiting, failing })]);
}

// A job that was enqueued again while it ran has lost its key to the new one and may never run again.
const forgetJobsOf = crossTenantChanging(
  "forget-replaced-jobs-of-nodes",
  "delete from graphile_worker._private_jobs where key is null and locked_by = any($1::text[])",
);

const freeJobsOf = crossTenant("free-jobs-of-nodes", "select graphile_worker.force_unlock_workers($1::text[])");

const workersOf = crossTenant(
  "list-queue-workers-of-nodes",
  "select unnest(queue_workers) as worker from nodes where id = any($1::uuid[])",
);

/** Gives back the jobs that dead nodes had locked; without it they would stay locked for four hours. */
export async function freeJobs(tx: Tx, ids: readonly Uuid[]): Promise<void> {
  const workers = (await tx.rows<{ worker: string }>(workersOf, [ids])).map((row) => row.worker);
  await tx.run(forgetJobsOf, [workers]);
  await tx.run(freeJobsOf, [workers]);
}

const freeOrphans = crossTenant(
  "free-jobs-of-nobody",
  `with nobody as (
     select distinct locked_by from graphile_worker._private_jobs where locked_at <= $1
     except select unnest(queue_workers) from nodes where lost_at is null)
   select graphile_worker.force_unlock_workers(array(select locked_by from nobody)) from nobody limit 1`,
);

// A failover in the middle of the queue's own statement has left such (graphile/worker issue 449).
const freeNameless = crossTenantChanging(
  "free-nameless-jobs",
  "update graphile_worker._private_jobs set locked_at = null where locked_at <= $1 and locked_by is null",
);

/**
 * Gives back jobs that were locked by `before` under a name that no living node has: one that died before it could
 * note its names, or that came back under another. And those that were locked by `longBefore` under no name.
 */
export async function freeJobsOfNobody(tx: Tx, before: Date, longBefore: Date): Promise<void> {
  await tx.run(freeOrphans, [before]);
  await tx.run(freeNameless, [longBefore]);
}
