import type pg from "pg";
import type { Uuid } from "#domain/values/id.ts";
import { limitsOf, openPool, optionsOf, type PoolSettings } from "./connections.ts";
import { askInStages, stagesFor } from "./in-stages.ts";
import { enter, enterEach } from "./row-security.ts";
import {
  atOnce,
  backendOf,
  isDistributed,
  openingsOf,
  prepareScope,
  recognizeDatabase,
  scopedAlone,
  shareSession,
} from "./scoped-query.ts";
import { drop, type Outage, ServerAway, type Servers, watchServers } from "./servers.ts";
import { mentioned, ofSomeTenants } from "./some-tenants.ts";
import { noteTimeline, noteTimelineEach } from "./timeline.ts";

/**
 * One written statement. The name makes PostgreSQL prepare it once a connection; it must be unique. `over` says whose rows
 * row security shows it: those of the tenant that is its first value, or everybody's. `changes` says what it does to rows; a test asks PostgreSQL.
 */
export type Statement = {
  readonly name: string;
  readonly text: string;
  readonly over: "tenant" | "all";
  readonly changes: Changes;
  /** The same in other words, where a database that Citus distributes does not take the text. */
  readonly distributed?: string;
};

/**
 * `nothing`: it reads, and may lock. `returned`: it returns or counts the rows that it changes, and so has changed none where it returns none. `more`:
 * it may change rows also where it returns none. `before`: it adds what a change is going to need, and is no change by itself.
 */
export type Changes = "nothing" | "returned" | "more" | "before";

/**
 * True of every UUID, and for the planner of one in two hundred. Until it has statistics of a tenant it believes that the
 * tenant has next to no rows and reads them all for each list of ids; a list that looks short is looked up by the key.
 */
export const anyOf = (column: string): string =>
  `${column} between '00000000-0000-0000-0000-000000000000' and 'ffffffff-ffff-ffff-ffff-ffffffffffff'`;

const written = new Map<string, Statement>();

/** A statement of one tenant that changes nothing: $1 is its id, and every table of tenants in it says `tenant_id = $1`. */
export const statement = (name: string, text: string): Statement =>
  write({ name, text, over: "tenant", changes: "nothing" });

/** One that changes rows, and returns or counts them, and no others. */
export const changing = (name: string, text: string): Statement =>
  write({ name, text, over: "tenant", changes: "returned" });

/** One that changes rows, and returns others, or not all of them. */
export const changingAndReading = (name: string, text: string, distributed?: string): Statement =>
  write({ name, text, over: "tenant", changes: "more", ...(distributed !== undefined && { distributed }) });

/** One that adds what a change is going to need, before it. */
export const preparing = (name: string, text: string): Statement =>
  write({ name, text, over: "tenant", changes: "before" });

/** A statement over all tenants, or one whose tables belong to none. There are few, and a test lists them. */
export const crossTenant = (name: string, text: string, distributed?: string): Statement =>
  write({ name, text, over: "all", changes: "nothing", ...(distributed !== undefined && { distributed }) });

export const crossTenantChanging = (name: string, text: string): Statement =>
  write({ name, text, over: "all", changes: "returned" });

function write(statement: Statement): Statement {
  if (written.has(statement.name)) throw new Error(`two statements are called ${statement.name}`);
  written.set(statement.name, statement);
  return statement;
}

/** Every statement of the modules that are loaded: a test prepares each against a real database. */
export const statements = (): readonly Statement[] => [...written.values()];

/** What a statement may be run on: a transaction, or the pool when one statement is the whole of it, and retried as one. */
export interface Tx {
  rows<T>(statement: Statement, values?: readonly unknown[]): Promise<T[]>;
  first<T>(statement: Statement, values?: readonly unknown[]): Promise<T | undefined>;
  /** The number of rows it touched. */
  run(statement: Statement, values?: readonly unknown[]): Promise<number>;
  /** Runs it last in its transaction, sent together with the commit: a row that many want is locked for no longer than that takes. */
  atCommit(statement: Statement, values?: readonly unknown[]): Promise<void>;
  /**
   * Runs it by itself, in a transaction right after its commit: what many transactions would write to one row does not have them wait for
   * each other. It is lost with a process that dies before, or if it fails.
   */
  afterwards(statement: Statement, values?: readonly unknown[]): Promise<void>;
}

