import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type pg from "pg";
import { type Db, openDb } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const TENANT = randomUUID();
const LANE = { job: "drain-lane", payload: { tenantId: TENANT, laneId: randomUUID() } } as const;
const THREAD = {
  job: "reply-to-thread",
  payload: { tenantId: TENANT, campaignId: randomUUID(), threadId: randomUUID() },
} as const;
const DOUBT = { job: "judge-opt-out", payload: { tenantId: TENANT, phone: "+12124440000" } } as const;
const inMinutes = (n: number) => new Date(Date.now() + n * 60_000);

type WaitingJob = { id: string; run_at: Date; revision: number };

async function aQueue(t: TestContext): Promise<{ db: Db; client: pg.Client; jobs(): Promise<WaitingJob[]> }> {
  const url = await cloneDatabase(t);
  const client = await openClient(t, url);
  const db = openDb({ url, poolSize: 3, applicationName: "test" });
  t.after(() => db.close());
  const jobs = async () =>
    (await client.query<WaitingJob>("select id, run_at, revision from graphile_worker.jobs order by id")).rows;
  return { db, client, jobs };
}

test("enqueueing a lane's job waits for no other transaction that does so", async (t) => {
  const { db, jobs } = await aQueue(t);
  const end = Promise.withResolvers<void>();
  const enqueued = Promise.withResolvers<void>();
  const open = db.transaction(async (tx) => {
    await queue.enqueue(tx, [LANE, THREAD]);
    enqueued.resolve();
    await end.promise;
  });
  await enqueued.promise;
  // Ends only if it need not wait for the first one.
  await db.transaction((tx) => queue.enqueue(tx, [LANE]));
  assert.equal((await jobs()).length, 1);
  end.resolve();
  await open;
  assert.equal((await jobs()).length, 2);
});

test("a transaction that is rolled back enqueues no job", async (t) => {
  const { db, jobs } = await aQueue(t);
  const ringing = db.transaction(async (tx) => {
    await queue.enqueue(tx, [LANE, THREAD]);
    throw new Error("no");
  });
  await assert.rejects(ringing, { message: "no" });
  assert.deepEqual(await jobs(), []);
});

test("a lane's job that waits is left alone, one for later is brought forward, and one that runs is followed by another", async (t) => {
  const { db, client, jobs } = await aQueue(t);
  const later = inMinutes(10);
  await queue.enqueue(db, [{ ...LANE, runAt: later }]);
  await queue.enqueue(db, [{ ...LANE, runAt: inMinutes(20) }]);
  assert.deepEqual(
    (await jobs()).map(({ run_at }) => run_at),
    [later],
    "the earlier of the two counts",
  );
  await queue.enqueue(db, [LANE]);
  const [waiting] = await jobs();
  assert.ok(waiting!.run_at.getTime() <= Date.now());
  await queue.enqueue(db, [LANE]);
  assert.deepEqual(await jobs(), [waiting], "nothing was written");

  await client.query("update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a worker'");
  await queue.enqueue(db, [LANE]);
  assert.equal((await jobs()).length, 2);
});

test("a lane's job that has failed for good is enqueued again all the same", async (t) => {
  const { db, client } = await aQueue(t);
  await queue.enqueue(db, [LANE]);
  await client.query("update graphile_worker._private_jobs set attempts = max_attempts");
  await queue.enqueue(db, [LANE]);
  const { rowCount } = await client.query("select from graphile_worker._private_jobs where is_available");
  assert.equal(rowCount, 1);
});

test("a conversation's job is delayed by each new text of a burst", async (t) => {
  const { db, jobs } = await aQueue(t);
  const last = inMinutes(2);
  await queue.enqueue(db, [{ ...THREAD, runAt: inMinutes(1) }]);
  await queue.enqueue(db, [{ ...THREAD, runAt: last }]);
  assert.deepEqual(
    (await jobs()).map(({ run_at }) => run_at),
    [last],
  );
});

test("a doubt is judged before anybody is answered, also who has waited longer", async (t) => {
  const { db, client } = await aQueue(t);
  await queue.enqueue(db, [{ ...THREAD, runAt: inMinutes(-1) }]);
  await queue.enqueue(db, [DOUBT]);
  // The order in which a worker takes them.
  const { rows } = await client.query(
    "select task_identifier as job from graphile_worker.jobs where run_at <= now() order by priority, run_at, id",
  );
  assert.deepEqual(
    rows.map(({ job }) => job),
    ["judge-opt-out", "reply-to-thread"],
  );
});
