import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import { uuidSource } from "#app/process/ids.ts";
import type { Caller, Context } from "#operations/context.ts";
import { finishRequest, type RunningRequest, startRequest } from "#operations/system/repeat-request.ts";
import { insert as insertTenant, otherMode } from "#store/accounts/tenants.ts";
import { openDb } from "#store/database/db.ts";
import { forget } from "#store/system/idempotency.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const MINUTE_MS = 60_000;
const REQUEST = { name: "POST /v1/campaigns", key: "k", bodyHash: createHash("sha256").update("body").digest() };
const DONE = { status: 201, body: '{"success":true}' };

/** A tenant's caller and a clock to move; `start` is a request of his under one and the same key. */
async function aCaller(t: TestContext) {
  const url = await cloneDatabase(t);
  const db = openDb({ url, poolSize: 2, applicationName: "test" });
  t.after(() => db.close());
  const newId = uuidSource();
  let at = Date.parse("2026-07-01T12:00:00Z");
  const ctx = { db, newId, now: () => new Date(at) } as Context;
  const client = await openClient(t, url);
  const tenantId = newId();
  const tenant = { id: tenantId, otherId: newId(), name: "T", mode: "live", created_at: new Date(at) } as const;
  await db.transaction((tx) => insertTenant(tx, tenant));
  const caller = { tenantId, mode: "live", newId } as Caller;
  return {
    ctx,
    caller,
    client,
    pass: (ms: number) => {
      at += ms;
    },
    start: (as: Caller = caller) => startRequest(ctx, as, REQUEST),
    finish: (run: RunningRequest, answer?: typeof DONE) => finishRequest(ctx, caller, run, answer),
  };
}

type Started = Awaited<ReturnType<typeof startRequest>>;

function runOf(started: Started): RunningRequest {
  assert.ok("run" in started);
  return started.run;
}

test("a request that ended without an answer is run again with the same ids, and is forgotten like any other", async (t) => {
  const { ctx, start, finish, pass, client } = await aCaller(t);
  const first = await start();
  assert.ok("as" in first);
  const id = first.as.newId();
  await finish(first.run);
  pass(5 * MINUTE_MS);
  const again = await start();
  assert.ok("as" in again);
  assert.equal(again.as.newId(), id);
  await assert.rejects(start(), { code: "request_in_progress" }, "while it runs again it is nobody else's");
  await finish(again.run);

  const begun = ctx.now();
  assert.equal(await forget(ctx.db, begun), 0);
  assert.equal(await forget(ctx.db, new Date(begun.getTime() + 1)), 1);
  assert.equal((await client.query("select from idempotency_keys")).rowCount, 0);
});

test("of two that find a request free at the same moment one runs it", async (t) => {
  const { start, finish } = await aCaller(t);
  await finish(runOf(await start()));

  const both = await Promise.allSettled([start(), start(), start()]);

  assert.deepEqual(both.map(({ status }) => status).toSorted(), ["fulfilled", "rejected", "rejected"]);
});

test("a run that was only slow neither wipes nor changes what the one that took its request over has answered", async (t) => {
  const { start, finish, pass } = await aCaller(t);
  const slow = runOf(await start());
  pass(3 * MINUTE_MS);
  const winner = runOf(await start());

  await finish(slow);
  await assert.rejects(start(), { code: "request_in_progress" }, "it is not freed");
  await finish(slow, { status: 500, body: "late" });
  await finish(winner, DONE);
  await finish(slow);

  assert.deepEqual(await start(), { replay: DONE });
});

test("a key that was tried with a test key is another key for a live one", async (t) => {
  const { ctx, caller, start } = await aCaller(t);
  const tried = { ...caller, mode: "test" as const, tenantId: await otherMode(ctx.db, caller.tenantId) };
  await finishRequest(ctx, tried, runOf(await start(tried)), DONE);

  assert.deepEqual(await start(tried), { replay: DONE });
  assert.ok("run" in (await start()), "the live request is run");
});
