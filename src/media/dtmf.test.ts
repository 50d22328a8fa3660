import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeUlaw, encodeUlaw } from "#domain/g711.ts";
import { createDtmfDetector } from "./dtmf.ts";
import { keyPresses, keyTones, type Tone, tonesOf } from "./tone-generator.ts";

const PROMPTS = "/usr/share/asterisk/sounds/en_US_f_Allison";

function keysIn(samples: Int16Array): string {
  const detector = createDtmfDetector();
  let keys = "";
  for (let at = 0; at + 160 <= samples.length; at += 160) keys += detector.push(samples.subarray(at, at + 160)) ?? "";
  return keys;
}

function overLine(samples: Int16Array, noise: number): Int16Array {
  let seed = 9;
  const noisy = samples.map((it) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.max(-32_768, Math.min(32_767, it + (seed / 2 ** 32 - 0.5) * noise));
  });
  const codes = new Uint8Array(noisy.length);
  encodeUlaw(noisy, codes);
  decodeUlaw(codes, noisy);
  return noisy;
}

test("every key is heard once, loud and faint, in noise, however frames fall", () => {
  for (const levelDb of [-10, -20, -30]) {
    for (const offset of [0, 37, 80, 121]) {
      const lead: Tone = { hz: [], ms: 20 };
      const samples = overLine(tonesOf([lead, ...keyPresses("0123456789*#ABCD55"), lead], levelDb), 200);
      assert.equal(keysIn(samples.subarray(offset)), "0123456789*#ABCD55", `${levelDb} dBFS, ${offset} samples`);
    }
  }
});

test("a key that is held is one key", () => {
  assert.equal(keysIn(tonesOf([{ hz: [...keyTones("7")!], ms: 1_500 }])), "7");
});

test("what sounds like a key for a moment only is none", () => {
  assert.equal(
    keysIn(
      tonesOf([
        { hz: [...keyTones("5")!], ms: 25 },
        { hz: [], ms: 100 },
      ]),
    ),
    "",
  );
});

test("one tone alone, a hum, noise, silence and what is no key are none", () => {
  assert.equal(
    keysIn(
      tonesOf([
        { hz: [697], ms: 500 },
        { hz: [1_336], ms: 500 },
        { hz: [440, 480], ms: 500 },
      ]),
    ),
    "",
  );
  assert.equal(keysIn(overLine(new Int16Array(80_000), 8_000)), "");
  assert.equal(keysIn(new Int16Array(8_000)), "");
  assert.deepEqual(keyPresses("x"), []);
});

test("speech presses no keys", {
  skip: existsSync(PROMPTS) ? false : "asterisk-core-sounds-en-wav is not installed",
}, (t) => {
  let [seconds, keys] = [0, ""];
  for (const name of globSync("**/*.wav", { cwd: PROMPTS })) {
    if (/beep|tone|monkeys|weasels/.test(name)) continue;
    const file = readFileSync(`${PROMPTS}/${name}`);
    const samples = new Int16Array(
      file.buffer.slice(file.byteOffset + 44, file.byteOffset + file.length - (file.length % 2)),
    );
    seconds += samples.length / 8_000;
    keys += keysIn(samples);
  }
  t.diagnostic(`${keys.length} keys in ${(seconds / 60).toFixed(1)} minutes of prompts`);

  assert.equal(keys, "");
});
