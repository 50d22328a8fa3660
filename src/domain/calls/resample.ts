/** Below this the sound of a telephone is left as it is, ... */
const PASS_HZ = 3_400;
/** ... and above this nothing is left of what would come back below 4 kHz as another tone. Folded it lies above 3.7 kHz, which a handset does not reproduce. */
const STOP_HZ = 4_300;
/** How far down: well past the noise of G.711, which is at 38 dB. The filter's length, and its cost, go with it. */
const STOP_DB = 65;
/** Samples that are taken at once; more only costs more turns of the loop. */
const CHUNK = 960;

export type Rate = 8_000 | 16_000 | 22_050 | 24_000 | 44_100 | 48_000;

/**
 * Takes the next samples of a stream and writes what they give at the other rate into `into`, which has room for
 * `outputRoom(...)`. Returns how many were written. Nothing is allocated.
 */
export type Resampler = (from: Int16Array, into: Int16Array) => number;

/** The most that `samples` at one rate can give at the other. */
export function outputRoom(samples: number, fromRate: Rate, toRate: Rate): number {
  return Math.ceil((samples * toRate) / fromRate) + 1;
}

/**
 * A streaming resampler by a low-pass of windowed sines (Kaiser), in as many phases as the rates' ratio has; one for each stream, its
 * coefficients shared. Either rate is 8 kHz: the pass band is the telephone's. Delays by half of its length, about 2 ms.
 */
export function createResampler(fromRate: Rate, toRate: Rate): Resampler {
  const { phases, step, taps, coefficients } = filterFor(fromRate, toRate);
  const window = new Float64Array(taps - 1 + CHUNK);
  /** Of the next output: the sample that it begins with, from the start of the chunk, and its phase. */
  let position = 0;
  let phase = 0;

  return (from, into) => {
    let written = 0;
    for (let start = 0; start < from.length; start += CHUNK) {
      const count = Math.min(CHUNK, from.length - start);
      for (let i = 0; i < count; i++) window[taps - 1 + i] = from[start + i] as number;
      for (; position < count; written++) {
        const first = phase * taps;
        // Four sums that do not wait for each other: twice as fast as one.
        let [a, b, c, d] = [0, 0, 0, 0];
        for (let k = 0; k < taps; k += 4) {
          a += (coefficients[first + k] as number) * (window[position + k] as number);
          b += (coefficients[first + k + 1] as number) * (window[position + k + 1] as number);
          c += (coefficients[first + k + 2] as number) * (window[position + k + 2] as number);
          d += (coefficients[first + k + 3] as number) * (window[position + k + 3] as number);
        }
        const sum = a + b + (c + d);
        into[written] = sum > 32_767 ? 32_767 : sum < -32_768 ? -32_768 : Math.round(sum);
        phase += step;
        while (phase >= phases) {
          phase -= phases;
          position += 1;
        }
      }
      position -= count;
      window.copyWithin(0, count, count + taps - 1);
    }
    return written;
  };
}

type Filter = { phases: number; step: number; taps: number; coefficients: Float64Array };

const filters = new Map<string, Filter>();

function filterFor(fromRate: number, toRate: number): Filter {
  const key = `${fromRate}:${toRate}`;
  const known = filters.get(key);
  if (known !== undefined) return known;
  const filter = makeFilter(fromRate, toRate);
  filters.set(key, filter);
  return filter;
}

/** The low-pass at the rate that both have in common, cut into its phases; each passes a constant unchanged. */
function makeFilter(fromRate: number, toRate: number): Filter {
  const divisor = greatestDivisor(fromRate, toRate);
  const phases = toRate / divisor;
  const step = fromRate / divisor;
  const commonRate = fromRate * phases;
  // Kaiser's formula for the length that a transition takes at an attenuation.
  const order = (STOP_DB - 8) / (2.285 * ((2 * Math.PI * (STOP_HZ - PASS_HZ)) / commonRate));
  const taps = 4 * Math.ceil((order / phases + 1) / 4);
  const length = taps * phases;
  const center = (length - 1) / 2;
  const cutoff = (PASS_HZ + STOP_HZ) / commonRate;
  const beta = 0.1102 * (STOP_DB - 8.7);

  const coefficients = new Float64Array(length);
  for (let phase = 0; phase < phases; phase++) {
    const first = phase * taps;
    let sum = 0;
    for (let k = 0; k < taps; k++) {
      const at = phase + (taps - 1 - k) * phases - center;
      const sinc = at === 0 ? cutoff : Math.sin(Math.PI * cutoff * at) / (Math.PI * at);
      const edge = at / (center + 1);
      coefficients[first + k] = sinc * bessel(beta * Math.sqrt(1 - edge * edge));
      sum += coefficients[first + k]!;
    }
    for (let k = 0; k < taps; k++) coefficients[first + k]! /= sum;
  }
  return { phases, step, taps, coefficients };
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** The modified Bessel function of order 0, by its series. */
function bessel(x: number): number {
  let sum = 1;
  for (let k = 1, term = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
