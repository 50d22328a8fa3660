import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeUlaw, encodeUlaw } from "#domain/calls/g711.ts";
import { createJitterBuffer } from "./jitter-buffer.ts";
import { WIDE_FRAME_SAMPLES } from "./wide-sound.ts";

const FRAME = 160;

/** A pseudo-random sequence that is the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const twice = (samples: Int16Array): Int16Array =>
  Int16Array.from({ length: 2 * samples.length }, (_, i) => samples[i >> 1]!);

/** A voice of some level, as both kinds; every third frame is quiet. */
function frameOf(index: number): { payload: Uint8Array; wide: Int16Array } {
  const level = index % 3 === 0 ? 20 : 3_000;
  const samples = Int16Array.from({ length: FRAME }, (_, i) => level * Math.sin((index * FRAME + i) / 7));
  const payload = new Uint8Array(FRAME);
  encodeUlaw(samples, payload);
  decodeUlaw(payload, samples);
  return { payload, wide: twice(samples) };
}

test("a tone above the telephone's band passes whole, in its order", () => {
  const wide = new Int16Array(WIDE_FRAME_SAMPLES);
  const buffer = createJitterBuffer(wide);
  const narrow = new Int16Array(FRAME);
  const tone = (at: number) => Math.round(8_000 * Math.sin((2 * Math.PI * 6_013 * at) / 16_000));
  // Not quiet: a quiet frame may be left out.
  const payload = new Uint8Array(FRAME).fill(0x90);
  const heard: number[] = [];
  for (let index = 0; index < 60; index++) {
    // Two by two in the wrong order.
    const sent = index ^ 1;
    const sound = Int16Array.from({ length: WIDE_FRAME_SAMPLES }, (_, i) => tone(sent * WIDE_FRAME_SAMPLES + i));
    buffer.push(sent, sent * FRAME, payload, index * 20, sound);
    const kind = buffer.pop(narrow, index * 20 + 10);
    if (kind === "sound") heard.push(...wide);
  }
  assert.ok(heard.length >= 50 * WIDE_FRAME_SAMPLES);
  const first = Array.from({ length: 4 }, (_, frame) => frame * WIDE_FRAME_SAMPLES).find(
    (at) => tone(at) === heard[0] && tone(at + 1) === heard[1],
  );
  assert.notEqual(first, undefined);
  heard.forEach((sample, i) => {
    assert.ok(sample === tone(first! + i), `sample ${i}`);
  });
});

test("whatever the network does, the frame at 16 kHz is the one at 8 kHz", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const random = chance(seed);
    const wide = new Int16Array(WIDE_FRAME_SAMPLES);
    const buffer = createJitterBuffer(wide);
    const narrow = new Int16Array(FRAME);
    const arrivals = Array.from({ length: 400 }, (_, index) => ({
      index: index + (index > 200 ? 3 : 0),
      atMs: index * 20.4 + (random() < 0.1 ? random() * 120 : random() * 5),
    }));
    const order = arrivals.filter(() => random() > 0.05).toSorted((a, b) => a.atMs - b.atMs);
    let [wasMadeUp, compared] = [true, 0];
    for (let tick = 0; tick < 420; tick++) {
      const nowMs = tick * 20 + 10;
      for (; order.length > 0 && order[0]!.atMs <= nowMs; order.shift()) {
        const { index, atMs } = order[0]!;
        const { payload, wide } = frameOf(index);
        // Now and then somebody falls back to G.711.
        buffer.push(index, index * FRAME, payload, atMs, random() < 0.1 ? undefined : wide);
      }
      const kind = buffer.pop(narrow, nowMs);
      // After a loss the narrow one is crossed out of what stood in.
      if (kind !== "sound" || !wasMadeUp) {
        const isSame = twice(narrow).every((sample, i) => sample === wide[i]);
        assert.ok(isSame, `seed ${seed}, frame ${tick}, ${kind}`);
        compared++;
      }
      wasMadeUp = kind !== "sound";
    }
    assert.ok(compared > 250, `${compared}`);
    assert.ok(buffer.stats.dropped + buffer.stats.stretched > 0);
  }
});
