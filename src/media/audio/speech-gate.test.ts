import assert from "node:assert/strict";
import { test } from "node:test";
import { createSpeechGate } from "./speech-gate.ts";

/** One digit a window of 20 ms, its probability in tenths. */
function edges(probabilities: string) {
  const gate = createSpeechGate();
  const seen = [...probabilities].flatMap((digit, i) => {
    const edge = gate.push(Number(digit) / 10, i * 20, i * 20 + 20);
    return edge === undefined
      ? []
      : [{ edge, at: edge === "onset" ? gate.onsetMs() : gate.offsetMs(), known: i * 20 + 20 }];
  });
  return { seen, gate };
}

test("speech begins at its first sound, once it has lasted 60 ms", () => {
  const { seen, gate } = edges("0008900099900");

  assert.deepEqual(seen, [{ edge: "onset", at: 160, known: 220 }]);
  assert.ok(gate.isSpeaking());
});

test("it ends at its last sound, once 100 ms of silence have followed", () => {
  assert.deepEqual(edges("999999000000000").seen.at(-1), { edge: "offset", at: 120, known: 220 });
});

test("a gap of 80 ms, or a weaker sound, is part of it", () => {
  assert.deepEqual(edges("9999000099994444444449999").seen.length, 1);
});

test("a weak sound alone does not begin it", () => {
  assert.deepEqual(edges("4444444444").seen, []);
});
