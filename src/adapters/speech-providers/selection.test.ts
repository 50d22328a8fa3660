import assert from "node:assert/strict";
import { test } from "node:test";
import { circuitBreaker } from "#domain/system/circuit-breaker.ts";
import {
  type ListenOptions,
  SpeechError,
  type SpeechToText,
  type SpeechToTextStream,
  type TranscriptEvent,
} from "#ports/speech-to-text.ts";
import type { SpokenPiece, TextToSpeech } from "#ports/text-to-speech.ts";
import { speechToTextWithFallback } from "./fallback-speech-to-text.ts";
import { voiceWithFallback } from "./fallback-voice.ts";
import { voicesByPrefix } from "./voices.ts";

const never = new AbortController().signal;
const broken = (vendorCode = "500", retryable = true) => new SpeechError(vendorCode, { retryable, vendorCode });

/** Speaks `pieces` pieces, then fails with `error` if it is given. Records the requests. */
function aVoice(name: string, known: RegExp, more: { pieces?: number; error?: Error } = {}) {
  const asked: string[] = [];
  const voice: TextToSpeech = {
    name,
    knows: (voiceId) => known.test(voiceId),
    async *speak(sentence, { voiceId }) {
      asked.push(`${voiceId}: ${sentence}`);
      for (let index = 0; index < (more.pieces ?? 1); index++) {
        yield { samples: Int16Array.of(index), sampleRate: 8_000 } satisfies SpokenPiece;
      }
      if (more.error) throw more.error;
    },
  };
  return { voice, asked };
}

const say = (voice: TextToSpeech, voiceId = "a", signal = never) =>
  Array.fromAsync(voice.speak("Hello", { voiceId, language: "en-US", speed: 1, temperature: 1 }, signal));

test("a voice that fails before its first sound is replaced by the second, which speaks by a voice of its own", async () => {
  const first = aVoice("first", /^a$/, { pieces: 0, error: broken() });
  const second = aVoice("second", /^b$/);
  const both = voiceWithFallback(first.voice, second.voice, "b");
  assert.equal((await say(both)).length, 1);
  assert.deepEqual([first.asked, second.asked], [["a: Hello"], ["b: Hello"]]);
  assert.ok(both.knows("a") && both.knows("b") && !both.knows("c"));
});

test("a voice that fails in mid-sentence reports the failure, and nothing is said twice", async () => {
  const second = aVoice("second", /./);
  const both = voiceWithFallback(aVoice("first", /./, { pieces: 2, error: broken() }).voice, second.voice, "b");
  const played: SpokenPiece[] = [];
  await assert.rejects(
    async () => {
      for await (const piece of both.speak(
        "Hello",
        { voiceId: "a", language: "en", speed: 1, temperature: 1 },
        never,
      )) {
        played.push(piece);
      }
    },
    { vendorCode: "500" },
  );
  assert.equal(played.length, 2);
  assert.deepEqual(second.asked, []);
});

test("an error that is none of the provider's is not hidden, and a caller who left gets no second voice", async () => {
  const second = aVoice("second", /./);
  const bug = voiceWithFallback(aVoice("f", /./, { pieces: 0, error: new TypeError("x") }).voice, second.voice, "b");
  await assert.rejects(say(bug), TypeError);
  const gone = voiceWithFallback(aVoice("f", /./, { pieces: 0, error: broken() }).voice, second.voice, "b");
  await assert.rejects(say(gone, "a", AbortSignal.abort()), { vendorCode: "500" });
  assert.deepEqual(second.asked, []);
});

test("after three failures in a row the first is left alone for a while, then tried by one", async () => {
  let now = 0;
  const first = aVoice("first", /./, { pieces: 0, error: broken() });
  const second = aVoice("second", /./);
  const breaker = circuitBreaker({ failures: 3, restMs: 1_000, now: () => now });
  const both = voiceWithFallback(first.voice, second.voice, "b", breaker);
  for (let index = 0; index < 5; index++) await say(both);
  assert.deepEqual([first.asked.length, second.asked.length], [3, 5]);
  now = 1_000;
  await Promise.all([say(both), say(both)]);
  assert.equal(first.asked.length, 4);
  breaker.succeeded();
  await say(both);
  assert.equal(first.asked.length, 5);
});

/** Speech-to-text that the test controls. */
function someSpeechToText(name: string, refusal?: SpeechError) {
  type Open = { options: ListenOptions; written: number[]; flushes: number; closed: boolean };
  const streams: (Open & { emit: (event: TranscriptEvent) => void })[] = [];
  const speechToText: SpeechToText = {
    name,
    capabilities: { words: true, interim: true },
    async listen(options, on) {
      if (refusal) throw refusal;
      const open = { written: [] as number[], flushes: 0, closed: false, emit: on, options };
      streams.push(open);
      return {
        write: (samples) => open.written.push(...samples),
        flush: () => void open.flushes++,
        close: () => {
          open.closed = true;
        },
      } satisfies SpeechToTextStream;
    },
  };
  return { speechToText, streams };
}

const final = (word: string, startMs: number, flushed = true): TranscriptEvent => ({
  kind: "final",
  text: word,
  words: [{ word, startMs, endMs: startMs + 100 }],
  flushed,
});

const options = { language: "en-US", keywords: [] } as const;

test("speech-to-text that cannot listen is replaced by the second, and is not tried for a while after repeated failures", async () => {
  const first = someSpeechToText("first", broken("429"));
  const second = someSpeechToText("second");
  const both = speechToTextWithFallback(
    first.speechToText,
    second.speechToText,
    circuitBreaker({ failures: 2, now: () => performance.now() }),
  );
  for (let index = 0; index < 3; index++) (await both.listen(options, () => {}, never)).close();
  assert.equal(second.streams.length, 3);
  assert.ok(second.streams.every(({ closed }) => closed));
  await assert.rejects(
    speechToTextWithFallback(first.speechToText, someSpeechToText("x", broken("401")).speechToText).listen(
      options,
      () => {},
      never,
    ),
    {
      vendorCode: "401",
    },
  );
});

