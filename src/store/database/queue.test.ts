import assert from "node:assert/strict";
import { test } from "node:test";
import { runOnce } from "./queue.ts";

const JOB = { job: "drain-lane", payload: { tenantId: "a", laneId: "b" } } as const;

/** A database in which nothing happens but that bells are rung. */
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

test("a bell that rings while it is answered is left to whoever answers it", async () => {
  const { db, jobs } = aDatabase();
  const owner = {};
  const first = Promise.withResolvers<void>();
  let answers = 0;
  const answer = () => {
    answers++;
    return first.promise;
  };
  const running = runOnce(owner, db, JOB, answer);
  await runOnce(owner, db, JOB, answer);
  assert.equal(answers, 1);
  first.resolve();
  await running;
  assert.equal(jobs(), 1, "it was not taken back, so it rings once more");
});

test("a bell that rings while an answer hangs is answered by another, which that one's late end does not disturb", async () => {
  const { db } = aDatabase();
  const owner = {};
  let now = 0;
  const clock = () => now;
  const [hung, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let later = 0;
  const answerLater = async () => void later++;
  const hanging = runOnce(owner, db, JOB, () => hung.promise, clock);
  now = 61_000;
  const running = runOnce(owner, db, JOB, () => second.promise, clock);
  hung.resolve();
  await hanging;
  await runOnce(owner, db, JOB, answerLater, clock);
  assert.equal(later, 0, "the second is still at it");
  second.resolve();
  await running;
  await runOnce(owner, db, JOB, answerLater, clock);
  assert.equal(later, 1);
});
