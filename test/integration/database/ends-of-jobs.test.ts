// In a process of its own: it counts all timers of the process.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type pg from "pg";
import { type JobRunner, startBench } from "#jobs/bench.ts";
import { openPool } from "#store/database/connections.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { until } from "#test/support/time/until.ts";

const NAMES = ["one", "two", "three", "four"];

/** A job that has begun, by its id, and what ends it. */
type Begun = { id: string; end(): void };
type Bench = { runner: JobRunner; client: pg.Client; begun: Begun[]; complaints: string[]; left(): Promise<number> };

/** A bench of which some jobs have begun. */
async function someJobs(t: TestContext): Promise<Bench> {
  const url = await cloneDatabase(t);
  const client = await openClient(t, url);
  const begun: Begun[] = [];
  const complaints: string[] = [];
  const runner = await startBench(
    { info() {}, warn: ({ queue }) => void complaints.push(String(queue)), error() {} },
    (poolSize) => openPool({ url, poolSize, applicationName: "bench" }),
    {
      concurrency: NAMES.length,
      tasks: {
        waits: async (_payload, { job }) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          begun.push({ id: job.id, end: resolve });
          await promise;
        },
      },
    },
  );
  t.after(() => runner.stop());
  await client.query("select graphile_worker.add_job('waits', job_key => name) from unnest($1::text[]) as name", [
    NAMES,
  ]);
  await until("all have begun", async () => begun.length === NAMES.length);
  const left = async () =>
    (await client.query("select count(*)::int as n from graphile_worker.jobs")).rows[0].n as number;
  return { runner, client, begun, complaints, left };
}

test("ends of jobs that a deadlock undoes are written again, and the queue goes on", async (t) => {
  const { runner, client, begun, left } = await someJobs(t);
  const lock = ({ id }: Begun) =>
    client.query("select from graphile_worker._private_jobs where id = $1 for update", [id]);
  // The queue's is the one that looks for the deadlock, and ends.
  await client.query("set deadlock_timeout = '10min'");
  await client.query("begin");
  await lock(begun.at(-1)!);
  // In one turn of the event loop, and so in one statement.
  for (const job of begun) job.end();
  await until("the ends wait for it", async () => (await waitingForLocks(client)) > 0);
  // Held by the ends: it comes free when they have been undone.
  await lock(begun[0]!);
  assert.equal(await left(), NAMES.length, "none has been written");
  await client.query("commit");
  await until("all have ended", async () => (await left()) === 0);
  assert.equal(runner.hasEnded(), false);
});

test("a queue that ends by itself, since ends of jobs cannot be written, leaves no timer behind when it is stopped", async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const { runner, client, begun, complaints, left } = await someJobs(t);
  await client.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
     create trigger refuse before delete on graphile_worker._private_jobs for each row execute function refuse()`,
  );
  // The queue counts what is still to be written, and by then is too far down to come to nothing.
  for (const [i, job] of begun.entries()) {
    job.end();
    await until("it cannot be written", async () => complaints.length > i);
  }
  assert.equal(runner.hasEnded(), true);
  assert.equal(await left(), NAMES.length);
  await runner.stop();
  await until("nothing of it is left", async () => timers() <= before);
});
