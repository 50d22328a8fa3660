import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { g722Decoder, g722Encoder } from "./g722.ts";

const sha256 = (of: NodeJS.ArrayBufferView) => createHash("sha256").update(of).digest("hex");

/** Two seconds of tones that rise, with noise, soft, middling, loud and silent in turn. */
function aSignal(): Int16Array {
  const signal = new Int16Array(32_000);
  let x = 1;
  for (let i = 0; i < signal.length; i++) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    const loud = [400, 4_000, 16_000, 0][Math.floor(i / 4_000) % 4]!;
    const tone = ((i * (150 + Math.floor(i / 50))) % 16_000) - 8_000;
    signal[i] = Math.trunc((loud * (tone + ((x >>> 16) % 8_000) - 4_000)) / 16_000);
  }
  return signal;
}

// The sums are those of what spandsp 0.0.6 (Debian's libspandsp2) makes of the same signal at 64 kbit/s.
test("sound is encoded and decoded to the bit as another implementation does it", () => {
  const signal = aSignal();
  assert.equal(sha256(signal), "a95922c5ae19b2d30851964dc99c596b2c47a6a64cff501b91945424df5847cc");
  const codes = new Uint8Array(signal.length / 2);
  g722Encoder()(signal, codes, 0);
  assert.equal(sha256(codes), "ad895eadd131bd2ab9fd9dd6d3da9d5fdcc48db6eb8a690e8c746d8b7b960e85");
  const decoded = new Int16Array(signal.length);
  g722Decoder()(codes, decoded);
  assert.equal(sha256(decoded), "d3d68cc3d39787982ece428887e1a88f2f329a71ee69da70ccd1ebf11a02469b");
});

test("frames one by one give what the whole gives", () => {
  const signal = aSignal();
  const whole = new Uint8Array(signal.length / 2);
  g722Encoder()(signal, whole, 0);
  const parts = new Uint8Array(signal.length / 2);
  const encode = g722Encoder();
  for (let at = 0; at < signal.length; at += 320) encode(signal.subarray(at, at + 320), parts, at / 2);
  assert.deepEqual(parts, whole);
});

test("any bytes are sound within bounds, and a tone is one again after them", () => {
  const decode = g722Decoder();
  const noise = Uint8Array.from({ length: 8_000 }, (_, i) => (i * 2_654_435_761) >>> 24);
  decode(noise, new Int16Array(16_000));
  const tone = Int16Array.from({ length: 32_000 }, (_, i) => 8_000 * Math.sin((2 * Math.PI * 3_000 * i) / 16_000));
  const codes = new Uint8Array(16_000);
  g722Encoder()(tone, codes, 0);
  const after = new Int16Array(32_000);
  decode(codes, after);
  const energy = after.subarray(16_000).reduce((sum, sample) => sum + sample * sample, 0) / 16_000;
  assert.ok(Math.abs(Math.sqrt(2 * energy) - 8_000) < 400, `${Math.sqrt(2 * energy)}`);
});
