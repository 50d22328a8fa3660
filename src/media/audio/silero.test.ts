import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { aFolder } from "#test/support/source/folder.ts";
import { loadSilero, type Silero } from "./silero.ts";

const silero: Silero = await loadSilero();
after(() => silero.close());

/** Something like a voice: a pulse of 100 to 180 Hz through two resonances, on and off by syllables; each seed another. */
function voice(seed: number, ms: number): Int16Array {
  const out = new Int16Array(ms * 8);
  const filters = [500 + (seed % 5) * 60, 1_500 + (seed % 7) * 100].map((hz) => ({ hz, y1: 0, y2: 0 }));
  let phase = 0;
  for (let n = 0; n < out.length; n++) {
    const at = n / 8_000;
    phase += (100 + (seed % 9) * 8 + 12 * Math.sin(2 * Math.PI * 3 * at)) / 8_000;
    const pulse = phase >= 1 ? 1 : 0;
    phase -= pulse;
    let sample = 0;
    for (const filter of filters) {
      const y = pulse + 2 * 0.97 * Math.cos((2 * Math.PI * filter.hz) / 8_000) * filter.y1 - 0.97 ** 2 * filter.y2;
      filter.y2 = filter.y1;
      filter.y1 = y;
      sample += y;
    }
    const isSyllable = Math.sin(2 * Math.PI * 3.3 * at + seed) > -0.6 && Math.floor(at + seed / 3) % 2 === 0;
    out[n] = Math.round((isSyllable ? 2_500 : 0) * sample);
  }
  return out;
}

/** The probabilities of each sound when `together` of them are fed side by side, 20 ms at a time. */
async function probabilities(sounds: readonly Int16Array[], together: number): Promise<number[][]> {
  const all: number[][] = sounds.map(() => []);
  for (let first = 0; first < sounds.length; first += together) {
    const group = sounds.slice(first, first + together);
    const streams = group.map((_, i) => silero.open((probability) => all[first + i]!.push(probability)));
    for (let at = 0; at + 160 <= group[0]!.length; at += 160) {
      group.forEach((sound, i) => {
        streams[i]!.push(sound.subarray(at, at + 160));
      });
      await silero.run();
    }
    for (const stream of streams) stream.close();
  }
  return all;
}

test("a window is judged the same alone and beside 69 others", async () => {
  const sounds = Array.from({ length: 70 }, (_, seed) => voice(seed, 1_000));
  const alone = await probabilities(sounds, 1);
  const beside = await probabilities(sounds, 70);

  assert.equal(alone.flat().length, 70 * 31);
  const furthest = Math.max(...alone.flat().map((probability, i) => Math.abs(probability - beside.flat()[i]!)));
  // The order in which sums are taken is all that differs.
  assert.ok(furthest < 1e-4, `they differ by ${furthest}`);
  assert.ok(
    alone.flat().some((probability) => probability > 0.8) && alone.flat().some((probability) => probability < 0.1),
  );
});

test("a voice is speech, silence, a tone and noise are not", async () => {
  let seed = 5;
  const noise = Int16Array.from({ length: 8_000 }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed / 2 ** 32 - 0.5) * 3_000;
  });
  const tone = Int16Array.from({ length: 8_000 }, (_, n) => 8_000 * Math.sin((2 * Math.PI * 440 * n) / 8_000));
  const [speech, silence, hiss, hum] = await probabilities([voice(6, 1_000), new Int16Array(8_000), noise, tone], 4);

  assert.ok(
    speech!.filter((probability) => probability > 0.5).length > 12,
    speech!.map((probability) => probability.toFixed(1)).join(" "),
  );
  assert.ok(Math.max(...silence!) < 0.3 && Math.max(...hiss!) < 0.3 && Math.max(...hum!.slice(3)) < 0.5);
});

test("faint noise is judged for half a second only, and a voice after it is detected as one without it", async () => {
  let seed = 9;
  const line = Int16Array.from({ length: 6 * 8_000 }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed / 2 ** 32 - 0.5) * 150;
  });
  const sound = new Int16Array(line.length + 8_000);
  sound.set(line);
  sound.set(voice(6, 1_000), line.length);
  const all: number[] = [];
  const stream = silero.open((probability, endMs) => {
    assert.equal(endMs, 32 * (all.length + 1));
    all.push(probability);
  });
  let judged = 0;
  for (let at = 0; at < sound.length; at += 160) {
    stream.push(sound.subarray(at, at + 160));
    judged += await silero.run();
  }
  stream.close();

  assert.equal(all.length, Math.floor(sound.length / 256));
  const before = Math.floor(line.length / 256);
  assert.ok(judged <= all.length - before + 17, `${judged} of ${all.length}`);
  const [alone] = await probabilities([voice(6, 1_000)], 1);
  const isSpeech = (them: readonly number[]) => them.filter((probability) => probability > 0.5).length;
  assert.ok(Math.abs(isSpeech(all.slice(before)) - isSpeech(alone!)) <= 1);
});

test("windows end every 32 ms of the sound, however it comes, and memory is a call's own", async () => {
  const ends: number[] = [];
  const stream = silero.open((_, endMs) => ends.push(endMs));
  for (let i = 0; i < 8; i++) stream.push(new Int16Array(160));
  assert.equal(await silero.run(), 5);

  assert.deepEqual(ends, [32, 64, 96, 128, 160]);
  stream.close();
});

test("a closed stream gets no more windows, and a stall drops the oldest ones", async () => {
  const reported: number[] = [];
  const closed = silero.open(() => reported.push(0));
  closed.push(new Int16Array(160));
  closed.push(new Int16Array(160));
  closed.close();
  assert.equal(await silero.run(), 0);
  const leaving = silero.open(() => reported.push(1));
  leaving.push(new Int16Array(256));
  const running = silero.run();
  leaving.close();
  assert.equal(await running, 1);
  assert.deepEqual(reported, []);

  const ends: number[] = [];
  const stalled = silero.open((_, endMs) => ends.push(endMs));
  for (let i = 0; i < 100; i++) stalled.push(new Int16Array(160));
  await silero.run();
  assert.ok(ends.length <= 8 && ends.at(-1) === 2_000 - (2_000 % 32), ends.join(" "));
  stalled.close();
});

test("runs that are asked for while one goes on are one", async () => {
  const stream = silero.open(() => undefined);
  for (let i = 0; i < 8; i++) stream.push(new Int16Array(160));

  assert.deepEqual(await Promise.all([silero.run(), silero.run()]), [5, 5]);
  stream.close();
});

test("the model's runtime keeps nothing about the machine and reports to nobody", async () => {
  const home = aFolder("home");
  const loading = `
    import { loadSilero } from "#media/audio/silero.ts";
    const silero = await loadSilero();
    await silero.close();
    process.exit(0);`;
  // In an environment of CI it keeps and reports nothing by itself.
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", loading], { env: { HOME: home } });
  assert.deepEqual(readdirSync(home), []);
});
