/** This many failures in a row, and a provider is left alone. */
const FAILURES = 3;
/** For this long; then one request tries whether it is back. */
const REST_MS = 30_000;

export type Breaker = {
  /** Whether it may be tried now. */
  allows(): boolean;
  /** How long it is still left alone; 0 while it may be tried. */
  restMs(): number;
  succeeded(): void;
  failed(): void;
};

/** Keeps others from waiting for a provider that has been failing. `now` is in milliseconds. */
export function circuitBreaker({
  failures = FAILURES,
  restMs = REST_MS,
  now,
}: {
  failures?: number;
  restMs?: number;
  now: () => number;
}): Breaker {
  let inARow = 0;
  let openUntil = 0;
  return {
    allows() {
      if (inARow < failures) return true;
      if (now() < openUntil) return false;
      // The others wait for how this one fares.
      openUntil = now() + restMs;
      return true;
    },
    restMs: () => (inARow < failures ? 0 : Math.max(0, openUntil - now())),
    succeeded() {
      inARow = 0;
    },
    failed() {
      inARow++;
      if (inARow >= failures) openUntil = now() + restMs;
    },
  };
}
