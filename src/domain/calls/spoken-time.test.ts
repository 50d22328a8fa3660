import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "#test/support/processes/processor-ms.ts";
import { spokenTime } from "./spoken-time.ts";

const zone = "America/Denver";
/** A Friday, eight in the morning in Denver. */
const now = new Date("2026-11-20T15:00:00Z");

const said = (text: string, at = now) => {
  const time = spokenTime(text, at, zone);
  return time && `${time.localDate} ${time.localTime}`;
};

test("days and times of day are understood as people say them", () => {
  for (const [text, expected] of [
    ["tomorrow after lunch", "2026-11-21 13:30"],
    ["call me tomorrow at 3", "2026-11-21 15:00"],
    ["tmrw 9:30am works", "2026-11-21 09:30"],
    ["tomorrow morning at 8", "2026-11-21 08:00"],
    ["tomorrow evening around 7", "2026-11-21 19:00"],
    ["Tuesday 3pm", "2026-11-24 15:00"],
    ["tue at 10", "2026-11-24 10:00"],
    ["next Tuesday afternoon", "2026-11-24 14:00"],
    ["on Sat at noon", "2026-11-21 12:00"],
    ["Friday at 5pm", "2026-11-20 17:00"],
    ["Friday at 7am", "2026-11-27 07:00"],
    ["next friday", "2026-11-27 10:00"],
    ["Thursday?", "2026-11-26 10:00"],
    ["the day after tomorrow, 15:45", "2026-11-22 15:45"],
    ["in two hours", "2026-11-20 10:00"],
    ["in an hour and a half", "2026-11-20 09:30"],
    ["in half an hour", "2026-11-20 08:30"],
    ["in about 20 min", "2026-11-20 08:20"],
    ["in 3 days at 4pm", "2026-11-23 16:00"],
    ["in a couple of weeks", "2026-12-04 10:00"],
    ["Nov 25 at 2:15 pm", "2026-11-25 14:15"],
    ["December 1st", "2026-12-01 10:00"],
    ["3 January", "2027-01-03 10:00"],
    ["11/25 at 11", "2026-11-25 11:00"],
    ["2026-12-24 09:00", "2026-12-24 09:00"],
    ["the 25th at noon", "2026-11-25 12:00"],
    ["the 3rd", "2026-12-03 10:00"],
    ["sat the 13th of all days", "2027-02-13 10:00"],
    ["friday 27th at 9:15 am", "2026-11-27 09:15"],
    ["9th of next month", "2026-12-09 10:00"],
    ["this afternoon", "2026-11-20 14:00"],
    ["tonight", "2026-11-20 19:30"],
    ["tonight at 8", "2026-11-20 20:00"],
    ["later today", "2026-11-20 10:00"],
    ["after work", "2026-11-20 17:30"],
    ["3pm", "2026-11-20 15:00"],
    ["7 a.m.", "2026-11-21 07:00"],
    ["half past four", "2026-11-20 16:30"],
    ["quarter to 5 tomorrow", "2026-11-21 16:45"],
    ["five o'clock", "2026-11-20 17:00"],
    ["between 2 and 4pm tomorrow", "2026-11-21 14:00"],
    ["Monday 2-4pm", "2026-11-23 14:00"],
    ["next week", "2026-11-23 10:00"],
    ["this weekend", "2026-11-21 10:00"],
    ["mañana a las 3", "2026-11-21 15:00"],
    ["mañana por la mañana", "2026-11-21 10:00"],
    ["el martes por la tarde", "2026-11-24 14:00"],
    ["en dos horas", "2026-11-20 10:00"],
  ] as const) {
    assert.equal(said(text), expected, text);
  }
});

