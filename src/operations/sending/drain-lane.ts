import type { Context } from "#operations/context.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as queue from "#store/database/queue.ts";
import { claim, type Lane } from "./claim.ts";
import { deliver, earlier } from "./deliver.ts";
import { doubtOf } from "./doubt.ts";

/** Batches on their way at once: one is being claimed while others are with the carrier or being settled. */
const DEPTH = 3;
/** A job that ran longer would delay a shutdown; it enqueues itself again. */
const DRAIN_FOR_MS = 10_000;

/**
 * Sends what is due on a lane, in batches: claim, hand to the carrier, settle. Returns when nothing more is due, or after ten seconds; either way the
 * lane's next job is enqueued. Resolves to its (real) time, where there is one.
 */
export async function drainLane(ctx: Context, lane: Lane, signal: AbortSignal): Promise<Date | undefined> {
  const job = { job: "drain-lane" as const, payload: lane };
  let again: Date | undefined;
  await queue.runOnce(ctx.process.runs, ctx.db, job, async (state) => {
    again = await drain(ctx, lane, state, signal);
  });
  return again;
}

async function drain(ctx: Context, lane: Lane, state: queue.Running, signal: AbortSignal): Promise<Date | undefined> {
  await campaigns.activate(ctx.db, lane.tenantId, lane.laneId, ctx.now());
  const until = performance.now() + DRAIN_FOR_MS;
  const onTheirWay = new Set<Promise<void>>();
  let failure: unknown;
  let nextAt: Date | undefined;
  let retryAt: Date | undefined;
  let isFull = () => false;
  try {
    while (!signal.aborted && ctx.node.alive() && failure === undefined) {
      if (isFull() && onTheirWay.size > 0) await Promise.race(onTheirWay);
      const doubt = doubtOf(ctx.process, lane);
      isFull = doubt.isFull;
      const found = await claim(ctx, lane, doubt).catch((error) => {
        doubt.keep(0);
        throw error;
      });
      let left = found.claim?.sending.length ?? 0;
      doubt.keep(left);
      nextAt = found.nextAt;
      if (found.claim) {
        const settled = (count: number) => {
          left -= count;
          doubt.keep(left);
        };
        const delivery: Promise<void> = deliver(ctx, lane.tenantId, found.claim, settled)
          .then((again) => {
            retryAt = earlier(retryAt, again);
          })
          .catch((error) => {
            failure ??= error;
          })
          .finally(() => {
            doubt.keep(0);
            onTheirWay.delete(delivery);
          });
        onTheirWay.add(delivery);
      }
      // One batch shows whether a lane that was held is open again.
      if (found.claim?.wasHeld) await Promise.all(onTheirWay);
      if (onTheirWay.size >= DEPTH) await Promise.race(onTheirWay);
      if (found.more) {
        if (performance.now() > until) {
          nextAt = ctx.now();
          break;
        }
        continue;
      }
      // What is on its way may come back to be tried again, and the job may have been enqueued since the claim.
      await Promise.all(onTheirWay);
      if (!state.enqueuedAgain) break;
      state.enqueuedAgain = false;
    }
  } finally {
    // Whatever the failure: what is with the carrier is settled while the pool is still open.
    await Promise.all(onTheirWay);
  }
  if (failure !== undefined) throw failure;
  const comeBackAt = earlier(nextAt, retryAt);
  if (comeBackAt) await queue.enqueue(ctx.db, [{ job: "drain-lane", payload: lane, runAt: comeBackAt }]);
  return comeBackAt;
}
