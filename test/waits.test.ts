import assert from "node:assert/strict";
import { test } from "node:test";
import { allFiles } from "#test/runner/pieces.ts";
import { readText } from "#test/support/source/source.ts";

const EXACT_COUNT = /\buntil\([^;]*\.length === [1-9]/;

// Between two looks of a busy machine there may be two more: an answer that comes at once, and the count that was waited for has never been seen.
test("tests wait for a count to be reached, not to be hit", () => {
  const wrong = allFiles()
    .filter((file) => file !== "test/waits.test.ts")
    .flatMap((file) =>
      readText(file)
        .split("\n")
        .map((line, i) => ({ at: `${file}:${i + 1}`, line })),
    )
    .filter(({ line }) => EXACT_COUNT.test(line));
  assert.deepEqual(
    wrong.map(({ at, line }) => `${at} ${line.trim()}`),
    [],
  );
});
