import assert from "node:assert/strict";
import { test } from "node:test";
import { federalHolidays, stateHolidays } from "./holiday.ts";

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

test("states' own days off are the published ones of 2026 and 2027, Easter's among them", () => {
  const shown = (state: string, year: number) =>
    stateHolidays(state, year)
      .map(({ date, name }) => `${date.slice(5)} ${name}`)
      .join(", ");
  assert.equal(shown("LA", 2026), "02-17 Mardi Gras, 04-03 Good Friday, 11-01 All Saints' Day, 11-03 Election Day");
  assert.equal(shown("LA", 2027), "02-09 Mardi Gras, 03-26 Good Friday, 11-01 All Saints' Day");
  assert.equal(shown("AL", 2026), "02-17 Mardi Gras, 04-27 Confederate Memorial Day, 06-01 Jefferson Davis' Birthday");
  assert.equal(shown("MS", 2026), "04-27 Confederate Memorial Day");
  assert.equal(shown("NE", 2026), "04-24 Arbor Day, 11-27 Day after Thanksgiving");
  assert.equal(shown("PA", 2027), "03-26 Good Friday, 06-14 Flag Day, 11-02 Election Day");
  assert.equal(shown("RI", 2026), "08-10 Victory Day, 11-03 Election Day");
  assert.equal(shown("UT", 2027), "07-23 Pioneer Day (observed), 07-24 Pioneer Day");
  assert.deepEqual([...stateHolidays("NY", 2026), ...stateHolidays("__proto__", 2026)], []);
});

test("Good Friday is two days before Easter of the published years, the earliest and the latest among them", () => {
  const easters = [
    "2000-04-23",
    "2008-03-23",
    "2011-04-24",
    "2016-03-27",
    "2024-03-31",
    "2038-04-25",
    "2049-04-18",
    "2076-04-19",
  ];
  for (const easter of easters) {
    const friday = new Date(Date.parse(easter) - 2 * 86_400_000).toISOString().slice(0, 10);
    assert.ok(
      stateHolidays("PA", Number(easter.slice(0, 4))).some(
        ({ date, name }) => date === friday && name === "Good Friday",
      ),
    );
  }
});
