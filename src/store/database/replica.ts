import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { openPool, type PoolSettings } from "./connections.ts";
import { type AtWork, type Db, dbOver, isDatabaseAway, notedAlone, PLANNER, type Statement, sqlState } from "./db.ts";
import { lagMeter } from "./lag.ts";
import { type Position, reached, sharedPosition } from "./positions.ts";
import { enter } from "./row-security.ts";
import { prepareScope } from "./scoped-query.ts";
import { drop } from "./servers.ts";

// Reads from a server that follows the primary. A request reads there only what the primary had when the request came, or later: the primary is asked
// how far it is (one short question for all requests of that moment), and the replica's session serves once it has come as far. What anybody was
// answered before, by whichever process, lies before that position. So nobody reads what is older than his own change, and no process has to know what the
// others have changed.

/** How often the replica is looked at. */
const LOOK_EVERY_MS = 500;
/** A replica that says nothing for so long is away: what waits for it is asked of the primary. */
const SILENT_AFTER_MS = 2_000;
/** A pool that has no session to give by then is no quicker than the primary. */
const CONNECT_WITHIN_MS = 1_000;
/** A replica on the same network is some milliseconds behind. */
const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 25;

/** Who answered: the replica, or the primary, since the replica was too far behind or away, or failed at it. */
export type Readings = Record<"replica" | "behind" | "away" | "failed", number>;

export type ReplicaState = {
  /** Why the primary answers for it; null where it does not have to. */
  problem: string | null;
  lagMs: number;
  readings: Readonly<Readings>;
};

export type ReadReplica = {
  /**
   * The database as one request sees it: what it reads comes from the replica where that may answer, else from the primary, and so does the rest of the
   * request then. What changes rows goes to the primary.
   */
  reading(): Db;
  state(): ReplicaState;
  close(): Promise<void>;
};

type Settings = PoolSettings & {
  primary: Db;
  /** A reading waits for so long at most until the replica has what it needs; a replica that is further behind is not asked. */
  maxLagMs: number;
};

/** What one request knows. */
type Request = {
  asked: Promise<Position> | undefined;
  /** What it was shown already: another session may be with another replica. */
  seen: bigint;
  /** Why the primary answers the rest of it. */
  over: Exclude<keyof Readings, "replica"> | undefined;
};

class NotServed extends Error {
  readonly why: "behind" | "away";

  constructor(why: "behind" | "away", message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

/** Opens the pool, and looks after the replica until it is closed. A replica that is away does not fail. */
export function openReplica({ primary, maxLagMs, ...settings }: Settings): ReadReplica {
  const atWork: AtWork = new Map();
  const ending = new AbortController();
  const patience = { ...settings, connectWithinMs: CONNECT_WITHIN_MS };
  const pool = openPool(patience, {
    settings: PLANNER,
    onConnect: (client) => Promise.all([enter(client), prepareScope(client)]),
  });
  // Its own, since the other's sessions may all be at long work.
  const looks = openPool({ ...patience, poolSize: 1 }, { onConnect: enter });
  const position = sharedPosition(primary);
  const lag = lagMeter();
  const readings: Readings = { replica: 0, behind: 0, away: 0, failed: 0 };
  let away: string | null = "it was not looked at yet";
  let lagMs = 0;

  const look = async () => {
    const now = await position();
    lag.note(now.lsn, performance.now());
    try {
      const found = await lent(looks, (client) => reached(client, now, SILENT_AFTER_MS));
      away = found.problem;
      lagMs = lag.behindMs(found.lsn, performance.now());
    } catch (error) {
      away = (error as Error).message;
    }
    if (away !== null) for (const client of atWork.keys()) drop(client);
  };
  const looking = (async () => {
    while (!ending.signal.aborted) {
      // Where the primary does not answer nothing is read at all.
      await look().catch(() => {});
      await pause(LOOK_EVERY_MS, undefined, { signal: ending.signal, ref: false }).catch(() => {});
    }
  })();

  /** A session that has all that the request needs. */
  const connect = async (request: Request): Promise<pg.PoolClient> => {
    request.asked ??= position();
    const asked = await request.asked;
    const wanted = { ...asked, lsn: asked.lsn > request.seen ? asked.lsn : request.seen };
    const client = await pool.connect().catch((cause: Error) => {
      throw new NotServed("away", cause.message, { cause });
    });
    client.on("error", ignore);
    try {
      const lsn = await untilReached(client, wanted, maxLagMs);
      if (lsn > request.seen) request.seen = lsn;
      return client;
    } catch (error) {
      client.release(error instanceof NotServed ? undefined : (error as Error));
      throw error;
    } finally {
      client.off("error", ignore);
    }
  };

  return {
    reading() {
      const over = away !== null ? "away" : lagMs > maxLagMs ? "behind" : undefined;
      const request: Request = { asked: undefined, seen: 0n, over };
      const sessions = { connect: () => connect(request), end: async () => {} } as unknown as pg.Pool;
      // Once: what a conflict ended here is asked of the primary.
      const replica = dbOver(sessions, notedAlone(atWork), { atWork, tries: 1 });
      return readingDb(primary, replica, request, readings);
    },
    state: () => ({
      problem: away ?? (lagMs > maxLagMs ? `it is ${lagMs.toFixed()} ms behind` : null),
      lagMs,
      readings,
    }),
    async close() {
      ending.abort();
      await Promise.all([looking, pool.end(), looks.end()]);
    },
  };
}

async function lent<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  client.on("error", ignore);
  let failed: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(failed);
  }
}

