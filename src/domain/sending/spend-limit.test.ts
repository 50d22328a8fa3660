import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { MessagePurpose } from "#domain/messaging/message.ts";
import { dollarsOf, microsOf, piecesLeft, spendDay, spendLeft, textMicros, withinLimit } from "./spend-limit.ts";

const CENT = 10_000;
const PURPOSES: MessagePurpose[] = ["start", "drip", "reply", "human", "confirmation", "help"];
const texts = fc.array(
  fc.record({ purpose: fc.constantFrom(...PURPOSES), micros: fc.integer({ min: 1, max: 10 }).map((n) => n * CENT) }),
  {
    maxLength: 60,
  },
);

test("amounts are exact", () => {
  assert.equal(microsOf("0.0079"), 7_900);
  assert.equal(microsOf("250"), 250_000_000);
  assert.equal(dollarsOf(7_900), "0.0079");
  assert.equal(dollarsOf(250_000_000), "250.00");
  assert.equal(piecesLeft(99, 10), 9);
  assert.equal(piecesLeft(1, 0), Number.POSITIVE_INFINITY);
  assert.equal(piecesLeft(0, 0), 0);
});

test("a text costs by its segments, one with pictures as a whole", () => {
  const prices = { segment: "0.01", pictureText: "0.03" };
  assert.equal(textMicros({ segments: 3, hasPictures: false }, prices), 3 * CENT);
  assert.equal(textMicros({ segments: 1, hasPictures: true }, prices), 3 * CENT);
});

test("a day is the tenant's own, with 23 hours when the clocks go forward", () => {
  const day = spendDay("America/New_York", new Date("2026-03-08T05:30:00Z"));
  assert.deepEqual([day.date, day.endsAt.toISOString()], ["2026-03-08", "2026-03-09T04:00:00.000Z"]);
});

test("outreach ends at the limit, answers go a tenth further, and confirmations always leave", () => {
  const full = spendLeft(100 * CENT, 100 * CENT);
  const one = (purpose: MessagePurpose, left = full) => withinLimit([{ purpose, micros: CENT }], left)[0];
  assert.deepEqual(
    PURPOSES.map((purpose) => one(purpose)),
    [false, false, true, true, true, true],
  );
  const beyond = spendLeft(100 * CENT, 110 * CENT);
  assert.deepEqual(
    PURPOSES.map((purpose) => one(purpose, beyond)),
    [false, false, false, false, true, false],
  );
  assert.equal(withinLimit([{ purpose: "start", micros: 2 * CENT }], spendLeft(CENT, 0))[0], false, "never half");
});

test("whatever texts come, planned ones never bring a day beyond its limit, nor answers beyond a tenth more", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 200 }), (them, limit, spent) => {
      const goes = withinLimit(them, spendLeft(limit * CENT, spent * CENT));
      const sum = (wanted: (purpose: MessagePurpose) => boolean) =>
        them.reduce((all, { purpose, micros }, i) => all + (goes[i] && wanted(purpose) ? micros : 0), 0);
      const isPlanned = (purpose: MessagePurpose) => purpose === "start" || purpose === "drip";
      assert.ok(them.every(({ purpose }, i) => purpose !== "confirmation" || goes[i]));
      if (sum(isPlanned) > 0) assert.ok(spent * CENT + sum(() => true) <= limit * CENT);
      const answers = sum((purpose) => !isPlanned(purpose) && purpose !== "confirmation");
      if (answers > 0) assert.ok(spent * CENT + sum((purpose) => !isPlanned(purpose)) <= limit * CENT * 1.1);
    }),
  );
});
