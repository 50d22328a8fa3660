import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleToUlaw, ulawToSample } from "#domain/calls/g711.ts";
import { decodeMuLaw, encodeMuLaw } from "../../console/src/parts/microphone/mu-law.ts";
import { PlayoutBuffer } from "../../console/src/parts/microphone/playout-buffer.ts";
import { Resampler } from "../../console/src/parts/microphone/resampler.ts";

const MICROPHONE_RATES = [48_000, 44_100, 16_000, 96_000];

test("the console's mu-law is the service's", () => {
  for (let level = -32_768; level < 32_768; level++) assert.equal(encodeMuLaw(level / 32_768), sampleToUlaw(level));
  for (let code = 0; code < 256; code++) assert.equal(decodeMuLaw(code) * 32_768, ulawToSample(code));
  assert.equal(encodeMuLaw(2), sampleToUlaw(32_767));
  assert.equal(encodeMuLaw(-2), sampleToUlaw(-32_768));
});

/** How much louder a tone is once it has been brought from rate to rate, in dB, over a second in its middle. */
function gainOf(hz: number, from: number, to: number): number {
  const resampler = new Resampler(from, to);
  const made: number[] = [];
  for (let i = 0; i < 2 * from; i++) {
    resampler.push(Math.sin((2 * Math.PI * hz * i) / from), (sample) => made.push(sample));
  }
  assert.ok(Math.abs(made.length - 2 * to) < 0.01 * to, `${made.length} samples of two seconds`);
  const middle = made.slice(to / 2, (to / 2) * 3);
  return 10 * Math.log10((2 * middle.reduce((sum, sample) => sum + sample * sample, 0)) / middle.length);
}

test("what a voice is made of comes from the microphone to the line as loud as it was", () => {
  for (const rate of MICROPHONE_RATES) {
    for (const hz of [300, 1_000, 3_000]) {
      const gain = gainOf(hz, rate, 8_000);
      assert.ok(Math.abs(gain) < 1, `${hz} Hz at ${rate}: ${gain} dB`);
    }
  }
});

test("what the line cannot carry does not come back as another tone", () => {
  for (const rate of MICROPHONE_RATES) {
    for (const hz of [4_100, 6_000, 7_000]) {
      const gain = gainOf(hz, rate, 8_000);
      assert.ok(gain < -40, `${hz} Hz at ${rate}: ${gain} dB`);
    }
  }
});

test("what comes from the line is as loud, and nothing else is heard with it", () => {
  for (const rate of MICROPHONE_RATES) {
    const resampler = new Resampler(8_000, rate);
    const made: number[] = [];
    for (let i = 0; i < 16_000; i++) {
      resampler.push(Math.sin((2 * Math.PI * 1_000 * i) / 8_000), (sample) => made.push(sample));
    }
    const middle = made.slice(rate / 2, (rate / 2) * 3);
    const part = (of: (angle: number) => number) =>
      (2 * middle.reduce((sum, sample, i) => sum + sample * of((2 * Math.PI * 1_000 * i) / rate), 0)) / middle.length;
    const tone = part(Math.sin) ** 2 + part(Math.cos) ** 2;
    const all = (2 * middle.reduce((sum, sample) => sum + sample * sample, 0)) / middle.length;
    assert.ok(Math.abs(10 * Math.log10(tone)) < 1, `${tone} at ${rate}`);
    assert.ok(all - tone < 1e-4, `${all - tone} beside the tone at ${rate}`);
  }
});

const frame = (level: number) => new Uint8Array(160).fill(encodeMuLaw(level));
const take = (buffer: PlayoutBuffer, count: number) => Array.from({ length: count }, () => buffer.next());

test("nothing is heard before 60 ms are there, and silence once all was", () => {
  const buffer = new PlayoutBuffer();
  buffer.add(frame(0.5));
  buffer.add(frame(0.5));
  assert.ok(take(buffer, 160).every((sample) => sample === 0));
  buffer.add(frame(0.5));
  assert.ok(take(buffer, 480).every((sample) => sample > 0.4));
  assert.ok(take(buffer, 160).every((sample) => sample === 0));
  buffer.add(frame(0.5));
  assert.ok(take(buffer, 160).every((sample) => sample === 0));
});

test("of more than 200 ms that wait, the oldest are left out", () => {
  const buffer = new PlayoutBuffer();
  for (let i = 0; i < 3; i++) buffer.add(frame(-0.5));
  for (let i = 0; i < 10; i++) buffer.add(frame(0.5));
  assert.ok(take(buffer, 1_600).every((sample) => sample > 0.4));
  assert.equal(buffer.next(), 0);
});
