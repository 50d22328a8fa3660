import assert from "node:assert/strict";
import { test } from "node:test";
import { type BargeInDetector, createBargeIn, isBackchannel } from "./barge-in.ts";

/** The detector's decisions, with their times; `at` gives it its input at the given times. */
function decisions(
  sensitivity: number,
  at: Record<number, (detector: BargeInDetector, ms: number) => void>,
  untilMs = 5_000,
) {
  const detector = createBargeIn(sensitivity);
  const seen: string[] = [];
  for (let ms = 0; ms < untilMs; ms += 10) {
    at[ms]?.(detector, ms);
    const what = detector.check(ms);
    if (what) seen.push(`${what} ${ms}`);
  }
  return seen;
}

const speech = (detector: BargeInDetector, ms: number) => detector.speech(ms);
const silence = (detector: BargeInDetector, ms: number) => detector.silence(ms);
const words = (said: string) => (detector: BargeInDetector) => detector.words(said);

test("at 1 the agent falls silent after 150 ms of speech, and gives up the turn when words come", () => {
  assert.deepEqual(decisions(1, { 1000: speech, 1600: words("wait"), 1900: silence }), ["hold 1150", "yield 1600"]);
});

test("at 0.1 it takes 800 ms and two words", () => {
  assert.deepEqual(decisions(0.1, { 1000: speech, 1500: words("wait"), 2100: words("wait a minute"), 2400: silence }), [
    "yield 2100",
  ]);
  assert.deepEqual(decisions(0.1, { 1000: speech, 1300: words("wait a minute"), 3000: silence }), ["yield 1800"]);
  assert.deepEqual(decisions(0.1, { 1000: speech, 1300: words("wait"), 3000: silence }), []);
});

test("at 0 it is never interrupted", () => {
  assert.deepEqual(decisions(0, { 100: speech, 600: words("stop stop stop"), 4000: silence }), []);
});

test("a cough holds the agent for a moment, after which it goes on", () => {
  assert.deepEqual(decisions(1, { 1000: speech, 1250: silence }), ["hold 1150", "resume 1950"]);
  assert.deepEqual(decisions(1, { 1000: speech, 1100: silence }), [], "a click does not hold it");
});

test("uh-huh and okay do not take the turn", () => {
  for (const said of ["uh-huh", "Okay.", "yeah yeah", "mm-hmm", "right, okay", "I see"]) {
    assert.ok(isBackchannel(said), said);
    assert.deepEqual(
      decisions(1, { 1000: speech, 1300: words(said), 1400: silence }),
      ["hold 1150", "resume 1400"],
      said,
    );
  }
  for (const said of ["", "no", "okay but wait", "stop", "what", "yeah yeah yeah yeah yeah"]) {
    assert.ok(!isBackchannel(said), said);
  }
});

test("an okay that becomes a sentence takes it", () => {
  assert.deepEqual(decisions(1, { 1000: speech, 1300: words("okay"), 1600: words("okay but how much") }), [
    "hold 1150",
    "yield 1600",
  ]);
});

test("long speech without recognised words takes the turn too", () => {
  assert.deepEqual(decisions(1, { 1000: speech, 4000: silence }), ["hold 1150", "yield 2500"]);
});

test("after going on it can be interrupted again", () => {
  assert.deepEqual(
    decisions(1, { 1000: speech, 1250: silence, 3000: speech, 3300: words("hello there"), 3600: silence }),
    ["hold 1150", "resume 1950", "hold 3150", "yield 3300"],
  );
});
