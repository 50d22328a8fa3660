import assert from "node:assert/strict";
import { test } from "node:test";
import { createConcealer } from "./concealer.ts";

/** A voice of 125 Hz with its overtones, as 16-bit samples. */
const voice = (n: number): number => {
  let sum = 0;
  for (let k = 1; k <= 8; k++) sum += Math.sin((2 * Math.PI * 125 * k * n) / 8_000 + k) / k;
  return Math.round(6_000 * sum);
};
const frameAt = (index: number): Int16Array => Int16Array.from({ length: 160 }, (_, i) => voice(index * 160 + i));
const energy = (frame: Int16Array) => frame.reduce((sum, sample) => sum + sample * sample, 0);

/** The voice with the frames that `isLost` names made up. */
function played(frames: number, isLost: (index: number) => boolean): Int16Array[] {
  const concealer = createConcealer();
  return Array.from({ length: frames }, (_, index) => {
    const frame = isLost(index) ? new Int16Array(160) : frameAt(index);
    if (isLost(index)) concealer.conceal(frame);
    else concealer.keep(frame);
    return frame;
  });
}

test("a lost frame of a steady voice is made up, and close to what was lost", () => {
  const made = played(10, (index) => index === 5)[5]!;
  const lost = frameAt(5);
  const error = energy(made.map((sample, i) => sample - lost[i]!));

  assert.ok(error < 0.1 * energy(lost), `the error is ${((error / energy(lost)) * 100).toFixed(1)} % of the energy`);
});

test("neither at its beginning nor at its end does a made-up frame click", () => {
  const usual = Math.max(...frameAt(3).map((sample, i) => Math.abs(sample - voice(3 * 160 + i - 1))));
  const stream = played(12, (index) => index === 5 || index === 6).flatMap((frame) => [...frame]);
  const steps = stream.slice(1).map((sample, i) => Math.abs(sample - stream[i]!));

  assert.ok(Math.max(...steps.slice(480)) < usual * 1.5, "no step is larger than the voice's own");
});

test("a long loss fades and is silent after 60 ms", () => {
  const [, first, second, third, fourth, fifth] = played(10, (index) => index >= 5).slice(4);

  assert.ok(energy(first!) > energy(second!) && energy(second!) > energy(third!) && energy(third!) > 0);
  assert.equal(energy(fourth!), 0);
  assert.equal(energy(fifth!), 0);
});

test("after a loss the sound is as it came, but for its first 10 ms", () => {
  const [back, next] = played(12, (index) => index >= 5 && index < 8).slice(8);

  assert.deepEqual(back!.subarray(80), frameAt(8).subarray(80));
  assert.deepEqual(next, frameAt(9));
});
