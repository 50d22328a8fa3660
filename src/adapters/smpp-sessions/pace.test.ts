import assert from "node:assert/strict";
import { test } from "node:test";
import { pace } from "./pace.ts";

test("a party with a thousand texts waiting for the window keeps nobody with ten from theirs", async () => {
  const one = pace({ most: 1, perSecond: 1_000_000 });
  const left: string[] = [];
  const add = (party: string, n: number) =>
    Array.from({ length: n }, async () => {
      assert.ok(await one.acquire(() => true, party));
      left.push(party);
      one.release();
    });
  const all = [...add("large", 1_000), ...add("small", 10)];
  await Promise.all(all.slice(1_000));
  assert.ok(left.length <= 30, `${left.length} left before the ten had`);
  await Promise.all(all);
  assert.equal(left.length, 1_010);
});

test("what may not leave any more takes no turn of its party's", async () => {
  const one = pace({ most: 1, perSecond: 1_000_000 });
  assert.ok(await one.acquire(() => true, "a"));
  let may = true;
  const waits = [one.acquire(() => may, "a"), one.acquire(() => true, "a"), one.acquire(() => true, "b")];
  may = false;
  one.release();
  assert.equal(await waits[0], false);
  assert.equal(await waits[1], true);
  one.release();
  assert.equal(await waits[2], true);
});
