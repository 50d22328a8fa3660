import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_ID } from "#domain/values/id.ts";
import { answerRate, complainsTooMuch, type NumberSum, nextRest, recentRefusals, restReason } from "./health.ts";

const A = "+12125550100";
const B = "+12125550101";
const C = "+12125550102";
const DAY_MS = 86_400_000;
const noon = new Date("2026-03-04T12:00:00Z");

const sum = (number: string, placed: number, answered: number, more: Partial<NumberSum> = {}): NumberSum => ({
  number,
  campaign_id: NO_ID,
  placed,
  answered,
  complaints: 0,
  unwanted: 0,
  ...more,
});

test("a number that is answered far less than the others of its campaign is to rest", () => {
  const sums = [sum(A, 300, 12), sum(B, 300, 66), sum(C, 300, 60)];
  assert.equal(restReason(A, sums), "answer_rate");
  assert.equal(restReason(B, sums), undefined);
  const { rate, usual } = answerRate(A, sums);
  assert.equal(rate, 0.04);
  assert.equal(usual, 0.21);
});

test("few calls, and a difference that chance explains, are no reason", () => {
  assert.equal(restReason(A, [sum(A, 50, 0), sum(B, 300, 60)]), undefined);
  assert.equal(restReason(A, [sum(A, 300, 48), sum(B, 300, 60)]), undefined);
  assert.equal(restReason(A, [sum(A, 300, 12)]), undefined);
});

test("a large number of calls makes a small difference sure, and it is no reason all the same", () => {
  assert.equal(restReason(A, [sum(A, 50_000, 9_000), sum(B, 50_000, 10_000)]), undefined);
});

test("numbers are compared within campaigns: a list that nobody answers is not the number's doing", () => {
  const cold = { campaign_id: "0190a000-0000-7000-8000-000000000001" };
  const warm = { campaign_id: "0190a000-0000-7000-8000-000000000002" };
  const sums = [sum(A, 400, 8, cold), sum(B, 400, 9, cold), sum(B, 400, 200, warm), sum(C, 400, 190, warm)];
  assert.equal(restReason(A, sums), undefined);
  // Alone in its campaign it has nothing to be compared with.
  assert.equal(answerRate(A, [sum(A, 400, 8, cold), sum(B, 400, 200, warm)]).usual, null);
});

test("complaints are compared with those over the other numbers, and a few are no reason", () => {
  const usual = sum(B, 1_000, 400, { complaints: 12 });
  assert.equal(complainsTooMuch(A, [sum(A, 300, 100, { complaints: 30 }), usual]), true);
  assert.equal(complainsTooMuch(A, [sum(A, 300, 100, { complaints: 8 }), usual]), false);
  assert.equal(complainsTooMuch(A, [sum(A, 10, 4, { complaints: 4 }), usual]), false);
  assert.equal(complainsTooMuch(A, [sum(A, 300, 100, { complaints: 30 })]), true);
  // All of them are bad: it is the campaign, not the number.
  assert.equal(
    complainsTooMuch(A, [sum(A, 300, 100, { complaints: 30 }), sum(B, 900, 300, { complaints: 90 })]),
    false,
  );
});

test("two refusals as spam within a day are too many, two on two days are not", () => {
  const at = (hours: number) => new Date(noon.getTime() + hours * 3_600_000);
  assert.equal(recentRefusals([], [at(0)], 100).isTooMany, false);
  assert.equal(recentRefusals([at(0)], [at(23)], 100).isTooMany, true);
  assert.deepEqual(recentRefusals([at(0)], [at(25)], 100), { times: [at(25)], isTooMany: false });
  assert.equal(recentRefusals([], [at(3), at(0)], 100).isTooMany, true);
  // Of thousands of calls a few are refused, whatever the number.
  const some = Array.from({ length: 9 }, (_, i) => at(i));
  assert.equal(recentRefusals(some.slice(1), [], 2_000).isTooMany, false);
  assert.equal(recentRefusals(some, [at(9)], 2_000).isTooMany, true);
});

test("a rest lasts a day, the next twice as long, up to sixteen days; after a month it begins anew", () => {
  let before = { rests: 0, endedAt: null as Date | null };
  const days: number[] = [];
  for (let i = 0; i < 6; i++) {
    const rest = nextRest(before, noon);
    days.push((rest.until.getTime() - noon.getTime()) / DAY_MS);
    before = { rests: rest.rests, endedAt: noon };
  }
  assert.deepEqual(days, [1, 2, 4, 8, 16, 16]);
  const later = new Date(noon.getTime() + 31 * DAY_MS);
  assert.deepEqual(nextRest(before, later), { rests: 1, until: new Date(later.getTime() + DAY_MS) });
});
