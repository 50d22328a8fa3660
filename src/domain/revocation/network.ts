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

/** How much the words speak for a wish to be left alone: the logarithm of the odds, above 0 where it is likely. */
export function oddsOf(network: Network, words: readonly string[]): number {
  const text = new Float32Array(words.length * DEPTH);
  words.forEach((word, at) => {
    const places = placesOf(word);
    const share = 1 / Math.sqrt(places.length);
    for (const place of places) {
      for (let i = 0; i < DEPTH; i++) text[at * DEPTH + i]! += network.pieces[place * DEPTH + i]! * share;
    }
  });
  const found = new Float32Array(ALL_PATTERNS);
  WIDTHS.forEach((width, group) => {
    for (let pattern = 0; pattern < PATTERNS; pattern++) {
      const index = group * PATTERNS + pattern;
      found[index] = bestFit(text, network.patterns[group]!, pattern, width, network.thresholds[index]!);
    }
  });
  let odds = network.bias[0]!;
  for (let i = 0; i < ALL_PATTERNS; i++) odds += network.alone[i]! * found[i]!;
  for (let j = 0; j < HIDDEN; j++) {
    let sum = network.hiddenBias[j]!;
    for (let i = 0; i < ALL_PATTERNS; i++) sum += network.hidden[j * ALL_PATTERNS + i]! * found[i]!;
    if (sum > 0) odds += network.together[j]! * sum;
  }
  return odds;
}

/** How well a pattern fits where it fits best, and 0 where it fits nowhere. */
function bestFit(text: Float32Array, patterns: Float32Array, pattern: number, width: number, start: number): number {
  const words = text.length / DEPTH;
  const [first, last] = reachOf(width, words);
  let best = 0;
  for (let place = first; place <= last; place++) {
    const from = Math.max(0, -place);
    const to = Math.min(width, words - place);
    let sum = start;
    for (let i = from * DEPTH; i < to * DEPTH; i++)
      sum += text[place * DEPTH + i]! * patterns[pattern * width * DEPTH + i]!;
    if (sum > best) best = sum;
  }
  return best;
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
