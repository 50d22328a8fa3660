import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type pg from "pg";
import { type Db, openDb } from "#store/database/db.ts";
import { until } from "#test/support/api/parley.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { crossTenant } from "#test/support/database/statements.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** Takes the second row, then wants the first, in one statement. */
const secondThenFirst = crossTenant(
  "test-second-then-first",
  `with second as (update two_rows set n = n + 1 where id = 2 returning id)
   update two_rows set n = n + 1 where id = 1 and exists (select from second)`,
);

const ways: [string, (db: Db) => Promise<number>][] = [
  ["a statement by itself", (db) => db.run(secondThenFirst)],
  ["a transaction", (db) => db.transaction((tx) => tx.run(secondThenFirst))],
];

for (const [way, run] of ways) {
  test(`${way} that a deadlock ends is run again, once the other is through`, async (t) => {
    const { db, other } = await openBoth(t);
    await other.query("begin; update two_rows set n = n + 10 where id = 1");
    const ours = run(db);
    await until("ours waits for the first row", async () => (await waitingForLocks(other)) > 0);
    await other.query("update two_rows set n = n + 10 where id = 2");
    await other.query("commit");
    assert.equal(await ours, 1);
    const { rows } = await other.query("select n from two_rows order by id");
    assert.deepEqual(
      rows.map(({ n }) => n),
      [11, 11],
    );
  });
}

async function openBoth(t: TestContext): Promise<{ db: Db; other: pg.Client }> {
  const url = await cloneDatabase(t);
  const other = await openClient(t, url);
  await other.query("create table two_rows (id int primary key, n int not null)");
  await other.query("insert into two_rows values (1, 0), (2, 0)");
  await other.query("grant all on two_rows to public");
  // Ours is the one that looks for the deadlock, and ends.
  await other.query("set deadlock_timeout = '10min'");
  const db = openDb({ url, poolSize: 1, applicationName: "ours" });
  t.after(() => db.close());
  return { db, other };
}
