import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { refuseSharedSessions } from "./pooler.ts";
import { isDistributed, recognizeDatabase } from "./scoped-query.ts";

const ANSWERS_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 2;

// Some providers let nobody ask for the number that a server's files have had from their first day on.
const SYSTEM = "select system_identifier::text as system from pg_control_system()";
const SERVER = "select current_database() as name, pg_is_in_recovery() as stands_in";
const PRIMARY_POSITION = "select pg_current_wal_flush_lsn()::text as lsn";
const HAS_POSITION = "select pg_last_wal_replay_lsn() >= $1::pg_lsn as has_it";

type Server = { name: string; stands_in: boolean; system: string | null; isDistributed: boolean };

/**
 * What an address is as a read replica of the database. `wrong`: why it is none, as the end of a sentence; `away`: why that cannot be said now; `lagMs`: how
 * long it took until it had what the primary had, where that was no longer than `waitMs`.
 */
export async function replicaFit(
  databaseUrl: string,
  replicaUrl: string,
  { waitMs } = { waitMs: 0 },
): Promise<{ wrong?: string; away?: string; lagMs?: number }> {
  return withSession(databaseUrl, async (primary) => {
    const its = await serverOf(primary);
    if (its.isDistributed)
      return { wrong: "is for a database of one server: this one is distributed over several by Citus" };
    const found = await withSession(replicaUrl, async (replica) => {
      const wrong = wrongWith(await serverOf(replica), its);
      if (wrong !== undefined) return { wrong };
      const lagMs = await lagOf(primary, replica, waitMs);
      return lagMs === undefined ? {} : { lagMs };
    }).catch((error: Error) => ({ away: error.message }));
    // A session is asked how far its server is, and then for what is read: it has to be the same one.
    if (!("away" in found || "wrong" in found)) await refuseSharedSessions(replicaUrl, "DATABASE_REPLICA_URL");
    return found;
  });
}

function wrongWith(replica: Server, primary: Server): string | undefined {
  if (!replica.stands_in) return "leads to a server that stands in for no other, and so is no replica";
  if (replica.system !== null && primary.system !== null && replica.system !== primary.system)
    return "leads to a replica of another server than that of DATABASE_URL";
  if (replica.name !== primary.name)
    return `leads to the database ${replica.name}, and DATABASE_URL to ${primary.name}`;
  return undefined;
}

async function lagOf(primary: pg.Client, replica: pg.Client, waitMs: number): Promise<number | undefined> {
  const { rows } = await primary.query<{ lsn: string }>(PRIMARY_POSITION);
  const begun = performance.now();
  for (;;) {
    const found = await replica.query<{ has_it: boolean }>(HAS_POSITION, [rows[0]!.lsn]);
    const waitedMs = performance.now() - begun;
    if (found.rows[0]!.has_it) return waitedMs;
    if (waitedMs > waitMs) return undefined;
    await pause(LOOK_EVERY_MS);
  }
}

async function serverOf(client: pg.Client): Promise<Server> {
  await recognizeDatabase(client);
  const { rows } = await client.query<{ name: string; stands_in: boolean }>(SERVER);
  const system = await client.query<{ system: string }>(SYSTEM).then(
    (found) => found.rows[0]!.system,
    () => null,
  );
  return { ...rows[0]!, system, isDistributed: isDistributed(client) };
}

async function withSession<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...{ connectionString: url, application_name: "parley self-test" },
    ...{ connectionTimeoutMillis: ANSWERS_WITHIN_MS, query_timeout: ANSWERS_WITHIN_MS },
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
