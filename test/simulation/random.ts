/** Chance that is the same everywhere for the same seed. */
export type Random = {
  /** From 0 inclusive to 1 exclusive. */
  next(): number;
  /** From `from` to `to`, both inclusive. */
  int(from: number, to: number): number;
  chance(share: number): boolean;
  pick<T>(of: readonly T[]): T;
};

/** Mulberry32. `stream` keeps what draws for different purposes apart: one more draw for one does not shift another. */
export function seeded(seed: number, stream: string): Random {
  let state = seed;
  for (const letter of stream) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (share) => next() < share,
    pick: (of) => of[Math.floor(next() * of.length)]!,
  };
}
