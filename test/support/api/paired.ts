/** Pairs between two looks at what is known by then. */
const PAIRS_AT_ONCE = 50;
/** Of a normal distribution: the true median is outside by chance once in 400 times. */
const DEVIATIONS = 3;

/** The median of the differences that were measured, and the bounds between which the true one lies. */
export type Found = { median: number; least: number; most: number; pairs: number };

export type Verdict = Found & { isWithin: boolean };

/**
 * Whether two kinds of work take the same time: whether the true median of their differences lies within ±`bound`. `measure` does both kinds once,
 * one right after the other and the first of them changing with the parity of `pair`, and returns the difference, so that what else the machine
 * does falls on both alike. A busy machine spreads the differences and does not move their median: pairs are measured until the bounds of the
 * median (by order statistics, whatever the distribution) are all within, or all outside. Throws where `mostPairs` do not decide it.
 */
export async function compare(
  bound: number,
  mostPairs: number,
  measure: (pair: number) => Promise<number>,
): Promise<Verdict> {
  const differences: number[] = [];
  while (differences.length < mostPairs) {
    for (let i = 0; i < PAIRS_AT_ONCE; i++) differences.push(await measure(differences.length));
    const found = medianOf(differences);
    if (found.least > -bound && found.most < bound) return { ...found, isWithin: true };
    if (found.most < -bound || found.least > bound) return { ...found, isWithin: false };
  }
  throw new Error(`the machine is too restless to measure: ${JSON.stringify(medianOf(differences))}`);
}

function medianOf(differences: readonly number[]): Found {
  const sorted = differences.toSorted((a, b) => a - b);
  const pairs = sorted.length;
  const away = Math.ceil((DEVIATIONS * Math.sqrt(pairs)) / 2);
  const middle = pairs >> 1;
  return { median: sorted[middle]!, least: sorted[middle - away]!, most: sorted[pairs - 1 - middle + away]!, pairs };
}
