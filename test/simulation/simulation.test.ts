import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createDatabase } from "#test/support/database/database.ts";
import { SEED } from "#test/support/source/draw.ts";
import { BREAKS } from "./breaks.ts";
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

/** The step at which two runs of a seed part, with those before it. */
function firstDifference(before: Outcome, again: Outcome): string {
  const at = again.lines.findIndex((line, i) => line !== before.lines[i]);
  const around = ({ lines }: Outcome) => lines.slice(Math.max(0, at - 20), at + 5).join("\n");
  return [`seed ${again.seed}, line ${at}:`, around(before), "and then:", around(again)].join("\n");
}

const first = new Map<number, Outcome>();

test("whatever breaks, no promise is broken: the same seeds every time, and one of today", async (t) => {
  const today = Number(SEED);
  t.diagnostic(`today's seed is ${today}`);
  let texts = 0;
  for (const seed of [...SEEDS, today]) {
    const outcome = await simulation.run(seed, { keepTrace: true });
    first.set(seed, outcome);
    texts += outcome.texts;
    assert.deepEqual(outcome.problems, [], report(outcome));
  }
  assert.ok(texts > 0, "texts were sent");
});

test("a seed is the same run every time, whatever ran before it", async () => {
  for (const seed of SEEDS.slice(-2).reverse()) {
    // Where this test is run by itself nothing has run before it.
    const before = first.get(seed) ?? (await simulation.run(seed, { keepTrace: true }));
    const again = await simulation.run(seed, { keepTrace: true });
    assert.equal(again.fingerprint, before.fingerprint, firstDifference(before, again));
  }
});

/** Which seeds have the moment in which a break shows: so many are tried at most, after the one in which it was last seen to show. */
const TRIES = 400;

for (const { title, found, showsIn, ...options } of BREAKS) {
  test(`found out: ${title}`, async (t) => {
    for (const seed of [showsIn, ...Array.from({ length: TRIES }, (_, i) => i + 1)]) {
      const { problems } = await simulation.run(seed, options);
      if (!found.test(problems.join("\n"))) continue;
      if (seed !== showsIn) t.diagnostic(`it shows in seed ${seed}, no more in ${showsIn}`);
      return;
    }
    assert.fail(`no run of ${TRIES} has a problem of ${found}`);
  });
}
