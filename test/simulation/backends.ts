import pg from "pg";
import { enter } from "#store/database/row-security.ts";
import { prepareScope, scopedQuery } from "#store/database/scoped-query.ts";

/** For a statement that takes longer it is checked whether it waits for a lock; one that is merely slow is waited for. */
const ASK_AFTER_MS = 3;
const DEADLOCK_DETECTED = "40P01";

/** `scope`: a transaction of its own, in which row security shows that tenant's rows. */
export type Query = string | (pg.QueryConfig & { scope?: string });
export type Outcome = { result: pg.QueryResult; error?: undefined } | { result?: undefined; error: Error };
export type Backend = {
  readonly index: number;
  readonly pid: number;
  readonly client: pg.Client;
  running: Promise<Outcome>;
  /** The name of what it runs. */
  statement: string;
};

/**
 * The true connections under all simulated ones. One statement runs at a time; one that waits for another's lock is left
 * waiting, and looked at again whenever a lock may have been given back. Its server process is stopped meanwhile: two that
 * are woken by the same commit would race, and now they go on one after the other. So which statement waits for which is
 * decided by PostgreSQL, and nothing by how fast anything is. Deadlocks are found here, at once, and end the newest waiter.
 */
export class Backends {
  /** Of each the statements that waited for each other. */
  readonly deadlocks: string[] = [];
  statements = 0;
  lockWaits = 0;
  /** Statements, by their names, that are run as something else: how a run's service is broken on purpose. */
  rewrites: ReadonlyMap<string, (text: string) => string> = new Map();
  private readonly url: string;
  private readonly options: string;
  private readonly watcher: pg.Client;
  private readonly watcherPid: number;
  private readonly all: Backend[] = [];
  private free: Backend[] = [];
  private readonly waiting = new Set<Backend>();

  private constructor(url: string, options: string, watcher: pg.Client, watcherPid: number) {
    this.url = url;
    this.options = options;
    this.watcher = watcher;
    this.watcherPid = watcherPid;
  }

  /** `options` are those of the service's own sessions. */
  static async open(url: string, options: string): Promise<Backends> {
    const watcher = new pg.Client({ connectionString: url, application_name: "simulation watcher" });
    await watcher.connect();
    const backends = new Backends(url, options, watcher, await pidOf(watcher));
    process.on("exit", () => backends.thaw());
    return backends;
  }

  async close(): Promise<void> {
    this.thaw();
    await Promise.all([this.watcher, ...this.all.map(({ client }) => client)].map((client) => client.end()));
  }

