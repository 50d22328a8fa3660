import assert from "node:assert/strict";
import { after, test } from "node:test";
import { SpeechError } from "#ports/speech-to-text.ts";
import type { SpeakOptions, SpokenPiece } from "#ports/text-to-speech.ts";
import { soundQueue } from "./queue.ts";
import { fliteVoice } from "./voice.ts";

const queue = soundQueue();
const voice = fliteVoice({ queue });
after(() => voice.close());

const options: SpeakOptions = { voiceId: "slt", language: "en-US", speed: 1, temperature: 1 };
const never = new AbortController().signal;

async function spoken(text: string, more: Partial<SpeakOptions> = {}, signal = never): Promise<SpokenPiece[]> {
  return Array.fromAsync(voice.speak(text, { ...options, ...more }, signal));
}

const seconds = (pieces: readonly SpokenPiece[]): number =>
  pieces.reduce((sum, { samples, sampleRate }) => sum + samples.length / sampleRate, 0);

const loudness = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);

test("every built-in voice speaks at the telephone's rate, is audible, and differs from the others", async () => {
  const sounds = new Set<string>();
  for (const voiceId of ["slt", "rms", "awb", "kal", "offline-slt"]) {
    assert.ok(voice.knows(voiceId));
    const [piece, ...rest] = await spoken("Good morning, this is a test.", { voiceId });
    assert.equal(rest.length, 0);
    assert.equal(piece!.sampleRate, 8_000);
    assert.ok(seconds([piece!]) > 1 && seconds([piece!]) < 4, `${voiceId}: ${seconds([piece!])} s`);
    assert.ok(loudness(piece!.samples) > 500, `${voiceId}: ${loudness(piece!.samples)}`);
    sounds.add(Buffer.from(piece!.samples.buffer).toString("base64"));
  }
  assert.equal(sounds.size, 4);
});

test("speed 2 takes half the time, 0.5 twice, and what is beyond counts as the bound", async () => {
  const text = "How long does this take?";
  const usual = seconds(await spoken(text));
  assert.ok(Math.abs(seconds(await spoken(text, { speed: 2 })) / usual - 0.5) < 0.05);
  assert.ok(Math.abs(seconds(await spoken(text, { speed: 0.5 })) / usual - 2) < 0.1);
  assert.equal(seconds(await spoken(text, { speed: 9 })), seconds(await spoken(text, { speed: 2 })));
});

test("words have times that rise, lie within the sentence and skip its pauses", async () => {
  const [piece] = await spoken("Hello there, do you have two minutes? Great.");
  const words = piece!.words!;
  assert.deepEqual(
    words.map(({ word }) => word),
    ["Hello", "there,", "do", "you", "have", "two", "minutes?", "Great."],
  );
  for (const [index, { startMs, endMs }] of words.entries()) {
    assert.ok(startMs < endMs && startMs >= (words[index - 1]?.endMs ?? 0), `${index}: ${startMs}-${endMs}`);
  }
  assert.ok(words.at(-1)!.endMs <= seconds([piece!]) * 1_000);
  assert.ok(words[2]!.startMs - words[1]!.endMs > 50, "a pause after the comma");
});

test("a sentence that is asked for again, or at once by many, is made once", async () => {
  let made = 0;
  const counted = fliteVoice({
    queue: {
      ...queue,
      add: (request) => {
        made++;
        return queue.add(request);
      },
    },
  });
  const say = () => Array.fromAsync(counted.speak("Hello, this is Ava.", options, never));
  const [first, second] = await Promise.all([say(), say()]);
  const third = await say();
  assert.equal(made, 1);
  assert.ok(first[0]!.samples === second[0]!.samples && second[0]!.samples === third[0]!.samples);
});

test("the cache forgets the oldest when it is full", async () => {
  let made = 0;
  const small = fliteVoice({
    cacheBytes: 30_000,
    queue: {
      ...queue,
      add: (request) => {
        made++;
        return queue.add(request);
      },
    },
  });
  for (const text of ["One two.", "Three four.", "Five six.", "One two."]) {
    await Array.fromAsync(small.speak(text, options, never));
  }
  assert.equal(made, 4);
});

test("a long text comes in parts whose words go on in time", async () => {
  const text = "This is a sentence about the house. ".repeat(15);
  const pieces = await spoken(text);
  assert.ok(pieces.length >= 2);
  const words = pieces.flatMap((piece) => [...piece.words!]);
  assert.equal(words.length, 105);
  assert.ok(words.every(({ startMs }, index) => index === 0 || startMs >= words[index - 1]!.startMs));
  assert.ok(Math.abs(words.at(-1)!.endMs / 1_000 - seconds(pieces)) < 1);
});

test("nothing to say is no sound; odd characters harm nothing and are no options", async () => {
  assert.deepEqual(await spoken(""), []);
  assert.deepEqual(await spoken(" ... \n\u0000 "), []);
  assert.ok(seconds(await spoken("-o /etc/passwd")) > 0.3);
  assert.ok(seconds(await spoken("caf\u00e9 \u{1f600} \ud800 ok")) > 0.3);
});

test("a voice that does not exist is an error that says so", async () => {
  assert.equal(voice.knows("offline-nobody"), false);
  await assert.rejects(spoken("Hello", { voiceId: "nobody" }), { vendorCode: "unknown_voice", retryable: false });
});

test("at the signal it ends at once, while others still get the same sentence", async () => {
  const stop = new AbortController();
  const text = "This sentence is wanted by two, and one of them leaves.";
  const leaving = spoken(text, {}, stop.signal);
  const staying = spoken(text);
  stop.abort();
  assert.deepEqual(await leaving, []);
  assert.equal((await staying).length, 1);
  assert.deepEqual(await spoken(text, {}, AbortSignal.abort()), []);
});

test("a sentence whose only listener left before it was begun is not made", async () => {
  const stop = new AbortController();
  const asked: string[] = [];
  const other = fliteVoice({
    queue: {
      ...queue,
      add: ({ text }) => {
        asked.push(text);
        return { sound: Promise.withResolvers<never>().promise, cancel: () => asked.pop() };
      },
    },
  });
  const leaving = Array.fromAsync(other.speak("Never mind.", options, stop.signal));
  assert.deepEqual(asked, ["Never mind."]);
  stop.abort();
  await leaving;
  assert.deepEqual(asked, []);
});

test("a thread that dies in mid-sentence is replaced, and the sentence is spoken all the same", async () => {
  await spoken("Start the thread.");
  const before = queue.thread();
  const waiting = spoken("This one is under way when the thread ends.");
  await before!.terminate();
  assert.equal((await waiting).length, 1);
  assert.notEqual(queue.thread(), before);
});

test("a sentence that ends the thread twice is given up, and the next one is spoken", async () => {
  const deadly = soundQueue(
    new URL(
      "data:text/javascript,import('node:worker_threads').then(({parentPort})=>parentPort.on('message',()=>process.exit(1)))",
    ),
  );
  const error = await deadly.add({ text: "x", voice: "slt", stretch: 1 }).sound.catch((reason: unknown) => reason);
  assert.ok(error instanceof SpeechError);
  assert.equal(error.vendorCode, "thread_died");
  await deadly.close();
  await assert.rejects(deadly.add({ text: "x", voice: "slt", stretch: 1 }).sound, { vendorCode: "closed" });
});
