import { ModelError } from "#ports/language-model.ts";

/** A provider's slow minute is not worth waiting for: the contact is better served by silence now than a stale answer. */
export const DEFAULT_TIME_LIMIT_MS = 30_000;

/**
 * Runs one call of a model and waits for it no longer than `timeLimitMs`, even when it ignores its signal. Rejects with a
 * retryable ModelError `timeout` then, and with the caller's own reason when the caller aborts.
 */
export async function withTimeLimit<T>(
  run: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  timeLimitMs: number,
): Promise<T> {
  signal.throwIfAborted();
  const limit = new AbortController();
  let onAbort = () => {};
  const ended = new Promise<never>((_, reject) => {
    limit.signal.addEventListener("abort", () => reject(limit.signal.reason), { once: true });
    onAbort = () => limit.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  const timer = setTimeout(() => {
    limit.abort(new ModelError("The model did not answer in time", { retryable: true, vendorCode: "timeout" }));
  }, timeLimitMs);
  try {
    const running = run(limit.signal);
    // A model that goes on after the limit may still fail; nobody is waiting for that any more.
    running.catch(() => {});
    return await Promise.race([running, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Any failure as a ModelError, except the caller's own abort, which is thrown on. */
export function asModelError(error: unknown, signal: AbortSignal): ModelError {
  if (signal.aborted) throw signal.reason;
  if (error instanceof ModelError) return error;
  return new ModelError("The model failed", { retryable: false, vendorCode: "exception", cause: error });
}
