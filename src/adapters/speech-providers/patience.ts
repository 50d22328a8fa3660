/** How long a provider may take, in milliseconds. */
export type SpeechLimits = {
  /** Until a connection stands. */
  connectMs: number;
  /** From the request to the first sound, or from the end of speech to its words. */
  firstMs: number;
  /** Between two pieces of sound. */
  gapMs: number;
};

/**
 * A signal that fires with the caller's or when a time is up. `end` must be called: it fires the signal too, which frees the
 * connection that listens to it.
 */
export function patienceOf(signal: AbortSignal) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  let timer: NodeJS.Timeout | undefined;
  let expired: string | undefined;
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return {
    signal: controller.signal,
    /** Starts the clock anew: when it runs out, `expired` is this code. */
    within(ms: number, code: string): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        expired = code;
        controller.abort();
      }, ms);
    },
    /** Stops the clock: it is our turn. */
    rest: () => clearTimeout(timer),
    get expired(): string | undefined {
      return expired;
    },
    end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      controller.abort();
    },
  };
}
