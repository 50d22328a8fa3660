import assert from "node:assert/strict";
import { test } from "node:test";
import { callingWindow } from "#domain/compliance/calling-window.ts";
import { ANSWER_WITHIN_MS, mayBeAnsweredLater, nextTry } from "./answer-retry.ts";

const place = { zones: ["America/New_York"], states: [] } as const;
const NOON = new Date("2026-12-01T17:00:00Z");
const HOUR_MS = 3_600_000;

const waitMs = (failures: number, retryAfterMs?: number, now = NOON, since = now): number | undefined => {
  const at = nextTry({ failures, since, retryAfterMs, place, profile: "strict" }, now, callingWindow);
  return at && at.getTime() - now.getTime();
};

test("the wait doubles from five seconds to a quarter of an hour, and is never shorter than the provider's own", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000].map((failures) => waitMs(failures)! / 1_000),
    [5, 10, 20, 40, 80, 160, 320, 640, 900, 900],
  );
  assert.deepEqual([waitMs(1, 60_000), waitMs(5, 1_000)], [60_000, 80_000]);
});

test("it falls into the contact's hours, or there is none within a day of the first failure", () => {
  const evening = new Date("2026-12-02T03:30:00Z");
  const at = new Date(evening.getTime() + waitMs(1, undefined, evening)!);
  assert.equal(callingWindow(at, place, { profile: "strict", channel: "sms" }).open, true);
  assert.equal(callingWindow(new Date(at.getTime() - 1), place, { profile: "strict", channel: "sms" }).open, false);
  const since = (ms: number) => new Date(NOON.getTime() - ms);
  assert.equal(waitMs(9, undefined, NOON, since(ANSWER_WITHIN_MS - 900_000)), 900_000);
  assert.equal(waitMs(9, undefined, NOON, since(ANSWER_WITHIN_MS - 899_999)), undefined);
  assert.equal(waitMs(1, undefined, evening, new Date(evening.getTime() - 20 * HOUR_MS)), undefined);
  const nowhere = { failures: 1, since: NOON, place: { zones: [], states: [] }, profile: "strict" } as const;
  assert.equal(nextTry(nowhere, NOON, callingWindow), undefined, "a place without hours is nobody's");
});

test("what passes, and what the operator can put right, may be answered later; what a provider refuses for its content not", () => {
  const later = (vendorCode: string, retryable = false) => mayBeAnsweredLater({ vendorCode, retryable });
  assert.deepEqual(
    ["401", "402", "403", "404"].map((code) => later(code)),
    [true, true, true, true],
  );
  assert.deepEqual(
    [later("503", true), later("400"), later("content_filter"), later("length")],
    [true, false, false, false],
  );
});
