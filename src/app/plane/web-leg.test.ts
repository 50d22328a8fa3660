import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeUlaw, FRAME_SAMPLES, ULAW_SILENCE } from "#domain/calls/g711.ts";
import { goertzelFactor, goertzelPower } from "#media/audio/goertzel.ts";
import { webLeg } from "./web-leg.ts";

const VOICE = new Uint8Array(FRAME_SAMPLES).fill(0x20);

/** Of the keypad's tones, those that are in a frame, in Hz. */
function tonesIn(frame: Uint8Array): number[] {
  const samples = new Int16Array(FRAME_SAMPLES);
  decodeUlaw(frame, samples);
  const floats = Float64Array.from(samples);
  const energy = floats.reduce((sum, sample) => sum + sample * sample, 0);
  return [697, 770, 852, 941, 1209, 1336, 1477, 1633].filter(
    (hz) => goertzelPower(floats, FRAME_SAMPLES, goertzelFactor(hz)) > (energy * FRAME_SAMPLES) / 8,
  );
}

test("keys are said as their tones, each with a pause after it, and the agent's sound goes on after them", () => {
  const said: Uint8Array[] = [];
  const leg = webLeg({ say: (frame) => void said.push(frame.slice()), clear() {} });
  leg.send(VOICE);
  leg.dtmf("5x#");
  for (let i = 0; i < 40; i++) leg.send(VOICE);
  const kinds = said.map((frame) => {
    if (frame.every((code) => code === ULAW_SILENCE)) return "pause";
    return frame.every((code) => code === VOICE[0]) ? "voice" : tonesIn(frame).join("+");
  });
  const inTurn = kinds.filter((kind, i) => kind !== kinds[i - 1]);
  assert.deepEqual(inTurn, ["voice", "770+1336", "pause", "941+1477", "pause", "voice"]);
});

test("no more keys are kept than a menu asks for, and none after the end", () => {
  let [tones, voice] = [0, 0];
  const leg = webLeg({
    say: (frame) => void (frame[0] === VOICE[0] && frame[1] === VOICE[0] ? voice++ : tones++),
    clear() {},
  });
  leg.dtmf("1".repeat(10_000));
  for (let i = 0; i < 2_000; i++) leg.send(VOICE);
  assert.deepEqual([tones, voice], [1_300, 700]);
  leg.dtmf("1");
  leg.close();
  leg.send(VOICE);
  assert.equal(tones, 1_300);
});
