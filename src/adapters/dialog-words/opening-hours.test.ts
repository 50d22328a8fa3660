import assert from "node:assert/strict";
import { test } from "node:test";
import { isOutside, openingHoursIn } from "./opening-hours.ts";

const stated = (sentence: string) => {
  const hours = openingHoursIn(sentence);
  return hours && [[...hours.days].join(""), hours.from / 60, hours.to / 60];
};

test("days and hours are read as people state them", () => {
  assert.deepEqual(stated("We inspect Monday to Saturday, 8am to 6pm."), ["123456", 8, 18]);
  assert.deepEqual(stated("Open Mon-Fri 9-5"), ["12345", 9, 17]);
  assert.deepEqual(stated("We are open Tuesday through Saturday from 10:30 a.m. until 7 p.m."), ["23456", 10.5, 19]);
  assert.deepEqual(stated("Monday to Friday, 08:00 to 17:30"), ["12345", 8, 17.5]);
  assert.deepEqual(stated("Visits are Friday to Monday between 1 and 4pm"), ["1567", 13, 16]);
});

test("where other hours stand beside them, or none, nothing is read", () => {
  assert.equal(stated("Monday to Friday 9 to 5, Saturdays 9 to 1"), undefined);
  assert.equal(stated("We are open on weekdays."), undefined);
  assert.equal(stated("Monday to Friday 17:00 to 9am"), undefined);
});

test("a day or an hour at which nobody comes is outside, and words never are", () => {
  const hours = openingHoursIn("Monday to Saturday, 8am to 6pm")!;
  const outside = ["2026-11-29", "2026-11-29 10:00", "2026-11-30 03:00", "18:30"];
  const within = ["2026-11-30", "2026-11-30 08:00", "2026-12-05 18:00", "12:00", "evenings", "any day but sunday"];
  assert.deepEqual(
    outside.filter((value) => isOutside(hours, value)),
    outside,
  );
  assert.deepEqual(
    within.filter((value) => isOutside(hours, value)),
    [],
  );
});
