/** How many may leave: not more than `most` at once, and not more than `perSecond` in a second. Those that wait go in order. */
export type Pace = {
  /** Resolves when one may leave; false when it may not any more. To be given back by `release`. */
  acquire(mayStill: () => boolean): Promise<boolean>;
  release(): void;
  /** How many could leave within a tenth of a second, were there so many more places as `beyond`. */
  room(beyond: number): number;
  /** Nothing leaves for so long: the gateway is throttling. */
  holdFor(ms: number): void;
};

/** Those that wait for others' answers may have run out of time meanwhile. */
const LOOK_AGAIN_MS = 200;

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
  const queue: { resolve(may: boolean): void; mayStill(): boolean }[] = [];
  let timer: NodeJS.Timeout | undefined;

  function next(): void {
    clearTimeout(timer);
    timer = undefined;
    const now = steadyMs();
    tokens = Math.min(burst, tokens + ((now - at) / 1_000) * limits.perSecond);
    at = now;
    while (queue.length > 0) {
      const mayStill = queue[0]!.mayStill();
      const ms = mayStill ? waitMs(now) : 0;
      if (ms > 0) {
        timer = setTimeout(next, Math.ceil(ms));
        return;
      }
      if (mayStill) {
        tokens--;
        under++;
      }
      queue.shift()!.resolve(mayStill);
    }
  }
  function waitMs(now: number): number {
    if (under >= limits.most) return LOOK_AGAIN_MS;
    if (now < heldUntil) return heldUntil - now;
    return tokens < 1 ? ((1 - tokens) / limits.perSecond) * 1_000 : 0;
  }

  return {
    acquire(mayStill) {
      return new Promise((resolve) => {
        queue.push({ resolve, mayStill });
        if (queue.length === 1 || timer === undefined) next();
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
