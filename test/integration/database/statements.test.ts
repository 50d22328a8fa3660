import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import pg from "pg";
import { type Statement, statements } from "#store/database/db.ts";
import { BREAKS } from "#test/simulation/breaks.ts";
import { cloneDatabase } from "#test/support/database/database.ts";

/** Every statement there is, its module loaded. */
async function allStatements(): Promise<readonly Statement[]> {
  const root = new URL("../../../", import.meta.url);
  for (const file of globSync("src/store/*/*.ts", { cwd: root, exclude: ["**/*.test.ts"] }))
    await import(new URL(file, root).href);
  return statements();
}

/** What PostgreSQL does not take of these. */
async function unprepared(url: string, them: readonly { name: string; text: string }[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const failures: string[] = [];
  for (const { name, text } of them) {
    await client
      .query(`prepare "${name}" as ${text}`)
      .catch((error: Error) => failures.push(`${name}: ${error.message}`));
  }
  await client.end();
  return failures;
}

test("PostgreSQL can prepare every statement there is", async (t) => {
  const all = await allStatements();
  assert.ok(all.length > 80, `${all.length} statements were loaded`);
  // ANALYZE is no statement that can be prepared; the driver sends it all the same.
  const prepared = all.filter((statement) => !statement.text.startsWith("analyze"));
  assert.deepEqual(await unprepared(await cloneDatabase(t), prepared), []);
});

test("what the simulation breaks on purpose is still there to be broken, and can be run", async (t) => {
  const byName = new Map((await allStatements()).map(({ name, text }) => [name, text]));
  const broken = BREAKS.flatMap(({ broken }) => Object.entries(broken?.statements ?? {}));
  const rewritten = broken.map(([name, rewrite]) => ({ name, before: byName.get(name) ?? "", rewrite }));
  const unchanged = rewritten.filter(({ before, rewrite }) => rewrite(before) === before);
  assert.deepEqual(
    unchanged.map(({ name }) => name),
    [],
    "nothing is rewritten",
  );
  const them = rewritten.map(({ name, before, rewrite }, i) => ({ name: `${name} ${i}`, text: rewrite(before) }));
  assert.deepEqual(await unprepared(await cloneDatabase(t), them), []);
});
