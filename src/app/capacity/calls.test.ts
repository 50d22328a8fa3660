import assert from "node:assert/strict";
import { test } from "node:test";
import { search } from "./calls.ts";

/** Searches where so many calls are in time, at all looks but the `disturbed`; how many were held at each look, and what was found. */
async function searched(carried: number, most = 1_000, looks = Number.POSITIVE_INFINITY, disturbed = -1) {
  const held: number[] = [];
  let now = 0;
  const found = await search({
    hold: async (count) => {
      now = count;
    },
    look: async () => {
      const isInTime = now <= carried && held.length !== disturbed;
      held.push(now);
      return { isInTime, p99Ms: isInTime ? 7 : 30, busy: now / 300 };
    },
    most,
    isOver: () => held.length >= looks,
  });
  return { held, found };
}

test("more and more calls are held until they are late, and then as many as are just in time", async () => {
  const { held, found } = await searched(150);
  assert.deepEqual(held.slice(0, 6), [40, 60, 90, 135, 203, 203]);
  assert.ok(found.calls <= 150 && found.calls > 138, `${found.calls}`);
  assert.deepEqual([found.p99Ms, found.isLeast, found.busy], [7, false, found.calls / 300]);
});

test("where the most that are tried are in time, and where the time is over before they are late, there may be more", async () => {
  assert.deepEqual((await searched(5_000, 100)).found, { calls: 100, p99Ms: 7, busy: 100 / 300, isLeast: true });
  const { held, found } = await searched(5_000, 1_000, 3);
  assert.deepEqual([held, found.calls, found.isLeast], [[40, 60, 90], 90, true]);
});

test("where few are in time few are found, and none where one is late", async () => {
  assert.equal((await searched(3)).found.calls, 3);
  assert.equal((await searched(0)).found.calls, 0);
});

test("when the time is over what was in time last is what is found", async () => {
  const { held, found } = await searched(150, 1_000, 7);
  assert.deepEqual([held.at(-1), found.calls, found.isLeast], [169, 135, false]);
});

test("a moment of something else's work, in which the calls were late once, does not end the search", async () => {
  const { found } = await searched(150, 1_000, Number.POSITIVE_INFINITY, 0);
  assert.ok(found.calls > 138, `${found.calls}`);
});
