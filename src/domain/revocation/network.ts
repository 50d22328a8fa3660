import { remembering } from "#domain/values/remembering.ts";
import { PLACES, placesOf } from "./pieces.ts";

/** Numbers that stand for a word. */
export const DEPTH = 16;
/** How many words in a row a pattern looks at, and how many patterns there are of each width. */
export const WIDTHS: readonly number[] = [1, 2, 3, 5];
export const PATTERNS = 24;
const ALL_PATTERNS = WIDTHS.length * PATTERNS;
/** What the patterns found is weighed once alone and once together. */
export const HIDDEN = 24;

/**
 * A small network over the words of a text: each word is the sum of its pieces' numbers, each pattern gives how well it fits best anywhere, and
 * the logarithm of the odds that somebody asks to be left alone is weighed from that.
 */
export type Network = {
  pieces: Float32Array;
  /** By width: for each pattern a number for each of its words' numbers. */
  patterns: readonly Float32Array[];
  thresholds: Float32Array;
  hidden: Float32Array;
  hiddenBias: Float32Array;
  together: Float32Array;
  alone: Float32Array;
  bias: Float32Array;
};

export type OddsReader = (words: readonly string[]) => number;

export const emptyNetwork = (): Network => ({
  pieces: new Float32Array(PLACES * DEPTH),
  patterns: WIDTHS.map((width) => new Float32Array(PATTERNS * width * DEPTH)),
  thresholds: new Float32Array(ALL_PATTERNS),
  hidden: new Float32Array(HIDDEN * ALL_PATTERNS),
  hiddenBias: new Float32Array(HIDDEN),
  together: new Float32Array(HIDDEN),
  alone: new Float32Array(ALL_PATTERNS),
  bias: new Float32Array(1),
});

/** Its parts in the order in which they are written. */
export const partsOf = (network: Network): Float32Array[] => [
  network.pieces,
  ...network.patterns,
  network.thresholds,
  network.hidden,
  network.hiddenBias,
  network.together,
  network.alone,
  network.bias,
];

/** The first of a pattern's places and the last: it may hang over the text's edges by half of its width. */
export const reachOf = (width: number, words: number): [number, number] => {
  const over = width >> 1;
  return [Math.min(-over, words - width + over), Math.max(-over, words - width + over)];
};

/** Most words of a text are among those that are said all the time. Of each a reader keeps a kilobyte. */
const KNOWN_WORDS = 1_000;

/** Gives how much words speak for a wish to be left alone: the logarithm of the odds, above 0 where it is likely. */
export function oddsReader(network: Network): OddsReader {
  const fitsOf = remembering((word) => wordFits(network, word), KNOWN_WORDS);
  return (words) => weighed(network, bestFits(network, words.map(fitsOf)));
}

const SUM_OF_WIDTHS = WIDTHS.reduce((sum, width) => sum + width, 0);

/** How well a word fits each pattern at each of its places: by width, then by place, then by pattern. */
function wordFits(network: Network, word: string): Float32Array {
  const places = placesOf(word);
  const share = 1 / Math.sqrt(places.length);
  const numbers = new Float64Array(DEPTH);
  for (const place of places) {
    for (let i = 0; i < DEPTH; i++) numbers[i]! += network.pieces[place * DEPTH + i]! * share;
  }
  const fits = new Float32Array(SUM_OF_WIDTHS * PATTERNS);
  let at = 0;
  WIDTHS.forEach((width, group) => {
    const patterns = network.patterns[group]!;
    for (let place = 0; place < width; place++) {
      for (let pattern = 0; pattern < PATTERNS; pattern++) {
        const start = (pattern * width + place) * DEPTH;
        let sum = 0;
        for (let i = 0; i < DEPTH; i++) sum += numbers[i]! * patterns[start + i]!;
        fits[at++] = sum;
      }
    }
  });
  return fits;
}

/** How well each pattern fits where it fits best, and 0 where it fits nowhere. */
function bestFits(network: Network, words: readonly Float32Array[]): Float64Array {
  const best = new Float64Array(ALL_PATTERNS);
  const sums = new Float64Array(PATTERNS);
  let begin = 0;
  WIDTHS.forEach((width, group) => {
    const [first, last] = reachOf(width, words.length);
    for (let place = first; place <= last; place++) {
      for (let pattern = 0; pattern < PATTERNS; pattern++) {
        sums[pattern] = network.thresholds[group * PATTERNS + pattern]!;
      }
      for (let i = Math.max(0, -place); i < Math.min(width, words.length - place); i++) {
        const fits = words[place + i]!;
        const from = begin + i * PATTERNS;
        for (let pattern = 0; pattern < PATTERNS; pattern++) sums[pattern]! += fits[from + pattern]!;
      }
      for (let pattern = 0; pattern < PATTERNS; pattern++) {
        const index = group * PATTERNS + pattern;
        if (sums[pattern]! > best[index]!) best[index] = sums[pattern]!;
      }
    }
    begin += width * PATTERNS;
  });
  return best;
}

function weighed(network: Network, found: Float64Array): number {
  let odds = network.bias[0]!;
  for (let i = 0; i < ALL_PATTERNS; i++) odds += network.alone[i]! * found[i]!;
  for (let j = 0; j < HIDDEN; j++) {
    let sum = network.hiddenBias[j]!;
    for (let i = 0; i < ALL_PATTERNS; i++) sum += network.hidden[j * ALL_PATTERNS + i]! * found[i]!;
    if (sum > 0) odds += network.together[j]! * sum;
  }
  return odds;
}

/** Bytes for the many numbers of the pieces, two bytes for each of the others: a hundredth of what a part spans is exact enough. */
const stepsOf = (part: number): number => (part === 0 ? 127 : 32_767);

export type Written = { scales: readonly number[]; bytes: string };

export function writeNetwork(network: Network): Written {
  const scales: number[] = [];
  let bytes = "";
  partsOf(network).forEach((part, index) => {
    const steps = stepsOf(index);
    const scale = Math.fround(part.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9) / steps);
    scales.push(scale);
    for (const value of part) {
      const step = Math.max(-steps, Math.min(steps, Math.round(value / scale)));
      bytes += String.fromCharCode(step & 0xff);
      if (steps > 127) bytes += String.fromCharCode((step >> 8) & 0xff);
    }
  });
  return { scales, bytes: btoa(bytes) };
}

export function readNetwork({ scales, bytes }: Written): Network {
  const network = emptyNetwork();
  const read = atob(bytes);
  let at = 0;
  partsOf(network).forEach((part, index) => {
    const wide = stepsOf(index) > 127;
    for (let i = 0; i < part.length; i++) {
      const step = wide
        ? ((read.charCodeAt(at) | (read.charCodeAt(at + 1) << 8)) << 16) >> 16
        : (read.charCodeAt(at) << 24) >> 24;
      at += wide ? 2 : 1;
      part[i] = step * scales[index]!;
    }
  });
  return network;
}
