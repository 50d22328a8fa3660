import pg from "pg";

/**
 * Fails when there is a pooler before the database that gives a connection to another client between two statements
 * (PgBouncer's transaction mode). A node's lock, and every prepared statement, live in a session of their own: under
 * such a pooler a dead node would count as living and a living one as dead.
 */
export async function refuseSharedSessions(url: string, setting = "DATABASE_URL"): Promise<void> {
  const settings = { connectionString: url, connectionTimeoutMillis: 10_000, application_name: "parley self-test" };
  const clients = [new pg.Client(settings), new pg.Client(settings)] as const;
  for (const client of clients) client.on("error", () => {});
  try {
    const backends = [];
    for (const client of clients) {
      await client.connect();
      // At once after the other's: a pooler hands out the connection that it was given back last.
      backends.push((await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid);
    }
    if (backends[0] === backends[1]) {
      throw new Error(
        `${setting} leads to a pooler that shares sessions between clients (PgBouncer's transaction or statement mode); use session mode, or the database's own address`,
      );
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}
