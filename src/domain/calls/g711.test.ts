import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ALAW_SILENCE,
  alawToUlaw,
  decodeAlaw,
  decodeUlaw,
  encodeAlaw,
  encodeUlaw,
  sampleToUlaw,
  ULAW_SILENCE,
  ulawToAlaw,
  ulawToSample,
} from "./g711.ts";

const everyCode = Uint8Array.from({ length: 256 }, (_, code) => code);
const everySample = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768);

/** G.711's tables 5 and 6: a tone of 1 kHz at 0 dBm0. */
const ALAW_MILLIWATT = Uint8Array.of(0x34, 0x21, 0x21, 0x34, 0xb4, 0xa1, 0xa1, 0xb4);
const ULAW_MILLIWATT = Uint8Array.of(0x1e, 0x0b, 0x0b, 0x1e, 0x9e, 0x8b, 0x8b, 0x9e);

/** What G.191 says of one sample, its loops as they stand there. */
function referenceUlaw(sample: number): number {
  const magnitude = Math.min((sample < 0 ? ~sample >> 2 : sample >> 2) + 33, 0x1fff);
  let segment = 1;
  for (let rest = magnitude >> 6; rest !== 0; rest >>= 1) segment += 1;
  const code = ((8 - segment) << 4) | (0xf - ((magnitude >> segment) & 0xf));
  return sample >= 0 ? code | 0x80 : code;
}

function referenceAlaw(sample: number): number {
  let magnitude = sample < 0 ? ~sample >> 4 : sample >> 4;
  if (magnitude > 15) {
    let exponent = 1;
    for (; magnitude > 31; magnitude >>= 1) exponent += 1;
    magnitude = magnitude - 16 + (exponent << 4);
  }
  return (sample >= 0 ? magnitude | 0x80 : magnitude) ^ 0x55;
}

test("every sample has the code that the reference gives it", () => {
  const ulaw = new Uint8Array(65_536);
  const alaw = new Uint8Array(65_536);
  encodeUlaw(everySample, ulaw);
  encodeAlaw(everySample, alaw);

  assert.deepEqual(ulaw, Uint8Array.from(everySample, referenceUlaw));
  assert.deepEqual(alaw, Uint8Array.from(everySample, referenceAlaw));
});

test("every code has the level of the standard, and is the code of its level", () => {
  const samples = new Int16Array(256);
  const codes = new Uint8Array(256);

  decodeUlaw(everyCode, samples);
  encodeUlaw(samples, codes);
  // Mu-law has a negative zero, which is no sample of its own.
  assert.deepEqual(
    [...everyCode].filter((code) => codes[code] !== code),
    [0x7f],
  );
  // Table 2: the largest level is 8,031 of 14 bits, the smallest 0, the next 2; segments begin at 33 times a power of 2, less 33.
  assert.deepEqual(
    [0x00, 0x80, 0xff, 0x7f, 0xfe, 0xef, 0x8f].map((code) => samples[code]! / 4),
    [-8031, 8031, 0, 0, 2, 33, 4191],
  );

  decodeAlaw(everyCode, samples);
  encodeAlaw(samples, codes);
  assert.deepEqual(codes, everyCode);
  // Table 1: levels 1 to 4,032 of 13 bits.
  assert.deepEqual(
    [0xd5, 0x55, 0xaa, 0x2a].map((code) => samples[code]! / 8),
    [1, -1, 4032, -4032],
  );
});

test("no level is further from its sample than half a step of the segment", () => {
  const wrong = [...everySample].filter((sample) => {
    if (Math.abs(sample) > 32_124) return false;
    const level = ulawToSample(sampleToUlaw(sample));
    const exponent = (~sampleToUlaw(sample) >> 4) & 7;
    return Math.abs(level - sample) > 4 << exponent;
  });

  assert.deepEqual(wrong, []);
});

test("a call keeps its level from law to law, and what was A-law's comes back from mu-law", () => {
  const out = new Uint8Array(8);
  ulawToAlaw(ULAW_MILLIWATT, out);
  assert.deepEqual(out, ALAW_MILLIWATT);
  alawToUlaw(ALAW_MILLIWATT, out);
  assert.deepEqual(out, ULAW_MILLIWATT);

  const there = new Uint8Array(256);
  ulawToAlaw(everyCode, there);
  assert.equal(there[ULAW_SILENCE], ALAW_SILENCE);
  alawToUlaw(there, there);
  const moved = [...everyCode].filter((code) => Math.abs((there[code]! & 0x7f) - (code & 0x7f)) > 1);
  assert.deepEqual(moved, [], "there and back no code moves by more than one");
  assert.ok(
    [...everyCode].every((code) => ((there[code]! ^ code) & 0x80) === 0),
    "nor changes its sign",
  );
});
