import assert from "node:assert/strict";
import { test } from "node:test";
import { pacificDay } from "./pacific-day.ts";

const day = (at: string) => {
  const { date, endsAt } = pacificDay(new Date(at));
  return `${date} ${endsAt.toISOString()}`;
};

test("a day ends at midnight of the Pacific coast, one second before, at and after", () => {
  assert.equal(day("2026-01-15T07:59:59Z"), "2026-01-14 2026-01-15T08:00:00.000Z");
  assert.equal(day("2026-01-15T08:00:00Z"), "2026-01-15 2026-01-16T08:00:00.000Z");
  assert.equal(day("2026-01-15T08:00:01Z"), "2026-01-15 2026-01-16T08:00:00.000Z");
  assert.equal(day("2026-07-15T06:59:59Z"), "2026-07-14 2026-07-15T07:00:00.000Z");
  assert.equal(day("2026-07-15T07:00:00Z"), "2026-07-15 2026-07-16T07:00:00.000Z");
});

test("the Sunday on which clocks go forward has 23 hours, the one on which they go back 25", () => {
  assert.equal(day("2026-03-08T08:00:00Z"), "2026-03-08 2026-03-09T07:00:00.000Z");
  assert.equal(day("2026-03-09T06:59:59Z"), "2026-03-08 2026-03-09T07:00:00.000Z");
  assert.equal(day("2026-11-01T07:00:00Z"), "2026-11-01 2026-11-02T08:00:00.000Z");
  assert.equal(day("2026-11-02T07:59:59Z"), "2026-11-01 2026-11-02T08:00:00.000Z");
});
