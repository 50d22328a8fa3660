import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { AMBIENT_SOUNDS } from "#domain/agents/agent.ts";
import { AMBIENT_DB, ambientLoop, createAmbient } from "./ambient.ts";
import { levelDb } from "./energy-vad.ts";

for (const sound of AMBIENT_SOUNDS) {
  test(`${sound} has its level all the time, and nothing in it is as loud as a voice`, (t) => {
    const loop = ambientLoop(sound);
    const seconds = Array.from({ length: 40 }, (_, i) => levelDb(loop.subarray(i * 8_000, (i + 1) * 8_000)));
    const frames = Array.from({ length: loop.length / 160 }, (_, i) => levelDb(loop.subarray(i * 160, (i + 1) * 160)));
    t.diagnostic(
      `${levelDb(loop).toFixed(1)} dBFS; seconds ${Math.min(...seconds).toFixed(0)} to ${Math.max(...seconds).toFixed(0)}, loudest frame ${Math.max(...frames).toFixed(0)}`,
    );

    assert.ok(Math.abs(levelDb(loop) - AMBIENT_DB) < 0.2);
    assert.ok(Math.min(...seconds) > AMBIENT_DB - 15);
    assert.ok(Math.max(...frames) < -24);
  });

  test(`${sound} goes round without a seam`, () => {
    const loop = ambientLoop(sound);
    const steps = loop.map((sample, i) => Math.abs(sample - loop[(i + 1) % loop.length]!));
    const seam = steps.at(-1)!;

    assert.ok(seam <= steps.toSorted().at(-8)!, `the step at the seam is ${seam}`);
  });
}

test("the sounds are six different ones", () => {
  const hashes = AMBIENT_SOUNDS.map((sound) => createHash("sha256").update(ambientLoop(sound)).digest("hex"));

  assert.equal(new Set(hashes).size, 6);
});

test("a call's background follows its volume and goes on from frame to frame", () => {
  const level = (volume: number) => {
    const ambient = createAmbient("call-center", volume, 0.25);
    const all = new Int16Array(80_000);
    for (let at = 0; at < all.length; at += 160) ambient(all.subarray(at, at + 160));
    return { level: levelDb(all), all };
  };

  assert.equal(level(0).level, -100);
  assert.ok(Math.abs(level(2).level - level(1).level - 6.02) < 0.2);
  const loop = ambientLoop("call-center");
  assert.deepEqual(level(1).all, loop.slice(80_000, 160_000));
});
