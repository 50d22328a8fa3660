import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { MUTANTS } from "./mutants.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

test("each mutant has its place in the source, once, and suites that exist", () => {
  for (const { id, file, from, to, suites } of MUTANTS) {
    assert.equal(readFileSync(join(ROOT, file), "utf8").split(from).length - 1, 1, `${id}: ${file}`);
    assert.notEqual(from, to, id);
    for (const suite of suites) assert.ok(suite === "simulation" || existsSync(join(ROOT, suite)), `${id}: ${suite}`);
  }
  assert.equal(new Set(MUTANTS.map(({ id }) => id)).size, MUTANTS.length);
});
