import assert from "node:assert/strict";
import { test } from "node:test";
import { type CallingPolicy, callingWindow, createCallingWindows } from "./calling-window.ts";

const NEW_YORK = "America/New_York";
const CHICAGO = "America/Chicago";
const DENVER = "America/Denver";
const PHOENIX = "America/Phoenix";
const STRICT: CallingPolicy = { profile: "strict", channel: "sms" };
const FEDERAL: CallingPolicy = { profile: "federal", channel: "sms" };
const FEDERAL_VOICE: CallingPolicy = { profile: "federal", channel: "voice" };
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

type Where = { zones: string[]; states: string[] };
const place = (zones: string | string[], ...states: string[]): Where => ({ zones: [zones].flat(), states });

/** "open until T", "closed until T by rule" or "never by rule" at an instant in UTC. */
function ask(at: string, where: Where, policy: CallingPolicy = STRICT): string {
  const answer = callingWindow(new Date(at), where, policy);
  if (answer.open) return `open until ${short(answer.until)}`;
  return answer.opensAt ? `closed until ${short(answer.opensAt)} by ${answer.rule}` : `never by ${answer.rule}`;
}
const short = (date: Date) => date.toISOString().replace(":00.000Z", "Z");

/** Asserts the first open instant of a day, to the millisecond, and its last. */
function opens(from: string, to: string, where: Where, policy: CallingPolicy = STRICT): void {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const isOpen = (ms: number) => callingWindow(new Date(ms), where, policy).open;
  assert.deepEqual(
    [start - 1, start, end - 1, end].map(isOpen),
    [false, true, true, false],
    `${where.zones} ${where.states} ${from}`,
  );
  const before = callingWindow(new Date(start - 1), where, policy);
  assert.deepEqual(before.open ? null : before.opensAt, new Date(start));
  assert.deepEqual(callingWindow(new Date(start), where, policy), { open: true, until: new Date(end) });
}

test("the strict day is 9:00 inclusive to 20:00 exclusive, Sunday 12:00 to 20:00", () => {
  opens("2026-01-14T14:00Z", "2026-01-15T01:00Z", place(NEW_YORK, "NY"));
  opens("2026-01-18T17:00Z", "2026-01-19T01:00Z", place(NEW_YORK, "NY"));
  assert.equal(ask("2026-01-15T01:00Z", place(NEW_YORK, "NY")), "closed until 2026-01-15T14:00Z by strict_hours");
});

test("the federal day is 8:00 inclusive to 21:00 exclusive on every day", () => {
  opens("2026-01-14T13:00Z", "2026-01-15T02:00Z", place(NEW_YORK, "NY"), FEDERAL);
  opens("2026-01-18T13:00Z", "2026-01-19T02:00Z", place(NEW_YORK, "NY"), FEDERAL);
});

test("a Saturday evening waits for Sunday noon", () => {
  assert.equal(ask("2026-01-18T01:30Z", place(NEW_YORK, "NY")), "closed until 2026-01-18T17:00Z by strict_hours");
  assert.equal(
    ask("2026-01-18T16:59:59.999Z", place(NEW_YORK, "NY")),
    "closed until 2026-01-18T17:00Z by strict_sunday",
  );
});

