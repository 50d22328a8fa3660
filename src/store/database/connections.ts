import pg from "pg";

/** Network settings that end the session of a client that cannot be reached any more though nobody closed its socket. */
export const UNREACHABLE = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
} as const;

/**
 * A transaction whose client is silent for this long is ended and releases its locks: a process that was suspended, or lost its machine, in the
 * middle of a claim would otherwise block the lane and every STOP of the lane's contacts for good. Our transactions wait for nothing but the
 * database, except the simulated carrier's, whose webhooks are delivered again when interrupted.
 */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** No answer for this long, and the connection is given up: what was sent over it may never have arrived. */
export const ANSWER_WITHIN_MS = 30_000;
/** For work that nobody waits for and that is large: imports, bulk bodies, the command line. */
export const LARGE_ANSWER_WITHIN_MS = 600_000;
/** The server gives up a statement first, so that its locks and its place go with it; the client's limit is for a dead network. */
const SERVER_FIRST_MS = 5_000;

/** An idle connection that leads nowhere is found within some seconds more than this. */
const KEEP_ALIVE_MS = 10_000;

/** Settings of a session as its client asks for them when it opens. All of them are any role's to set. */
export const optionsOf = (settings: Readonly<Record<string, string | number>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

export type PoolSettings = {
  url: string;
  /** A pooler is before the database that gives a session to others between two transactions: none is given settings of its own. */
  sharesSessions?: boolean;
  poolSize: number;
  applicationName: string;
  answerWithinMs?: number;
  /** For a connection of the pool's, a new one or one that comes free. */
  connectWithinMs?: number;
};

/** Has a connection prepare nothing by name: that would stay with a session, and the next statement may have another one. */
function unprepared(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...asked: unknown[]) => unknown;
  client.query = ((asked: unknown, ...more: unknown[]) =>
    query(isNamed(asked) ? { ...asked, name: undefined } : asked, ...more)) as typeof client.query;
}

const isNamed = (asked: unknown): asked is { name: string } =>
  Object.getPrototypeOf(asked ?? "") === Object.prototype && typeof (asked as { name?: unknown }).name === "string";

const CONNECT_WITHIN_MS = 10_000;

/** By which the server gives up what a client does not. */
export const limitsOf = (answerWithinMs = ANSWER_WITHIN_MS) => ({
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  statement_timeout: answerWithinMs - SERVER_FIRST_MS,
});

const set = (client: pg.ClientBase, settings: Readonly<Record<string, string | number>>): Promise<unknown> =>
  client.query("select set_config(name, value, false) from json_each_text($1) as setting (name, value)", [
    JSON.stringify(settings),
  ]);

/**
 * Opens a pool whose connections are given up by both sides when the other falls silent. They pipeline, which is also what makes
 * the driver close a connection whose answer is overdue, and not only give up the answer.
 */
export function openPool(
  {
    url,
    sharesSessions = false,
    poolSize,
    applicationName,
    answerWithinMs = ANSWER_WITHIN_MS,
    connectWithinMs = CONNECT_WITHIN_MS,
  }: PoolSettings,
  more: {
    settings?: Readonly<Record<string, string | number>>;
    onConnect?(client: pg.ClientBase): Promise<unknown>;
  } = {},
): pg.Pool {
  const settings = { ...limitsOf(answerWithinMs), ...UNREACHABLE, ...more.settings };
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: connectWithinMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    query_timeout: answerWithinMs,
    pipeline: true,
    // Not asked for as the session opens: a pooler before the database passes that on to nobody.
    onConnect: (client: pg.ClientBase) =>
      Promise.all([sharesSessions || set(client, settings), more.onConnect?.(client)]),
  } as pg.PoolConfig);
  if (sharesSessions) pool.on("connect", unprepared);
  // An idle connection that the server closed: the pool has dropped it, the next statement opens another.
  pool.on("error", () => {});
  return pool;
}
