import { setTimeout as timer } from "node:timers/promises";
import type { Log } from "#operations/context.ts";
import type { Db } from "#store/database/db.ts";

/** A loop that has failed waits this long: the database may be on its way back. */
const AFTER_FAILURE_MS = 1_000;

/** How long a loop waits that found nothing to do: twice as long each time, up to `mostMs`. */
type Rests = { leastMs: number; mostMs: number };

/**
 * A statement over all tenants asks every shard of a database that is distributed, and idle loops were all that such a cluster did: they rest so many times as
 * long there. Sending that is to stop still stops within its two seconds.
 */
const OVER_SERVERS = 4;

/** For loops that ask over all tenants. */
export const stretchOver =
  ({ isDistributed }: Pick<Db, "isDistributed">) =>
  () =>
    isDistributed?.() ? OVER_SERVERS : 1;

/** As that of node:timers/promises. */
type Pause = (ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<unknown>;

/** The work of a loop that has no more to do once it has done it. */
export const quietly =
  (work: (signal: AbortSignal) => Promise<unknown>) =>
  async (signal: AbortSignal): Promise<boolean> => {
    await work(signal);
    return false;
  };

type On = {
  signal: AbortSignal;
  log: Log;
  /** How many times its rest it rests now; 1 by default. */
  stretch?: () => number;
  pause?: Pause;
};

/**
 * Runs `work` again and again until the signal: at once while it returns that there is more, else after its rest, in milliseconds. A failure is
 * logged and does not end it. Resolves when the run that the signal found has ended.
 */
export async function loop(
  name: string,
  rest: number | Rests,
  work: (signal: AbortSignal) => Promise<boolean>,
  { signal, log, stretch = () => 1, pause = timer }: On,
): Promise<void> {
  const { leastMs, mostMs } = typeof rest === "number" ? { leastMs: rest, mostMs: rest } : rest;
  let restMs = leastMs;
  while (!signal.aborted) {
    let waitMs: number;
    try {
      const isMore = await work(signal);
      waitMs = isMore ? 0 : restMs * stretch();
      restMs = isMore ? leastMs : Math.min(mostMs, 2 * restMs);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, loop: name }, "a background loop failed and goes on");
      waitMs = Math.max(mostMs, AFTER_FAILURE_MS);
    }
    if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => {});
  }
}
