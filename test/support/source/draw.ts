import { createHash } from "node:crypto";

/** The seed of this run, which the runner prints; the same seed draws the same. */
export const SEED = process.env.PARLEY_TEST_SEED ?? "1";

/** Whether this is `npm test`, which tries a share of what `npm run test:long` tries; a file that is run by its name tries all. */
export const isSample = process.env.PARLEY_TEST_EXTENT === "sample";

/**
 * The items in an order that the seed draws, by what `keyOf` calls each: an item that is added leaves the others in their order.
 */
export function shuffled<T>(items: readonly T[], keyOf: (item: T) => string, seed: string = SEED): T[] {
  const hash = (item: T) =>
    createHash("sha256")
      .update(`${seed} ${keyOf(item)}`)
      .digest("hex");
  return items
    .map((item) => ({ item, hash: hash(item) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ item }) => item);
}

/** All items, or in `npm test` so many of them as drawn by the seed, in their order. */
export function sampled<T>(items: readonly T[], most: number, keyOf: (item: T) => string): T[] {
  if (!isSample) return [...items];
  const drawn = new Set(shuffled(items, keyOf).slice(0, most));
  return items.filter((item) => drawn.has(item));
}
