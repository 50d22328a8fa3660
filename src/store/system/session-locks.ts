import pg from "pg";
import type { Uuid } from "#domain/values/id.ts";
import { optionsOf } from "#store/database/connections.ts";
import { LOCK_SESSION } from "./nodes.ts";

const TIMES = {
  /** Longer without an answer, and the connection is given up: PostgreSQL has ended a session that was idle for as long. */
  answerWithinMs: LOCK_SESSION.idle_session_timeout,
  /** Whether the connection is there still is asked this often: it is never idle for too long, and its loss is known in time. */
  askEveryMs: 1_000,
};

/** The locks of what one process alone may have, on a connection of their own: PostgreSQL frees them the moment the process dies. */
export type SessionLocks = {
  /** Takes the lock of a thing; false where another process has it. Throws once the connection is lost. */
  take(id: Uuid): Promise<boolean>;
  /** Gives it back. Without effect once the connection is lost. */
  give(id: Uuid): Promise<void>;
  /** All of them are given back. */
  end(): Promise<void>;
};

/** Opens the connection. `lost` is called once when it, and with it every lock, is gone, for whatever reason but `end`. */
export async function sessionLocks(
  url: string,
  processId: Uuid,
  lost: () => void,
  { answerWithinMs, askEveryMs } = TIMES,
): Promise<SessionLocks> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `parley sessions ${processId}`,
    keepAlive: true,
    options: optionsOf(LOCK_SESSION),
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  });
  let isOver = false;
  let asking: NodeJS.Timeout | undefined;
  const lose = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(asking);
    lost();
    client.end().catch(() => {});
  };
  client.on("error", lose);
  client.on("end", lose);
  try {
    await client.connect();
  } catch (error) {
    isOver = true;
    await client.end().catch(() => {});
    throw error;
  }
  const ask = async <T>(text: string, values: unknown[]): Promise<T> => {
    if (isOver) throw new Error("the connection that holds the sessions' locks is lost");
    try {
      return (await client.query<{ answer: T }>(text, values)).rows[0]!.answer;
    } catch (error) {
      // Whether it was taken or given back is not known: then none of them is this process's.
      lose();
      throw error;
    }
  };
  // By a timer of its own: also while nothing else of the database answers, or sessions are being ended.
  asking = setInterval(() => void ask("select 1 as answer", []).catch(() => {}), askEveryMs).unref();
  return {
    take: (id) => ask<boolean>("select pg_try_advisory_lock($1::bigint) as answer", [keyOf(id)]),
    async give(id) {
      if (!isOver) await ask("select pg_advisory_unlock($1::bigint) as answer", [keyOf(id)]);
    },
    async end() {
      isOver = true;
      clearInterval(asking);
      await client.end().catch(() => {});
    },
  };
}

/** As of nodes: the half of the id that is random. */
const keyOf = (id: Uuid): string => BigInt.asIntN(64, BigInt(`0x${id.replaceAll("-", "").slice(16)}`)).toString();
