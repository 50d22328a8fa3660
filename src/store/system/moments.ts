/** A moment by both clocks: the monotonic one stands still while a virtual machine is suspended, the other may be set back. */
export type Moment = { steadyMs: number; wallMs: number };

/** This moment; `now` is the clock that the node works by. */
export const moment = (now: Date): Moment => ({ steadyMs: performance.now(), wallMs: now.getTime() });

/** How long ago it was, by the clock that says longer. */
export const msSince = (moment: Moment, now: Date): number =>
  Math.max(performance.now() - moment.steadyMs, now.getTime() - moment.wallMs);
