import assert from "node:assert/strict";
import { test } from "node:test";
import { PasswordsBusy } from "#ports/sign-in.ts";
import { fairTurns } from "./turns.ts";

/** Work that the test completes: records the order in which it began, and how many are running. */
function works() {
  const inTurn = fairTurns(2, 4);
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const all: Promise<void>[] = [];
  const add = (name: string, line: string, isKnown = false) => {
    const work = () =>
      new Promise<void>((resolve) => {
        begun.push(name);
        ends.push(resolve);
      });
    const done = inTurn({ line, isKnown }, work).catch((error) => {
      assert.ok(error instanceof PasswordsBusy);
      refused.push(name);
    });
    all.push(done);
  };
  const finish = async () => {
    for (let ended = 0; ended < ends.length; ended++) {
      assert.ok(ends.length - ended <= 2, "two at a time");
      ends[ended]!();
      // What waits begins once the one before is over.
      await new Promise(setImmediate);
    }
    await Promise.all(all);
  };
  return { begun, refused, add, finish };
}

test("lines take turns: who comes once does not wait for all of one who comes often", async () => {
  const { begun, refused, add, finish } = works();
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) add(name, "a");
  add("b1", "b");
  await finish();
  assert.deepEqual(begun, ["a1", "a2", "a3", "b1", "a4", "a5"]);
  assert.deepEqual(refused, []);
});

test("where all places are taken the last of the longest line is turned away, not who comes once", async () => {
  const { begun, refused, add, finish } = works();
  for (let i = 1; i <= 8; i++) add(`a${i}`, "a");
  add("b1", "b");
  await finish();
  assert.deepEqual(refused, ["a7", "a8", "a6"]);
  assert.deepEqual(begun, ["a1", "a2", "a3", "b1", "a4", "a5"]);
});

test("who is known has places of his own, and goes first", async () => {
  const { begun, refused, add, finish } = works();
  for (let i = 1; i <= 6; i++) add(`stranger ${i}`, `${i}`);
  add("known", "k", true);
  await finish();
  assert.deepEqual(begun.slice(2, 3), ["known"]);
  assert.deepEqual(refused, []);
});
