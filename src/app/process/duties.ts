import type { Jobs } from "#jobs/worker.ts";
import type { Context, Log } from "#operations/context.ts";
import { runPhases } from "./phases.ts";
import type { Place } from "./place.ts";

// What a worker and a media node owe to the register of nodes alike.

const LEAVE_WITHIN_MS = 3_000;

/** Work for everybody is done by a right clock, or waits for one: a wrong one dates, doubts and forgets too early or too late. */
export const byRightClock =
  (place: Place) =>
  (work: (signal: AbortSignal) => Promise<boolean>) =>
  async (signal: AbortSignal): Promise<boolean> =>
    place.node().skewMs() === 0 && (await work(signal));

/** The queue gives up when it cannot write that a job is done. What it held by its old name is nobody's, and freed. */
export async function answerOn(ctx: Context, place: Place, jobs: Jobs, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted || !jobs.hasEnded()) return;
  // Fails while nothing can be written: a queue started then would fail too.
  await place.answerAs(jobs.lockedBy());
  await jobs.startAgain();
  await place.answerAs(jobs.lockedBy());
  ctx.log.warn({ node: ctx.node.id }, "the queue had ended; it has been started again");
}

/** Gives the place back. What could not be settled here is settled by the others, which look for dead nodes. */
export async function leavePlace(place: Place, isSettled: boolean, log: Log): Promise<void> {
  const node = place.node();
  const leave = () => (isSettled ? node.leave() : node.abandon());
  const left = await runPhases([{ name: "leave", withinMs: LEAVE_WITHIN_MS, run: leave }], log);
  if (left.length > 0) await node.abandon();
}
