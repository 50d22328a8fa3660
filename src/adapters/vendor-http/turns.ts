import { VendorFailure } from "./failure.ts";

export type Turns = <T>(signal: AbortSignal, run: () => Promise<T>) => Promise<T>;

/** So many at a time, the rest in order. Whoever stops waiting was not sent. */
export function takeTurns(atATime: number): Turns {
  const waiting = new Set<() => void>();
  let free = atATime;

  function turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new VendorFailure("aborted", { wasSent: false }));
    if (free > 0) {
      free--;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      waiting.delete(resolve);
      reject(new VendorFailure("aborted", { wasSent: false }));
    };
    waiting.add(resolve);
    signal.addEventListener("abort", abort, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", abort));
  }

  function end(): void {
    const [next] = waiting;
    if (next === undefined) free++;
    else {
      // The turn goes over to the next one, also if that stops waiting at this moment: it ends it then.
      waiting.delete(next);
      next();
    }
  }

  return async (signal, run) => {
    await turn(signal);
    try {
      return await run();
    } finally {
      end();
    }
  };
}
