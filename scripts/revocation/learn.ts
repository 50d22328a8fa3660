import {
  DEPTH,
  emptyNetwork,
  HIDDEN,
  type Network,
  PATTERNS,
  partsOf,
  reachOf,
  WIDTHS,
} from "#domain/revocation/network.ts";
import { placesOf, wordsOf } from "#domain/revocation/pieces.ts";
import type { Example } from "./examples.ts";
import { varied } from "./variety.ts";

const ALL_PATTERNS = WIDTHS.length * PATTERNS;

/** How often all examples are gone through: more made the open half no better. */
const ROUNDS = 8;
/** AdaGrad: each number moves by this over the root of what it has moved by so far. */
const STEP = 0.05;
const FIRST_SQUARES = 1e-2;
/** Patterns that are left out at random, so that none relies on another; and words known by their parts alone, so that strange ones are. */
const LEFT_OUT = 0.3;
const BY_PARTS_ONLY = 0.2;
/** An example that is read right to this degree teaches nothing. */
const LEARNED = 0.01;

/** A generator of the same numbers on every machine (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A network that has learned from the examples. The same examples, seed and rounds give the same network. */
export function learn(examples: readonly Example[], seed: number, rounds = ROUNDS): Network {
  const random = randomFrom(seed);
  const network = begun(random);
  const teach = teacherOf(network, random);
  for (let round = 0; round < rounds; round++) {
    const seen = varied(examples, random);
    for (let i = seen.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [seen[i], seen[j]] = [seen[j]!, seen[i]!];
    }
    for (const { folded, asks, stop } of seen) teach(wordsOf(folded, asks), stop);
  }
  return network;
}

function begun(random: () => number): Network {
  const network = emptyNetwork();
  const fill = (part: Float32Array, spread: number) => {
    for (let i = 0; i < part.length; i++) part[i] = (random() + random() + random() - 1.5) * 2 * spread;
  };
  fill(network.pieces, 0.1);
  network.patterns.forEach((part, group) => {
    fill(part, 2 / Math.sqrt(WIDTHS[group]! * DEPTH));
  });
  fill(network.hidden, 1 / Math.sqrt(ALL_PATTERNS));
  fill(network.together, 1 / Math.sqrt(HIDDEN));
  fill(network.alone, 1 / Math.sqrt(ALL_PATTERNS));
  return network;
}

