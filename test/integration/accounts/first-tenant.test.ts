import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { bootstrap } from "#app/roles/keys.ts";
import { readConfig } from "#app/settings/config.ts";
import { until } from "#test/support/api/parley.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";

test("two processes that boot at once on an empty database make one first tenant with one key", async (t) => {
  const databaseUrl = await cloneDatabase(t);
  const client = await openClient(t, databaseUrl);
  const onlooker = await openClient(t, databaseUrl);
  const machines = [1, 2].map(() => {
    const dataDir = aFolder("first");
    const config = readConfig({
      DATABASE_URL: databaseUrl,
      PARLEY_DATA_DIR: dataDir,
      PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      PARLEY_LOG_LEVEL: "error",
    });
    const { ctx, close } = wire(config, databaseUrl, "boot");
    t.after(close);
    return { boot: () => bootstrap(ctx, config), file: join(dataDir, "first-api-key") };
  });
  // Both get as far as they can before either may write.
  await client.query("begin; lock table tenants in exclusive mode");
  const booting = machines.map(({ boot }) => boot());
  await until("both wait", async () => (await waitingForLocks(onlooker)) === 2);
  await client.query("commit");
  const keys = await Promise.all(booting);
  const first = keys.findIndex((key) => key !== undefined);
  const { rows } = await client.query(
    "select (select count(*)::int from tenants where id = account_id) as tenants, (select count(*)::int from api_keys) as keys",
  );
  assert.deepEqual(rows, [{ tenants: 1, keys: 1 }]);
  assert.equal(keys.filter((key) => key !== undefined).length, 1);
  assert.equal(readFileSync(machines[first]!.file, "utf8").trim(), keys[first]?.text);
  assert.equal(keys[first]?.isNew, true);
  const again = await machines[first]!.boot();
  assert.deepEqual(again, { text: keys[first]?.text, isNew: false }, "a later start does not show it again");
});
