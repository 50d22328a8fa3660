import { asModelError } from "#conversation/agents/time-limit.ts";

/** Between the tries of one turn: about half a second, then two. Each is varied, so that turns do not come back all at once. */
const WAITS_MS = [500, 2_000];
/** A contact looks at the phone for about as long; whoever waits longer gets its answer by a job, and the process is free meanwhile. */
const WITHIN_MS = 10_000;

/**
 * Asks a model again when it failed by something that passes (an error of the provider, a connection that was reset, too many requests), a
 * few times within seconds. A Retry-After is obeyed: one that is longer than this patience ends it. Rejects with the last ModelError, or
 * with the signal's reason.
 */
export async function askPatiently<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  random: () => number = Math.random,
): Promise<T> {
  const until = performance.now() + WITHIN_MS;
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const failed = asModelError(error, signal);
      const grownMs = WAITS_MS[tries];
      if (!failed.retryable || grownMs === undefined) throw failed;
      const waitMs = Math.max(grownMs * (0.75 + random() / 2), failed.retryAfterMs ?? 0);
      if (performance.now() + waitMs > until) throw failed;
      await pause(waitMs, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
