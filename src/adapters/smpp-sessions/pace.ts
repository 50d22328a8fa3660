import { byTurns } from "./by-turns.ts";

/**
 * How many may leave: not more than `most` at once, and not more than `perSecond` in a second. Parties that wait have turns, and what waits of each
 * goes in order: who has much waiting keeps nobody with little from theirs.
 */
export type Pace = {
  /** Resolves when one may leave; false when it may not any more. To be given back by `release`. */
  acquire(mayStill: () => boolean, party?: string): Promise<boolean>;
  release(): void;
  /** How many could leave within a tenth of a second, were there so many more places as `beyond`. */
  room(beyond: number): number;
  /** Nothing leaves for so long: the gateway is throttling. */
  holdFor(ms: number): void;
};

/** Those that wait for others' answers may have run out of time meanwhile. */
const LOOK_AGAIN_MS = 200;

type Waiting = { resolve(may: boolean): void; mayStill(): boolean };

/** `steadyMs` is a clock that only goes forward. */
export function pace(
  limits: { most: number; perSecond: number },
  steadyMs: () => number = () => performance.now(),
): Pace {
  // What a second allows may leave at once after a pause, since gateways count by seconds; a tenth of it is enough to keep a window full.
  const burst = Math.max(1, limits.perSecond / 10);
  let tokens = burst;
  let at = steadyMs();
  let under = 0;
  let heldUntil = 0;
  const queue = byTurns<Waiting>();
  let timer: NodeJS.Timeout | undefined;

  function next(): void {
    clearTimeout(timer);
    timer = undefined;
    const now = steadyMs();
    tokens = Math.min(burst, tokens + ((now - at) / 1_000) * limits.perSecond);
    at = now;
    for (;;) {
      for (const { resolve } of queue.dropOver((one) => !one.mayStill())) resolve(false);
      if (queue.size() === 0) return;
      const ms = waitMs(now);
      if (ms > 0) {
        timer = setTimeout(next, Math.ceil(ms));
        return;
      }
      tokens--;
      under++;
      queue.take(1)[0]!.resolve(true);
    }
  }
  function waitMs(now: number): number {
    if (under >= limits.most) return LOOK_AGAIN_MS;
    if (now < heldUntil) return heldUntil - now;
    return tokens < 1 ? ((1 - tokens) / limits.perSecond) * 1_000 : 0;
  }

  return {
    acquire(mayStill, party = "") {
      return new Promise((resolve) => {
        queue.add(party, { resolve, mayStill });
        if (timer === undefined || queue.size() === 1) next();
      });
    },
    release() {
      under--;
      next();
    },
    room(beyond) {
      const now = steadyMs();
      if (now < heldUntil) return 0;
      const soon = Math.min(burst, tokens + ((now - at) / 1_000) * limits.perSecond) + burst;
      return Math.floor(Math.min(limits.most - under + beyond, soon));
    },
    holdFor(ms) {
      heldUntil = Math.max(heldUntil, steadyMs() + ms);
    },
  };
}
