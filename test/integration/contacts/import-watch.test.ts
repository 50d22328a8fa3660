import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { type AtImport, ImportBeat, watchImports } from "#app/bulk/import-watch.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { openDb } from "#store/database/db.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";
import { cloneDatabase } from "#test/support/database/database.ts";

/** A thread that beats once, says what it is at, and then does `work`. Whoever wants to hear it listens at once. */
async function aThread(t: TestContext, { at, work }: { at: AtImport; work: string }) {
  const db = openDb({ url: await cloneDatabase(t), poolSize: 2, applicationName: "test" });
  t.after(() => db.close());
  if (at)
    await tenants.insert(db, {
      ...{ id: at.tenantId, otherId: randomUUID(), name: "Acme", mode: "test" },
      created_at: new Date(),
    });
  const beat = new ImportBeat();
  const code = `
    const { parentPort, workerData } = require("node:worker_threads");
    const numbers = new Int32Array(workerData.beat);
    parentPort.postMessage(workerData.at);
    Atomics.add(numbers, 0, 1);
    ${work}`;
  const thread = new Worker(code, { eval: true, workerData: { beat: beat.shared, at } });
  t.after(() => thread.terminate());
  return { db, beat, thread };
}

const errors: string[] = [];
const log = { info() {}, warn() {}, error: (_: unknown, message: string) => void errors.push(message) };

for (const [what, row, task] of [
  ["a row", 7, (id: string) => ["import_row", `${id} 7`]],
  ["no row", 0, (id: string) => ["import_file", id]],
] as const) {
  test(`a thread for imports that stands still at ${what} is ended, and what it was at is kept`, async (t) => {
    const [tenantId, importId] = [randomUUID(), randomUUID()];
    const work = `Atomics.store(numbers, 1, ${row}); for (;;);`;
    const { db, beat, thread } = await aThread(t, { at: { tenantId, importId }, work });
    watchImports({ db, log }, thread, beat, 1_000);
    await once(thread, "exit");
    assert.deepEqual(
      (await stuckTasks.list(db)).map(({ kind, id, times }) => [kind, id, times]),
      [[...task(importId), 1]],
    );
    assert.match(errors.pop()!, /the thread for imports has stood still/);
  });
}

test("a thread for imports that stands still at nothing is ended, and one that turns is not", async (t) => {
  const still = await aThread(t, { at: null, work: "for (;;);" });
  watchImports({ db: still.db, log }, still.thread, still.beat, 500);
  await once(still.thread, "exit");
  assert.deepEqual(await stuckTasks.list(still.db), []);

  // It ends by itself, after more than it may stand still.
  const turning =
    "let turns = 0; setInterval(() => { Atomics.add(numbers, 0, 1); if (++turns === 60) process.exit(3); }, 50)";
  const lively = await aThread(t, { at: null, work: turning });
  watchImports({ db: lively.db, log }, lively.thread, lively.beat, 2_000);
  assert.deepEqual(await once(lively.thread, "exit"), [3]);
});