test("times and days are understood as speech-to-text writes them", () => {
  for (const [text, expected] of [
    ["two thirty", "2026-11-20 14:30"],
    ["call me around two thirty please", "2026-11-20 14:30"],
    ["Two-thirty works", "2026-11-20 14:30"],
    ["two thirty-ish", "2026-11-20 14:30"],
    ["a three thirty appointment", "2026-11-20 15:30"],
    ["four forty five", "2026-11-20 16:45"],
    ["seven oh five", "2026-11-20 19:05"],
    ["at seven o five a m", "2026-11-21 07:05"],
    ["nine p m", "2026-11-20 21:00"],
    ["eleven a m", "2026-11-20 11:00"],
    ["five p.m.", "2026-11-20 17:00"],
    ["ten fifteen am", "2026-11-20 10:15"],
    ["twelve a m", "2026-11-21 00:00"],
    ["twelve at night", "2026-11-21 00:00"],
    ["at 2 30", "2026-11-20 14:30"],
    ["230 pm", "2026-11-20 14:30"],
    ["1030am", "2026-11-20 10:30"],
    ["three pm tomorrow", "2026-11-21 15:00"],
    ["between two and four p m tomorrow", "2026-11-21 14:00"],
    ["eight in the morning", "2026-11-21 08:00"],
    ["nine o'clock at night", "2026-11-20 21:00"],
    ["nine thirty at night", "2026-11-20 21:30"],
    ["half past two", "2026-11-20 14:30"],
    ["half past nine p m", "2026-11-20 21:30"],
    ["a quarter to five", "2026-11-20 16:45"],
    ["quarter to one", "2026-11-20 12:45"],
    ["ten past two", "2026-11-20 14:10"],
    ["twenty minutes to five", "2026-11-20 16:40"],
    ["tomorrow at one twenty five", "2026-11-21 13:25"],
    ["tomorrow seven", "2026-11-21 19:00"],
    ["ten thirty tomorrow morning", "2026-11-21 10:30"],
    ["next tuesday at two thirty", "2026-11-24 14:30"],
    ["saturday the fifth", "2026-12-05 10:00"],
    ["mon the 30th", "2026-11-30 10:00"],
    ["a week from tuesday at nine", "2026-12-01 09:00"],
    ["two weeks from today", "2026-12-04 10:00"],
    ["el 15 de diciembre", "2026-12-15 10:00"],
    ["the twenty third at noon", "2026-11-23 12:00"],
    ["noon on the thirty first", "2026-12-31 12:00"],
    ["december first", "2026-12-01 10:00"],
    ["the fourth of july", "2027-07-04 10:00"],
    ["december twenty five", "2026-12-25 10:00"],
    ["march twenty second", "2027-03-22 10:00"],
    ["december first twenty twenty six at nine a.m.", "2026-12-01 09:00"],
    ["wednesday the twenty fifth at one oh five p m", "2026-11-25 13:05"],
    ["in twenty minutes", "2026-11-20 08:20"],
    ["in forty five minutes", "2026-11-20 08:45"],
    ["two thirty year loans tomorrow", "2026-11-21 10:00"],
    ["two hundred thirty thousand tomorrow", "2026-11-21 10:00"],
    ["at one twenty five main street tomorrow", "2026-11-21 10:00"],
    ["under three fifty tomorrow", "2026-11-21 10:00"],
    ["three ten year olds on tuesday", "2026-11-24 10:00"],
    ["the one on tuesday", "2026-11-24 10:00"],
    ["one more thing, call me tomorrow", "2026-11-21 10:00"],
  ] as const) {
    assert.equal(said(text), expected, text);
  }
});

test("numbers that count, cost or are an address are no time", () => {
  for (const text of [
    "two thirty year loans",
    "two hundred thirty thousand",
    "one twenty five main street",
    "I live at one twenty five main street",
    "at two thirty thousand",
    "my budget is three fifty",
    "two fifty k",
    "three twenty pound bags",
    "I have two thirty year olds",
    "one ten minute call",
    "my number is five five five two thirty",
    "im five ten",
    "five to six",
    "the first one",
    "on the second floor",
    "the third bedroom",
    "first may i ask",
    "twenty twenty six",
  ]) {
    assert.equal(said(text), undefined, text);
  }
});

test("what names no time, or one that has passed, is none", () => {
  for (const text of [
    "",
    "yes",
    "call me",
    "I have 3 kids",
    "around 5",
    "about 300k",
    "my budget is 300,000",
    "at 3 bedrooms",
    "after 5 years",
    "I sat down in the sun",
    "today at 7am",
    "2020-01-01",
    "2026-02-30",
    "13/45",
    "it costs 3.50",
  ]) {
    assert.equal(said(text), undefined, text);
  }
});

test("it says what was named and quotes it", () => {
  const time = spokenTime("Sure, call me Tuesday at 3pm please", now, zone);
  assert.deepEqual(time, {
    at: new Date("2026-11-24T22:00:00Z"),
    localDate: "2026-11-24",
    localTime: "15:00",
    hasDate: true,
    hasTime: true,
    quote: "Tuesday at 3pm",
  });
  const day = spokenTime("Maybe Tuesday", now, zone);
  assert.deepEqual([day?.hasDate, day?.hasTime, day?.quote], [true, false, "Tuesday"]);
  const words = spokenTime("Sure, call me on the twenty third at two thirty p.m. please", now, zone);
  assert.equal(words?.quote, "on the twenty third at two thirty p.m.");
  const clock = spokenTime("at 3pm", now, zone);
  assert.deepEqual([clock?.hasDate, clock?.hasTime], [false, true]);
});

test("the day is the contact's own, also where it is already tomorrow", () => {
  const late = new Date("2026-11-21T05:30:00Z");
  assert.equal(spokenTime("tomorrow 9am", late, "America/Denver")?.localDate, "2026-11-21");
  assert.equal(spokenTime("tomorrow 9am", late, "America/New_York")?.localDate, "2026-11-22");
});

test("a time in the gap of summer time is moved on, one said twice is the first", () => {
  const spring = spokenTime("2027-03-14 02:30", now, zone);
  assert.equal(spring?.at.toISOString(), "2027-03-14T09:30:00.000Z");
  const autumn = spokenTime("2027-11-07 01:30am", now, zone);
  assert.equal(autumn?.at.toISOString(), "2027-11-07T07:30:00.000Z");
});

test("a long text is read at once", () => {
  const texts = [
    "in a ".repeat(100_000),
    "at 1 ".repeat(100_000),
    "half past ".repeat(100_000),
    "two ".repeat(100_000),
  ];
  const ms = processorMs(() => texts.forEach((text) => void said(text)));
  // A pattern that tries every place anew takes minutes.
  assert.ok(ms < 5_000, `${ms} ms`);
});
