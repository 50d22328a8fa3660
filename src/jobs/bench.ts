import { EventEmitter } from "node:events";
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from "graphile-worker";
import type pg from "pg";
import type { Log } from "#operations/context.ts";
import { repeatEnds } from "./ends.ts";

/** Jobs that a process does at once, all of one kind: most of them wait, for the database, a carrier or a model. */
export type Bench = { concurrency: number; tasks: TaskList };

/** A queue that fetches no job for this long, though it tries, is started anew. */
const FETCHES_AGAIN_WITHIN_MS = 10_000;

/**
 * Ends of jobs go through the queue's batches (of what comes within one turn of the event loop). Without them it does not
 * look whether an end could be written, and a database that is away ends the process by an unhandled rejection; with them
 * it shuts itself down, and can be started anew.
 */
const BATCHED = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** One queue's worth of a process. */
export type JobRunner = {
  lockedBy: readonly string[];
  hasEnded(): boolean;
  stop(): Promise<void>;
};

/** Runs one kind of job, over a pool of its own. Errors and warnings of the queue are logged. */
export async function startBench(
  log: Log,
  openPool: (size: number) => pg.Pool,
  { concurrency, tasks }: Bench,
): Promise<JobRunner> {
  // Its own connections: a job is fetched and ended beside the work of others, and the queue listens on one.
  const pool = openPool(concurrency + 1);
  repeatEnds(pool);
  releaseOnce(pool);
  // A lost connection is the queue's to notice and replace; without a listener the error would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  // The queue names its pool while it starts, and says so only here.
  const lockedBy: string[] = [];
  const events: WorkerEvents = new EventEmitter();
  events.on("pool:create", ({ workerPool }) => lockedBy.push(workerPool.id));
  const runner: Runner = await run({
    events,
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    pollInterval: 1000,
    preset: { worker: BATCHED },
    taskList: tasks,
    logger: new Logger(() => (level, message) => {
      if (level === "error" || level === "warning") log.warn({ queue: message }, "the queue complains");
    }),
  });
  // It shuts itself down for good; how long that takes, with a database that is away, is unknown.
  let isShutDown = false;
  events.on("pool:gracefulShutdown", () => {
    isShutDown = true;
  });
  // It remembers for good that it could not look up its tasks, if that was when it was started.
  let failingSince: number | undefined;
  events.on("worker:getJob:error", () => {
    failingSince ??= performance.now();
  });
  for (const fetched of ["worker:getJob:empty", "job:start"] as const) {
    events.on(fetched, () => {
      failingSince = undefined;
    });
  }
  runner.promise.catch(() => {});
  let stopped: Promise<void> | undefined;
  return {
    lockedBy,
    hasEnded: () =>
      isShutDown || (failingSince !== undefined && performance.now() - failingSince > FETCHES_AGAIN_WITHIN_MS),
    stop() {
      stopped ??= (async () => {
        if (!isShutDown) {
          await runner.stop();
          return await pool.end();
        }
        // The one that has ended by itself may never say that it is through (see ends.ts), nor stop its minute hand, which would keep
        // the process from ending. Without its pool it gives up what it still tries.
        runner.stop().catch(() => {});
        pool.end().catch(() => {});
      })();
      return stopped;
    },
  };
}

/**
 * The connection that the queue listens on it releases a second time when it is stopped while its LISTEN still waits for an answer and then fails, as
 * behind a pooler whose server is away; the pool throws at that, where nobody catches it, and the process would end.
 */
function releaseOnce(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown;
  type Done = (error: Error | undefined, client: unknown, release: (error?: Error | boolean) => void) => void;
  const once =
    (done: Done): Done =>
    (error, client, release) => {
      let isReleased = false;
      done(error, client, (cause) => {
        if (isReleased) return;
        isReleased = true;
        release(cause);
      });
    };
  Object.assign(pool, { connect: (done?: Done) => (done === undefined ? connect() : connect(once(done))) });
}
