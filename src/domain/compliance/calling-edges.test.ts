import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { Temporal } from "temporal-polyfill";
import { numberPlan } from "#domain/phones/number-plan.ts";
import { placeOf } from "#domain/phones/place.ts";
import { STATES } from "#domain/phones/state.ts";
import { CALLING_RULES, type CallingRule } from "./calling-rules.ts";
import { type CallingPolicy, createCallingWindows } from "./calling-window.ts";
import { federalHolidays, stateHolidays } from "./holiday.ts";

// Every edge of every rule, made from the table: a second before, on it, a second after. Wall clocks are turned into
// instants by Temporal and back by Intl, neither of which the code under test is asked for.

/** An ordinary week in winter and in summer, both Sundays on which the clocks change, with their neighbours. */
const DAYS = days("2026-01-12", 7).concat(days("2026-07-13", 7), days("2026-03-07", 3), days("2026-10-31", 3));
const SECONDS = [-1, 0, 1];

const read = (name: string) => readFileSync(new URL(`../../../data/${name}`, import.meta.url), "utf8");
const plan = numberPlan(read("area-codes.csv"), read("exchange-time-zones.csv"));

function days(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => Temporal.PlainDate.from(first).add({ days: i }).toString());
}

/** The instant at which a zone's clock shows "20:00" on a day; "24:00" is the next day's beginning. */
function instant(day: string, time: string, zone: string): number {
  const date = Temporal.PlainDate.from(day);
  if (time === "24:00") return date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds;
  return date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds;
}

const formats = new Map<string, Intl.DateTimeFormat>();
function clockIn(zone: string, at: number): { date: string; time: string; weekday: number } {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
    formats.set(zone, format);
  }
  const [date, time] = format.format(at).split(" ") as [string, string];
  return { date, time, weekday: new Date(date).getUTCDay() || 7 };
}

const federal = new Set(years(federalHolidays));
const ofStates = new Map([...STATES.keys()].map((code) => [code, new Set(years((year) => stateHolidays(code, year)))]));
function years(daysOf: (year: number) => readonly { date: string }[]): string[] {
  return [2025, 2026, 2027, 2028].flatMap((year) => daysOf(year).map((day) => day.date));
}

function isHoliday(rule: CallingRule, date: string): boolean {
  return federal.has(date) || (ofStates.get(rule.jurisdiction.slice(3))?.has(date) ?? false);
}

/** Whether one rule lets one zone be reached at a moment, read off the wall clock. */
function allows(rule: CallingRule, zone: string, at: number): boolean {
  const { date, time, weekday } = clockIn(rule.zone ?? zone, at);
  const concerns = (rule.days as readonly number[]).includes(weekday) || (rule.holidays && isHoliday(rule, date));
  return !concerns || (rule.from !== null && rule.to !== null && rule.from <= time && time < rule.to);
}

/** A place under a rule, and no more of the map than that. */
function placesUnder(rule: CallingRule): { zones: string[]; states: string[] }[] {
  const code = rule.jurisdiction.split("-")[1];
  const country = rule.jurisdiction === "CA" ? "CA" : "US";
  const state = code ? STATES.get(code)! : [...STATES.values()].find((state) => state.country === country)!;
  const zones = code
    ? state.zones
    : [...new Set([...STATES.values()].filter((state) => state.country === country).flatMap((state) => state.zones))];
  return zones.map((zone) => ({ zones: [zone], states: [state.code] }));
}

test("every rule alone opens and closes on its second, in each of its zones, on each kind of day", (t) => {
  const ids = new Set<string>();
  let edges = 0;
  for (const rule of CALLING_RULES) {
    const windows = createCallingWindows(10_000, [rule]);
    const policy: CallingPolicy = { profile: "strict", channel: "voice" };
    const seen = new Set<boolean>();
    // The state's own holidays of a year, and those federal ones that are observed on another day than their own.
    const holidays = rule.holidays
      ? [...federal, ...(ofStates.get(rule.jurisdiction.slice(3)) ?? [])].filter((day) => /^202[67]/.test(day))
      : [];
    for (const place of placesUnder(rule)) {
      const zone = rule.zone ?? place.zones[0]!;
      for (const day of [...DAYS, ...holidays]) {
        for (const time of [rule.from ?? "00:00", rule.to ?? "24:00"]) {
          for (const second of SECONDS) {
            const at = instant(day, time, zone) + second * 1_000;
            const { open } = windows(new Date(at), place, policy);
            assert.equal(open, allows(rule, zone, at), `${rule.id} in ${zone}, ${second} s from ${time} of ${day}`);
            seen.add(open);
            edges++;
          }
        }
      }
    }
    // No rule was only ever seen in one of its two states.
    assert.deepEqual([...seen].sort(), [false, true], rule.id);
    ids.add(rule.id);
  }
  assert.equal(ids.size, CALLING_RULES.length);
  report(t, "single rules", edges);
});

test("all rules of a state together hold at every edge of each, in both profiles, for texts and calls", (t) => {
  const windows = createCallingWindows(50_000);
  let edges = 0;
  for (const state of STATES.values()) {
    const own = CALLING_RULES.filter(
      ({ jurisdiction }) => jurisdiction === state.country || jurisdiction === `${state.country}-${state.code}`,
    );
    for (const profile of ["strict", "federal"] as const) {
      const rules = own.concat(CALLING_RULES.filter((rule) => rule.jurisdiction === profile));
      const times = new Set(rules.flatMap((rule) => [rule.from ?? "00:00", rule.to ?? "24:00"]));
      const channels = rules.some((rule) => rule.channel === "voice")
        ? (["sms", "voice"] as const)
        : (["sms"] as const);
      for (const channel of channels) {
        const held = rules.filter((rule) => rule.channel === "any" || channel === "voice");
        for (const day of DAYS) {
          for (const zone of state.zones) {
            for (const time of times) {
              for (const second of SECONDS) {
                const at = instant(day, time, zone) + second * 1_000;
                const expected = state.zones.every((each) => held.every((rule) => allows(rule, each, at)));
                const { open } = windows(
                  new Date(at),
                  { zones: state.zones, states: [state.code] },
                  { profile, channel },
                );
                assert.equal(
                  open,
                  expected,
                  `${state.code} ${profile} ${channel}, ${second} s from ${time} of ${day} in ${zone}`,
                );
                edges++;
              }
            }
          }
        }
      }
    }
  }
  report(t, "states", edges);
});