/** Reads one example after another, and moves every number that had a part in it towards the right answer. */
function teacherOf(network: Network, random: () => number): (words: readonly string[], stop: boolean) => void {
  const known = new Map<string, number[]>();
  const placesKnown = (word: string): number[] => {
    const places = known.get(word) ?? placesOf(word);
    known.set(word, places);
    return places;
  };
  const squares = new Map(partsOf(network).map((part) => [part, new Float32Array(part.length).fill(FIRST_SQUARES)]));
  const mover = (part: Float32Array): ((index: number, slope: number) => void) => {
    const sums = squares.get(part)!;
    return (index, slope) => {
      if (slope === 0) return;
      sums[index]! += slope * slope;
      part[index]! -= (STEP * slope) / Math.sqrt(sums[index]!);
    };
  };
  const move = {
    pieces: mover(network.pieces),
    patterns: network.patterns.map(mover),
    thresholds: mover(network.thresholds),
    hidden: mover(network.hidden),
    hiddenBias: mover(network.hiddenBias),
    together: mover(network.together),
    alone: mover(network.alone),
    bias: mover(network.bias),
  };

  return (words, stop) => {
    // Forwards, as network.ts does, keeping where each pattern fitted.
    const count = words.length;
    const text = new Float32Array(count * DEPTH);
    const used = words.map((word) => {
      const places = placesKnown(word);
      return places.length > 1 && random() < BY_PARTS_ONLY ? places.slice(1) : places;
    });
    used.forEach((places, at) => {
      const share = 1 / Math.sqrt(places.length);
      for (const place of places)
        for (let i = 0; i < DEPTH; i++) text[at * DEPTH + i]! += network.pieces[place * DEPTH + i]! * share;
    });
    const found = new Float32Array(ALL_PATTERNS);
    const fittedAt = new Int32Array(ALL_PATTERNS);
    const kept = Float32Array.from({ length: ALL_PATTERNS }, () => (random() < LEFT_OUT ? 0 : 1 / (1 - LEFT_OUT)));
    WIDTHS.forEach((width, group) => {
      const patterns = network.patterns[group]!;
      const [first, last] = reachOf(width, count);
      for (let pattern = 0; pattern < PATTERNS; pattern++) {
        const index = group * PATTERNS + pattern;
        if (kept[index] === 0) continue;
        const start = network.thresholds[index]!;
        const base = pattern * width * DEPTH;
        let best = 0;
        for (let place = first; place <= last; place++) {
          const to = Math.min(width, count - place) * DEPTH;
          const offset = place * DEPTH;
          let sum = start;
          for (let i = Math.max(0, -place) * DEPTH; i < to; i++) sum += text[offset + i]! * patterns[base + i]!;
          if (sum > best) {
            best = sum;
            fittedAt[index] = place;
          }
        }
        found[index] = best * kept[index]!;
      }
    });
    const sums = new Float32Array(HIDDEN);
    let odds = network.bias[0]!;
    for (let i = 0; i < ALL_PATTERNS; i++) odds += network.alone[i]! * found[i]!;
    for (let j = 0; j < HIDDEN; j++) {
      let sum = network.hiddenBias[j]!;
      for (let i = 0; i < ALL_PATTERNS; i++) sum += network.hidden[j * ALL_PATTERNS + i]! * found[i]!;
      sums[j] = Math.max(0, sum);
      odds += network.together[j]! * sums[j]!;
    }

    // Backwards, from how wrong the answer is.
    const wrong = 1 / (1 + Math.exp(-odds)) - (stop ? 1 : 0);
    if (Math.abs(wrong) < LEARNED) return;
    const slopes = new Float32Array(ALL_PATTERNS);
    move.bias(0, wrong);
    for (let i = 0; i < ALL_PATTERNS; i++) {
      slopes[i] = wrong * network.alone[i]!;
      move.alone(i, wrong * found[i]!);
    }
    for (let j = 0; j < HIDDEN; j++) {
      if (sums[j] === 0) continue;
      const slope = wrong * network.together[j]!;
      move.together(j, wrong * sums[j]!);
      move.hiddenBias(j, slope);
      for (let i = 0; i < ALL_PATTERNS; i++) {
        slopes[i]! += slope * network.hidden[j * ALL_PATTERNS + i]!;
        move.hidden(j * ALL_PATTERNS + i, slope * found[i]!);
      }
    }
    const textSlopes = new Float32Array(count * DEPTH);
    WIDTHS.forEach((width, group) => {
      const patterns = network.patterns[group]!;
      const movePattern = move.patterns[group]!;
      for (let pattern = 0; pattern < PATTERNS; pattern++) {
        const index = group * PATTERNS + pattern;
        if (found[index]! <= 0) continue;
        const slope = slopes[index]! * kept[index]!;
        const place = fittedAt[index]!;
        const offset = place * DEPTH;
        const base = pattern * width * DEPTH;
        move.thresholds(index, slope);
        const to = Math.min(width, count - place) * DEPTH;
        for (let i = Math.max(0, -place) * DEPTH; i < to; i++) {
          textSlopes[offset + i]! += slope * patterns[base + i]!;
          movePattern(base + i, slope * text[offset + i]!);
        }
      }
    });
    used.forEach((places, at) => {
      const share = 1 / Math.sqrt(places.length);
      for (const place of places)
        for (let i = 0; i < DEPTH; i++) move.pieces(place * DEPTH + i, textSlopes[at * DEPTH + i]! * share);
    });
  };
}
