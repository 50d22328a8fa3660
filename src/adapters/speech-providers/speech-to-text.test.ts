import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { inspect } from "node:util";
import {
  type SoundRate,
  SpeechError,
  type SpeechToText,
  type SpeechToTextStream,
  type TranscriptEvent,
} from "#ports/speech-to-text.ts";
import { SPEECH_KEY, type SpeechServer, startSpeechServer } from "#test/support/agents/speech-server.ts";
import { numberedWords, numberedWordsAt } from "#test/support/agents/speech-server-transcripts.ts";
import { assemblyAiSpeechToText } from "./assemblyai-speech-to-text.ts";
import { deepgramSpeechToText } from "./deepgram-speech-to-text.ts";
import { openAiSpeechToText } from "./openai-speech-to-text.ts";
import type { SpeechLimits } from "./patience.ts";
import { unsettledAudio } from "./unsettled-audio.ts";

let server: SpeechServer;
before(async () => {
  server = await startSpeechServer();
});
after(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.messages.length = 0;
  server.behave({ kind: "good" });
});

/** Long enough that no test of a good answer times out on a busy machine. */
const limits: SpeechLimits = { connectMs: 30_000, firstMs: 30_000, gapMs: 30_000 };
/** For requests that are never answered. */
const hasty: SpeechLimits = { connectMs: 300, firstMs: 300, gapMs: 300 };
const never = new AbortController().signal;

const deepgram = (apiKey = SPEECH_KEY, by = limits): SpeechToText =>
  deepgramSpeechToText({ baseUrl: server.url, apiKey, model: "nova-3", limits: by });
const openai = (model = "whisper-1", apiKey = SPEECH_KEY, by = limits): SpeechToText =>
  openAiSpeechToText({ baseUrl: `${server.url}/v1`, apiKey, model, limits: by });

const assemblyAi = (): SpeechToText =>
  assemblyAiSpeechToText({ baseUrl: server.url, apiKey: SPEECH_KEY, model: "universal-streaming-english", limits });