/** pg says of a lost connection a second time, to nobody, which would end the process: what waits on it fails by itself. */
const ignore = () => {};

async function untilReached(client: pg.PoolClient, wanted: Position, withinMs: number): Promise<bigint> {
  const end = performance.now() + withinMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const { lsn, problem } = await reached(client, wanted, SILENT_AFTER_MS);
    if (problem !== null) throw new NotServed("away", problem);
    if (lsn >= wanted.lsn) return lsn;
    if (performance.now() + waitMs > end) throw new NotServed("behind", "it is behind");
    await pause(waitMs);
  }
}

function readingDb(primary: Db, replica: Db, request: Request, readings: Readings): Db {
  const read = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    if (request.over === undefined) {
      try {
        const result = await work(replica);
        readings.replica++;
        return result;
      } catch (error) {
        request.over = whyNot(error);
        if (request.over === undefined) throw error;
      }
    }
    readings[request.over]++;
    return work(primary);
  };
  const change = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    const result = await work(primary);
    // What the request reads next has this change.
    request.asked = undefined;
    return result;
  };
  const alone = <T>({ changes }: Statement, work: (db: Db) => Promise<T>) =>
    changes === "nothing" ? read(work) : change(work);
  return {
    rows: (statement, values) => alone(statement, (db) => db.rows(statement, values)),
    first: (statement, values) => alone(statement, (db) => db.first(statement, values)),
    run: (statement, values) => alone(statement, (db) => db.run(statement, values)),
    atCommit: (statement, values) => change((db) => db.atCommit(statement, values)),
    afterwards: (statement, values) => change((db) => db.afterwards(statement, values)),
    // One that changes or locks rows fails there, before it has changed any, and is run by the primary from its beginning.
    transaction: (work) => read((db) => db.transaction(work)),
    limitedTo: (organizations) =>
      readingDb(primary.limitedTo(organizations), replica.limitedTo(organizations), request, readings),
    serversDown: () => primary.serversDown?.() ?? [],
    isAway: (tenantId) => primary.isAway?.(tenantId) ?? false,
    close: () => primary.close(),
  };
}

/**
 * Why the primary is asked instead: everything that the replica's server, or the way there, has failed at, a statement that was ended since the replica
 * could not follow otherwise (40001) among it. Undefined for what the primary would fail at too: an error of ours, or a statement that took too long.
 */
function whyNot(error: unknown): Request["over"] {
  if (error instanceof NotServed) return error.why;
  const state = sqlState(error);
  if (state === "57014" && !/conflict with recovery/.test((error as Error).message)) return undefined;
  return state !== undefined || isDatabaseAway(error) ? "failed" : undefined;
}
