import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuns, runOnce } from "./queue.ts";

const JOB = { job: "drain-lane", payload: { tenantId: "a", laneId: "b" } } as const;

/** A database that only counts the jobs that are enqueued. */
function aDatabase() {
  let jobs = 0;
  const db = {
    rows: async () => [],
    first: async () => undefined,
    run: async () => 1,
    atCommit: async () => {},
    afterwards: async () => void jobs++,
  };
  return { db, jobs: () => jobs };
}

test("a job that is enqueued while it runs is left to the process that runs it", async () => {
  const { db, jobs } = aDatabase();
  const running = createRuns();
  const first = Promise.withResolvers<void>();
  let runs = 0;
  const work = () => {
    runs++;
    return first.promise;
  };
  const run = runOnce(running, db, JOB, work);
  await runOnce(running, db, JOB, work);
  assert.equal(runs, 1);
  first.resolve();
  await run;
  assert.equal(jobs(), 1, "it was not set back, so it is enqueued once more");
});

test("a job that is enqueued while a run is stuck is run by another, which the late end of the first does not disturb", async () => {
  const { db } = aDatabase();
  const running = createRuns();
  let now = 0;
  const clock = () => now;
  const [stuck, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let later = 0;
  const runLater = async () => void later++;
  const stuckRun = runOnce(running, db, JOB, () => stuck.promise, clock);
  now = 61_000;
  const run = runOnce(running, db, JOB, () => second.promise, clock);
  stuck.resolve();
  await stuckRun;
  await runOnce(running, db, JOB, runLater, clock);
  assert.equal(later, 0, "the second is still at it");
  second.resolve();
  await run;
  await runOnce(running, db, JOB, runLater, clock);
  assert.equal(later, 1);
});
