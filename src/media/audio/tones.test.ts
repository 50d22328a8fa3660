import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeUlaw, encodeUlaw } from "#domain/calls/g711.ts";
import {
  BEEP,
  BUSY,
  FAX_ANSWERING,
  FAX_CALLING,
  keyPresses,
  REORDER,
  RINGBACK,
  SIT,
  type Tone,
  tonesOf,
} from "#test/support/calls/tone-generator.ts";
import { createToneDetector } from "./tones.ts";

const quiet = (ms: number): Tone => ({ hz: [], ms });

/** The tones detected in these samples over a line of G.711 with noise at a level in dBFS. */
function detectedIn(samples: Int16Array, noiseDb = -90) {
  let seed = 7;
  const level = 32_768 * 10 ** (noiseDb / 20) * Math.sqrt(12);
  const noisy = samples.map((sample) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.max(-32_768, Math.min(32_767, sample + Math.round((seed / 2 ** 32 - 0.5) * level)));
  });
  const codes = new Uint8Array(noisy.length);
  encodeUlaw(noisy, codes);
  decodeUlaw(codes, noisy);
  const detector = createToneDetector();
  const events = [];
  for (let at = 0; at + 160 <= noisy.length; at += 160) {
    const event = detector.push(noisy.subarray(at, at + 160));
    if (event) events.push(event);
  }
  return events;
}

const kindsIn = (tones: readonly Tone[], levelDb?: number, noiseDb?: number) =>
  detectedIn(tonesOf([quiet(500), ...tones, quiet(500)], levelDb), noiseDb).map(({ kind }) => kind);

test("every beep from 400 to 2,100 Hz is found, short and long, loud and faint, in noise and without", () => {
  let beeps = 0;
  for (const hz of [400, 425, 512, 620, 788, 850, 1_000, 1_004, 1_213, 1_400, 1_630, 2_000, 2_060]) {
    for (const ms of [260, 400, 1_000, 2_000]) {
      for (const [levelDb, noiseDb] of [
        [-10, -90],
        [-25, -45],
        [-35, -60],
      ] as const) {
        assert.deepEqual(kindsIn([{ hz: [hz], ms }], levelDb, noiseDb), ["beep"], `${hz} Hz, ${ms} ms, ${levelDb} dB`);
        beeps += 1;
      }
    }
  }
  assert.equal(beeps, 156);
});

test("a beep's end is known to within 40 ms, 100 ms after it", () => {
  const [beep] = detectedIn(tonesOf([quiet(1_000), { hz: [1_000], ms: 400 }, quiet(1_000)]));

  assert.ok(Math.abs(beep!.startMs - 1_000) <= 40, `began at ${beep!.startMs}`);
  assert.ok(Math.abs(beep!.endMs - 1_400) <= 40, `ended at ${beep!.endMs}`);
  assert.equal(beep!.hz, 1_000);
});

test("a beep of two notes is one beep", () => {
  assert.deepEqual(
    kindsIn([
      { hz: [800], ms: 300 },
      { hz: [1_200], ms: 300 },
    ]),
    ["beep"],
  );
});

test("special information tones are no beeps", () => {
  assert.deepEqual(kindsIn(SIT), ["sit"]);
  const shortTones = [913.8, 1_428.5, 1_776.7].map((hz) => ({ hz: [hz], ms: 274 }));
  assert.deepEqual(kindsIn(shortTones, -20, -50), ["sit"]);
});

test("a fax is known by its second call, and an answering one at once", () => {
  assert.deepEqual(kindsIn([...FAX_CALLING, ...FAX_CALLING]), ["beep", "fax"]);
  assert.deepEqual(kindsIn(FAX_ANSWERING), ["fax"]);
});

test("ringing and engaged lines are known", () => {
  assert.deepEqual(kindsIn([...RINGBACK, ...RINGBACK]), ["ringback", "ringback"]);
  assert.deepEqual(kindsIn([...BUSY, ...BUSY]).at(0), "busy");
  assert.deepEqual(kindsIn([...REORDER, ...REORDER, ...REORDER]).at(0), "busy");
  assert.ok(!kindsIn([...BUSY, ...BUSY, ...BUSY, ...BUSY]).includes("beep"));
});

test("keys, clicks, hums and noise are no beeps", () => {
  assert.deepEqual(kindsIn(keyPresses("0123456789*#")), []);
  assert.deepEqual(kindsIn([{ hz: [1_000], ms: 150 }]), []);
  assert.deepEqual(kindsIn([{ hz: [1_000], ms: 6_000 }]), []);
  assert.deepEqual(kindsIn([{ hz: [60, 120, 180], ms: 3_000 }]), []);
  assert.deepEqual(detectedIn(new Int16Array(80_000), -20), []);
});

test("a detector detects a second beep", () => {
  assert.deepEqual(kindsIn([...BEEP, quiet(2_000), ...BEEP]), ["beep", "beep"]);
});
