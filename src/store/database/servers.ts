import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { ownSession } from "./own-session.ts";
import { enter } from "./row-security.ts";
import { isDistributed, recognizeDatabase } from "./scoped-query.ts";

// The servers of a distributed database. While one of them is down, its tenants are refused before anything is asked of it, and
// what is over all tenants is over those of the others.

/** A server that is down is known to be within about this. */
const LOOK_EVERY_MS = 1_000;
/** A server that says nothing for this long is down: it was suspended, or its network is gone. As long as a busy one may take to let somebody in. */
const SILENT_AFTER_MS = 10_000;
/** What is asked as it ends is waited for, and the end of its sessions: who distributes the database next must find nobody at work. */
const LEAVES_WITHIN_MS = 1_000;
/** Tenants are added and moved while a server is down. */
const PLACES_GOOD_FOR_MS = 10_000;

/** Somebody may hold the table that a look reads: that says nothing of the server. */
const LOCKED_AFTER_MS = 2_000;

const PATIENCE = `set citus.node_connection_timeout = ${SILENT_AFTER_MS - 1_000}; set statement_timeout = ${SILENT_AFTER_MS};
  set lock_timeout = ${LOCKED_AFTER_MS}`;
const NODES = `
  select groupid as group, nodename as host, nodeport as port from pg_dist_node
  where noderole = 'primary' and isactive and shouldhaveshards order by groupid`;
/** Each server with a tenant that it would have: among so many made-up ids there is one for every server of a usual cluster. */
const NODES_WITH_TENANT = `
  with them as materialized (
    select id, case when exists (select from pg_dist_partition where logicalrelid = 'tenants'::regclass)
      then get_shard_id_for_distribution_column('tenants', id) end as shard
    from (select md5(n::text)::uuid as id from generate_series(1, 200) as n) made_up
  )
  select node.*, placed.id from (${NODES}) node
  left join (
    select placement.groupid, min(them.id::text)::uuid as id from them
    join pg_dist_placement placement on placement.shardid = them.shard group by placement.groupid
  ) placed on placed.groupid = node.group order by node.group`;
/** By the connection that the coordinator's process keeps to the server. */
const ASK = "select from tenants where id = $1";
/** By one that is opened for this and closed again: of a busy server it takes more than all else that is asked of it by those who look. */
const ASK_ANEW = `
  select success from master_run_on_worker(array[$1::text], array[$2::int], array['select 1'], false) as t (host, port, success, result)`;
const TABLES = `
  select logicalrelid::regclass::text as name, column_to_column_name(logicalrelid, partkey) as column
  from pg_dist_partition where partmethod = 'h'`;
