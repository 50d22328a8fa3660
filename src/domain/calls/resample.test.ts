import assert from "node:assert/strict";
import { test } from "node:test";
import { createResampler, outputRoom, type Rate } from "./resample.ts";

const sine = (hz: number, rate: number, ms: number, peak = 16_000): Int16Array =>
  Int16Array.from({ length: (rate * ms) / 1000 }, (_, n) => Math.round(peak * Math.sin((2 * Math.PI * hz * n) / rate)));

/** The stream in pieces of 20 ms and of odd lengths, as voices send it. */
function resampled(from: Int16Array, fromRate: Rate, toRate: Rate, piece = fromRate / 50): Int16Array {
  const resample = createResampler(fromRate, toRate);
  const out = new Int16Array(outputRoom(from.length, fromRate, toRate) + 100);
  const room = new Int16Array(outputRoom(piece, fromRate, toRate));
  let length = 0;
  for (let at = 0; at < from.length; at += piece) {
    const count = resample(from.subarray(at, at + piece), room);
    out.set(room.subarray(0, count), length);
    length += count;
  }
  return out.subarray(0, length);
}

/** How far the tone stands over everything else, in dB, and its level against `peak`. */
function toneOf(samples: Int16Array, hz: number, rate: number): { snr: number; level: number } {
  // Whole periods, past the filter's beginning.
  const used = samples.subarray(rate / 10, rate / 10 + rate / 2);
  let [re, im, energy] = [0, 0, 0];
  for (let n = 0; n < used.length; n++) {
    re += used[n]! * Math.cos((2 * Math.PI * hz * n) / rate);
    im += used[n]! * Math.sin((2 * Math.PI * hz * n) / rate);
    energy += used[n]! ** 2;
  }
  const tone = (2 * (re * re + im * im)) / used.length;
  return { snr: 10 * Math.log10(tone / (energy - tone)), level: Math.sqrt((2 * tone) / used.length) };
}

const ways: [Rate, Rate][] = [
  [8_000, 16_000],
  [16_000, 8_000],
  [22_050, 8_000],
  [24_000, 8_000],
  [44_100, 8_000],
  [48_000, 8_000],
];

for (const [from, to] of ways) {
  test(`a tone passes from ${from} to ${to} Hz as it was`, (t) => {
    for (const hz of [300, 1_000, 3_400]) {
      const { snr, level } = toneOf(resampled(sine(hz, from, 1000), from, to), hz, to);
      t.diagnostic(`${hz} Hz: SNR ${snr.toFixed(1)} dB, level ${((level / 16_000) * 100).toFixed(2)} %`);

      assert.ok(snr > 64, `${hz} Hz has an SNR of ${snr} dB`);
      assert.ok(Math.abs(level / 16_000 - 1) < 0.01, `${hz} Hz has ${level} of 16,000`);
    }
  });

  test(`a second at ${from} Hz is a second at ${to} Hz, in whatever pieces it comes`, () => {
    const second = sine(440, from, 1000);
    const whole = resampled(second, from, to, second.length);

    assert.ok(Math.abs(whole.length - to) <= 1, `${whole.length} samples`);
    assert.deepEqual(resampled(second, from, to, 137), whole);
    assert.deepEqual(resampled(second, from, to), whole);
  });
}

test("what a telephone cannot carry does not come back as another tone", (t) => {
  for (const rate of [16_000, 22_050, 24_000, 44_100, 48_000] as const) {
    for (const hz of [4_400, 5_000, 7_000]) {
      const left = resampled(sine(hz, rate, 500), rate, 8_000).subarray(400);
      const level = 20 * Math.log10(Math.max(...left.map(Math.abs), 1) / 16_000);
      t.diagnostic(`${hz} Hz at ${rate}: ${level.toFixed(1)} dB`);
      assert.ok(level < -64, `${hz} Hz at ${rate} is left with ${level} dB`);
    }
  }
});

test("the loudest tone is not wrapped round", () => {
  const out = resampled(sine(1_000, 48_000, 200, 32_767), 48_000, 8_000);
  const steps = out.map((sample, n) => Math.abs(sample - (out[n - 1] ?? sample)));

  assert.ok(Math.max(...steps) < 30_000);
});
