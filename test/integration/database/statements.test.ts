import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import pg from "pg";
import { statements } from "#store/database/db.ts";
import { cloneDatabase } from "#test/support/database/database.ts";

test("PostgreSQL can prepare every statement there is", async (t) => {
  const root = new URL("../../../", import.meta.url);
  for (const file of globSync("src/store/*/*.ts", { cwd: root, exclude: ["**/*.test.ts"] }))
    await import(new URL(file, root).href);
  const client = new pg.Client({ connectionString: await cloneDatabase(t) });
  await client.connect();
  const failures: string[] = [];
  // ANALYZE is no statement that can be prepared; the driver sends it all the same.
  for (const { name, text } of statements().filter((statement) => !statement.text.startsWith("analyze"))) {
    await client
      .query(`prepare "${name}" as ${text}`)
      .catch((error: Error) => failures.push(`${name}: ${error.message}`));
  }
  await client.end();

  assert.ok(statements().length > 80, `${statements().length} statements were loaded`);
  assert.deepEqual(failures, []);
});