export interface Db extends Tx {
  /**
   * Runs `work` in a transaction: commits what it returns, rolls back what it throws. Deadlocks and serialization
   * failures are retried, so `work` must be repeatable and do nothing but SQL.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same database, in which row security shows and takes only what belongs to these organizations, or to none of them alone. */
  limitedTo(organizations: readonly Uuid[]): Db;
  /** The servers of a distributed database that are down, by their addresses. */
  serversDown?(): readonly string[];
  /** Whether the server of a distributed database that has this tenant's rows is down. */
  isAway?(tenantId: string): boolean;
  /** Whether a statement over all tenants asks several servers. False until the first connection says so. */
  isDistributed?(): boolean;
  close(): Promise<void>;
}

/**
 * Every statement of ours, and every check of a foreign key, has an index that serves it. A plan made while its table was
 * a page long would read the table instead, and stay in the connection's cache while 100,000 rows come in: minutes, not
 * seconds. So a whole table is read only where there is no other way. Where there is none the price of it looks immense, and a server that has a compiler
 * would compile each such statement for longer than it runs.
 */
export const PLANNER = { enable_seqscan: "off", jit: "off" };
export const SESSION_OPTIONS = optionsOf(PLANNER);

const RETRIED = new Set(["40P01", "40001"]);
/** Said by Citus of a statement that was planned right before a tenant was given other shards; it says so before anything is done. */
const SHARDS_CHANGED = "could not find valid entry for shard";
const MAX_TRIES = 5;

/**
 * Opens the pool. Its connections pipeline: statements of one transaction that do not need each other's
 * results may be issued together and cost one round trip.
 */
export function openDb(settings: PoolSettings): Db {
  const atWork: AtWork = new Map();
  const servers = watchServers({
    url: settings.url,
    name: `${settings.applicationName.slice(0, 40)} servers`,
    nowMs: () => performance.now(),
    onOutage: (outage) => dropThoseWaiting(atWork, outage),
  });
  const pool = openPool(settings, {
    settings: PLANNER,
    // The pool waits for it, and hands out no connection for which it failed.
    async onConnect(client) {
      if (settings.sharesSessions) return shareSession(client, await openingsWith(client, settings.answerWithinMs));
      await Promise.all([enter(client), prepareScope(client), recognizeDatabase(client), noteTimeline(client)]);
      if (isDistributed(client)) servers.watch();
    },
  });
  return dbOver(pool, notedAlone(atWork), { servers, atWork });
}

/** What each transaction begins with where sessions are shared: all that a session of its own is given once. */
async function openingsWith(client: pg.ClientBase, answerWithinMs: number | undefined): Promise<string[]> {
  const [role, timeline] = await Promise.all([enterEach(client), noteTimelineEach(client)]);
  const settings = Object.entries({ ...PLANNER, ...limitsOf(answerWithinMs) });
  return [...role, ...settings.map(([name, value]) => `set local ${name} = ${value}`), ...timeline];
}

/** Which of the connections are waiting for an answer, and over whose rows. */
export type AtWork = Map<pg.ClientBase, string>;
/** `tries`: how often what fails over a conflict is tried. */
type OfServers = { servers?: Servers; atWork: AtWork; tries?: number };

/** Runs a lone statement in the way of its session's database, and notes the session while it waits. */
export const notedAlone =
  (atWork: AtWork): Alone =>
  (client, scope, query) =>
    noted(atWork, client, scope, scopedAlone(client, scope, query));

async function noted<T>(atWork: AtWork, client: pg.ClientBase, scope: string, answer: Promise<T>): Promise<T> {
  atWork.set(client, scope);
  try {
    return await answer;
  } finally {
    atWork.delete(client);
  }
}

/**
 * What waits for a server that is down might wait for as long as it is: its connections are given up, and what others want has their place. Answers with
 * the coordinator's processes of them, which go on waiting, and hold the locks of what they change.
 */
function dropThoseWaiting(atWork: AtWork, outage: Outage): number[] {
  const waiting = [...atWork].filter(([, scope]) => scope === "*" || outage.isAway(scope)).map(([client]) => client);
  for (const client of waiting) drop(client);
  return waiting.flatMap((client) => backendOf(client) ?? []);
}

/** A statement as it is asked now: while a server of a distributed database is down, of the tenants of the others. */
type Asked = { statement: Statement; values: readonly unknown[] };

function asked(outage: Outage | undefined, statement: Statement, values: readonly unknown[]): Asked {
  if (outage === undefined) return { statement, values };
  if (statement.over === "tenant") {
    if (outage.isAway(scopeOf(statement, values)))
      throw new ServerAway("the server that has the tenant's rows is down");
    return { statement, values };
  }
  const text = statement.distributed ?? statement.text;
  if (mentioned(text, outage.tables).length === 0) return { statement, values };
  const part = ofSomeTenants(text, outage.tables);
  // Whose rows one adds its first value says.
  const [added] = values;
  if (part === undefined && Array.isArray(added) && !added.some((id) => outage.isAway(id)))
    return { statement, values };
  if (part === undefined) throw new ServerAway(`a server is down that ${statement.name} has to write to`);
  return {
    statement: { name: `${statement.name}-of-some`, text: part, over: "all", changes: statement.changes },
    values: [...values, outage.there],
  };
}

