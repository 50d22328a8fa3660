import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "./paired.ts";

/** Differences around a median: most are small, one in ten, when another process runs, is a hundred times as long. */
function around(median: number, spread: number): (pair: number) => Promise<number> {
  let seed = 42;
  const chance = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647 - 0.5;
  };
  return async () => median + spread * chance() * (chance() > 0.4 ? 100 : 1);
}

test("work that takes the same time is found equal, on a quiet machine by the first pairs, on a restless one by more", async () => {
  const quiet = await compare(5, 3_000, around(0.1, 2));
  const restless = await compare(5, 3_000, around(0.1, 100));
  assert.deepEqual([quiet.isWithin, quiet.pairs, restless.isWithin], [true, 50, true]);
  assert.ok(restless.pairs > 100, `${restless.pairs} pairs`);
});

test("work that takes longer is found out, in either direction, on a quiet machine and on a restless one", async () => {
  for (const median of [-15, 15])
    for (const spread of [2, 100]) {
      const { isWithin } = await compare(5, 3_000, around(median, spread));
      assert.equal(isWithin, false, `${median} ${spread}`);
    }
});

test("a difference that cannot be measured gives no verdict", async () => {
  await assert.rejects(compare(5, 200, around(0, 10_000)), /too restless/);
});
