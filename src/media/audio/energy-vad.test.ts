import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnergyVad, levelDb } from "./energy-vad.ts";

const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32 - 0.5;
};
/** White noise at a level in dBFS. */
const noise = (db: number, chance: () => number) =>
  Int16Array.from({ length: 160 }, () => Math.round(32_768 * 10 ** (db / 20) * Math.sqrt(12) * chance()));
const tone = (db: number, index: number) =>
  Int16Array.from({ length: 160 }, (_, i) =>
    Math.round(32_768 * Math.SQRT2 * 10 ** (db / 20) * Math.sin((index * 160 + i) / 8)),
  );

test("levels are in dBFS", () => {
  assert.equal(levelDb(new Int16Array(160)), -100);
  assert.ok(Math.abs(levelDb(new Int16Array(160).fill(-32_768))) < 0.01);
  assert.ok(Math.abs(levelDb(tone(-20, 0)) + 20) < 0.3);
  assert.ok(Math.abs(levelDb(noise(-40, random(1))) + 40) < 1);
});

test("an even noise is silence, whatever its level, and a voice over it is speech", () => {
  for (const db of [-70, -50, -35]) {
    const chance = random(2);
    const vad = createEnergyVad();
    for (let i = 0; i < 100; i++) vad.push(noise(db, chance));
    const quiet = Array.from({ length: 200 }, () => vad.push(noise(db, chance)));
    const loud = Array.from({ length: 40 }, (_, i) => vad.push(tone(Math.max(db + 20, -40), i)));

    assert.equal(quiet.filter((probability) => probability >= 0.5).length, 0, `noise at ${db} dBFS`);
    assert.equal(loud.filter((probability) => probability >= 0.5).length, 40, `a voice over ${db} dBFS`);
  }
});

test("a noise that gets louder is taken for the floor within two seconds", () => {
  const chance = random(3);
  const vad = createEnergyVad();
  for (let i = 0; i < 100; i++) vad.push(noise(-70, chance));
  const probabilities = Array.from({ length: 200 }, () => vad.push(noise(-40, chance)));

  assert.equal(probabilities[0], 1);
  assert.equal(Math.max(...probabilities.slice(100)), 0);
});