const END = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where pid = any($1::int[]) and datname = current_database() and usename = session_user`;
const PLACES = `
  select them.id, placement.groupid as group
  from (select id, get_shard_id_for_distribution_column('tenants', id) as shard from tenant_ids) them
  join pg_dist_placement placement on placement.shardid = them.shard`;

/** The class of "connection exception": who reads it knows that the database is away. */
export class ServerAway extends Error {
  readonly code = "08006";
}

/** While it lasts: who can be served, and the tables that cannot be asked for all. */
export type Outage = {
  /** Their addresses. */
  down: readonly string[];
  isAway(tenantId: string): boolean;
  /** The tenants whose server is there. */
  there: readonly string[];
  /** Each distributed table with its column of the tenant. */
  tables: ReadonlyMap<string, string>;
};

export type Servers = {
  /** Begins to look. To be called once it is known that the database is distributed; safe to repeat. */
  watch(): void;
  /** Whether it does. */
  isWatching(): boolean;
  /** Undefined while all servers are there, or the database is on one. */
  outage(): Outage | undefined;
  close(): Promise<void>;
};

type Node = { group: number; host: string; port: number };
type NodeWithTenant = Node & { id: string | null };
/** `onOutage` answers with the coordinator's processes that are to be ended. */
type Options = { url: string; name: string; nowMs: () => number; onOutage(outage: Outage): number[] };

/** Looks at the servers of a database by the coordinator's eyes: what it cannot reach is down, whoever else can. */
export function watchServers({ url, name, nowMs, onOutage }: Options): Servers {
  const ending = new AbortController();
  const sessions = new Map<string, Promise<pg.Client>>();
  let outage: Outage | undefined;
  let away = "";
  let placedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  const forget = (key: string) => {
    const session = sessions.get(key);
    sessions.delete(key);
    session?.then(drop, () => {});
  };
  const on = async <R extends pg.QueryResultRow>(key: string, text: string, values: unknown[] = []): Promise<R[]> => {
    ending.signal.throwIfAborted();
    const session = sessions.get(key) ?? open(url, name);
    sessions.set(key, session);
    try {
      return (await (await session).query<R>(text, values)).rows;
    } catch (error) {
      forget(key);
      throw error;
    }
  };
  /** The connection that is kept may have ended with a server that is back since: only one that cannot be reached anew is down. */
  const asked = async ({ group, host, port, id }: NodeWithTenant, late: AbortSignal): Promise<boolean> => {
    const key = `${group}`;
    const rows = id === null ? undefined : await on(key, ASK, [id]).catch(() => undefined);
    if (rows !== undefined) return true;
    late.throwIfAborted();
    return (await on<{ success: boolean }>(key, ASK_ANEW, [host, port]))[0]?.success === true;
  };
  /** Whether it answers the coordinator in time. */
  const answers = async (node: NodeWithTenant): Promise<boolean> => {
    const late = AbortSignal.timeout(SILENT_AFTER_MS);
    const silence = new Promise<false>((resolve) => late.addEventListener("abort", () => resolve(false)));
    const isThere = await Promise.race([asked(node, late).catch(() => false), silence]);
    if (late.aborted) forget(`${node.group}`);
    return isThere;
  };
  const look = async () => {
    const nodes = await on<NodeWithTenant>("all", NODES_WITH_TENANT);
    const answered = await Promise.all(nodes.map(answers));
    const missing = nodes.filter((_, at) => !answered[at]);
    const gone = new Set(missing.map(({ group }) => group));
    ending.signal.throwIfAborted();
    if (gone.size === 0) {
      [outage, away] = [undefined, ""];
      return;
    }
    const key = [...gone].sort().join();
    if (key === away && nowMs() - placedAtMs < PLACES_GOOD_FOR_MS) return;
    const tables = new Map((await on<{ name: string; column: string }>("all", TABLES)).map((t) => [t.name, t.column]));
    const places = await on<{ id: string; group: number }>("all", PLACES);
    const lost = new Set(places.filter(({ group }) => gone.has(group)).map(({ id }) => id));
    const there = places.filter(({ group }) => !gone.has(group)).map(({ id }) => id);
    const down = missing.map(({ host, port }) => `${host}:${port}`);
    outage = { down, isAway: (id) => lost.has(id), there, tables };
    placedAtMs = nowMs();
    if (key === away) return;
    away = key;
    await endBackends(url, name, onOutage(outage));
  };
  const loop = async () => {
    while (!ending.signal.aborted) {
      // Where the coordinator itself does not answer the database is away as a whole.
      await look().catch(() => {});
      await pause(LOOK_EVERY_MS, undefined, { signal: ending.signal, ref: false }).catch(() => {});
    }
  };
  return {
    watch() {
      looking ??= loop();
    },
    isWatching: () => looking !== undefined,
    outage: () => outage,
    async close() {
      ending.abort();
      const later = () => pause(LEAVES_WITHIN_MS, undefined, { ref: false });
      await Promise.race([looking, later()]);
      const left = [...sessions.values()].map(async (session) => (await session).end());
      await Promise.race([Promise.allSettled(left), later()]);
      for (const key of [...sessions.keys()]) forget(key);
      await looking;
    },
  };
}

async function open(url: string, name: string): Promise<pg.Client> {
  const session = await ownSession(url, name);
  await enter(session);
  await session.query(PATIENCE);
  return session;
}

/** By a session as who owns them: who works for tenants may not. */
async function endBackends(url: string, name: string, pids: readonly number[]): Promise<void> {
  if (pids.length === 0) return;
  const session = await ownSession(url, name);
  try {
    await session.query(END, [pids]);
  } finally {
    drop(session);
  }
}

/** At once: the coordinator may be waiting for a server that says nothing. */
export const drop = (client: pg.ClientBase): void => {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
};

/** The servers of a distributed database and whether the coordinator reaches each; none of one that is on one server. */
export async function reachable(url: string): Promise<{ name: string; isThere: boolean }[]> {
  const session = await ownSession(url, "servers of parley");
  const timer = setTimeout(() => drop(session), 2 * SILENT_AFTER_MS);
  try {
    await recognizeDatabase(session);
    if (!isDistributed(session)) return [];
    await session.query(PATIENCE);
    const { rows: nodes } = await session.query<Node>(NODES);
    const found: { name: string; isThere: boolean }[] = [];
    for (const { host, port } of nodes) {
      const isThere = await session.query<{ success: boolean }>(ASK_ANEW, [host, port]).then(
        ({ rows }) => rows[0]?.success === true,
        () => false,
      );
      found.push({ name: `${host}:${port}`, isThere });
    }
    return found;
  } finally {
    clearTimeout(timer);
    await session.end().catch(() => {});
  }
}
