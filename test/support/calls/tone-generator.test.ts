import assert from "node:assert/strict";
import { test } from "node:test";
import { levelDb } from "#media/audio/energy-vad.ts";
import { BUSY, createToneGenerator, keyPresses, keyTones, tonesOf } from "./tone-generator.ts";

test("tones last as long as they should, and silence follows", () => {
  const next = createToneGenerator([{ hz: [1_000], ms: 50 }]);
  const frame = new Int16Array(160);
  const levels: number[] = [];
  const isPlaying = [1, 2, 3, 4].map(() => {
    const is = next(frame);
    levels.push(levelDb(frame));
    return is;
  });

  assert.deepEqual(isPlaying, [true, true, true, false]);
  assert.ok(Math.abs(levels[1]! + 16) < 0.1 && Math.abs(levels[2]! + 19) < 0.8 && levels[3] === -100);
});

test("each tone has its level, and none clicks", () => {
  const samples = tonesOf(BUSY, -20);
  const steps = samples.map((sample, i) => Math.abs(sample - (samples[i - 1] ?? 0)));

  assert.equal(samples.length, 8_000);
  assert.ok(Math.abs(levelDb(samples.subarray(0, 4_000)) + 17) < 0.2);
  assert.equal(levelDb(samples.subarray(4_000)), -100);
  assert.ok(Math.abs(samples[0]!) < 200 && Math.abs(samples[3_999]!) < 600 && Math.max(...steps) < 5_000);
});

test("what repeats goes on", () => {
  const next = createToneGenerator(BUSY, { repeats: true });
  const levels = Array.from({ length: 200 }, () => {
    const frame = new Int16Array(160);
    assert.ok(next(frame));
    return levelDb(frame) > -30;
  });

  assert.equal(levels.filter((isOn) => isOn).length, 100);
  assert.ok(levels[100] && !levels[199]);
});

test("keys have the tones of Q.23", () => {
  assert.deepEqual(
    [keyTones("1"), keyTones("0"), keyTones("#"), keyTones("D")],
    [
      [697, 1_209],
      [941, 1_336],
      [941, 1_477],
      [941, 1_633],
    ],
  );
  assert.equal(keyTones("12"), undefined);
  assert.deepEqual(
    keyPresses("2x").map(({ ms }) => ms),
    [100, 100],
  );
});