/** First and last open instant in UTC: federal on the Saturday before the clocks change, on that Sunday, on the Monday. */
const dstSundays: [name: string, zone: string, state: string, days: [string, string][]][] = [
  [
    "New York, March 2026",
    NEW_YORK,
    "NY",
    [
      ["2026-03-07T13:00Z", "2026-03-08T02:00Z"],
      ["2026-03-08T12:00Z", "2026-03-09T01:00Z"],
      ["2026-03-09T12:00Z", "2026-03-10T01:00Z"],
    ],
  ],
  [
    "New York, November 2026",
    NEW_YORK,
    "NY",
    [
      ["2026-10-31T12:00Z", "2026-11-01T01:00Z"],
      ["2026-11-01T13:00Z", "2026-11-02T02:00Z"],
      ["2026-11-02T13:00Z", "2026-11-03T02:00Z"],
    ],
  ],
  [
    "New York, March 2027",
    NEW_YORK,
    "NY",
    [
      ["2027-03-13T13:00Z", "2027-03-14T02:00Z"],
      ["2027-03-14T12:00Z", "2027-03-15T01:00Z"],
      ["2027-03-15T12:00Z", "2027-03-16T01:00Z"],
    ],
  ],
  [
    "New York, November 2027",
    NEW_YORK,
    "NY",
    [
      ["2027-11-06T12:00Z", "2027-11-07T01:00Z"],
      ["2027-11-07T13:00Z", "2027-11-08T02:00Z"],
      ["2027-11-08T13:00Z", "2027-11-09T02:00Z"],
    ],
  ],
  [
    "Los Angeles, March 2026",
    "America/Los_Angeles",
    "CA",
    [
      ["2026-03-07T16:00Z", "2026-03-08T05:00Z"],
      ["2026-03-08T15:00Z", "2026-03-09T04:00Z"],
    ],
  ],
  [
    "Los Angeles, November 2027",
    "America/Los_Angeles",
    "CA",
    [
      ["2027-11-06T15:00Z", "2027-11-07T04:00Z"],
      ["2027-11-07T16:00Z", "2027-11-08T05:00Z"],
    ],
  ],
  [
    "Anchorage, March 2027",
    "America/Anchorage",
    "AK",
    [
      ["2027-03-13T17:00Z", "2027-03-14T06:00Z"],
      ["2027-03-14T16:00Z", "2027-03-15T05:00Z"],
    ],
  ],
  [
    "Navajo Nation, March 2026",
    DENVER,
    "AZ",
    [
      ["2026-03-07T15:00Z", "2026-03-08T04:00Z"],
      ["2026-03-08T14:00Z", "2026-03-09T03:00Z"],
    ],
  ],
  [
    "Arizona, March 2026: no change",
    PHOENIX,
    "AZ",
    [
      ["2026-03-07T15:00Z", "2026-03-08T04:00Z"],
      ["2026-03-08T15:00Z", "2026-03-09T04:00Z"],
    ],
  ],
  [
    "Arizona, November 2027: no change",
    PHOENIX,
    "AZ",
    [
      ["2027-11-06T15:00Z", "2027-11-07T04:00Z"],
      ["2027-11-07T15:00Z", "2027-11-08T04:00Z"],
    ],
  ],
  [
    "Hawaii, November 2026: no change",
    "Pacific/Honolulu",
    "HI",
    [
      ["2026-10-31T18:00Z", "2026-11-01T07:00Z"],
      ["2026-11-01T18:00Z", "2026-11-02T07:00Z"],
    ],
  ],
  [
    "Puerto Rico, March 2027: no change",
    "America/Puerto_Rico",
    "PR",
    [
      ["2027-03-13T12:00Z", "2027-03-14T01:00Z"],
      ["2027-03-14T12:00Z", "2027-03-15T01:00Z"],
    ],
  ],
  [
    "Indianapolis, November 2026",
    "America/Indiana/Indianapolis",
    "IN",
    [
      ["2026-10-31T12:00Z", "2026-11-01T01:00Z"],
      ["2026-11-01T13:00Z", "2026-11-02T02:00Z"],
    ],
  ],
  [
    "Gary, November 2026",
    CHICAGO,
    "IN",
    [
      ["2026-10-31T13:00Z", "2026-11-01T02:00Z"],
      ["2026-11-01T14:00Z", "2026-11-02T03:00Z"],
    ],
  ],
];
for (const [name, zone, state, days] of dstSundays) {
  test(`hours follow the wall clock when the clocks change: ${name}`, () => {
    for (const [from, to] of days) opens(from, to, place(zone, state), FEDERAL);
  });
}

test("the Sunday of a change keeps its strict noon", () => {
  opens("2026-03-08T16:00Z", "2026-03-09T00:00Z", place(NEW_YORK, "NY"));
  opens("2026-11-01T17:00Z", "2026-11-02T01:00Z", place(NEW_YORK, "NY"));
  assert.equal(ask("2026-03-08T01:30Z", place(NEW_YORK, "NY")), "closed until 2026-03-08T16:00Z by strict_hours");
  assert.equal(ask("2026-11-01T00:30Z", place(NEW_YORK, "NY")), "closed until 2026-11-01T17:00Z by strict_hours");
});

