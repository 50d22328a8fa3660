import { randomInt } from "node:crypto";
import pg from "pg";

// A pooler that gives a session to another client between two transactions (PgBouncer's transaction mode). A node's lock, what is prepared and what is
// listened to live in a session of their own: over shared ones a dead node would count as living and a living one as dead.

const WITHIN_MS = 10_000;

/** Whether an address leads to such a pooler. */
async function sharesSessions(url: string): Promise<boolean> {
  return withClients([url, url], async (clients) => {
    const backends = [];
    for (const client of clients) {
      await client.connect();
      // At once after the other's: a pooler hands out the connection that it was given back last.
      backends.push((await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid);
    }
    return backends[0] === backends[1];
  });
}

/** Fails where an address leads to a pooler that shares sessions. */
export async function refuseSharedSessions(url: string, setting: string): Promise<void> {
  if (await sharesSessions(url))
    throw new Error(
      `${setting} leads to a pooler that shares sessions between clients (PgBouncer's transaction or statement mode); use session mode, or the database's own address`,
    );
}

/**
 * Fails where the service cannot work over these addresses. `sessionUrl`: where the sessions are that it has to itself; without it they are by `url` too.
 */
export async function mustFitPooler(url: string, sessionUrl: string | undefined): Promise<void> {
  if (sessionUrl === undefined) {
    if (!(await sharesSessions(url))) return;
    throw new Error(
      "DATABASE_URL leads to a pooler that shares sessions between clients (PgBouncer's transaction mode): set DATABASE_SESSION_URL as well, to the database's own address or to a pooler in session mode",
    );
  }
  await refuseSharedSessions(sessionUrl, "DATABASE_SESSION_URL");
  await withClients([sessionUrl, url], async ([direct, pooled]) => {
    await Promise.all([direct!.connect(), pooled!.connect()]);
    const distributed = await direct!.query("select from pg_extension where extname = 'citus'");
    if (distributed.rowCount !== 0)
      throw new Error(
        "DATABASE_SESSION_URL is for a database of one server: Citus passes settings on by session, so that DATABASE_URL has to lead to sessions of their own",
      );
    // A lock of the one is seen by the other: what the roles may ask for and what a pooler calls its databases is no matter.
    const key = randomInt(2 ** 31 - 1);
    await direct!.query("select pg_advisory_lock($1, $1)", [key]);
    const seen = await pooled!.query(
      `select from pg_locks where locktype = 'advisory' and objsubid = 2 and classid::bigint = $1 and objid::bigint = $1
         and database = (select oid from pg_database where datname = current_database())`,
      [key],
    );
    if (seen.rowCount === 0)
      throw new Error(
        "DATABASE_SESSION_URL leads to another database than DATABASE_URL: both have to lead to the same",
      );
  });
}

async function withClients<T>(urls: readonly string[], work: (clients: pg.Client[]) => Promise<T>): Promise<T> {
  const clients = urls.map(
    (url) =>
      new pg.Client({
        ...{ connectionString: url, application_name: "parley self-test" },
        ...{ connectionTimeoutMillis: WITHIN_MS, query_timeout: WITHIN_MS },
      }),
  );
  for (const client of clients) client.on("error", () => {});
  try {
    return await work(clients);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}
