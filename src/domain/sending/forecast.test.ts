import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallingAnswer } from "#domain/compliance/calling-window.ts";
import { forecast, forecastAmong } from "./forecast.ts";

const HOUR = 3_600_000;
const from = new Date("2026-05-05T18:00:00Z");
const after = (ms: number) => new Date(from.getTime() + ms);
const always = (): CallingAnswer => ({ open: true, until: new Date(8.64e15) });
const never = (): CallingAnswer => ({ open: false, opensAt: null, rule: "never_open" });

/** Open so many hours from each `first` hour (UTC) on. */
const daily =
  (first: number, hours: number) =>
  (at: Date): CallingAnswer => {
    const day = Math.floor(at.getTime() / (24 * HOUR)) * 24 * HOUR;
    const [opens, closes] = [day + first * HOUR, day + (first + hours) * HOUR];
    if (at.getTime() >= opens && at.getTime() < closes) return { open: true, until: new Date(closes) };
    return { open: false, opensAt: new Date(at.getTime() < opens ? opens : opens + 24 * HOUR), rule: "hours" };
  };
const unpaced = { perSecond: null, budget: null };

test("a rate alone: so many texts at so many a second", () => {
  const result = forecast([{ recipients: 3_600, hoursAt: always }], 1, { perSecond: 10, budget: null }, from);
  assert.deepEqual(result, { finishAt: after(360_000), limitedBy: "rate" });
});

test("campaigns of one number take turns, and all share the day's limit", () => {
  const mine = [{ recipients: 1_000, hoursAt: always }];
  const rate = { perSecond: 10, budget: null };
  const among = (others: object, pace: object = rate) =>
    forecastAmong({ sameSender: [], elsewhere: [], ...others }, mine, 1, { ...rate, ...pace }, from).finishAt;
  assert.deepEqual(among({}), after(100_000));
  assert.deepEqual(among({ sameSender: [500, 5_000] }), after(250_000), "of a longer one as many leave meanwhile");
  assert.deepEqual(among({ elsewhere: [1_000] }), after(100_000), "another number's have a pace of their own");
  const spend = { leftToday: 1_000, perDay: 1_000, zone: "UTC" };
  assert.deepEqual(among({}, { spend }), after(100_000));
  assert.deepEqual(among({ elsewhere: [1_000] }, { spend }), new Date("2026-05-06T00:00:50Z"), "half of each day's");
});

test("with neither rate nor hours in the way it is done at once", () => {
  assert.deepEqual(forecast([{ recipients: 100_000, hoursAt: always }], 1, unpaced, from), {
    finishAt: from,
    limitedBy: null,
  });
  assert.deepEqual(forecast([], 1, unpaced, from).finishAt, from);
});

test("the tenant's own limit ends with its day, and says so", () => {
  const spend = { leftToday: 100, perDay: 400, zone: "America/New_York" };
  const of = (more: object) =>
    forecast([{ recipients: 400, hoursAt: always }], 2, { ...unpaced, spend, ...more }, from);
  // 50 today, 200 tomorrow, 150 the day after: from 4:00 UTC on.
  assert.deepEqual(of({}), { finishAt: new Date("2026-05-07T04:00:00Z"), limitedBy: "spend_limit" });
  assert.deepEqual(of({ spend: { ...spend, leftToday: 800 } }), { finishAt: from, limitedBy: null });
  assert.deepEqual(of({ spend: { ...spend, leftToday: 0, perDay: 1 } }).finishAt, null, "no text is that cheap");
});

test("a number in its first hour sends a tenth at once, the rest over the hour, then all", () => {
  const of = (recipients: number, ramp: object, more: object = {}) =>
    forecast(
      [{ recipients, hoursAt: always }],
      1,
      { ...unpaced, ramp: { texts: 500, beganAt: null, sent: 0, ...ramp }, ...more },
      from,
    );
  assert.deepEqual(of(50, {}), { finishAt: from, limitedBy: null });
  const half = of(275, {});
  assert.equal(half.limitedBy, "first_hour");
  assert.ok(Math.abs(half.finishAt!.getTime() - after(HOUR / 2).getTime()) <= 60_000, half.finishAt!.toISOString());
  assert.deepEqual(of(10_000, {}), { finishAt: after(HOUR), limitedBy: "first_hour" });
  assert.deepEqual(of(10_000, { beganAt: after(-HOUR / 2), sent: 275 }).finishAt, after(HOUR / 2));
  assert.deepEqual(of(10_000, { beganAt: after(-2 * HOUR), sent: 500 }).finishAt, from);
  // A rate below the ramp's is what takes longest.
  assert.equal(of(10_000, {}, { perSecond: 0.1 }).limitedBy, "rate");
});

test("whoever's hours are shut is waited for", () => {
  const groups = [
    { recipients: 10, hoursAt: always },
    { recipients: 10, hoursAt: daily(20, 1) },
  ];
  const result = forecast(groups, 1, unpaced, from);
  assert.deepEqual(result, { finishAt: after(2 * HOUR), limitedBy: "calling_hours" });
});

test("what does not fit one evening goes on the next, from where it stopped", () => {
  const result = forecast([{ recipients: 5_400, hoursAt: daily(18, 1) }], 1, { perSecond: 1, budget: null }, from);
  assert.deepEqual(result.finishAt, after(24.5 * HOUR));
});

test("a day's budget ends at midnight Pacific, and counts segments", () => {
  const budget = { perSecond: 1_000, leftToday: 500, perDay: 1_000 };
  const result = forecast([{ recipients: 1_000, hoursAt: always }], 2, { perSecond: null, budget }, from);
  // 250 today, 500 tomorrow, 250 the day after: from 7:00 UTC on.
  const day = Date.parse("2026-05-07T07:00:00Z");
  assert.ok(
    result.finishAt!.getTime() >= day && result.finishAt!.getTime() < day + 10_000,
    result.finishAt!.toISOString(),
  );
  assert.equal(result.limitedBy, "daily_budget");
});

test("a budget of months is forecast too, from the pace of the days that were examined", () => {
  const budget = { perSecond: 100, leftToday: 1_800, perDay: 1_800 };
  const { finishAt } = forecast([{ recipients: 180_000, hoursAt: always }], 1, { perSecond: null, budget }, from);
  const days = (finishAt!.getTime() - from.getTime()) / (24 * HOUR);
  assert.ok(days > 90 && days < 105, `${days} days`);
});

test("when some may never be reached there is no end", () => {
  const groups = [
    { recipients: 10, hoursAt: always },
    { recipients: 1, hoursAt: never },
  ];
  assert.deepEqual(forecast(groups, 1, unpaced, from), { finishAt: null, limitedBy: "calling_hours" });
  const nothing = { perSecond: 1, leftToday: 0, perDay: 0 };
  assert.equal(
    forecast([{ recipients: 1, hoursAt: always }], 1, { perSecond: null, budget: nothing }, from).finishAt,
    null,
  );
});
