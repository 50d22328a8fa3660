import { EventEmitter } from "node:events";
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from "graphile-worker";
import pg from "pg";
import type { Context } from "#operations/context.ts";
import { drainLane } from "#operations/drain-lane.ts";
import { extractThread } from "#operations/extract-thread.ts";
import { replyToThread } from "#operations/reply-to-thread.ts";

/** Jobs at once in a process: most of them wait, for the database or a model. */
const CONCURRENCY = 10;
/** Its own connections: a job is fetched and ended beside the work of others, and the queue listens on one. */
const POOL_SIZE = CONCURRENCY + 1;

export type JobRunner = {
  /** The names under which this process locks jobs: whoever finds it dead frees them by these. */
  lockedBy: readonly string[];
  stop(): Promise<void>;
};

/** Answers doorbells: one task a job, one operation a task. */
export async function startJobs(ctx: Context, databaseUrl: string): Promise<JobRunner> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE, application_name: "parley jobs" });
  // A lost connection is the queue's to notice and replace; unheard it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  // The queue names its pool while it starts, and says so only here.
  const lockedBy: string[] = [];
  const events: WorkerEvents = new EventEmitter();
  events.on("pool:create", ({ workerPool }) => lockedBy.push(workerPool.id));
  const runner: Runner = await run({
    events,
    pgPool: pool,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    pollInterval: 1000,
    taskList: taskList(ctx),
    logger: new Logger(() => (level, message) => {
      if (level === "error" || level === "warning") ctx.log.warn({ queue: message }, "the queue complains");
    }),
  });
  return {
    lockedBy,
    async stop() {
      await runner.stop();
      await pool.end();
    },
  };
}

type Payload = Record<string, string>;

function taskList(ctx: Context): TaskList {
  return {
    "drain-lane": (payload, helpers) =>
      drainLane(ctx, payload as { tenantId: string; laneId: string }, helpers.abortSignal!),
    "reply-to-thread": (payload, helpers) => replyToThread(ctx, threadOf(payload as Payload), helpers.abortSignal!),
    "extract-thread": (payload, helpers) => extractThread(ctx, threadOf(payload as Payload), helpers.abortSignal!),
  };
}

const threadOf = ({ tenantId, campaignId, threadId }: Payload) => ({
  tenantId: tenantId!,
  campaignId: campaignId!,
  threadId: threadId!,
});
