import type pg from "pg";

/** Names that the queue gives to the statements by which jobs end. */
const ENDS = /^(complete|fail)_job/;
/** Who rings for jobs that end just then wants them in the order of their keys, and they end in another. */
const DEADLOCK = "40P01";
const MAX_TRIES = 5;

/**
 * Has the ends of jobs written again that a deadlock has undone. graphile-worker 0.18 means to, but takes the first failure for the last
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
