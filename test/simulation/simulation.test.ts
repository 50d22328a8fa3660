import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, test } from "node:test";
import { createDatabase } from "../support/database.ts";
import { type Outcome, openSimulation, type Simulation } from "./run.ts";

/** Between them they have every kind of carrier, fault and event. */
const SEEDS = [1, 2, 3, 4];

let simulation: Simulation;
let drop: () => Promise<void>;

before(async () => {
  const database = await createDatabase();
  drop = database.drop;
  simulation = await openSimulation(database.url);
});

after(async () => {
  await simulation.close();
  await drop();
});

const report = ({ seed, problems, plan, lines }: Outcome): string =>
  [
    `seed ${seed}: npm run simulate -- --seed ${seed} --trace --shrink`,
    ...problems,
    JSON.stringify(plan),
    ...lines.slice(-40),
  ].join("\n");

const first = new Map<number, Outcome>();

test("whatever breaks, no promise is broken: the same seeds every time, and one of today", async (t) => {
  const today = Number(process.env.PARLEY_TEST_SEED ?? randomInt(1_000_000_000));
  t.diagnostic(`today's seed is ${today}`);
  let texts = 0;
  for (const seed of [...SEEDS, today]) {
    const outcome = await simulation.run(seed);
    first.set(seed, outcome);
    texts += outcome.texts;
    assert.deepEqual(outcome.problems, [], report(outcome));
  }
  assert.ok(texts > 0, "texts were sent");
});

test("a seed is the same run every time, whatever ran before it", async () => {
  for (const seed of SEEDS.slice(-2).reverse()) {
    const again = await simulation.run(seed);
    assert.equal(again.fingerprint, first.get(seed)!.fingerprint, report(again));
  }
});

test("a carrier that takes texts twice is found out", async () => {
  // Not the service's doing: the book is what the promise is measured by.
  const outcome = await simulation.run(SEEDS[0]!, { takesTwice: true });
  assert.match(outcome.problems.join("\n"), /was taken 2 times/);
});
