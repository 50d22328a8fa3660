import assert from "node:assert/strict";
import { test } from "node:test";
import { federalHolidays } from "./holiday.ts";

const dates = (year: number) => federalHolidays(year).map((holiday) => holiday.date);

test("the federal holidays of 2026 and 2027 are the published ones, weekend days beside the days observed", () => {
  assert.deepEqual(dates(2026), [
    "2026-01-01",
    "2026-01-19",
    "2026-02-16",
    "2026-05-25",
    "2026-06-19",
    "2026-07-03",
    "2026-07-04",
    "2026-09-07",
    "2026-10-12",
    "2026-11-11",
    "2026-11-26",
    "2026-12-25",
  ]);
  assert.deepEqual(dates(2027), [
    "2027-01-01",
    "2027-01-18",
    "2027-02-15",
    "2027-05-31",
    "2027-06-18",
    "2027-06-19",
    "2027-07-04",
    "2027-07-05",
    "2027-09-06",
    "2027-10-11",
    "2027-11-11",
    "2027-11-25",
    "2027-12-24",
    "2027-12-25",
    "2027-12-31",
  ]);
});

test("New Year's Day on a Saturday is observed in the old year, on a Sunday on the second", () => {
  assert.ok(dates(2027).includes("2027-12-31"));
  assert.ok(dates(2023).includes("2023-01-02"));
  assert.ok(!dates(2022).includes("2022-12-31"));
});