async function listening(speechToText: SpeechToText, signal = never, keywords: string[] = [], sampleRate?: SoundRate) {
  const events: TranscriptEvent[] = [];
  let wake = () => {};
  const on = (event: TranscriptEvent) => {
    events.push(event);
    wake();
  };
  const options = { language: "en-US", keywords, ...(sampleRate ? { sampleRate } : {}) };
  const stream = await speechToText.listen(options, on, signal);
  const until = async (done: () => boolean) => {
    while (!done()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const flushes = () => events.filter((event) => event.kind === "final" && event.flushed).length;
  return { stream, events, until, flushed: (count: number) => until(() => flushes() >= count) };
}

/** In frames of 20 ms, as a call has them. */
function write(stream: SpeechToTextStream, samples: Int16Array): void {
  for (let at = 0; at < samples.length; at += 160) stream.write(samples.slice(at, at + 160));
}

const wordsOf = (events: readonly TranscriptEvent[]): string[] =>
  events.flatMap((event) =>
    event.kind === "final"
      ? event.words.map(({ word, startMs, endMs }) => `${word.toLowerCase()} ${startMs}-${endMs}`)
      : [],
  );

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => assert.fail("it did not fail"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SpeechError, String(error));
  assert.doesNotMatch(inspect(error, { depth: 10 }), /secret/);
  return `${error.vendorCode} ${error.retryable ? "retry" : "no"}`;
};

const failureOf = (events: readonly TranscriptEvent[]): string | undefined => {
  const event = events.find(({ kind }) => kind === "failed");
  return event?.kind === "failed" ? event.error.vendorCode : undefined;
};

const noConnections = async () => {
  while (server.openConnections() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
};

test("deepgram: interim words come while one speaks, final words with the flush, in the stream's time", async () => {
  const { stream, events, flushed } = await listening(deepgram());
  write(stream, numberedWords(201, 202));
  stream.flush();
  await flushed(1);
  assert.ok(events.some((event) => event.kind === "interim" && event.text.startsWith("W201")));
  write(stream, numberedWords(203));
  stream.flush();
  await flushed(2);
  stream.close();
  await noConnections();
  assert.deepEqual(wordsOf(events), ["w201 0-100", "w202 200-300", "w203 400-500"]);
  assert.deepEqual(server.messages.at(-1), { type: "CloseStream" });
});

test("deepgram: words that are final before the flush are reported once", async () => {
  const { stream, events, flushed } = await listening(deepgram());
  const numbers = Array.from({ length: 40 }, (_, index) => 300 + index);
  write(stream, numberedWords(...numbers));
  stream.flush();
  await flushed(1);
  stream.close();
  assert.deepEqual(
    wordsOf(events).map((word) => word.split(" ")[0]),
    numbers.map((number) => `w${number}`),
  );
  assert.ok(events.some((event) => event.kind === "final" && !event.flushed));
});

test("deepgram: the request names the format and the key terms, with the key in a header", async () => {
  const { stream } = await listening(deepgram(), never, ["Acme", "Elm Street", "x".repeat(2_000)]);
  const { path, headers } = server.requests[0]!;
  const query = new URL(path, server.url).searchParams;
  assert.equal(headers.authorization, `Token ${SPEECH_KEY}`);
  assert.deepEqual(query.getAll("keyterm"), ["Acme", "Elm Street"]);
  query.delete("keyterm");
  assert.deepEqual(Object.fromEntries(query), {
    model: "nova-3",
    language: "en-US",
    encoding: "linear16",
    sample_rate: "8000",
    channels: "1",
    interim_results: "true",
    endpointing: "false",
    punctuate: "true",
  });
  stream.close();
});

test("deepgram: a flush with nothing said is answered at once", async () => {
  const { stream, events, flushed } = await listening(deepgram());
  stream.flush();
  await flushed(1);
  assert.deepEqual(events, [{ kind: "final", text: "", words: [], flushed: true }]);
  stream.close();
});

test("deepgram: a refused key, a status and a silence at the handshake have their codes", async () => {
  assert.equal(await codeOf(listening(deepgram("a-secret-key"))), "401 no");
  server.behave({ kind: "status", status: 429 });
  assert.equal(await codeOf(listening(deepgram())), "429 retry");
  server.behave({ kind: "stall" });
  assert.equal(await codeOf(listening(deepgram(SPEECH_KEY, hasty))), "timeout retry");
  server.behave({ kind: "drop" });
  assert.match(await codeOf(listening(deepgram())), / retry$/);
});

test("deepgram: a connection that breaks is opened again, and no word is lost or reported twice", async () => {
  server.behave({ kind: "drop", afterWords: 2 }, { kind: "drop", afterWords: 3 }, { kind: "good" });
  const { stream, events, flushed } = await listening(deepgram());
  write(stream, numberedWords(201, 202, 203, 204));
  stream.flush();
  await flushed(1);
  write(stream, numberedWords(205));
  stream.flush();
  await flushed(2);
  stream.close();
  assert.equal(server.requests.length, 3);
  const sure = events.flatMap((event) =>
    event.kind === "final" ? event.words.map(({ confidence }) => confidence) : [],
  );
  assert.deepEqual(
    sure,
    [0.99, 0.99, 0.99, 0.99, 0.99],
    "the new connection was asked to finalize, and no guess was taken",
  );
  assert.deepEqual(wordsOf(events), ["w201 0-100", "w202 200-300", "w203 400-500", "w204 600-700", "w205 800-900"]);
});

test("deepgram: after a break, times go on from what was already said", async () => {
  server.behave({ kind: "drop", afterWords: 3 }, { kind: "good" });
  const { stream, events, flushed } = await listening(deepgram());
  write(stream, numberedWords(201, 202));
  stream.flush();
  await flushed(1);
  write(stream, numberedWords(203, 204, 205));
  stream.flush();
  await flushed(2);
  stream.close();
  assert.equal(server.requests.length, 2);
  assert.deepEqual(wordsOf(events).slice(2), ["w203 400-500", "w204 600-700", "w205 800-900"]);
});

test("deepgram: a connection that cannot be opened again is reported as a failure, once", async () => {
  server.behave({ kind: "drop", afterWords: 1 }, { kind: "status", status: 401 });
  const { stream, events, until } = await listening(deepgram());
  write(stream, numberedWords(201, 202));
  await until(() => failureOf(events) !== undefined);
  assert.equal(failureOf(events), "401");
  assert.equal(server.requests.length, 2, "a refused key is not tried again");
  stream.write(numberedWords(203));
  stream.flush();
  stream.close();
  assert.equal(events.filter(({ kind }) => kind !== "interim").length, 1);
});

test("deepgram: an unanswered flush is answered by the interim words, and no word is reported again later", async () => {
  server.behave({ kind: "deaf", toFinalizeOnly: true });
  const { stream, events, flushed } = await listening(deepgram());
  write(stream, numberedWords(201, 202));
  stream.flush();
  await flushed(1);
  assert.deepEqual(wordsOf(events), ["w201 0-100", "w202 200-300"]);
  // Three seconds more, and the server settles all of it by itself.
  write(stream, numberedWords(...Array.from({ length: 15 }, (_, index) => 300 + index)));
  stream.flush();
  await flushed(2);
  stream.close();
  const words = wordsOf(events);
  assert.equal(new Set(words).size, words.length);
  assert.equal(words.length, 17);
});

test("deepgram: garbage is passed over", async () => {
  server.behave({ kind: "garbage" });
  const { stream, events, flushed } = await listening(deepgram());
  write(stream, numberedWords(201));
  stream.flush();
  await flushed(1);
  stream.close();
  assert.deepEqual(wordsOf(events), ["w201 0-100"]);
});

test("deepgram: the signal frees the connection at once, and nothing is reported after it", async () => {
  const stop = new AbortController();
  const { stream, events } = await listening(deepgram(), stop.signal);
  stop.abort();
  await noConnections();
  write(stream, numberedWords(201));
  stream.flush();
  stream.close();
  assert.deepEqual(events, []);
  assert.match(await codeOf(listening(deepgram(), AbortSignal.abort())), /^aborted/);
});

test("deepgram: a connection that does not answer two flushes is opened again", async () => {
  server.behave({ kind: "deaf" }, { kind: "good" });
  const { stream, events, flushed } = await listening(deepgram());
  for (const number of [201, 202]) {
    write(stream, numberedWords(number));
    stream.flush();
  }
  await flushed(2);
  write(stream, numberedWords(203));
  stream.flush();
  await flushed(3);
  stream.close();
  assert.equal(server.requests.length, 2);
  assert.deepEqual(wordsOf(events), ["w203 400-500"]);
});

test("assemblyai: turns come whole with the flush, and short rests are held back without moving the time", async () => {
  const { stream, events, flushed } = await listening(assemblyAi(), never, ["Acme"]);
  for (const [index, number] of [201, 202, 203].entries()) {
    write(stream, numberedWords(number));
    // Ten milliseconds more than whole messages: too short to be sent alone.
    stream.write(new Int16Array(80));
    stream.flush();
    await flushed(index + 1);
  }
  stream.close();
  await noConnections();
  assert.ok(events.some(({ kind }) => kind === "interim"));
  assert.equal(failureOf(events), undefined);
  assert.equal(server.requests.length, 1, "no message was refused");
  assert.deepEqual(wordsOf(events), ["w201 0-100", "w202 210-310", "w203 420-520"]);
  assert.deepEqual(server.messages.at(-1), { type: "Terminate" });
  const { path, headers } = server.requests[0]!;
  assert.equal(headers.authorization, SPEECH_KEY);
  assert.deepEqual(Object.fromEntries(new URL(path, server.url).searchParams), {
    speech_model: "universal-streaming-english",
    sample_rate: "8000",
    encoding: "pcm_s16le",
    end_of_turn_confidence_threshold: "1",
    max_turn_silence: "10000",
    keyterms_prompt: '["Acme"]',
  });
});

test("assemblyai: a connection that breaks is opened again, and no word is lost", async () => {
  server.behave({ kind: "drop", afterWords: 2 }, { kind: "good" });
  const { stream, events, flushed } = await listening(assemblyAi());
  write(stream, numberedWords(201, 202, 203));
  stream.flush();
  await flushed(1);
  stream.close();
  assert.equal(server.requests.length, 2);
  assert.deepEqual(wordsOf(events), ["w201 0-100", "w202 200-300", "w203 400-500"]);
});

test("openai: a stretch of speech is sent at the flush and comes back with its words' times", async () => {
  const { stream, events, flushed } = await listening(openai(), never, ["Acme"]);
  write(stream, new Int16Array(8_000));
  write(stream, numberedWords(201, 202));
  stream.flush();
  write(stream, numberedWords(203));
  stream.flush();
  await flushed(2);
  stream.close();
  assert.deepEqual(wordsOf(events), ["w201 1000-1100", "w202 1200-1300", "w203 1400-1500"]);
  const form = server.requests[0]!.body.toString("latin1");
  for (const part of ["whisper-1", "verbose_json", "en", "Acme", "word"])
    assert.ok(form.includes(`\r\n\r\n${part}\r\n`), part);
});

test("openai: silence is not sent", async () => {
  const { stream, events, flushed } = await listening(openai());
  stream.write(new Int16Array(16_000));
  stream.flush();
  await flushed(1);
  stream.close();
  assert.equal(server.requests.length, 0);
  assert.deepEqual(events, [{ kind: "final", text: "", words: [], flushed: true }]);
});

test("openai: a model without times is asked for the text alone, from then on", async () => {
  const { stream, events, flushed } = await listening(openai("gpt-4o-transcribe"));
  for (const number of [201, 202]) {
    write(stream, numberedWords(number));
    stream.flush();
  }
  await flushed(2);
  stream.close();
  assert.equal(server.requests.length, 3);
  assert.deepEqual(
    events.map((event) => event.kind === "final" && [event.text, event.words.length]),
    [
      ["w201", 0],
      ["w202", 0],
    ],
  );
});

test("openai: a failure is retried once, then reported; a refused key at once", async () => {
  server.behave({ kind: "status", status: 500 }, { kind: "good" });
  const lucky = await listening(openai());
  write(lucky.stream, numberedWords(201));
  lucky.stream.flush();
  await lucky.flushed(1);
  lucky.stream.close();
  for (const [behavior, speechToText, code, requests] of [
    [{ kind: "status", status: 503 }, openai(), "503", 2],
    [{ kind: "stall" }, openai("whisper-1", SPEECH_KEY, hasty), "timeout", 2],
    [{ kind: "garbage" }, openai(), "invalid_response", 2],
    [{ kind: "good" }, openai("whisper-1", "a-secret-key"), "401", 1],
  ] as const) {
    server.behave(behavior);
    server.requests.length = 0;
    const { stream, events, until } = await listening(speechToText);
    write(stream, numberedWords(201));
    stream.flush();
    await until(() => failureOf(events) !== undefined);
    assert.deepEqual([failureOf(events), server.requests.length, events.length], [code, requests, 1]);
  }
});

test("openai: the signal frees the connection, and nothing is reported after it", async () => {
  server.behave({ kind: "stall" });
  const stop = new AbortController();
  const { stream, events } = await listening(openai(), stop.signal);
  write(stream, numberedWords(201));
  stream.flush();
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await noConnections();
  assert.deepEqual(events, []);
});

for (const speechToText of [deepgram, assemblyAi, openai]) {
  test(`${speechToText().name}: sound of 16 kHz is sent as such, and words have the stream's time`, async () => {
    const { stream, events, flushed } = await listening(speechToText(), never, [], 16_000);
    write(stream, numberedWordsAt(16_000, 201, 202));
    stream.flush();
    await flushed(1);
    write(stream, numberedWordsAt(16_000, 203));
    stream.flush();
    await flushed(2);
    stream.close();
    assert.deepEqual(wordsOf(events), ["w201 0-100", "w202 200-300", "w203 400-500"]);
  });
}

test("sound of 16 kHz that was not answered is sent again at that rate after a break", async () => {
  server.behave({ kind: "drop", afterWords: 1 }, { kind: "good" });
  const { stream, events, flushed } = await listening(deepgram(), never, [], 16_000);
  write(stream, numberedWordsAt(16_000, 301, 302, 303));
  stream.flush();
  await flushed(1);
  stream.close();
  assert.deepEqual(wordsOf(events), ["w301 0-100", "w302 200-300", "w303 400-500"]);
});

test("audio that waits to be settled is bounded, and keeps its place in the stream", () => {
  const audio = unsettledAudio(8_000, 1 / 8);
  for (let value = 1; value <= 30; value++) audio.add(new Int16Array(100).fill(value));
  assert.deepEqual([audio.begin(), audio.end()], [2_000, 3_000]);
  assert.equal(
    audio.between(0, 3_000).reduce((sum, block) => sum + block.length, 0),
    1_000,
  );
  audio.settle(2_150);
  const [block] = audio.between(0, 2_250);
  assert.deepEqual([block!.length, block![0], block!.at(-1)], [100, 22, 23]);
});