test("with two candidate zones it opens by the later and closes by the earlier", () => {
  opens("2026-01-14T15:00Z", "2026-01-15T01:00Z", place([CHICAGO, NEW_YORK], "TN"));
  // Arizona and Navajo Nation agree in winter and differ by an hour in summer.
  opens("2026-01-14T16:00Z", "2026-01-15T03:00Z", place([DENVER, PHOENIX], "AZ"));
  opens("2026-07-15T16:00Z", "2026-07-16T02:00Z", place([DENVER, PHOENIX], "AZ"));
});

test("each state's hours hold beside the federal ones", () => {
  opens("2026-01-14T13:00Z", "2026-01-15T01:00Z", place(NEW_YORK, "FL"), FEDERAL);
  opens("2026-01-14T15:00Z", "2026-01-15T03:00Z", place(CHICAGO, "TX"), FEDERAL_VOICE);
  opens("2026-01-14T15:00Z", "2026-01-15T02:00Z", place(NEW_YORK, "KY"), FEDERAL);
  opens("2026-01-14T15:00Z", "2026-01-15T01:00Z", place(NEW_YORK, "KY"));
  opens("2026-01-14T14:00Z", "2026-01-14T23:00Z", place(NEW_YORK, "RI"), FEDERAL);
  opens("2026-01-17T15:00Z", "2026-01-17T22:00Z", place(NEW_YORK, "RI"), FEDERAL);
  opens("2026-01-14T14:00Z", "2026-01-15T01:00Z", place(NEW_YORK, "CT"), FEDERAL);
  opens("2026-01-14T17:00Z", "2026-01-15T04:00Z", place("America/Los_Angeles", "NV"), FEDERAL);
});

test("Texas sleeps late on Sunday", () => {
  opens("2026-01-18T18:00Z", "2026-01-19T03:00Z", place(CHICAGO, "TX"), FEDERAL);
  assert.equal(
    ask("2026-01-18T17:59:59.999Z", place(CHICAGO, "TX"), FEDERAL),
    "closed until 2026-01-18T18:00Z by tx_sunday",
  );
});

test("no Sunday: from Saturday evening it waits for Monday, and the denial names the law", () => {
  for (const state of ["AL", "LA", "MS"]) {
    assert.equal(
      ask("2026-05-10T18:00Z", place(CHICAGO, state), FEDERAL),
      `closed until 2026-05-11T13:00Z by ${state.toLowerCase()}_sunday_holiday`,
    );
  }
  assert.equal(ask("2026-05-09T21:30Z", place(NEW_YORK, "RI")), "closed until 2026-05-11T13:00Z by ri_saturday");
  assert.equal(
    ask("2026-05-10T18:00Z", place(DENVER, "UT"), FEDERAL),
    "closed until 2026-05-11T14:00Z by ut_sunday_holiday",
  );
});

test("Utah's Sunday is open to those whose express consent is on record, in a memory of its own", () => {
  const sunday = "2026-05-10T18:00Z";
  const consented = { ...FEDERAL, expressConsent: true };
  const windows = createCallingWindows();
  for (const policy of [FEDERAL, consented, FEDERAL]) {
    const answer = windows(new Date(sunday), place(DENVER, "UT"), policy);
    assert.equal(answer.open, policy === consented);
  }
  assert.match(ask("2026-05-10T18:00Z", place(CHICAGO, "AL"), consented), /al_sunday_holiday$/);
  assert.match(ask("2026-05-11T03:30Z", place(DENVER, "UT"), consented), /ut_hours$/);
});

test("without any law the window alone counts, whatever the state and the day", () => {
  const window = { start: "06:00", end: "23:00", days: EVERY_DAY };
  opens("2026-07-04T12:00Z", "2026-07-05T05:00Z", place(DENVER, "UT"), { profile: "none", channel: "sms", window });
});

