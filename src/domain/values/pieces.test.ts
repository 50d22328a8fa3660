import assert from "node:assert/strict";
import { test } from "node:test";
import { piecesOf } from "./pieces.ts";

test("pieces hold every row once, in order", () => {
  assert.deepEqual(piecesOf([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
  assert.deepEqual(piecesOf([1, 2], 2), [[1, 2]]);
  assert.deepEqual(piecesOf([], 2), []);
});