/** The area codes that span zones, as the compliance notes list them. */
const SPLIT_CODES = "208 219 250 270 308 418 423 541 574 605 606 620 701 709 775 785 807 812 850 867 906 907 928".split(
  " ",
);
/** The places whose clocks are the classic mistakes, each by a number. Navajo Nation is the second zone of 928. */
const CLASSIC = ["+16025550100", "+19285550100", "+13175550100", "+12195550100", "+18085550100", "+17875550100"];

test("in all 23 split area codes, and in AZ, Navajo, IN, HI and PR, the window holds in every candidate zone", (t) => {
  const windows = createCallingWindows(50_000);
  let edges = 0;
  assert.equal(SPLIT_CODES.length, 23);
  for (const phone of [...SPLIT_CODES.map((code) => `+1${code}5550100`), ...CLASSIC]) {
    const place = placeOf({ phone, fields: {} }, plan);
    if (!CLASSIC.includes(phone)) assert.ok(place.zones.length > 1, `${phone} is in ${place.zones}`);
    const jurisdictions = place.states.flatMap((code) => [
      STATES.get(code)!.country,
      `${STATES.get(code)!.country}-${code}`,
    ]);
    for (const profile of ["strict", "federal"] as const) {
      const rules = CALLING_RULES.filter(
        (rule) =>
          rule.channel === "any" && (rule.jurisdiction === profile || jurisdictions.includes(rule.jurisdiction)),
      );
      const times = new Set([
        "07:59",
        "08:00",
        "20:59",
        "21:00",
        ...rules.flatMap((rule) => [rule.from ?? "00:00", rule.to ?? "24:00"]),
      ]);
      for (const zone of place.zones) {
        for (const day of DAYS) {
          for (const time of times) {
            for (const second of [...SECONDS, 59]) {
              const at = instant(day, time, zone) + second * 1_000;
              const expected = place.zones.every((each) => rules.every((rule) => allows(rule, each, at)));
              const { open } = windows(new Date(at), place, { profile, channel: "sms" });
              assert.equal(open, expected, `${phone} ${profile}, ${second} s from ${time} of ${day} in ${zone}`);
              // Said once more without the table: nobody is reached before eight or from nine on, in any zone.
              if (open)
                for (const each of place.zones) assert.ok(/^(0[89]|1\d|20|21:[0-2])/.test(clockIn(each, at).time));
              edges++;
            }
          }
        }
      }
    }
  }
  report(t, "split area codes", edges);
});

test("the two Sundays: the hour that is skipped and the one that comes twice move no edge", (t) => {
  const at = (iso: string) => new Date(iso);
  const windows = createCallingWindows();
  const federalHours: CallingPolicy = { profile: "federal", channel: "sms" };
  /** Zone, state, then the first and last second of the federal day in UTC, in March and in November 2026. */
  const table: [zone: string, state: string, string, string, string, string][] = [
    [
      "America/New_York",
      "NY",
      "2026-03-08T12:00:00Z",
      "2026-03-09T00:59:59Z",
      "2026-11-01T13:00:00Z",
      "2026-11-02T01:59:59Z",
    ],
    [
      "America/Phoenix",
      "AZ",
      "2026-03-08T15:00:00Z",
      "2026-03-09T03:59:59Z",
      "2026-11-01T15:00:00Z",
      "2026-11-02T03:59:59Z",
    ],
    [
      "America/Denver",
      "AZ",
      "2026-03-08T14:00:00Z",
      "2026-03-09T02:59:59Z",
      "2026-11-01T15:00:00Z",
      "2026-11-02T03:59:59Z",
    ],
    [
      "America/Indiana/Indianapolis",
      "IN",
      "2026-03-08T12:00:00Z",
      "2026-03-09T00:59:59Z",
      "2026-11-01T13:00:00Z",
      "2026-11-02T01:59:59Z",
    ],
    [
      "Pacific/Honolulu",
      "HI",
      "2026-03-08T18:00:00Z",
      "2026-03-09T06:59:59Z",
      "2026-11-01T18:00:00Z",
      "2026-11-02T06:59:59Z",
    ],
    [
      "America/Puerto_Rico",
      "PR",
      "2026-03-08T12:00:00Z",
      "2026-03-09T00:59:59Z",
      "2026-11-01T12:00:00Z",
      "2026-11-02T00:59:59Z",
    ],
  ];
  let edges = 0;
  for (const [zone, state, ...seconds] of table) {
    for (const [i, iso] of seconds.entries()) {
      const outside = at(iso).getTime() + (i % 2 === 0 ? -1_000 : 1_000);
      const ask = (ms: number) => windows(new Date(ms), { zones: [zone], states: [state] }, federalHours).open;
      assert.deepEqual([ask(at(iso).getTime()), ask(outside)], [true, false], `${zone} ${iso}`);
      edges += 2;
    }
  }
  report(t, "clock changes", edges);
});

/** The figure that reports quote. */
function report(t: TestContext, what: string, edges: number): void {
  assert.ok(edges > 20, what);
  t.diagnostic(`${what}: ${edges} edges`);
}
