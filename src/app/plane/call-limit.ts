/** How a process that holds the sound of calls was doing over the last moments. */
export type Pace = {
  calls: number;
  /** 99 % of its calls' frames were at most this late. */
  lateMs: number;
  /** Its CPU time, as a share of one core. */
  busy: number;
};

export type CallLimit = {
  /** How many calls the process may have before no new one may begin. */
  calls(): number;
  note(pace: Pace): void;
  /** No call is left: what was learnt of a busy time holds no longer. */
  rest(): void;
};

/** Frames that are later are heard as gaps by whoever has the usual jitter buffer of 20 ms; no call is to be added when they come near it. */
const NEAR_MS = 15;
/** Well in time. */
const WELL_MS = 7;
/** Beyond this share of a core a pause of the collector is heard; below the other there is room for more. */
const [FULL, ROOMY] = [0.85, 0.7];
/** As many may begin whatever is measured, and before anything is: with so few, it is others on the machine that make them late. */
const FEWEST = 20;
/** The limit comes down by so much below what is held, and goes up by so much of what it was at first. */
const [DOWN, UP] = [0.05, 0.02];
/** Of what it was at first it keeps so much: what makes fewer late than that is no call, and is not helped by fewer. */
const KEPT = 0.5;

/**
 * How many calls a process has before no new one may begin: at first as many as were measured on this machine, at most `most`; fewer once their frames
 * come near being late, and more, by and by, while it has little to do. It says nothing of calls that are under way: those that are up stay, and one
 * that rings has its sound when it is answered.
 */
export function callLimit(most: number, measured = 0): CallLimit {
  const atFirst = Math.min(most, Math.max(FEWEST, measured));
  let limit = atFirst;
  const least = Math.ceil(atFirst * KEPT);
  const atMost = (calls: number) => Math.max(least, Math.min(limit, Math.floor(calls)));
  return {
    calls: () => limit,
    rest() {
      limit = atFirst;
    },
    note({ calls, lateMs, busy }) {
      if (lateMs >= NEAR_MS) limit = atMost(calls * (1 - DOWN));
      else if (busy >= FULL) limit = atMost(calls);
      else if (lateMs <= WELL_MS && busy < ROOMY) {
        // Beyond what was measured only as far as it is needed: that more go well is known of what is held alone.
        const isNeeded = limit < atFirst || calls >= limit;
        if (isNeeded) limit = Math.min(most, limit + Math.max(1, Math.floor(atFirst * UP)));
      }
    },
  };
}
