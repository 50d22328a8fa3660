/**
 * G.711, the telephone's sound: a sample of 16 bits in 8, by mu-law (North America, Japan) or A-law (everywhere else). Codes and levels are
 * those of ITU-T G.711 and of its reference, G.191: mu-law's 14 bits and A-law's 13 stand at the top of a 16-bit sample.
 */

/** Samples a second. */
export const G711_RATE = 8_000;

/** One frame of 20 ms: samples, and bytes of G.711. */
export const FRAME_SAMPLES = 160;
export const FRAME_MS = 20;

/** Silence: the code of 0. */
export const ULAW_SILENCE = 0xff;
export const ALAW_SILENCE = 0xd5;

/** G.711's bias, which makes every segment of mu-law twice the one before. */
const ULAW_BIAS = 33;
const ULAW_MAX = 0x1fff;

function ulawCode(sample: number): number {
  const magnitude = Math.min(((sample < 0 ? ~sample : sample) >> 2) + ULAW_BIAS, ULAW_MAX);
  const segment = 32 - Math.clz32(magnitude >> 6);
  const code = ((7 - segment) << 4) | (0xf - ((magnitude >> (segment + 1)) & 0xf));
  return sample < 0 ? code : code | 0x80;
}

function ulawSample(code: number): number {
  const exponent = (~code >> 4) & 7;
  const step = 8 << exponent;
  const magnitude = (0x80 << exponent) + step * (~code & 0xf) + step / 2 - 4 * ULAW_BIAS;
  return code < 0x80 ? 0 - magnitude : magnitude;
}

function alawCode(sample: number): number {
  const magnitude = (sample < 0 ? ~sample : sample) >> 4;
  const segment = 32 - Math.clz32(magnitude >> 5);
  const code = magnitude < 32 ? magnitude : ((segment + 1) << 4) | ((magnitude >> segment) & 0xf);
  return (sample < 0 ? code : code | 0x80) ^ 0x55;
}

function alawSample(code: number): number {
  const bits = (code ^ 0x55) & 0x7f;
  const exponent = bits >> 4;
  const mantissa = (((bits & 0xf) | (exponent > 0 ? 16 : 0)) << 4) + 8;
  const magnitude = exponent > 1 ? mantissa << (exponent - 1) : mantissa;
  return code > 127 ? magnitude : -magnitude;
}

const ulawSamples = Int16Array.from({ length: 256 }, (_, code) => ulawSample(code));
const alawSamples = Int16Array.from({ length: 256 }, (_, code) => alawSample(code));
/** By the sample's upper 14 and 13 bits: neither law looks at the rest. */
const ulawCodes = Uint8Array.from({ length: 1 << 14 }, (_, at) => ulawCode((at << 18) >> 16));
const alawCodes = Uint8Array.from({ length: 1 << 13 }, (_, at) => alawCode((at << 19) >> 16));
/**
 * From law to law by G.711's tables 3 and 4: where the level of mu-law's number n is in A-law (from 1) and the other way (from 0). Not
 * the nearest level everywhere: these lose least when a call is taken to the other law and back.
 */
// biome-ignore format: as in the standard
const ALAW_NUMBERS = [
  1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
  25, 27, 29, 31, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 46, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
  64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96,
  97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128,
];
// biome-ignore format: as in the standard
const ULAW_NUMBERS = [
  1, 3, 5, 7, 9, 11, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 32, 33, 33, 34, 34, 35, 35,
  36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 48, 49, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 64,
  65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
  96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
];
const alawOfUlaw = Uint8Array.from({ length: 256 }, (_, code) =>
  code < 0x80 ? 0x55 ^ (ALAW_NUMBERS[code ^ 0x7f]! - 1) : 0xd5 ^ (ALAW_NUMBERS[code ^ 0xff]! - 1),
);
const ulawOfAlaw = Uint8Array.from({ length: 256 }, (_, code) =>
  code < 0x80 ? 0x7f ^ ULAW_NUMBERS[code ^ 0x55]! : 0xff ^ ULAW_NUMBERS[code ^ 0xd5]!,
);

/** One code as a sample of 16 bits. */
export function ulawToSample(code: number): number {
  return ulawSamples[code] as number;
}

/** One sample of 16 bits as a code. */
export function sampleToUlaw(sample: number): number {
  return ulawCodes[(sample >> 2) & 0x3fff] as number;
}

/** Decodes `from` into the first samples of `into`, which has at least as many; so do the three below. Nothing is allocated. */
export function decodeUlaw(from: Uint8Array, into: Int16Array): void {
  for (let i = 0; i < from.length; i++) into[i] = ulawSamples[from[i] as number] as number;
}

export function encodeUlaw(from: Int16Array, into: Uint8Array): void {
  for (let i = 0; i < from.length; i++) into[i] = ulawCodes[((from[i] as number) >> 2) & 0x3fff] as number;
}

export function decodeAlaw(from: Uint8Array, into: Int16Array): void {
  for (let i = 0; i < from.length; i++) into[i] = alawSamples[from[i] as number] as number;
}

export function encodeAlaw(from: Int16Array, into: Uint8Array): void {
  for (let i = 0; i < from.length; i++) into[i] = alawCodes[((from[i] as number) >> 3) & 0x1fff] as number;
}

/** From one law to the other; `into` may be `from`. */
export function alawToUlaw(from: Uint8Array, into: Uint8Array): void {
  for (let i = 0; i < from.length; i++) into[i] = ulawOfAlaw[from[i] as number] as number;
}

export function ulawToAlaw(from: Uint8Array, into: Uint8Array): void {
  for (let i = 0; i < from.length; i++) into[i] = alawOfUlaw[from[i] as number] as number;
}
