import assert from "node:assert/strict";
import { test } from "node:test";
import { openDb } from "#store/database/db.ts";
import { refresh } from "#store/database/statistics.ts";
import { until } from "#test/support/api/parley.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const ROWS = 20_000;

test("statistics that were taken before the rows of an import were committed are taken again after", async (t) => {
  const url = await cloneDatabase(t);
  const [importing, other] = [await openClient(t, url), await openClient(t, url)];
  const db = openDb({ url, poolSize: 1, applicationName: "statistics" });
  t.after(() => db.close());
  const believed = async (): Promise<number> =>
    (await other.query("select reltuples from pg_class where oid = 'consents'::regclass")).rows[0].reltuples;

  await importing.query(
    "with tenant as (select gen_random_uuid() as id) insert into tenants (id, name, created_at, mode, account_id, other_id) select id, 'T', now(), 'test', id, gen_random_uuid() from tenant",
  );
  await importing.query("begin");
  await importing.query(
    "insert into consents (tenant_id, phone) select tenants.id, '+1' || (2000000000 + n) from tenants, generate_series(1, $1::int) as n",
    [ROWS],
  );
  await other.query("analyze consents");
  assert.equal(await believed(), 0, "the rows have pages and are not seen");
  await importing.query("commit");

  await until("the statistics are right", async () => {
    // A session reports what it has committed with a later statement.
    await importing.query("select");
    await refresh(db);
    return (await believed()) === ROWS;
  });
});
