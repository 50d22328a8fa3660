import assert from "node:assert/strict";
import { test } from "node:test";
import { goertzelFactor, goertzelPower, goertzelPowers } from "./goertzel.ts";

const LENGTH = 800;
const sine = Float64Array.from({ length: LENGTH }, (_, n) => 3_000 * Math.cos((2 * Math.PI * 440 * n) / 8_000 + 1));

test("a frequency's power is that of its sine, and nothing of another whole period's", () => {
  assert.ok(Math.abs(goertzelPower(sine, LENGTH, goertzelFactor(440)) / (3_000 * 400) ** 2 - 1) < 1e-9);
  assert.ok(goertzelPower(sine, LENGTH, goertzelFactor(480)) < 1);
});

test("a bank gives what its filters give one by one", () => {
  const factors = Float64Array.from({ length: 8 }, (_, i) => goertzelFactor(375 + i * 25));
  const powers = new Float64Array(8);
  goertzelPowers(sine, 320, factors, powers);

  assert.deepEqual(
    powers,
    factors.map((factor) => goertzelPower(sine, 320, factor)),
  );
});
