import assert from "node:assert/strict";
import { test } from "node:test";
import { createVoicemailWait, type VoicemailWait } from "./voicemail-wait.ts";

function orders(at: Record<number, (wait: VoicemailWait, ms: number) => void>, untilMs = 40_000) {
  const wait = createVoicemailWait(1_000);
  const seen: string[] = [];
  for (let ms = 1_000; ms < untilMs; ms += 20) {
    at[ms]?.(wait, ms);
    const order = wait.check(ms);
    if (order) seen.push(`${order} ${ms}`);
  }
  return seen;
}

const speech = (wait: VoicemailWait, ms: number) => wait.speech(ms);
const silence = (wait: VoicemailWait, ms: number) => wait.silence(ms);
const beep = (wait: VoicemailWait, ms: number) => wait.beep(ms - 100);

test("the message begins 400 ms after the beep", () => {
  assert.deepEqual(orders({ 5000: silence, 6100: beep }), ["speak 6400"]);
});

test("it begins again when the greeting goes on, and not for a click", () => {
  assert.deepEqual(orders({ 4000: silence, 4500: beep, 5200: speech, 5500: silence }, 8_000), ["speak 4800"]);
  assert.deepEqual(orders({ 4000: silence, 4500: beep, 5200: speech, 9000: silence, 9500: beep }), [
    "speak 4800",
    "stop 5900",
    "speak 9800",
  ]);
});

test("without a beep it waits for four seconds of silence, and for half a minute at most", () => {
  assert.deepEqual(orders({ 6000: silence }), ["speak 10000"]);
  assert.deepEqual(orders({}), ["speak 31000"]);
});

test("a machine that is silent when it is known for one is waited for from then on", () => {
  const wait = createVoicemailWait(3_000, 2_000);

  assert.equal(wait.check(6_900), undefined);
  assert.equal(wait.check(7_000), "speak");
});
