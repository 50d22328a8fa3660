import assert from "node:assert/strict";
import { test } from "node:test";
import { loop } from "./loop.ts";

test("a loop rests ever longer while there is nothing, and begins anew once there was something", async (t) => {
  const found = [false, false, false, false, true, true, false, false];
  const stop = new AbortController();
  const warn = t.mock.fn();
  const waits: number[] = [];
  const work = async () => {
    if (found.length === 1) stop.abort();
    return found.shift()!;
  };
  const pause = async (ms: number) => void waits.push(ms);
  const on = { signal: stop.signal, log: { info: warn, warn, error: warn }, pause };
  await loop("test", { leastMs: 50, mostMs: 200 }, work, on);
  assert.deepEqual(waits, [50, 100, 200, 200, 50, 100]);
  assert.equal(warn.mock.callCount(), 0);
});

test("a loop whose work fails says so, waits a second and goes on", async (t) => {
  const stop = new AbortController();
  const warn = t.mock.fn();
  const waits: number[] = [];
  let runs = 0;
  const work = async () => {
    if (++runs === 1) throw new Error("away");
    stop.abort();
    return false;
  };
  const pause = async (ms: number) => void waits.push(ms);
  await loop("test", 50, work, { signal: stop.signal, log: { info: warn, warn, error: warn }, pause });
  assert.deepEqual([runs, waits, warn.mock.callCount()], [2, [1_000, 50], 1]);
});

test("a loop that is stretched rests so many times as long, and not at all while there is more", async (t) => {
  const found = [false, true, false, false];
  const stretches = [4, 1, 4];
  const stop = new AbortController();
  const warn = t.mock.fn();
  const waits: number[] = [];
  const work = async () => {
    if (found.length === 1) stop.abort();
    return found.shift()!;
  };
  const pause = async (ms: number) => void waits.push(ms);
  const on = { signal: stop.signal, log: { info: warn, warn, error: warn }, stretch: () => stretches.shift()!, pause };
  await loop("test", { leastMs: 50, mostMs: 100 }, work, on);
  assert.deepEqual(waits, [200, 50, 400]);
});