test("no holidays: Thanksgiving, an observed day and both of a weekend are closed where the law says so", () => {
  assert.equal(
    ask("2026-11-26T18:00Z", place(NEW_YORK, "PA"), FEDERAL),
    "closed until 2026-11-27T13:00Z by pa_holiday",
  );
  assert.match(
    ask("2026-07-03T18:00Z", place(CHICAGO, "AL"), FEDERAL),
    /^closed until 2026-07-06T13:00Z by al_sunday_holiday$/,
  );
  assert.match(
    ask("2027-12-31T18:00Z", place(NEW_YORK, "RI"), FEDERAL),
    /^closed until 2028-01-03T14:00Z by ri_sunday_holiday$/,
  );
  assert.match(ask("2026-11-26T18:00Z", place(NEW_YORK, "NY"), FEDERAL), /^open/);
  assert.match(ask("2026-11-22T18:00Z", place(NEW_YORK, "PA"), FEDERAL), /^open/);
});

test("a holiday is the one of the recipient's calendar, not of UTC", () => {
  assert.match(ask("2026-12-25T00:30Z", place(CHICAGO, "LA"), FEDERAL), /^open until 2026-12-25T02:00Z/);
  assert.match(ask("2026-12-26T01:30Z", place(CHICAGO, "LA"), FEDERAL), /la_sunday_holiday$/);
});

test("rules for recorded or automated calls leave texts alone", () => {
  const illinois = place(CHICAGO, "IL");
  opens("2026-01-14T14:00Z", "2026-01-15T03:00Z", illinois, FEDERAL);
  opens("2026-01-14T15:00Z", "2026-01-15T03:00Z", illinois, FEDERAL_VOICE);
  opens("2026-01-18T19:00Z", "2026-01-19T03:00Z", place(CHICAGO, "NE"), FEDERAL_VOICE);
  opens("2026-01-18T14:00Z", "2026-01-19T03:00Z", place(CHICAGO, "NE"), FEDERAL);
  assert.match(ask("2026-01-17T18:00Z", place(CHICAGO, "SD"), FEDERAL_VOICE), /sd_saturday$/);
});

test("Mississippi counts in Central time wherever its number is", () => {
  opens("2026-01-14T15:00Z", "2026-01-15T02:00Z", place(DENVER, "MS"), FEDERAL);
  opens("2026-01-14T14:00Z", "2026-01-15T02:00Z", place(NEW_YORK, "MS"), FEDERAL);
});

test("Canada has its own hours, and under the federal profile none of the US", () => {
  const toronto = place("America/Toronto", "ON");
  opens("2026-01-14T14:00Z", "2026-01-15T02:30Z", toronto, FEDERAL);
  opens("2026-01-17T15:00Z", "2026-01-17T23:00Z", toronto, FEDERAL);
  opens("2026-01-14T14:00Z", "2026-01-15T01:00Z", toronto);
  opens("2026-01-18T17:00Z", "2026-01-18T23:00Z", toronto);
  opens("2026-01-14T12:30Z", "2026-01-14T23:30Z", place("America/St_Johns", "NL"));
});

test("both states' rules hold when address and area code differ", () => {
  opens("2026-01-14T18:00Z", "2026-01-15T04:00Z", place("America/Los_Angeles", "CA", "KY"));
  assert.match(ask("2026-01-18T20:00Z", place(DENVER, "CO", "AL"), FEDERAL), /al_sunday_holiday$/);
});

test("a campaign's window narrows the day in the recipient's zone and never widens it", () => {
  const window = { start: "10:30", end: "22:00", days: [1, 3] };
  opens("2026-01-14T15:30Z", "2026-01-15T01:00Z", place(NEW_YORK, "NY"), { ...STRICT, window });
  opens("2026-01-14T18:30Z", "2026-01-15T04:00Z", place("America/Los_Angeles", "CA"), { ...STRICT, window });
  assert.equal(
    ask("2026-01-15T17:00Z", place(NEW_YORK, "NY"), { ...STRICT, window }),
    "closed until 2026-01-19T15:30Z by campaign_window",
  );
});