test("speech-to-text that fails in mid-call is replaced: unanswered audio is transcribed again, and times go on", async () => {
  const first = someSpeechToText("first");
  const second = someSpeechToText("second");
  const events: TranscriptEvent[] = [];
  const stream = await speechToTextWithFallback(first.speechToText, second.speechToText).listen(
    options,
    (event) => events.push(event),
    never,
  );
  stream.write(new Int16Array(8_000).fill(1));
  stream.flush();
  first.streams[0]!.emit(final("one", 500));
  stream.write(new Int16Array(8_000).fill(2));
  stream.flush();
  stream.write(new Int16Array(1_600).fill(3));
  first.streams[0]!.emit({ kind: "failed", error: broken() });
  while (second.streams[0]?.flushes !== 1) await new Promise((resolve) => setImmediate(resolve));
  const [other] = second.streams;
  assert.equal(other!.written.length, 9_600);
  assert.deepEqual([other!.written[0], other!.written.at(-1)], [2, 3]);
  other!.emit(final("two", 100));
  stream.write(Int16Array.of(4));
  assert.equal(other!.written.at(-1), 4);
  stream.close();
  assert.ok(other!.closed);
  assert.deepEqual(events, [final("one", 500), final("two", 1_100)]);
});

test("the second speech-to-text listens at the call's rate, and its times go on at it", async () => {
  const [first, second] = [someSpeechToText("first"), someSpeechToText("second")];
  const events: TranscriptEvent[] = [];
  const wide = { ...options, sampleRate: 16_000 } as const;
  const both = speechToTextWithFallback(first.speechToText, second.speechToText);
  const stream = await both.listen(wide, (event) => events.push(event), never);
  stream.write(new Int16Array(16_000));
  stream.flush();
  first.streams[0]!.emit(final("one", 500));
  first.streams[0]!.emit({ kind: "failed", error: broken() });
  while (second.streams.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(second.streams[0]!.options.sampleRate, 16_000);
  second.streams[0]!.emit(final("two", 100));
  stream.close();
  assert.deepEqual(events, [final("one", 500), final("two", 1_100)]);
});

test("when the second speech-to-text cannot listen either, the failure is reported", async () => {
  const first = someSpeechToText("first");
  const events: TranscriptEvent[] = [];
  const both = speechToTextWithFallback(
    first.speechToText,
    someSpeechToText("second", broken("401", false)).speechToText,
  );
  await both.listen(options, (event) => events.push(event), never);
  first.streams[0]!.emit({ kind: "failed", error: broken() });
  while (events.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(events[0]!.kind === "failed" && events[0]!.error.vendorCode, "401");
});

test("speech-to-text that listens and then fails in call after call is not tried for a while either, until a transcript comes", async () => {
  const first = someSpeechToText("first");
  const second = someSpeechToText("second");
  const both = speechToTextWithFallback(
    first.speechToText,
    second.speechToText,
    circuitBreaker({ failures: 2, now: () => performance.now() }),
  );
  const call = async (event: TranscriptEvent) => {
    const before = first.streams.length;
    await both.listen(options, () => {}, never);
    if (first.streams.length > before) first.streams.at(-1)!.emit(event);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const failed: TranscriptEvent = { kind: "failed", error: broken("closed_1008", false) };
  await call(failed);
  await call(final("word", 0));
  for (let index = 0; index < 4; index++) await call(failed);
  assert.equal(first.streams.length, 4);
  assert.equal(second.streams.length, 5);
});

test("a prefix selects the provider, a name without one is the default's or built-in, and an unknown voice is spoken by the default", async () => {
  const offline = aVoice("offline", /^(slt|rms)$/);
  const openai = aVoice("openai", /^[A-Z]\w+$/);
  const eleven = aVoice("elevenlabs", /^\w{20}$/);
  const voices = voicesByPrefix(
    new Map([
      ["offline", { voice: offline.voice, defaultVoiceId: "slt" }],
      ["openai", { voice: openai.voice, defaultVoiceId: "Alloy" }],
      ["elevenlabs", { voice: eleven.voice, defaultVoiceId: "JBFqnCBsd6RMkjVDRZzb" }],
    ]),
    "openai",
    new Map([["11labs-Adrian", "21m00Tcm4TlvDq8ikWAM"]]),
  );
  for (const voiceId of [
    "openai-Echo",
    "Nova",
    "offline-rms",
    "rms",
    "11labs-Adrian",
    "elevenlabs-pNInz6obpgDQGcFmaJgB",
    "11labs-Nobody",
    "cartesia-Hailey",
    "deepgram-aura-2-thalia-en",
    "strange voice",
  ]) {
    assert.ok(voices.knows(voiceId), voiceId);
    await say(voices, voiceId);
  }
  assert.deepEqual(
    openai.asked.map((line) => line.split(":")[0]),
    ["Echo", "Nova", "Alloy", "Alloy", "Alloy"],
  );
  assert.deepEqual(
    offline.asked.map((line) => line.split(":")[0]),
    ["rms", "rms"],
  );
  assert.deepEqual(
    eleven.asked.map((line) => line.split(":")[0]),
    ["21m00Tcm4TlvDq8ikWAM", "pNInz6obpgDQGcFmaJgB", "JBFqnCBsd6RMkjVDRZzb"],
  );
  for (const voiceId of ["offline-nobody", "", "<x>"]) assert.equal(voices.knows(voiceId), false, voiceId);
});
