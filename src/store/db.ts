import pg from "pg";

/** One written statement. The name makes PostgreSQL prepare it once a connection; it must be unique. */
export type Statement = { readonly name: string; readonly text: string };

/**
 * True of every UUID, and for the planner of one in two hundred. Until it has statistics of a tenant it believes that the
 * tenant has next to no rows and reads them all for each list of ids; a list that looks short is looked up by the key.
 */
export const anyOf = (column: string): string =>
  `${column} between '00000000-0000-0000-0000-000000000000' and 'ffffffff-ffff-ffff-ffff-ffffffffffff'`;

const written = new Map<string, Statement>();

export function statement(name: string, text: string): Statement {
  if (written.has(name)) throw new Error(`two statements are called ${name}`);
  const it = { name, text };
  written.set(name, it);
  return it;
}

/** Every statement of the modules that are loaded: a test prepares each against a real database. */
export const statements = (): readonly Statement[] => [...written.values()];

/** What a statement may be run on: a transaction, or the pool when one statement is the whole of it. */
export interface Tx {
  rows<T>(statement: Statement, values?: readonly unknown[]): Promise<T[]>;
  first<T>(statement: Statement, values?: readonly unknown[]): Promise<T | undefined>;
  /** The number of rows it touched. */
  run(statement: Statement, values?: readonly unknown[]): Promise<number>;
}

export interface Db extends Tx {
  /**
   * Runs `work` in a transaction: commits what it returns, rolls back what it throws. Deadlocks and serialization
   * failures are retried, so `work` must be repeatable and do nothing but SQL.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Every statement of ours, and every check of a foreign key, has an index that serves it. A plan made while its table was
 * a page long would read the table instead, and stay in the connection's cache while 100,000 rows come in: minutes, not
 * seconds. So a whole table is read only where there is no other way.
 */
const SESSION_OPTIONS = "-c enable_seqscan=off";

const RETRIED = new Set(["40P01", "40001"]);
const MAX_TRIES = 5;

export type DbSettings = { url: string; poolSize: number; applicationName: string };

/**
 * Opens the pool. Its connections pipeline: statements of one transaction that do not need each other's
 * results may be issued together and cost one round trip.
 */
export function openDb(settings: DbSettings): Db {
  const pool = new pg.Pool({
    connectionString: settings.url,
    max: settings.poolSize,
    application_name: settings.applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    options: SESSION_OPTIONS,
    pipeline: true,
  } as pg.PoolConfig);
  // An idle connection that the server closed: the pool has dropped it, the next statement opens another.
  pool.on("error", () => {});

  return {
    ...runner(pool),
    async transaction(work) {
      for (let tries = 1; ; tries++) {
        const client = await pool.connect();
        let broken: Error | undefined;
        // pg raises a lost connection as an event too; unheard it would end the process.
        const onError = (error: Error) => {
          broken = error;
        };
        client.on("error", onError);
        try {
          // Not awaited on its own: it travels with the first statement of the work.
          const begun = client.query("begin");
          begun.catch(() => {});
          const result = await work(runner(client));
          await begun;
          await client.query("commit");
          return result;
        } catch (error) {
          await client.query("rollback").catch((failed: Error) => {
            broken = failed;
          });
          if (tries < MAX_TRIES && RETRIED.has(sqlState(error) ?? "")) continue;
          throw error;
        } finally {
          client.off("error", onError);
          client.release(broken);
        }
      }
    },
    close: () => pool.end(),
  };
}

function runner(on: pg.Pool | pg.PoolClient): Tx {
  const query = (s: Statement, values: readonly unknown[] = []) =>
    on.query({ name: s.name, text: s.text, values: values as unknown[] });
  return {
    rows: async <T>(s: Statement, values?: readonly unknown[]) => (await query(s, values)).rows as T[],
    first: async <T>(s: Statement, values?: readonly unknown[]) => (await query(s, values)).rows[0] as T | undefined,
    run: async (s, values) => (await query(s, values)).rowCount ?? 0,
  };
}

/** The SQLSTATE of a database error. Constraint names are never looked at: on Citus shards carry their own. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.length === 5 ? code : undefined;
}

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === "23505";

/** True when the database, not the request, is at fault: it is away, gone, full, starting, read-only or out of connections. */
export function isDatabaseAway(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|3D000|53|57P|25006|58)/.test(state);
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string" && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|ENETUNREACH|EHOSTUNREACH)/.test(code)) return true;
  return (
    error instanceof Error &&
    /connection (terminated|timeout)|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(
      error.message,
    )
  );
}
