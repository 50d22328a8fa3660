/** What waits, by whose it is. The parties have turns, and what is one's goes in order: who has much waiting keeps nobody with little from theirs. */
export type ByTurns<T> = {
  add(party: string, one: T): void;
  size(): number;
  /** What is next, without its being taken. */
  first(): T | undefined;
  /** Takes the next so many, each party's in its turn. */
  take(most: number): T[];
  /** Takes away what comes first of a party and is over. It has no turn. */
  dropOver(isOver: (one: T) => boolean): T[];
};

export function byTurns<T>(): ByTurns<T> {
  // The party that has its turn next comes first.
  const parties = new Map<string, T[]>();
  let size = 0;
  return {
    add(party, one) {
      const queue = parties.get(party) ?? [];
      queue.push(one);
      parties.set(party, queue);
      size++;
    },
    size: () => size,
    first: () => parties.values().next().value?.[0],
    take(most) {
      const taken: T[] = [];
      for (const [party, queue] of parties) {
        if (taken.length >= most) break;
        taken.push(queue.shift()!);
        // Set anew it comes last, and again in this loop.
        parties.delete(party);
        if (queue.length > 0) parties.set(party, queue);
      }
      size -= taken.length;
      return taken;
    },
    dropOver(isOver) {
      const dropped: T[] = [];
      for (const [party, queue] of parties) {
        const still = queue.findIndex((one) => !isOver(one));
        dropped.push(...queue.splice(0, still === -1 ? queue.length : still));
        if (queue.length === 0) parties.delete(party);
      }
      size -= dropped.length;
      return dropped;
    },
  };
}
