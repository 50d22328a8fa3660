import assert from "node:assert/strict";
import { test } from "node:test";
import { remembering } from "./remembering.ts";

function counted() {
  const read: string[] = [];
  const length = remembering((text) => {
    read.push(text);
    return { length: text.length };
  });
  return { read, length };
}

test("a text is read once, and answered the same each time", () => {
  const { read, length } = counted();
  assert.deepEqual([length("yes"), length("maybe"), length("yes")], [{ length: 3 }, { length: 5 }, { length: 3 }]);
  assert.deepEqual(read, ["yes", "maybe"]);
});

test("a long text is read anew each time", () => {
  const { read, length } = counted();
  const long = "x".repeat(501);
  assert.deepEqual([length(long), length(long)], [{ length: 501 }, { length: 501 }]);
  assert.equal(read.length, 2);
});

test("the text whose turn was longest ago makes room for a new one", () => {
  const { read, length } = counted();
  for (let i = 0; i < 4_000; i++) length(`${i}`);
  length("0");
  length("one more");
  read.length = 0;
  for (const text of ["0", "one more", "2"]) length(text);
  assert.deepEqual(read, []);
  length("1");
  assert.deepEqual(read, ["1"]);
});

test("a reading that fails is not remembered", () => {
  let tries = 0;
  const fails = remembering(() => {
    tries++;
    throw new Error("no");
  });
  for (let i = 0; i < 2; i++) assert.throws(() => fails("text"), /no/);
  assert.equal(tries, 2);
});
