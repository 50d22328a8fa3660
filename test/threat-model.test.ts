import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { root } from "#test/support/source/source.ts";

const ROW = /^\| [^|]+ \| [^|]+ \| `([^`]+\.test\.ts)` \| ([^|]+) \|$/;
const FEWEST = 30;

test("each threat in docs/threat-model.md names a test that is there", () => {
  const lines = readFileSync(join(root, "docs/threat-model.md"), "utf8").split("\n");
  const rows = lines.flatMap((line) => {
    const found = ROW.exec(line);
    return found ? [{ file: found[1]!, title: found[2]!.trim() }] : [];
  });
  assert.ok(rows.length >= FEWEST, `${rows.length} threats`);
  const missing = rows.filter(({ file, title }) => !readFileSync(join(root, file), "utf8").includes(title));
  assert.deepEqual(missing, []);
});