/** Runs one query as a transaction of its own in which `app.tenant` is `scope`. */
export type Alone = (client: pg.PoolClient, scope: string, query: pg.QueryConfig) => Promise<pg.QueryResult>;

/** The same over a pool that is there: one that stands in for pg's brings its own way of setting a lone statement's scope. */
export function dbOver(pool: pg.Pool, alone: Alone = scopedAlone, of?: OfServers): Db {
  return {
    ...runner(async (given, with_) => {
      const now = () => asked(of?.servers?.outage(), given, with_);
      // Who is to be refused does not wait for a connection first; while one is waited for a server may go down.
      now();
      return retried(
        () =>
          using(pool, (client) => {
            const { statement, values } = now();
            return byItself(client, statement, values, alone, of);
          }),
        of?.tries,
      );
    }),
    transaction: (work) => retried(() => using(pool, (client) => together(client, work, alone, of)), of?.tries),
    limitedTo: (organizations) => limited(pool, alone, limitOf(organizations), of),
    serversDown: () => of?.servers?.outage()?.down ?? [],
    isAway: (tenantId) => of?.servers?.outage()?.isAway(tenantId) ?? false,
    isDistributed: () => of?.servers?.isWatching() ?? false,
    async close() {
      await Promise.all([of?.servers?.close(), pool.end()]);
    },
  };
}

/** Runs a statement as a transaction of its own. */
function byItself(
  client: pg.PoolClient,
  statement: Statement,
  values: readonly unknown[],
  alone: Alone,
  of?: OfServers,
): Promise<pg.QueryResult> {
  if (isDistributed(client) && stagesFor(statement))
    return together(client, (_, send) => send(statement, values), alone, of);
  return alone(client, scopeOf(statement, values), prepared(client, statement, values));
}

/** A lone statement is a transaction of its own here too: people and their keys ask so, never the sending. */
function limited(pool: pg.Pool, alone: Alone, limit: string, of?: OfServers): Db {
  const transaction: Db["transaction"] = (work) =>
    retried(() => using(pool, (client) => together(client, work, alone, of, limit)), of?.tries);
  return {
    rows: (statement, values) => transaction((tx) => tx.rows(statement, values)),
    first: (statement, values) => transaction((tx) => tx.first(statement, values)),
    run: (statement, values) => transaction((tx) => tx.run(statement, values)),
    atCommit: (statement, values) => transaction((tx) => tx.atCommit(statement, values)),
    afterwards: (statement, values) => transaction((tx) => tx.afterwards(statement, values)),
    transaction,
    serversDown: () => of?.servers?.outage()?.down ?? [],
    limitedTo: () => {
      throw new Error("this database is limited to organizations already");
    },
    close: () => pool.end(),
  };
}

/** What `app.organizations` is set to: an array of PostgreSQL's. Empty it shows nothing that belongs to an organization. */
function limitOf(organizations: readonly Uuid[]): string {
  const wrong = organizations.find((id) => !UUID.test(id));
  if (wrong !== undefined) throw new Error(`${wrong} is no organization's id`);
  return `{${organizations.join(",")}}`;
}

async function retried<T>(attempt: () => Promise<T>, maxTries = MAX_TRIES): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const isRetried = RETRIED.has(sqlState(error) ?? "") || String(error).includes(SHARDS_CHANGED);
      if (tries >= maxTries || !isRetried) throw error;
    }
  }
}

/** Lends a connection. One that was lost, or whose transaction could not be ended, does not come back into the pool. */
async function using<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // pg raises a lost connection as an event too; without a listener it would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on("error", onError);
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof Unended) broken = error;
    throw error instanceof Unended ? error.cause : error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

class Unended extends Error {}