  /** Asks the database something beside the simulation: takes no step and no time. */
  async look<T extends pg.QueryResultRow>(name: string, text: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await this.watcher.query<T>({ name, text, values: values as unknown[] })).rows;
  }

  /** Several statements without values, in one go. */
  async script(text: string): Promise<void> {
    await this.watcher.query(text);
  }

  /** The lowest free one, so that a seed always gets the same. */
  async take(): Promise<Backend> {
    const [lowest] = this.free.sort((a, b) => a.index - b.index).splice(0, 1);
    if (lowest) return lowest;
    const settings = {
      connectionString: this.url,
      options: this.options,
      application_name: "simulation",
      pipeline: true,
    };
    const client = new pg.Client(settings as pg.ClientConfig);
    await client.connect();
    await Promise.all([enter(client), prepareScope(client)]);
    const pid = await pidOf(client);
    const backend = { index: this.all.length, pid, client, running: undefined!, statement: "" };
    this.all.push(backend);
    return backend;
  }

  /** Gives a connection back that is in no transaction. */
  give(backend: Backend): void {
    this.free.push(backend);
  }

  /** Runs statements in order and answers with what became of the last, or that it waits for a lock. */
  async execute(backend: Backend, queries: readonly Query[]): Promise<Outcome | "waiting"> {
    this.statements += queries.length;
    backend.statement = nameOf(queries.at(-1)!);
    const running = queries.map((query) => send(backend.client, this.rewritten(query)));
    for (const promise of running.slice(0, -1)) promise.catch(() => {});
    backend.running = running.at(-1)!.then(
      (result) => ({ result }),
      async (error: Error) => {
        // A failure is reported before its locks are given back; the answer to the next statement comes after that.
        await backend.client.query("");
        return { error };
      },
    );
    const outcome = await this.outcomeOf(backend);
    if (outcome === "waiting") this.lockWaits++;
    return outcome;
  }

  private rewritten(query: Query): Query {
    const rewrite = typeof query === "string" ? undefined : this.rewrites.get(query.name ?? "");
    if (!rewrite || typeof query === "string") return query;
    const text = rewrite(query.text);
    if (text === query.text) throw new Error(`nothing is rewritten of ${query.name}`);
    return { ...query, name: `${query.name} broken`, text };
  }

  async rollback(backend: Backend): Promise<void> {
    await backend.client.query("rollback");
  }

  /** Ends whatever a run has left open that came to no end: the next one would wait for it. */
  async clear(): Promise<void> {
    for (const backend of [...this.waiting]) await this.cancel(backend);
    for (const backend of this.all) if (!this.free.includes(backend)) await this.rollback(backend);
    this.free = [...this.all];
  }

  /** Ends what waits for a lock, as an administrator would. */
  async cancel(backend: Backend): Promise<void> {
    if (this.waiting.delete(backend)) process.kill(backend.pid, "SIGCONT");
    await this.look("cancel", "select pg_cancel_backend($1)", [backend.pid]);
    await backend.running;
  }

  /** To be called after locks were given back: those that have come through, in the order in which they did. */
  async comeThrough(): Promise<{ backend: Backend; outcome: Outcome }[]> {
    const through: { backend: Backend; outcome: Outcome }[] = [];
    for (let again = this.waiting.size > 0; again; ) {
      again = false;
      // In the order in which they came.
      for (const backend of [...this.waiting]) {
        if ((await this.waitGraph()).has(backend.pid)) continue;
        this.waiting.delete(backend);
        process.kill(backend.pid, "SIGCONT");
        const outcome = await this.outcomeOf(backend);
        if (outcome === "waiting") continue;
        through.push({ backend, outcome });
        // Its failure, or its end outside a transaction, may have let go of another.
        again = true;
      }
    }
    return through;
  }

  private async outcomeOf(backend: Backend): Promise<Outcome | "waiting"> {
    for (;;) {
      const outcome = await withPatience(backend.running);
      if (outcome) return outcome;
      const waitsFor = await this.waitGraph(backend);
      if (!waitsFor.has(backend.pid)) continue;
      const circle = circleOf(waitsFor, backend.pid);
      if (!circle) {
        process.kill(backend.pid, "SIGSTOP");
        this.waiting.add(backend);
        return "waiting";
      }
      const statements = circle.map((pid) => this.all.find((backend) => backend.pid === pid)?.statement);
      this.deadlocks.push(statements.join(" waits for "));
      await this.cancel(backend);
      return { error: Object.assign(new Error("deadlock detected"), { code: DEADLOCK_DETECTED }) };
    }
  }

  /** Nobody else could end a stopped server process, nor shut its server down. */
  private thaw(): void {
    for (const { pid } of this.waiting) process.kill(pid, "SIGCONT");
    this.waiting.clear();
  }

  /** Which of ours wait for others of ours, and for whom. What PostgreSQL holds by itself, as while it vacuums, is only slow. */
  private async waitGraph(...asked: readonly Backend[]): Promise<ReadonlyMap<number, readonly number[]>> {
    const pids = [...this.waiting, ...asked].map(({ pid }) => pid);
    const rows = await this.look<{ pid: number; waits_for: number[] }>(
      "wait-graph",
      "select pid, pg_blocking_pids(pid) as waits_for from unnest($1::int[]) as pid",
      [pids],
    );
    const ours = new Set([this.watcherPid, ...this.all.map(({ pid }) => pid)]);
    const found = rows.map(({ pid, waits_for }) => [pid, waits_for.filter((other) => ours.has(other))] as const);
    return new Map(found.filter(([, waitsFor]) => waitsFor.length > 0));
  }
}

const pidOf = async (client: pg.Client): Promise<number> =>
  (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid;

function send(client: pg.Client, query: Query): Promise<pg.QueryResult> {
  if (typeof query === "string" || query.scope === undefined) return client.query(query as pg.QueryConfig);
  return scopedQuery(client, query.scope, query);
}

/** What comes within a moment, else undefined. */
async function withPatience(running: Promise<Outcome>): Promise<Outcome | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ASK_AFTER_MS);
  });
  try {
    return await Promise.race([running, patience]);
  } finally {
    clearTimeout(timer);
  }
}

const nameOf = (query: Query): string => (typeof query === "string" ? query : (query.name ?? query.text));

/** Who waits for whom from one back to itself; undefined where it does not. */
function circleOf(waitsFor: ReadonlyMap<number, readonly number[]>, from: number): number[] | undefined {
  const seen = new Set<number>();
  const back = (pid: number): number[] | undefined => {
    if (seen.has(pid)) return undefined;
    seen.add(pid);
    for (const next of waitsFor.get(pid) ?? []) {
      const rest = next === from ? [from] : back(next);
      if (rest) return [pid, ...rest];
    }
    return undefined;
  };
  return back(from);
}
