import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { root } from "#test/support/source/source.ts";

/** How many requirements of levels 1 and 2 each chapter of version 5.0.0 has. */
const OF_CHAPTER = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];
const STATES = ["yes", "part", "no", "not applicable"];
const ROW = /^\| V(\d+)\.(\d+)\.(\d+) \| ([a-z ]+) \| (.+) \|$/;

const lines = readFileSync(join(root, "docs/asvs.md"), "utf8").split("\n");
const rows = lines.flatMap((line) => {
  const found = ROW.exec(line);
  return found
    ? [{ chapter: Number(found[1]), id: found.slice(1, 4).join("."), state: found[4]!, why: found[5]! }]
    : [];
});

test("each requirement of levels 1 and 2 is in docs/asvs.md once, in one of four states and with a reason", () => {
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  assert.deepEqual(
    OF_CHAPTER.map((_, i) => rows.filter(({ chapter }) => chapter === i + 1).length),
    OF_CHAPTER,
  );
  for (const { id, state, why } of rows) assert.ok(STATES.includes(state) && why.length > 3, id);
});

test("the counts in docs/asvs.md are those of its rows", () => {
  const counted = (of: typeof rows) =>
    STATES.map((state) => of.filter((row) => row.state === state).length).join(" | ");
  for (const [i] of OF_CHAPTER.entries()) {
    const line = lines.find((text) => text.startsWith(`| V${i + 1} `) && !ROW.test(text));
    assert.ok(line?.endsWith(`| ${counted(rows.filter(({ chapter }) => chapter === i + 1))} |`), `V${i + 1}: ${line}`);
  }
  assert.ok(lines.includes(`| All | ${counted(rows)} |`), "all of them");
});
