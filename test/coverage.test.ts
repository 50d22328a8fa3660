import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { exists, readText, root } from "#test/support/source/source.ts";
import { titlesOf } from "#test/support/source/titles.ts";

const COVERAGE = "test/acceptance/COVERAGE.md";
const LATER = /^(?:issue \d+|later issue)$/;

/** The rows of all tables: what is ruled, and what holds it. */
const rows = readText(COVERAGE)
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Rule |"))
  .map((line) => line.slice(2, -2).split(" | "));

const named = rows
  .flatMap(([, tests]) => (tests ?? "").split(" · "))
  .filter((name) => !LATER.test(name))
  .map((name) => {
    const [, file, title] = /^(\S+\.test\.ts): (.+)$/.exec(name) ?? [];
    return {
      written: name,
      file: /^(?:contract|src|test)\//.test(file ?? "") ? file! : `test/acceptance/${file}`,
      title,
    };
  });

test("every rule in COVERAGE.md names what holds it", () => {
  assert.ok(rows.length > 100);
  for (const row of rows) assert.equal(row.length, 2, `not two columns: ${row.join(" | ")}`);
  assert.deepEqual(
    named.filter((holder) => holder.title === undefined).map((holder) => holder.written),
    [],
  );
});

test("every test that COVERAGE.md names exists", () => {
  const missing = named.filter(
    ({ file, title }) => !exists(file) || !titlesOf(file).some((pattern) => pattern.test(title!)),
  );
  assert.deepEqual(
    missing.map((holder) => holder.written),
    [],
  );
});

test("every acceptance test file is in COVERAGE.md", () => {
  const files = globSync("test/acceptance/**/*.test.ts", { cwd: root });
  const known = new Set(named.map((holder) => holder.file));
  assert.deepEqual(
    files.filter((file) => !known.has(file)),
    [],
  );
});
