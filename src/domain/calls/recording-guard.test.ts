import assert from "node:assert/strict";
import { test } from "node:test";
import { recordingProblem } from "./recording-guard.ts";

test("a recording is whole within two per cent of the call, or half a second of a short one", () => {
  const of = (durationMs: number, recordedMs: number | undefined) => recordingProblem({ durationMs, recordedMs });
  assert.deepEqual([of(100_000, 98_000), of(100_000, 102_000), of(100_000, 97_999)], [undefined, undefined, "length"]);
  assert.deepEqual([of(3_000, 2_500), of(3_000, 2_499), of(3_000, 3_501)], [undefined, "length", "length"]);
});

test("no recording is a problem unless there was next to no call", () => {
  const none = (durationMs: number) => recordingProblem({ durationMs, recordedMs: undefined });
  assert.deepEqual([none(0), none(500), none(501)], [undefined, undefined, "missing"]);
});
