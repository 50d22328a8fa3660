import assert from "node:assert/strict";
import { test } from "node:test";
import { mixInto, softClip } from "./mixer.ts";

test("two sounds are added, the second by its gain", () => {
  const frame = Int16Array.of(100, -200, 0);
  mixInto(frame, Int16Array.of(10, 10, -7), 2);

  assert.deepEqual(frame, Int16Array.of(120, -180, -14));
});

test("a loop goes on at its beginning", () => {
  const frame = Int16Array.of(0, 0, 0, 0);
  mixInto(frame, Int16Array.of(1, 2, 3), 1, 2);

  assert.deepEqual(frame, Int16Array.of(3, 1, 2, 3));
});

test("what is too loud is bent and never wraps", () => {
  const frame = Int16Array.of(30_000, -30_000, 32_767, -32_768);
  mixInto(frame, frame.slice(), 1);

  assert.ok(frame[0]! > 28_000 && frame[1]! < -28_000);
  assert.ok(frame[2]! > frame[0]! && frame[2]! <= 32_767);
});

test("clipping is unchanged below its knee, even, and always rising", () => {
  assert.equal(softClip(24_000), 24_000);
  for (let sum = 0; sum < 100_000; sum += 500) {
    assert.ok(softClip(sum + 500) > softClip(sum) && softClip(sum) <= 32_767);
    assert.equal(softClip(-sum), -softClip(sum));
  }
});
