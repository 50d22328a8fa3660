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
