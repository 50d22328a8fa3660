/** 10 ms at 8 kHz. */
const FRAME = 80;
/** Long enough to be like nothing else in a call, short enough to lie within one stretch of speech. */
const PROBE = 4_000;
/** Of what is compared piece by piece. */
const BLOCK = 1_600;
/** A telephone's silence is a few steps; speech a hundred times that. */
const LOUD = 150;
/** Loudness says where to look, the samples whether it is there: the best places, and how far around each. */
const PLACES = 3;
const AROUND = 120;
/** What a piece may have been moved against the one before it, by lost packets or late frames: a second. */
const MOST_MOVED = 8_000;
const FOUND = 0.9;
/** Every third sample says as much as all: a tone's period is not a multiple of three, or it would be seen at its zeros alone. */
const STEP = 3;
/** Two recordings of one call begin within this of each other: two seconds. */
const MOST_APART = 16_000;

export type Place = { at: number; likeness: number };

/**
 * Where in `whole` the sound of `part` begins, by its loudest half second, and how alike they are there: 1 is the same. Samples at 8 kHz; no
 * further than `within` from the beginning, for what is said twice in a call is there twice.
 */
export function locate(part: Int16Array, whole: Int16Array, within = Number.POSITIVE_INFINITY): Place {
  const probeAt = loudest(part);
  const probe = part.subarray(probeAt, probeAt + PROBE);
  const [small, large] = [envelope(probe), envelope(whole)];
  const loudness = { of: small, from: 0, length: small.length, step: 1, power: power(small, 0, small.length, 1) };
  const places: Place[] = [];
  const first = Math.max(0, Math.floor((probeAt - within) / FRAME));
  const last = Math.min(large.length - small.length, Math.ceil((probeAt + within) / FRAME));
  for (let at = first; at <= last; at++) {
    const likeness = correlation(loudness, large, at);
    const near = places.findIndex((place) => at - place.at < 3);
    if (near >= 0) {
      if (likeness > places[near]!.likeness) places[near] = { at, likeness };
    } else places.push({ at, likeness });
    places.sort((a, b) => b.likeness - a.likeness).splice(PLACES);
  }
  const refined = places.map(({ at }) => search(probe, 0, probe.length, whole, at * FRAME, AROUND));
  const best = refined.reduce((a, b) => (b.likeness > a.likeness ? b : a), { at: 0, likeness: 0 });
  return { at: best.at - probeAt, likeness: best.likeness };
}

/**
 * How much of the sound of `a` is in `b`, each piece of it where the one before lets one expect it: 1 is all. `a` begins at `at` in `b`; where
 * they are two recordings of one call, it is found. `movedMs` is by how much the time of one goes astray from the other's, `missedMs` how much
 * of what is loud in `a` is not there.
 */
export function share(
  a: Int16Array,
  b: Int16Array,
  at = locate(a, b, MOST_APART).at,
): { likeness: number; movedMs: number; missedMs: number } {
  let lag = at;
  let [found, all, missed] = [0, 0, 0];
  const lags: number[] = [];
  for (let from = 0; from + BLOCK <= a.length; from += BLOCK) {
    const energy = power(a, from, BLOCK, 1);
    if (energy < BLOCK * LOUD ** 2) continue;
    let place = search(a, from, BLOCK, b, from + lag, FRAME / 2);
    if (place.likeness < FOUND) place = search(a, from, BLOCK, b, from + lag, MOST_MOVED);
    if (place.likeness >= FOUND) {
      lag = place.at - from;
      lags.push(lag);
    }
    if (place.likeness < FOUND) missed += BLOCK;
    found += energy * Math.max(0, place.likeness);
    all += energy;
  }
  return {
    likeness: all === 0 ? 0 : found / all,
    movedMs: lags.length === 0 ? 0 : (Math.max(...lags) - Math.min(...lags)) / 8,
    missedMs: missed / 8,
  };
}

/** Whether somebody is to be heard in it. */
export const isSilent = (samples: Int16Array): boolean => envelope(samples).every((level) => level < LOUD);

/** The most alike place for a piece of `a` in `b`, at most `around` samples from `near`. */
function search(a: Int16Array, from: number, length: number, b: Int16Array, near: number, around: number): Place {
  const best: Place = { at: near, likeness: 0 };
  const piece = { of: a, from, length, step: STEP, power: power(a, from, length, STEP) };
  for (let at = Math.max(0, near - around); at <= Math.min(near + around, b.length - length); at++) {
    const likeness = correlation(piece, b, at);
    if (likeness > best.likeness) Object.assign(best, { at, likeness });
  }
  return best;
}

type Samples = Int16Array | Float32Array;
type Piece = { of: Samples; from: number; length: number; step: number; power: number };

function correlation({ of, from, length, step, power }: Piece, b: Samples, at: number): number {
  let [product, other] = [0, 0];
  for (let i = 0; i < length; i += step) {
    product += of[from + i]! * b[at + i]!;
    other += b[at + i]! ** 2;
  }
  return product / Math.sqrt(power * other || 1);
}

function power(of: Samples, from: number, length: number, step: number): number {
  let sum = 0;
  for (let i = 0; i < length; i += step) sum += of[from + i]! ** 2;
  return sum;
}

/** How loud each frame is. */
function envelope(samples: Int16Array): Float32Array {
  return Float32Array.from({ length: Math.floor(samples.length / FRAME) }, (_, i) =>
    Math.sqrt(power(samples, i * FRAME, FRAME, 1) / FRAME),
  );
}

/** Where the loudest half second begins. */
function loudest(samples: Int16Array): number {
  const length = Math.min(PROBE, samples.length);
  let [best, most] = [0, -1];
  for (let at = 0; at + length <= samples.length; at += PROBE / 10) {
    const energy = power(samples, at, length, 1);
    if (energy > most) [best, most] = [at, energy];
  }
  return best;
}
