import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { STATES } from "#domain/phones/state.ts";
import { CALLING_RULES } from "./calling-rules.ts";
import { type CallingPolicy, callingWindow } from "./calling-window.ts";
import { federalHolidays, stateHolidays } from "./holiday.ts";

/**
 * The rules read a second time, in the plainest way: what does the wall clock show in each zone, and does any row forbid
 * it? Shares the table and the holidays with the code under test, but none of its time arithmetic.
 */
function isOpenByTheClock(
  at: number,
  zones: readonly string[],
  states: readonly string[],
  policy: CallingPolicy,
): boolean {
  const countries = states.map((state) => STATES.get(state)!.country);
  const jurisdictions: string[] = [
    policy.profile,
    ...countries,
    ...states.map((state, i) => `${countries[i]}-${state}`),
  ];
  return zones.every((candidate) => {
    const lawful = CALLING_RULES.filter((rule) => jurisdictions.includes(rule.jurisdiction))
      .filter((rule) => rule.channel === "any" || policy.channel === "voice")
      .every((rule) => {
        const clock = clockIn(rule.zone ?? candidate, at);
        const isHoliday = clock.isHoliday || ownDays.has(`${rule.jurisdiction} ${clock.date}`);
        const concerns = (rule.days as readonly number[]).includes(clock.weekday) || (rule.holidays && isHoliday);
        return !concerns || (rule.from !== null && rule.to !== null && rule.from <= clock.time && clock.time < rule.to);
      });
    const { window } = policy;
    const clock = clockIn(candidate, at);
    return (
      lawful &&
      (!window || (window.days.includes(clock.weekday) && window.start <= clock.time && clock.time < window.end))
    );
  });
}

const formats = new Map<string, Intl.DateTimeFormat>();
const holidays = new Set(
  [2025, 2026, 2027, 2028].flatMap((year) => federalHolidays(year).map((holiday) => holiday.date)),
);

const ownDays = new Set(
  [2025, 2026, 2027, 2028].flatMap((year) =>
    [...STATES.keys()].flatMap((code) => stateHolidays(code, year).map((day) => `US-${code} ${day.date}`)),
  ),
);

function clockIn(zone: string, at: number): { date: string; time: string; weekday: number; isHoliday: boolean } {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
    formats.set(zone, format);
  }
  const [date, time] = format.format(at).split(" ") as [string, string];
  return { date, time, weekday: new Date(date).getUTCDay() || 7, isHoliday: holidays.has(date) };
}

const zones = [...new Set([...STATES.values()].flatMap((state) => state.zones))].filter(
  (zone) => !zone.startsWith("Pacific/G"),
);
const start = Date.parse("2026-01-01T00:00Z");
const twoYearsMs = 2 * 365 * 86_400_000;

/** Anywhere in two years, with every second one near a change of the clocks, a holiday or a turn of the year. */
const instants = fc.oneof(
  fc.integer({ min: start, max: start + twoYearsMs }),
  fc
    .tuple(
      fc.constantFrom("2026-03-08", "2026-11-01", "2027-03-14", "2027-11-07", "2026-07-04", "2026-12-25", "2027-12-31"),
      fc.integer({ min: -36 * 3_600_000, max: 60 * 3_600_000 }),
    )
    .map(([day, by]) => Date.parse(day) + by),
);
const places = fc.record({
  zones: fc.uniqueArray(fc.constantFrom(...zones), { minLength: 1, maxLength: 3 }),
  states: fc.uniqueArray(fc.constantFrom(...STATES.keys()), { minLength: 1, maxLength: 2 }),
});
const times = fc.constantFrom("00:00", "07:45", "09:00", "10:30", "12:00", "17:15", "20:00", "24:00");
const policies: fc.Arbitrary<CallingPolicy> = fc.record(
  {
    profile: fc.constantFrom("strict", "federal"),
    channel: fc.constantFrom("sms", "voice"),
    window: fc.record({ start: times, end: times, days: fc.subarray([1, 2, 3, 4, 5, 6, 7]) }),
  },
  { requiredKeys: ["profile", "channel"] },
);

/** Few enough to stay under two seconds on one slow core; raise it when the arithmetic changes. */
const RUNS = { numRuns: 400 };

test("open and closed are what the wall clocks and the table say, at any moment, anywhere", () => {
  fc.assert(
    fc.property(instants, places, policies, (at, place, policy) => {
      const answer = callingWindow(new Date(at), place, policy);
      assert.equal(answer.open, isOpenByTheClock(at, place.zones, place.states, policy));
    }),
    RUNS,
  );
});

test("an open answer holds to its last millisecond and not one longer", () => {
  fc.assert(
    fc.property(instants, places, policies, (at, place, policy) => {
      const answer = callingWindow(new Date(at), place, policy);
      if (!answer.open) return;
      const until = answer.until.getTime();
      assert.ok(until > at);
      const middle = Math.floor((at + until) / 2);
      for (const inside of [middle, until - 1]) assert.ok(isOpenByTheClock(inside, place.zones, place.states, policy));
      assert.ok(!isOpenByTheClock(until, place.zones, place.states, policy));
    }),
    RUNS,
  );
});

test("the opening is open, the millisecond before is closed, and so is every quarter of an hour until then", () => {
  fc.assert(
    fc.property(instants, places, policies, (at, place, policy) => {
      const answer = callingWindow(new Date(at), place, policy);
      if (answer.open || answer.opensAt === null) return;
      const opensAt = answer.opensAt.getTime();
      assert.ok(opensAt > at);
      assert.ok(isOpenByTheClock(opensAt, place.zones, place.states, policy));
      assert.ok(!isOpenByTheClock(opensAt - 1, place.zones, place.states, policy));
      for (let t = at; t < Math.min(opensAt, at + 86_400_000 * 3); t += 900_000) {
        assert.ok(!isOpenByTheClock(t, place.zones, place.states, policy));
      }
    }),
    RUNS,
  );
});
