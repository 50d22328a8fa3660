import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { openDb } from "#store/database/db.ts";
import { migrate, migrationNames } from "#store/database/migrate.ts";
import { isBefore, OutdatedError } from "#store/database/needs.ts";
import { check } from "#store/database/ready.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";

const TAKES = "-- Nothing reads it any more.\n-- needs release 0.3.0\nalter table threads drop column note;";

/** A database, and the migration of a later release by which it may be brought further. */
async function begin(t: TestContext) {
  const url = await cloneDatabase(t);
  const folder = aFolder("later");
  const client = await openClient(t, url);
  await client.query("alter table threads add column note text");
  writeFileSync(join(folder, "9999-takes.sql"), TAKES);
  const later = { names: [...migrationNames(), "9999-takes.sql"], folder: pathToFileURL(`${folder}/`) };
  const seen = (role: string, release: string | null, secondsAgo: number) =>
    client.query(
      `insert into witnesses (process_id, role, release, step, timeline, seen_at)
       values (gen_random_uuid(), $1, $2, 1, 1, clock_timestamp() - $3 * interval '1 second')`,
      [role, release, secondsAgo],
    );
  return { url, client, later, seen };
}

test("a release whose tables a later one has taken away does not start, and says which does", async (t) => {
  const { url, later } = await begin(t);
  assert.deepEqual(await migrate(url, later), ["9999-takes.sql"]);
  await assert.rejects(
    migrate(url, { release: "0.2.9" }),
    (error: Error) =>
      error instanceof OutdatedError &&
      /this is release 0\.2\.9, and 9999-takes\.sql took away what releases before 0\.3\.0 use/.test(error.message),
  );
  for (const release of ["0.3.0", "0.10.0"]) assert.deepEqual(await migrate(url, { release }), []);
});

test("one that runs when that happens is not ready any more", async (t) => {
  const { url, later } = await begin(t);
  const db = openDb({ url, poolSize: 1, applicationName: "test" });
  t.after(() => db.close());
  const stateOf = async (release: string) => (await check(db, () => new Date(), release)).migrations;
  assert.equal(await stateOf("0.2.9"), null);
  await migrate(url, later);
  assert.match((await stateOf("0.2.9"))!, /releases before 0\.3\.0/);
  assert.equal(await stateOf("0.3.0"), null);
});

test("a migration takes nothing away while a process runs that uses it", async (t) => {
  const { url, client, later, seen } = await begin(t);
  await seen("worker", "0.2.0", 1);
  await seen("api", null, 2);
  await seen("media", "0.3.0", 1);
  await assert.rejects(migrate(url, later), /there run: api of an unknown release, worker of 0\.2\.0/);
  await client.query("select note from threads");
  await client.query("delete from witnesses where role <> 'media'");
  await seen("worker", "0.2.0", 60);
  assert.deepEqual(await migrate(url, later), ["9999-takes.sql"]);
});

test("releases are compared number by number", () => {
  assert.deepEqual(
    [isBefore("0.9.0", "0.10.0"), isBefore("1.0.0", "0.10.9"), isBefore("0.3.0", "0.3.0"), isBefore("0.3.0", "0.3.1")],
    [true, false, false, true],
  );
});
