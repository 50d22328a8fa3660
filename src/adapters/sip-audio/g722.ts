/**
 * ITU-T G.722 at 64 kbit/s: sound of 16 kHz in two bands, each as the adaptive differences from what was to be expected; a byte for two samples.
 * Names and steps are the Recommendation's: INVQAL, LOGSCL, UPPOL2 and so on. Bit-exact with spandsp's (`g722.test.ts`). Coders keep their state: one a
 * stream and direction. Nothing is allocated for a frame.
 */

export const G722_RATE = 16_000;

/** The filters that split and join the bands: one half, the other is its mirror (table 4). */
const QMF = Int32Array.of(3, -11, 12, 32, -210, 951, 3_876, -805, 362, -156, 53, -11);
const TAPS = 24;

/** Decision levels of the lower band's 60 steps, for one sign (table 14, Q6). */
// biome-ignore format: as in the Recommendation
const Q6 = Int32Array.of(
  0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1_023, 1_121, 1_219, 1_339, 1_458, 1_612, 1_765,
  1_980, 2_195, 2_557, 2_919,
);
/** Levels of the codes of 6 bits (table 14, QQ6), and of their upper 4 (QQ4), which is what predicts. */
// biome-ignore format: as in the Recommendation
const QM6 = Int32Array.of(
  -136, -136, -136, -136, -24_808, -21_904, -19_008, -16_704, -14_984, -13_512, -12_280, -11_192, -10_232, -9_360, -8_576, -7_856,
  -7_192, -6_576, -6_000, -5_456, -4_944, -4_464, -4_008, -3_576, -3_168, -2_776, -2_400, -2_032, -1_688, -1_360, -1_040, -728,
  24_808, 21_904, 19_008, 16_704, 14_984, 13_512, 12_280, 11_192, 10_232, 9_360, 8_576, 7_856, 7_192, 6_576, 6_000, 5_456,
  4_944, 4_464, 4_008, 3_576, 3_168, 2_776, 2_400, 2_032, 1_688, 1_360, 1_040, 728, 432, 136, -432, -136,
);
// biome-ignore format: as in the Recommendation
const QM4 = Int32Array.of(0, -20_456, -12_896, -8_968, -6_288, -4_240, -2_584, -1_200, 20_456, 12_896, 8_968, 6_288, 4_240, 2_584, 1_200, 0);
/** Of the upper band's 2 bits. */
const QM2 = Int32Array.of(-7_408, -1_616, 7_408, 1_616);
/** Steps of the logarithmic scale factors, by the code. */
const WL = Int32Array.of(-60, 3_042, 1_198, 538, 334, 172, 58, -30, 3_042, 1_198, 538, 334, 172, 58, -30, -60);
const WH = Int32Array.of(798, -214, 798, -214);
/** 2 to the power of i/32, times 2,048. */
const ILB = Int32Array.from({ length: 32 }, (_, i) => Math.floor(2_048 * 2 ** (i / 32) + 0.5 - 1e-9));

const saturated = (value: number): number => (value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value);

/** What one band expects next, and how large its steps are. */
type Band = {
  /** The expected sample, and the part of it that the differences gave. */
  s: number;
  sz: number;
  /** Logarithm and value of the scale factor. */
  nb: number;
  det: number;
  /** Reconstructed signals, partly reconstructed ones, differences, the newest first; and the predictors' coefficients. */
  r: Int32Array;
  p: Int32Array;
  d: Int32Array;
  a1: number;
  a2: number;
  b: Int32Array;
};

const band = (det: number): Band => ({
  ...{ s: 0, sz: 0, nb: 0, det, a1: 0, a2: 0 },
  ...{ r: new Int32Array(2), p: new Int32Array(2), d: new Int32Array(6), b: new Int32Array(6) },
});

/** LOGSCL and SCALEL, or LOGSCH and SCALEH. */
function scale(of: Band, step: number, most: number, shift: number): void {
  const nb = ((of.nb * 127) >> 7) + step;
  of.nb = nb < 0 ? 0 : nb > most ? most : nb;
  const by = shift - (of.nb >> 11);
  const level = ILB[(of.nb >> 6) & 31]!;
  of.det = (by < 0 ? level << -by : level >> by) << 2;
}

