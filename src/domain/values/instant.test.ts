import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInstant, requireInstant } from "./instant.ts";

test("any ISO 8601 time with a zone is read", () => {
  for (const [text, iso] of [
    ["2026-03-01T09:30:00Z", "2026-03-01T09:30:00.000Z"],
    ["2026-03-01T09:30Z", "2026-03-01T09:30:00.000Z"],
    ["2026-03-01 09:30:00.25z", "2026-03-01T09:30:00.250Z"],
    ["2026-03-01T09:30:00,5Z", "2026-03-01T09:30:00.500Z"],
    ["2026-03-01T09:30:00-05:00", "2026-03-01T14:30:00.000Z"],
    ["2026-03-01T09:30:00+0530", "2026-03-01T04:00:00.000Z"],
    ["2028-02-29T00:00:00.123456789Z", "2028-02-29T00:00:00.123Z"],
  ] as const) {
    assert.equal(parseInstant(text)?.toISOString(), iso, text);
  }
});

test("what is no moment is none, and a 400 that names the field where one is needed", () => {
  for (const text of [
    "2026-03-01T09:30:00",
    "2026-03-01",
    "2026-02-30T00:00:00Z",
    "2027-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T25:00:00Z",
    "2026-01-01T00:00:00+99:00",
    "9999-12-31T23:59:59-00:01",
    "0000-01-01T00:00:00+00:01",
    "tomorrow",
    "1772357400000",
    "",
  ]) {
    assert.equal(parseInstant(text), undefined, text);
    assert.throws(
      () => requireInstant("expires_at", text),
      (error: { status: number; message: string }) => error.status === 400 && error.message.startsWith("expires_at "),
      text,
    );
  }
});
