import { VendorFailure } from "./failure.ts";

/** `party`: whose turn it is. Who has many waiting keeps nobody with few from theirs. */
export type Turns = <T>(signal: AbortSignal, run: () => Promise<T>, party?: string) => Promise<T>;

/** So many at a time, the rest by turns of the parties, in order within each. Whoever stops waiting was not sent. */
export function takeTurns(atATime: number): Turns {
  // The party that has its turn next comes first.
  const waiting = new Map<string, Set<() => void>>();
  let free = atATime;

  function turn(signal: AbortSignal, party: string): Promise<void> {
    if (signal.aborted) return Promise.reject(new VendorFailure("aborted", { wasSent: false }));
    if (free > 0) {
      free--;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ofParty = waiting.get(party) ?? new Set();
    waiting.set(party, ofParty.add(resolve));
    const abort = () => {
      ofParty.delete(resolve);
      if (ofParty.size === 0 && waiting.get(party) === ofParty) waiting.delete(party);
      reject(new VendorFailure("aborted", { wasSent: false }));
    };
    signal.addEventListener("abort", abort, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", abort));
  }

  function end(): void {
    const [next] = waiting;
    if (next === undefined) {
      free++;
      return;
    }
    const [party, ofParty] = next;
    const [resolve] = ofParty;
    // The turn goes over to the next one, also if that stops waiting at this moment: it ends it then.
    ofParty.delete(resolve!);
    waiting.delete(party);
    if (ofParty.size > 0) waiting.set(party, ofParty);
    resolve!();
  }

  return async (signal, run, party = "") => {
    await turn(signal, party);
    try {
      return await run();
    } finally {
      end();
    }
  };
}