async function together<T>(
  client: pg.PoolClient,
  work: (tx: Tx, send: Send) => Promise<T>,
  alone: Alone,
  of?: OfServers,
  limit?: string,
): Promise<T> {
  const begin = [...openingsOf(client), ...(limit === undefined ? [] : [`set local app.organizations = '${limit}'`])];
  const atCommit: [Statement, readonly unknown[]][] = [];
  const afterwards: [Statement, readonly unknown[]][] = [];
  let scope: string | undefined;
  let begun: Promise<unknown> | undefined;
  /** A statement that is asked in stages: what comes after it is not to come between them. */
  let staged: Promise<unknown> | undefined;
  let isOver = false;
  const send: Send = async (given, with_) => {
    while (staged) await staged;
    if (isOver) throw new Error("the transaction is over");
    const { statement, values } = asked(of?.servers?.outage(), given, with_);
    const wanted = scopeOf(statement, values);
    of?.atWork.set(client, wanted);
    if (wanted !== scope) {
      // Not awaited: it travels with the statement, and where it fails the statement does.
      const texts = begun ? [setScope(wanted)] : [...begin, setScope(wanted)];
      const set = Promise.all(atOnce(client, texts).map((text) => client.query(text)));
      set.catch(() => {});
      begun ??= set;
      scope = wanted;
    }
    const stages = isDistributed(client) ? stagesFor(statement) : undefined;
    if (stages === undefined) return client.query(prepared(client, statement, values));
    const answer = askInStages(client, statement.name, stages, values);
    staged = answer.then(NOTHING, NOTHING).then(() => {
      staged = undefined;
    });
    return answer;
  };
  try {
    const tx: Tx = {
      ...runner(send),
      atCommit: async (statement, values = []) => void atCommit.push([statement, values]),
      afterwards: async (statement, values = []) => void afterwards.push([statement, values]),
    };
    const result = await work(tx, send);
    await begun;
    // Whoever's server is down is refused before anything of it is sent: what is refused here fails nothing in PostgreSQL, which would commit the rest.
    for (const [statement, values] of atCommit) asked(of?.servers?.outage(), statement, values);
    const last = atCommit.map(([statement, values]) => send(statement, values));
    if (staged) await Promise.all([staged, ...last]);
    // Where one of the last fails, the commit is a rollback.
    if (begun) await Promise.all([...last, client.query("commit")]);
    // What is committed has succeeded, whatever becomes of these.
    for (const [statement, values] of afterwards) await byItself(client, statement, values, alone, of).catch(() => {});
    return result;
  } catch (error) {
    // What waits for its turn is not to come after the end, when the connection is another's.
    isOver = true;
    while (staged) await staged;
    await client.query("rollback").catch((failed: Error) => {
      throw new Unended(failed.message, { cause: error });
    });
    throw error;
  } finally {
    of?.atWork.delete(client);
  }
}

const NOTHING = () => {};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What row security shows a statement: one tenant's rows by its id, or with "*" everybody's. */
function scopeOf(statement: Statement, values: readonly unknown[]): string {
  if (statement.over === "all") return "*";
  const [tenantId] = values;
  if (typeof tenantId === "string" && UUID.test(tenantId)) return tenantId;
  throw new Error(`the statement ${statement.name} was given no tenant`);
}

// As text, since `set` takes no parameters; `set local` is what Citus passes on to its workers. A scope is a UUID or "*".
const setScope = (scope: string): string => `set local app.tenant = '${scope}'`;

const prepared = (
  client: pg.PoolClient,
  { name, text, distributed }: Statement,
  values: readonly unknown[],
): pg.QueryConfig => ({
  name,
  text: distributed !== undefined && isDistributed(client) ? distributed : text,
  values: values as unknown[],
});

type Send = (statement: Statement, values: readonly unknown[]) => Promise<pg.QueryResult>;

function runner(send: Send): Tx {
  return {
    rows: async <T>(s: Statement, values: readonly unknown[] = []) => (await send(s, values)).rows as T[],
    first: async <T>(s: Statement, values: readonly unknown[] = []) => (await send(s, values)).rows[0] as T | undefined,
    run: async (s, values = []) => (await send(s, values)).rowCount ?? 0,
    atCommit: async (s, values = []) => void (await send(s, values)),
    afterwards: async (s, values = []) => void (await send(s, values)),
  };
}

/** The SQLSTATE of a database error. Constraint names are never looked at: on Citus shards carry their own. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.length === 5 ? code : undefined;
}

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === "23505";

/** True when PostgreSQL refuses a value as such (class 22): what fails so fails every time. */
export const isBadData = (error: unknown): boolean => sqlState(error)?.startsWith("22") === true;

/** True when the database, not the request, is at fault: it is away, gone, full, starting, read-only, in recovery, too slow or out of connections. */
export function isDatabaseAway(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|3D000|53|57P|57014|25006|25P03|55000|58)/.test(state);
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string" && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|ENETUNREACH|EHOSTUNREACH)/.test(code)) return true;
  return (
    error instanceof Error &&
    /connection (terminated|timeout)|query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(
      error.message,
    )
  );
}
