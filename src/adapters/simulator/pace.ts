import type { Uuid } from "#domain/values/id.ts";
import type { CallStore } from "#ports/call-store.ts";

/**
 * How fast calls go by. `full`: a call is over at once, and its times lie ahead of the tenant's clock. `clock`: it takes as long as it says
 * by the tenant's clock, which passes by itself and is moved.
 */
export type CallPace = "full" | "clock";

export type Pace = {
  /** Resolves when the tenant's clock has come to this moment, or the signal is aborted. Never rejects. */
  reach(tenantId: Uuid, at: Date, signal: AbortSignal): Promise<void>;
  /** Resolves when the next call may be held: at full speed calls hold up the event loop one at a time, and not all at once. */
  turn(): Promise<void>;
};

/** Fine enough for anyone who watches; each time is a statement for each tenant with calls. */
const LOOK_EVERY_MS = 100;

type Clock = Pick<CallStore, "clockOffsetMs">;

export function paceOf(pace: CallPace, clock: Clock, now: () => Date): Pace {
  return pace === "clock" ? byTheClock(clock, now) : { reach: async () => {}, turn: takeTurns() };
}

function takeTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}

type Wait = { at: number; resolve(): void };

function byTheClock(clock: Clock, now: () => Date): Pace {
  const waiting = new Map<Uuid, Set<Wait>>();
  let isLooking = false;

  const look = async () => {
    await Promise.all(
      [...waiting].map(async ([tenantId, waits]) => {
        // A database that is away stops the tenant's clock as well.
        const offsetMs = await clock.clockOffsetMs(tenantId).catch(() => undefined);
        if (offsetMs === undefined) return;
        const reached = now().getTime() + offsetMs;
        for (const wait of waits) if (wait.at <= reached) wait.resolve();
      }),
    );
    isLooking = waiting.size > 0;
    if (isLooking) setTimeout(look, LOOK_EVERY_MS).unref();
  };

  return {
    reach(tenantId, at, signal) {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const waits = waiting.get(tenantId) ?? new Set();
        waiting.set(tenantId, waits);
        const end = () => {
          signal.removeEventListener("abort", end);
          waits.delete(wait);
          if (waits.size === 0 && waiting.get(tenantId) === waits) waiting.delete(tenantId);
          resolve();
        };
        const wait = { at: at.getTime(), resolve: end };
        waits.add(wait);
        signal.addEventListener("abort", end);
        if (!isLooking) setTimeout(look, LOOK_EVERY_MS).unref();
        isLooking = true;
      });
    },
    turn: async () => {},
  };
}
