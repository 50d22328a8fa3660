import assert from "node:assert/strict";
import { test } from "node:test";
import { openDb } from "#store/database/db.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { crossTenant } from "#test/support/database/statements.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const settings = crossTenant(
  "test-settings",
  "select current_setting('jit') as jit, current_setting('enable_seqscan') as scans",
);

test("no statement of ours is compiled, and no table read whole where an index serves, whatever the server does by default", async (t) => {
  const url = await cloneDatabase(t);
  const { pathname } = new URL(url);
  const owner = await openClient(t, url);
  await owner.query(`alter database "${pathname.slice(1)}" set jit = on`);
  const db = openDb({ url, poolSize: 1, applicationName: "test" });
  t.after(() => db.close());
  assert.deepEqual(await db.rows(settings), [{ jit: "off", scans: "off" }]);
});