test("a window of one weekday is found across two holidays in a row", () => {
  const thursdays = { start: "09:00", end: "20:00", days: [4] };
  assert.equal(
    ask("2025-12-19T18:00Z", place(NEW_YORK, "PA"), { ...STRICT, window: thursdays }),
    "closed until 2026-01-08T14:00Z by campaign_window",
  );
});

test("what can never be open says so", () => {
  const everyDay = { start: "09:00", end: "20:00", days: EVERY_DAY };
  const newYork = place(NEW_YORK, "NY");
  const never: [Where, CallingPolicy][] = [
    [newYork, { ...STRICT, window: { ...everyDay, days: [] } }],
    [newYork, { ...STRICT, window: { ...everyDay, start: "20:00", end: "23:00" } }],
    [newYork, { ...STRICT, window: { ...everyDay, start: "18:00", end: "10:00" } }],
    [newYork, { ...STRICT, window: { ...everyDay, start: "nine" } }],
    [newYork, { ...STRICT, window: { ...everyDay, end: "24:30" } }],
    [place("Mars/Olympus_Mons"), STRICT],
    [place([]), STRICT],
    [place([NEW_YORK, "Asia/Shanghai"], "NY"), { ...STRICT, window: { ...everyDay, start: "10:00", end: "20:00" } }],
  ];
  for (const [where, policy] of never) assert.equal(ask("2026-01-14T18:00Z", where, policy), "never by never_open");
  assert.deepEqual(callingWindow(new Date(Number.NaN), newYork, STRICT), {
    open: false,
    opensAt: null,
    rule: "never_open",
  });
});

test("a window to midnight is read", () => {
  opens("2026-01-14T14:00Z", "2026-01-15T01:00Z", place(NEW_YORK, "NY"), {
    ...STRICT,
    window: { start: "00:00", end: "24:00", days: EVERY_DAY },
  });
});

test("a place that may be anywhere is open while the whole country is", () => {
  const anywhere = place([CHICAGO, DENVER, NEW_YORK, "America/Los_Angeles", "America/Puerto_Rico", "Pacific/Honolulu"]);
  opens("2026-07-15T19:00Z", "2026-07-16T00:00Z", anywhere);
});

test("the memory answers as the plain function does, at any moment, in any order, however small", () => {
  const hour = 3_600_000;
  const first = Date.parse("2026-03-05T00:00Z");
  const places = [place(NEW_YORK, "NY"), place([CHICAGO, NEW_YORK], "FL"), place(CHICAGO, "AL"), place([])];
  const policies: CallingPolicy[] = [
    STRICT,
    FEDERAL_VOICE,
    { ...STRICT, window: { start: "10:00", end: "12:00", days: [2] } },
  ];
  for (const cacheSize of [1, 3, 1_000]) {
    const windows = createCallingWindows(cacheSize);
    for (let i = 0; i < 600; i++) {
      const now = new Date(first + ((i * 37) % 120) * hour + (i % 3) - 1);
      const where = places[i % places.length]!;
      const policy = policies[i % policies.length]!;
      assert.deepEqual(windows(now, where, policy), callingWindow(now, where, policy));
    }
  }
});

test("the memory gives one answer again while it holds", () => {
  const windows = createCallingWindows();
  const noon = windows(new Date("2026-01-14T17:00Z"), place(NEW_YORK, "NY"), STRICT);
  assert.equal(windows(new Date("2026-01-14T18:00Z"), place(NEW_YORK, "NY"), { ...STRICT }), noon);
});

test("an operator's table is obeyed in place of ours", () => {
  const ban = {
    id: "emergency",
    jurisdiction: "US-NY",
    channel: "any",
    days: [1, 2, 3, 4, 5, 6, 7],
    holidays: true,
    from: null,
    to: null,
    source: "governor",
    verifiedOn: "2026-01-01",
    strength: "P",
  } as const;
  const windows = createCallingWindows(10, [ban]);
  assert.deepEqual(windows(new Date("2026-01-14T18:00Z"), place(NEW_YORK, "NY"), STRICT), {
    open: false,
    opensAt: null,
    rule: "never_open",
  });
});
