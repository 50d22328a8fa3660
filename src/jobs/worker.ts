import { EventEmitter } from "node:events";
import { type JobHelpers, Logger, type Runner, run, type TaskList, type WorkerEvents } from "graphile-worker";
import type pg from "pg";
import { analyseCalls } from "#operations/analyse-calls.ts";
import { checkNumbers } from "#operations/check-numbers.ts";
import { drainDialLane } from "#operations/conduct-calls.ts";
import type { Context } from "#operations/context.ts";
import { drainLane } from "#operations/drain-lane.ts";
import { extractThread } from "#operations/extract-thread.ts";
import { judgeOptOut } from "#operations/judge-opt-out.ts";
import { replyToThread } from "#operations/reply-to-thread.ts";

/** Jobs that a process does at once, all of one kind: most of them wait, for the database, a carrier or a model. */
type Bench = { concurrency: number; tasks: TaskList };

/** Lanes of one sender each, and what is said to those who have written: a model that hangs holds up no text that is ready to leave. */
const SENDING_AT_ONCE = 6;
const TALKING_AT_ONCE = 10;
const CALLING_AT_ONCE = 10;

/** A queue that fetches no job for this long, though it tries, is started anew. */
const FETCHES_AGAIN_WITHIN_MS = 10_000;

/**
 * Ends of jobs go through the queue's batches (of what comes within one turn of the event loop). Without them it does not
 * look whether an end could be written, and a database that is away ends the process by an unhandled rejection; with them
 * it shuts itself down, and can be started anew.
 */
const BATCHED = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** One queue's worth of a process. */
type JobRunner = {
  lockedBy: readonly string[];
  hasEnded(): boolean;
  stop(): Promise<void>;
};

export type Jobs = {
  /** The names under which this process locks jobs that it still answers: whoever finds it dead frees them by these. */
  lockedBy(): readonly string[];
  /** True once some doorbells are answered no more, which does not by itself come back: see BATCHED. */
  hasEnded(): boolean;
  /** Answers those again, and leaves the others alone. Where that fails, they have still ended. */
  startAgain(): Promise<void>;
  /** Safe to repeat. */
  stop(): Promise<void>;
};

/** Which doorbells a process answers: the queue hands it no other. */
export type JobRole = "worker" | "media";

/** Answers the doorbells of its role: one task a job, one operation a task. At `stopping` no new one is answered, and each comes to an end. */
export async function startJobs(
  ctx: Context,
  openPool: (size: number) => pg.Pool,
  stopping: AbortSignal,
  role: JobRole = "worker",
): Promise<Jobs> {
  const benches = benchesOf(ctx, stopping, role);
  const runners: JobRunner[] = [];
  const stop = async () => void (await Promise.all(runners.map((it) => it.stop())));
  try {
    for (const bench of benches) runners.push(await startBench(ctx, openPool, bench));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    lockedBy: () => runners.filter((it) => !it.hasEnded()).flatMap((it) => it.lockedBy),
    hasEnded: () => runners.some((it) => it.hasEnded()),
    async startAgain() {
      for (const [i, bench] of benches.entries()) {
        if (!runners[i]!.hasEnded()) continue;
        await runners[i]!.stop();
        runners[i] = await startBench(ctx, openPool, bench);
      }
    },
    stop,
  };
}

async function startBench(
  ctx: Context,
  openPool: (size: number) => pg.Pool,
  { concurrency, tasks }: Bench,
): Promise<JobRunner> {
  // Its own connections: a job is fetched and ended beside the work of others, and the queue listens on one.
  const pool = openPool(concurrency + 1);
  // A lost connection is the queue's to notice and replace; unheard it would end the process.
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
      if (level === "error" || level === "warning") ctx.log.warn({ queue: message }, "the queue complains");
    }),
  });
  // It shuts itself down for good; how long that takes, with a database that is away, is anybody's guess.
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
        // Without its pool the one that has ended by itself gives up what it still tries.
        if (isShutDown) return void pool.end().catch(() => {});
        await runner.stop();
        await pool.end();
      })();
      return stopped;
    },
  };
}

type Payload = Record<string, string>;

/** The queue's own signal comes only when a job has not ended by itself for some seconds. */
const untilOf =
  (stopping: AbortSignal) =>
  ({ abortSignal }: JobHelpers) =>
    AbortSignal.any([stopping, ...(abortSignal ? [abortSignal] : [])]);

function benchesOf(ctx: Context, stopping: AbortSignal, role: JobRole): Bench[] {
  const until = untilOf(stopping);
  // A call is held by the process that has placed it, so that only one that can hold calls answers these.
  const calling: TaskList = {
    "drain-dial-lane": (payload, helpers) =>
      drainDialLane(ctx, payload as { tenantId: string; laneId: string }, until(helpers)),
  };
  if (role === "media") return [{ concurrency: CALLING_AT_ONCE, tasks: calling }];
  const sending: TaskList = {
    "drain-lane": (payload, helpers) => drainLane(ctx, payload as { tenantId: string; laneId: string }, until(helpers)),
  };
  const talking: TaskList = {
    // A turn of a conversation is short, and begun again from its beginning when it is cut off: it may end.
    "reply-to-thread": (payload, helpers) => replyToThread(ctx, threadOf(payload as Payload), helpers.abortSignal!),
    "extract-thread": (payload, helpers) => extractThread(ctx, threadOf(payload as Payload), helpers.abortSignal!),
    "judge-opt-out": (payload, helpers) =>
      judgeOptOut(ctx, payload as { tenantId: string; phone: string }, helpers.abortSignal!),
    "check-numbers": (payload, helpers) => checkNumbers(ctx, payload as { tenantId: string }, helpers.abortSignal!),
    "analyse-calls": (payload, helpers) => analyseCalls(ctx, payload as { tenantId: string }, until(helpers)),
  };
  return [
    { concurrency: SENDING_AT_ONCE, tasks: sending },
    { concurrency: TALKING_AT_ONCE, tasks: talking },
  ];
}

const threadOf = ({ tenantId, campaignId, threadId }: Payload) => ({
  tenantId: tenantId!,
  campaignId: campaignId!,
  threadId: threadId!,
});
