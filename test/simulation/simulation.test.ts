import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CallingWindows } from "#domain/compliance/calling-window.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { SEED } from "#test/support/source/draw.ts";
import { type Broken, type Outcome, openSimulation, type Simulation } from "./run.ts";

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

const ALWAYS_OPEN: CallingWindows = () => ({ open: true, until: new Date(8.64e15) });

/**
 * Each promise, a service that breaks it, and how that is found out. Not the service's doing: what the promises are measured by is. `showsIn`
 * is a seed that has the moment, as the service is now: it only saves the search. Where it shows no more the test says which seed it shows in.
 */
const BREAKS: readonly { title: string; takesTwice?: true; broken?: Broken; found: RegExp; showsIn: number }[] = [
  { title: "a carrier that takes texts twice", takesTwice: true, found: /was taken 2 times/, showsIn: 1 },
  {
    title: "a claim that does not see opt-outs",
    broken: {
      statements: {
        "claim-consents": (text) =>
          text.replace(
            "select phone, opted_out_at, doubted_at, bases, false",
            "select phone, null::timestamptz as opted_out_at, doubted_at, bases, false",
          ),
      },
    },
    found: /after its opt-out/,
    showsIn: 4,
  },
  {
    title: "a claim that does not see pauses and deletes",
    broken: { statements: { "claim-campaigns": (text) => text.replace("campaign.status,", "'active' as status,") } },
    found: /which is stopped/,
    showsIn: 8,
  },
  {
    title: "a gate without hours",
    broken: { context: { callingWindows: ALWAYS_OPEN } },
    found: /outside its window/,
    showsIn: 1,
  },
  {
    title: "receipts that are not written down",
    broken: { statements: { "record-receipts": (text) => text.replace("old.new)::int > (", "old.new)::int > 9 + (") } },
    found: /after the receipt/,
    showsIn: 1,
  },
  {
    title: "receipts that lower a message",
    broken: { statements: { "record-receipts": (text) => text.replace("old.new)::int > (", "old.new)::int <> (") } },
    found: /after the receipt|is failed after|is sent after/,
    showsIn: 3,
  },
  {
    title: "counts that are not kept",
    broken: {
      statements: {
        "settle-attempts": (text) => text.replace("'pending', sum(", "'pending', 2 * sum("),
      },
    },
    found: /^#\d+ campaign .* counts/m,
    showsIn: 1,
  },
  {
    title: "attempts that nobody settles",
    broken: {
      statements: {
        "settle-attempts": (text) => text.replace("else '{sending}' end", "else '{sent}' end"),
      },
    },
    found: /stays sending/,
    showsIn: 2,
  },
  {
    title: "texts of contacts that are acknowledged and not kept",
    broken: {
      statements: {
        "insert-inbound-text": (text) => text.replace(/values \((.*?)\)/s, "select $1 where false"),
      },
    },
    found: /is not stored/,
    showsIn: 1,
  },
  {
    title: "a service that suppresses everybody",
    broken: {
      statements: {
        "claim-do-not-call": () =>
          "select phone, '00000000-0000-0000-0000-000000000000'::uuid as organization_id from unnest($2::text[]) as phone where $1::uuid is not null",
      },
    },
    found: /suppressed by do_not_call, and nothing in this run is the cause/,
    showsIn: 1,
  },
  {
    title: "a START that is not obeyed",
    broken: {
      statements: {
        "clear-opt-out": (text) => text.replace("set opted_out_at = null", "set opted_out_at = opted_out_at"),
      },
    },
    found: /said start last and is out/,
    showsIn: 8,
  },
  {
    title: "an opt-out that the witness does not see",
    broken: {
      statements: {
        "settle-attempts": (text) =>
          text.replace(
            /^\s*with /,
            "with gone as (update consents set opted_out_at = $7 where tenant_id = $1 and opted_out_at is null), ",
          ),
      },
    },
    found: /the witness has not seen every opt-out/,
    showsIn: 7,
  },
  {
    title: "recipients that are given up though they were reached",
    broken: {
      statements: {
        "move-threads": (text) =>
          text.replace(
            "set state = old.new,",
            "set state = case old.new when 'delivered' then 'skipped' else old.new end,",
          ),
      },
    },
    found: /^#\d+ recipient .* is skipped, its starting message delivered/m,
    showsIn: 1,
  },
  {
    title: "a claim that waits for others' threads, who wait for its lane",
    broken: { statements: { "hold-threads": (text) => text.replace("skip locked", "") } },
    // In one run of a hundred.
    found: /a deadlock: /,
    showsIn: 130,
  },
];

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
