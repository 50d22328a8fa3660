import type pg from "pg";

/** Names that the queue gives to the statements by which jobs end. */
const ENDS = /^(complete|fail)_job/;
/** Enqueueing locks jobs in the order of their keys; jobs that end at that moment are locked in another order. */
const DEADLOCK = "40P01";
const MAX_TRIES = 5;

/**
 * Retries writing the ends of jobs after a deadlock. graphile-worker 0.18 means to, but takes the first failure for the last
 * (its issue 636), and ends the whole queue. Each is one statement and a transaction of its own, which may be repeated.
 */
export function repeatEnds(pool: pg.Pool): void {
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...asked: unknown[]) => unknown;
    client.query = ((...asked: unknown[]) =>
      isEnd(asked[0])
        ? repeated(() => query(...asked) as Promise<pg.QueryResult>)
        : query(...asked)) as typeof client.query;
  });
}

const isEnd = (asked: unknown): boolean => ENDS.test((asked as { name?: string } | null)?.name ?? "");

async function repeated(write: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (tries >= MAX_TRIES || (error as { code?: string }).code !== DEADLOCK) throw error;
    }
  }
}
