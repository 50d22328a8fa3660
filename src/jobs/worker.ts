import type { JobHelpers, TaskList } from "graphile-worker";
import type pg from "pg";
import type { WatchedTask } from "#domain/system/watched-task.ts";
import { analyseCalls } from "#operations/calls/analyse-calls.ts";
import { checkNumbers } from "#operations/compliance/check-numbers.ts";
import { judgeOptOut } from "#operations/compliance/judge-opt-out.ts";
import type { Context } from "#operations/context.ts";
import { drainDialLane } from "#operations/dialing/conduct-calls.ts";
import { extractThread } from "#operations/messaging/extract-thread.ts";
import { fetchMedia } from "#operations/messaging/fetch-media.ts";
import { replyToThread } from "#operations/messaging/reply-to-thread.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import { type Bench, type JobRunner, startBench } from "./bench.ts";

/** Lanes of one sender each, and what is said to those who have written: a model that does not answer holds up no text that is ready to leave. */
const SENDING_AT_ONCE = 6;
const TALKING_AT_ONCE = 10;
const CALLING_AT_ONCE = 10;
/** Of texts with pictures: hosts that are slow hold up nobody who is to be answered. */
const FETCHING_AT_ONCE = 3;

export type Jobs = {
  /** The names under which this process locks jobs that it still answers: whoever finds it dead frees them by these. */
  lockedBy(): readonly string[];
  /** True once some jobs are no longer run, which does not recover by itself: see bench.ts. */
  hasEnded(): boolean;
  /** Starts the ended queues again, and leaves the others alone. Where that fails, they stay ended. */
  startAgain(): Promise<void>;
  /** Safe to repeat. */
  stop(): Promise<void>;
};

/** Which jobs a process runs: the queue hands it no other. */
export type JobRole = "worker" | "media";

/** Runs the jobs of its role: one task a job, one operation a task. At `stopping` no new job is started, and running ones end. */
export async function startJobs(
  ctx: Context,
  openPool: (size: number) => pg.Pool,
  stopping: AbortSignal,
  role: JobRole = "worker",
): Promise<Jobs> {
  const benches = benchesOf(ctx, stopping, role);
  const runners: JobRunner[] = [];
  const stop = async () => void (await Promise.all(runners.map((runner) => runner.stop())));
  try {
    for (const bench of benches) runners.push(await startBench(ctx.log, openPool, bench));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    lockedBy: () => runners.filter((runner) => !runner.hasEnded()).flatMap((runner) => runner.lockedBy),
    hasEnded: () => runners.some((runner) => runner.hasEnded()),
    async startAgain() {
      for (const [i, bench] of benches.entries()) {
        if (!runners[i]!.hasEnded()) continue;
        await runners[i]!.stop();
        runners[i] = await startBench(ctx.log, openPool, bench);
      }
    },
    stop,
  };
}

type Payload = Record<string, string>;

/** A task that has blocked two processes is not run until somebody requests a retry, although the sweep enqueues its job again. */
const watched = async (ctx: Context, task: WatchedTask, work: () => Promise<void>): Promise<void> => {
  if (!ctx.watch.isSetAside(task)) await ctx.watch.run(task, work);
};

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
    "drain-lane": async (payload, helpers) => {
      await drainLane(ctx, payload as { tenantId: string; laneId: string }, until(helpers));
    },
  };
  const talking: TaskList = {
    // A turn of a conversation is short, and begun again from its beginning when it is cut off: it may end.
    "reply-to-thread": (payload, helpers) => {
      const key = threadOf(payload as Payload);
      return watched(ctx, { ...key, kind: "reply", id: key.threadId }, () =>
        replyToThread(ctx, key, helpers.abortSignal!),
      );
    },
    "extract-thread": (payload, helpers) => {
      const key = threadOf(payload as Payload);
      const task = { ...key, kind: "extraction", id: key.threadId } as const;
      return watched(ctx, task, () => extractThread(ctx, key, helpers.abortSignal!));
    },
    "judge-opt-out": (payload, helpers) => {
      const whose = payload as { tenantId: string; phone: string };
      const id = ctx.hashPhone(whose.tenantId, whose.phone).toString("hex");
      const task = { tenantId: whose.tenantId, kind: "opt_out_judgement", id } as const;
      return watched(ctx, task, () => judgeOptOut(ctx, whose, helpers.abortSignal!));
    },
    "check-numbers": (payload, helpers) => checkNumbers(ctx, payload as { tenantId: string }, helpers.abortSignal!),
    "analyse-calls": (payload, helpers) => analyseCalls(ctx, payload as { tenantId: string }, until(helpers)),
  };
  const fetching: TaskList = {
    "fetch-media": (payload, helpers) =>
      fetchMedia(ctx, payload as { tenantId: string; messageId: string }, until(helpers)),
  };
  return [
    { concurrency: FETCHING_AT_ONCE, tasks: fetching },
    { concurrency: SENDING_AT_ONCE, tasks: sending },
    { concurrency: TALKING_AT_ONCE, tasks: talking },
  ];
}

const threadOf = ({ tenantId, campaignId, threadId }: Payload) => ({
  tenantId: tenantId!,
  campaignId: campaignId!,
  threadId: threadId!,
});