/** Block 4: takes in the difference of this sample, and predicts the next one. */
function predict(of: Band, difference: number): void {
  const { r, p, d, b } = of;
  const recovered = saturated(of.s + difference);
  const partly = saturated(of.sz + difference);
  const isSame1 = partly < 0 === p[0]! < 0;
  const isSame2 = partly < 0 === p[1]! < 0;
  // UPPOL2
  const four = saturated(of.a1 << 2);
  const against = isSame1 ? -four : four;
  let a2 = (isSame2 ? 128 : -128) + ((against > 32_767 ? 32_767 : against) >> 7) + ((of.a2 * 32_512) >> 15);
  a2 = a2 > 12_288 ? 12_288 : a2 < -12_288 ? -12_288 : a2;
  // UPPOL1
  let a1 = saturated((isSame1 ? 192 : -192) + ((of.a1 * 32_640) >> 15));
  const most = saturated(15_360 - a2);
  a1 = a1 > most ? most : a1 < -most ? -most : a1;
  // UPZERO, with the delay line moved on in the same turn, and FILTEZ
  const step = difference === 0 ? 0 : 128;
  let sz = 0;
  for (let i = 5; i >= 0; i--) {
    const isSame = d[i]! < 0 === difference < 0;
    const coefficient = saturated((isSame ? step : -step) + ((b[i]! * 32_640) >> 15));
    b[i] = coefficient;
    const moved = i === 0 ? difference : d[i - 1]!;
    d[i] = moved;
    sz += (coefficient * saturated(moved + moved)) >> 15;
  }
  r[1] = r[0]!;
  r[0] = recovered;
  p[1] = p[0]!;
  p[0] = partly;
  of.a1 = a1;
  of.a2 = a2;
  // FILTEP and PREDIC
  const sp = saturated(((a1 * saturated(2 * recovered)) >> 15) + ((a2 * saturated(2 * r[1]!)) >> 15));
  of.sz = saturated(sz);
  of.s = saturated(sp + of.sz);
}

const scaleLow = (low: Band, code: number) => scale(low, WL[code >> 2]!, 18_432, 8);
const scaleHigh = (high: Band, code: number) => scale(high, WH[code]!, 22_528, 10);

/** The lower band's code: 6 bits. */
function codeLow(low: Band, sample: number): number {
  const error = saturated(sample - low.s);
  const size = error < 0 ? -(error + 1) : error;
  let step = 1;
  while (step < 30 && size >= (Q6[step]! * low.det) >> 12) step++;
  // The four innermost negative and two outermost codes are not in order: 4 bits have to be enough for those who get no more.
  const code = error < 0 ? (step < 3 ? 64 - step : 34 - step) : 62 - step;
  const difference = (low.det * QM4[code >> 2]!) >> 15;
  scaleLow(low, code);
  predict(low, difference);
  return code;
}

/** The upper band's: 2 bits. */
function codeHigh(high: Band, sample: number): number {
  const error = saturated(sample - high.s);
  const size = error < 0 ? -(error + 1) : error;
  const isLarge = size >= (564 * high.det) >> 12;
  const code = error < 0 ? (isLarge ? 0 : 1) : isLarge ? 2 : 3;
  const difference = (high.det * QM2[code]!) >> 15;
  scaleHigh(high, code);
  predict(high, difference);
  return code;
}

/** Encodes an even number of samples into half as many bytes of `into`, from `at` on. */
export type G722Encoder = (from: Int16Array, into: Uint8Array, at: number) => void;

export function g722Encoder(): G722Encoder {
  const low = band(32);
  const high = band(8);
  const line = new Int32Array(TAPS);
  return (from, into, at) => {
    for (let i = 0; i + 1 < from.length; i += 2) {
      line.copyWithin(0, 2);
      line[TAPS - 2] = from[i]!;
      line[TAPS - 1] = from[i + 1]!;
      let even = 0;
      let odd = 0;
      for (let k = 0; k < TAPS / 2; k++) {
        odd += line[2 * k]! * QMF[k]!;
        even += line[2 * k + 1]! * QMF[TAPS / 2 - 1 - k]!;
      }
      const lower = codeLow(low, (even + odd) >> 14);
      into[at + i / 2] = (codeHigh(high, (even - odd) >> 14) << 6) | lower;
    }
  };
}

/** Decodes each byte into two samples of `into`. Any byte is a valid code. */
export type G722Decoder = (from: Uint8Array, into: Int16Array) => void;

export function g722Decoder(): G722Decoder {
  const low = band(32);
  const high = band(8);
  const line = new Int32Array(TAPS);
  const limited = (value: number) => (value > 16_383 ? 16_383 : value < -16_384 ? -16_384 : value);
  return (from, into) => {
    for (let i = 0; i < from.length; i++) {
      const lower = from[i]! & 63;
      const upper = from[i]! >> 6;
      const lowSample = limited(low.s + ((low.det * QM6[lower]!) >> 15));
      const lowDifference = (low.det * QM4[lower >> 2]!) >> 15;
      scaleLow(low, lower);
      predict(low, lowDifference);
      const highDifference = (high.det * QM2[upper]!) >> 15;
      const highSample = limited(high.s + highDifference);
      scaleHigh(high, upper);
      predict(high, highDifference);
      line.copyWithin(0, 2);
      line[TAPS - 2] = lowSample + highSample;
      line[TAPS - 1] = lowSample - highSample;
      let first = 0;
      let second = 0;
      for (let k = 0; k < TAPS / 2; k++) {
        second += line[2 * k]! * QMF[k]!;
        first += line[2 * k + 1]! * QMF[TAPS / 2 - 1 - k]!;
      }
      into[2 * i] = saturated(first >> 11);
      into[2 * i + 1] = saturated(second >> 11);
    }
  };
}
