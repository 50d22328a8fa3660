import { networkOf } from "#http/access/rate-limit.ts";

/** Streams that nobody has been found for yet, at a time: of strangers as a whole, of one network, and of one account. */
const MOST = { all: 500, network: 10, account: 50 };

export type Waiting = { ip: string; carrier: string; isSigned: boolean };

/**
 * How many streams wait to be brought to their calls. What its carrier has signed is counted by its account alone, so that no stranger can use up its place,
 * nor one account another's.
 */
export function waitingStreams() {
  const counts = new Map<string, number>();
  const limitsOf = ({ ip, carrier, isSigned }: Waiting): (readonly [string, number])[] =>
    isSigned
      ? [[`signed ${carrier}`, MOST.account]]
      : [
          ["all", MOST.all],
          [`network ${networkOf(ip)}`, MOST.network],
          [`account ${carrier}`, MOST.account],
        ];

  return {
    /** Undefined: there is no place. Else what gives it back, once. */
    take(one: Waiting): (() => void) | undefined {
      const limits = limitsOf(one);
      if (limits.some(([name, most]) => (counts.get(name) ?? 0) >= most)) return undefined;
      for (const [name] of limits) counts.set(name, (counts.get(name) ?? 0) + 1);
      return () => {
        for (const [name] of limits) {
          const left = counts.get(name)! - 1;
          if (left > 0) counts.set(name, left);
          else counts.delete(name);
        }
      };
    },
  };
}
