import pg from "pg";

/** Prepared in each session, so that a scope can be set by its name. It answers without a row, which nobody would read. */
const SET_SCOPE = {
  name: "set-scope",
  text: "select from set_config('app.tenant', $1, true) as set where set is null",
};

/** Prepares a new session for `scopedQuery`. */
export const prepareScope = (session: Pick<pg.ClientBase, "query">): Promise<unknown> =>
  session.query({ ...SET_SCOPE, values: [""] });

type Wire = {
  bind(message: { statement: string; values: readonly string[] }): void;
  execute(message: object): void;
};

// The driver writes a query's messages in `prepare`, the last of them Sync. All before one Sync is one transaction.
const Prepared = pg.Query as unknown as new (
  config: pg.QueryConfig,
  done: (error: Error | null, results: pg.QueryResult[]) => void,
) => pg.Submittable & { prepare(wire: Wire): void };

class ScopedQuery extends Prepared {
  readonly #scope: string;

  constructor(scope: string, config: pg.QueryConfig, done: (error: Error | null, results: pg.QueryResult[]) => void) {
    super(config, done);
    this.#scope = scope;
  }

  override prepare(wire: Wire): void {
    wire.bind({ statement: SET_SCOPE.name, values: [this.#scope] });
    wire.execute({});
    super.prepare(wire);
  }
}

/**
 * Runs one named query as a transaction of its own in which `app.tenant` is `scope`: both go out together and are
 * answered together, at a third of the price of a begin and a commit around it.
 */
export function scopedQuery(client: pg.ClientBase, scope: string, config: pg.QueryConfig): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    // Two statements have two results; the scope's comes first.
    client.query(new ScopedQuery(scope, config, (error, results) => (error ? reject(error) : resolve(results[1]!))));
  });
}

/**
 * Sessions with a database that Citus distributes, and the coordinator's process of each. `set_config` never reaches the servers that hold its shards;
 * `set local` does.
 */
const distributed = new WeakMap<object, number>();

const IS_DISTRIBUTED =
  "select exists (select from pg_extension where extname = 'citus') as citus, pg_backend_pid() as backend";

/**
 * Settings pass on as said above. A server's shards are asked one after another over the one connection that is kept: Citus would open one for each shard that has
 * not answered within ten milliseconds, and close it after the statement, which costs a busy server more than the statement does.
 */
const OVER_SERVERS = "set citus.propagate_set_commands = 'local'; set citus.max_adaptive_executor_pool_size = 1";

/** Whether a session is with such a database. */
export const isDistributed = (session: object): boolean => distributed.has(session);

/** The process of the coordinator that such a session is with. */
export const backendOf = (session: object): number | undefined => distributed.get(session);

/** Finds out, once a session, what the database is, so that each scope is set in the way that reaches all that it has to. */
export async function recognizeDatabase(session: Pick<pg.ClientBase, "query">): Promise<void> {
  const { rows } = await session.query<{ citus: boolean; backend: number }>(IS_DISTRIBUTED);
  const [{ citus, backend }] = rows as [{ citus: boolean; backend: number }];
  if (!citus) return;
  await session.query(OVER_SERVERS);
  distributed.set(session, backend);
}

/** Sessions that others have between two transactions, by a pooler, and what each transaction of ours begins with: nothing is left from before. */
const shared = new WeakMap<object, readonly string[]>();

export const shareSession = (session: object, openings: readonly string[]): void => void shared.set(session, openings);

/** What a transaction begins with. */
export const openingsOf = (session: object): readonly string[] => ["begin", ...(shared.get(session) ?? [])];

/** The same as `scopedQuery`, in the way of the session's database. */
export const scopedAlone = (client: pg.ClientBase, scope: string, config: pg.QueryConfig): Promise<pg.QueryResult> =>
  distributed.has(client) || shared.has(client)
    ? scopedTransaction(client, scope, config)
    : scopedQuery(client, scope, config);

/** As few texts as may be. Citus passes on the whole text that a `set local` came in, and a begin in it would be a second one. */
export const atOnce = (session: object, texts: readonly string[]): readonly string[] =>
  distributed.has(session) ? texts : [texts.join("; ")];

/** As a transaction that says so. All of it is sent at once; after a failure the commit is a rollback. */
export async function scopedTransaction(
  client: pg.ClientBase,
  scope: string,
  config: pg.QueryConfig,
): Promise<pg.QueryResult> {
  const openings = [...openingsOf(client), `set local app.tenant = '${scope}'`];
  const opened = atOnce(client, openings).map((text) => client.query(text));
  const asked = client.query(config);
  const ended = await Promise.allSettled([...opened, asked, client.query("commit")]);
  const failed = ended.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return asked;
}
