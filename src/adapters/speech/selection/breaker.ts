/** This many failures in a row, and a provider is left alone. */
const FAILURES = 3;
/** For this long; then one request tries whether it is back. */
const REST_MS = 30_000;

export type Breaker = {
  /** Whether it may be tried now. */
  allows(): boolean;
  succeeded(): void;
  failed(): void;
};

/** Keeps calls from waiting for a provider that has been failing. `now` is in milliseconds. */
export function circuitBreaker({ failures = FAILURES, restMs = REST_MS, now = () => performance.now() } = {}): Breaker {
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
    succeeded() {
      inARow = 0;
    },
    failed() {
      inARow++;
      if (inARow >= failures) openUntil = now() + restMs;
    },
  };
}
