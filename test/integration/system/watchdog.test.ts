import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { startWatchdog } from "#app/process/watchdog.ts";
import type { WatchedTask } from "#domain/system/watched-task.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { openDb } from "#store/database/db.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";
import { cloneDatabase } from "#test/support/database/database.ts";

test("what has held a process once runs one after another, and what has held two not at all", async (t) => {
  const databaseUrl = await cloneDatabase(t);
  const db = openDb({ url: databaseUrl, poolSize: 2, applicationName: "test" });
  t.after(() => db.close());
  const tenantId = randomUUID();
  await tenants.insert(db, {
    ...{ id: tenantId, otherId: randomUUID(), name: "Acme", mode: "test" },
    created_at: new Date(),
  });
  const task = (id: string): WatchedTask => ({ tenantId, kind: "reply", id });
  const [once, too, twice, never] = [task("once"), task("too"), task("twice"), task("never")];
  await stuckTasks.note(db, [once, too, twice], new Date());
  await stuckTasks.note(db, [twice], new Date());
  const log = { info() {}, warn() {}, error: (data: Record<string, unknown>) => assert.fail(String(data.err)) };
  const watchdog = await startWatchdog(
    { standstillMs: 60_000, logLevel: "silent" },
    { databaseUrl, name: "test", log, db },
  );
  t.after(() => watchdog.stop());

  assert.deepEqual(
    [once, too, twice, never].map((task) => watchdog.isSetAside(task)),
    [false, false, true, false],
  );
  const begun: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) => async () => {
    begun.push(name);
    await until;
    return name;
  };
  const running = [
    watchdog.run(once, work("once", first.promise)),
    watchdog.run(too, work("too")),
    watchdog.run(never, work("never")),
  ];
  assert.equal(await running[2], "never");
  assert.deepEqual(begun, ["never", "once"].sort());
  first.resolve();
  assert.deepEqual(await Promise.all(running), ["once", "too", "never"]);
  // What ended well is not suspected any more; what is set aside stays.
  assert.deepEqual(
    (await stuckTasks.list(db)).map(({ id, times }) => [id, times]),
    [["twice", 2]],
  );

  await assert.rejects(
    watchdog.run(once, () => Promise.reject(new Error("away"))),
    /away/,
  );
});
