import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { inspect } from "node:util";
import { SpeechError } from "#ports/speech-to-text.ts";
import type { SpeakOptions, SpokenPiece, TextToSpeech } from "#ports/text-to-speech.ts";
import { SPEECH_KEY, type SpeechServer, startSpeechServer } from "#test/support/agents/speech-server.ts";
import { PIECE_SAMPLES, standInSound } from "#test/support/agents/speech-server-voices.ts";
import { heldTimers } from "#test/support/time/held-timers.ts";
import { cartesiaVoice } from "./cartesia-voice.ts";
import { deepgramVoice } from "./deepgram-voice.ts";
import { elevenLabsVoice } from "./elevenlabs-voice.ts";
import { openAiVoice } from "./openai-voice.ts";
import type { SpeechLimits } from "./patience.ts";

let server: SpeechServer;
const opened: { close(): void }[] = [];

before(async () => {
  server = await startSpeechServer();
});
beforeEach(() => {
  server.requests.length = 0;
  server.messages.length = 0;
  server.behave({ kind: "good" });
  for (const voice of opened.splice(0)) voice.close();
});
after(() => {
  for (const voice of opened) voice.close();
  return server.close();
});

/** Long enough that no test of a good answer times out on a busy machine. */
const LIMITS: SpeechLimits = { connectMs: 30_000, firstMs: 30_000, gapMs: 30_000 };
const never = new AbortController().signal;
const VENDORS = ["deepgram", "openai", "elevenlabs", "cartesia"] as const;
type Vendor = (typeof VENDORS)[number];

const VOICES: Record<Vendor, string> = {
  deepgram: "aura-2-thalia-en",
  openai: "Alloy",
  elevenlabs: "JBFqnCBsd6RMkjVDRZzb",
  cartesia: "a0e99841-438c-4a64-b679-ae501e7d6091",
};

function voiceOf(vendor: Vendor, apiKey = SPEECH_KEY, limits = LIMITS): TextToSpeech {
  const baseUrl = server.url;
  switch (vendor) {
    case "deepgram":
      return deepgramVoice({ baseUrl, apiKey, limits });
    case "openai":
      return openAiVoice({ baseUrl: `${baseUrl}/v1`, apiKey, model: "gpt-4o-mini-tts", limits });
    case "elevenlabs":
      return elevenLabsVoice({ baseUrl, apiKey, model: "eleven_flash_v2_5", limits });
    case "cartesia": {
      const voice = cartesiaVoice({ baseUrl, apiKey, model: "sonic-3", limits });
      opened.push(voice);
      return voice;
    }
  }
}

function speak(
  vendor: Vendor,
  text: string,
  more: Partial<SpeakOptions> = {},
  voice = voiceOf(vendor),
  signal = never,
) {
  const options = { voiceId: VOICES[vendor], language: "en-US", speed: 1, temperature: 1, ...more };
  return voice.speak(text, options, signal);
}

const all = (pieces: AsyncIterable<SpokenPiece>): Promise<SpokenPiece[]> => Array.fromAsync(pieces);

const joined = (pieces: readonly SpokenPiece[]): number[] => pieces.flatMap(({ samples }) => [...samples]);

async function failureOf(work: Promise<unknown>): Promise<SpeechError> {
  const error = await work.then(
    () => assert.fail("it did not fail"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SpeechError, String(error));
  return error;
}

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const { vendorCode, retryable } = await failureOf(work);
  return `${vendorCode} ${retryable ? "retry" : "no"}`;
};

const noConnections = async () => {
  while (server.openConnections() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
};

for (const vendor of VENDORS) {
  test(`${vendor}: a sentence comes whole, in pieces, at its rate`, async () => {
    const pieces = await all(speak(vendor, "Hello there, how are you?"));
    assert.ok(pieces.length >= 2);
    assert.deepEqual(joined(pieces), [...standInSound()]);
    assert.ok(pieces.every(({ sampleRate }) => sampleRate === (vendor === "openai" ? 24_000 : 8_000)));
  });

  test(`${vendor}: the first sound is given on while the rest is being made`, async () => {
    server.behave({ kind: "stall", begun: true });
    const pieces = speak(vendor, "Hello there.")[Symbol.asyncIterator]();
    assert.equal((await pieces.next()).value!.samples[0], -30_000);
    await pieces.return!();
  });

  test(`${vendor}: it knows its own voices and no others`, () => {
    const voice = voiceOf(vendor);
    assert.ok(voice.knows(VOICES[vendor]));
    for (const id of ["", "../etc", "<x>", "a b"]) assert.equal(voice.knows(id), false, id);
  });

  test(`${vendor}: a refused key is reported at once, and is in no error`, async () => {
    const error = await failureOf(all(speak(vendor, "Hello there.", {}, voiceOf(vendor, "a-wrong-and-secret-key"))));
    assert.equal(error.vendorCode, "401");
    assert.equal(error.retryable, false);
    assert.equal(server.requests.length, 1, "there is no retry");
    assert.doesNotMatch(inspect(error, { depth: 10 }), /secret|Hello/);
  });

  test(`${vendor}: every status has its code, and says whether to come back`, async () => {
    for (const [status, expected] of [
      [400, "400 no"],
      [402, "402 no"],
      [429, "429 retry"],
      [500, "500 retry"],
      [503, "503 retry"],
    ] as const) {
      server.behave({ kind: "status", status });
      assert.equal(await codeOf(all(speak(vendor, "Hello there."))), expected);
    }
  });

  test(`${vendor}: one that sends nothing, or stops in the middle, is given up at the limit`, async () => {
    const hasty = (limits: Partial<SpeechLimits>) => voiceOf(vendor, SPEECH_KEY, { ...LIMITS, ...limits });
    server.behave({ kind: "stall" });
    assert.equal(
      await codeOf(all(speak(vendor, "Hello there.", {}, hasty({ connectMs: 60, firstMs: 60 })))),
      "timeout retry",
    );
    server.behave({ kind: "stall", begun: true });
    const played: SpokenPiece[] = [];
    const broken = (async () => {
      for await (const piece of speak(vendor, "Hello there.", {}, hasty({ gapMs: 60 }))) played.push(piece);
    })();
    assert.equal(await codeOf(broken), "stalled retry");
    assert.ok(joined(played).length >= PIECE_SAMPLES);
    await noConnections();
  });

  test(`${vendor}: a connection that is cut, before or in the sound, is an error that may be tried again`, async () => {
    server.behave({ kind: "drop" });
    assert.match(await codeOf(all(speak(vendor, "Hello there."))), / retry$/);
    server.behave({ kind: "drop", begun: true });
    const played: SpokenPiece[] = [];
    const broken = (async () => {
      for await (const piece of speak(vendor, "Hello there.")) played.push(piece);
    })();
    assert.match(await codeOf(broken), / retry$/);
    assert.ok(joined(played).length >= PIECE_SAMPLES);
  });

  test(`${vendor}: at the signal it ends at once, without an error, and frees the connection`, async () => {
    server.behave({ kind: "stall", begun: true });
    const stop = new AbortController();
    const voice = voiceOf(vendor);
    const pieces = speak(vendor, "Hello there.", {}, voice, stop.signal)[Symbol.asyncIterator]();
    assert.equal((await pieces.next()).done, false);
    const waiting = pieces.next();
    stop.abort();
    // The network may deliver one piece or two before the signal.
    if (!(await waiting).done) assert.equal((await pieces.next()).done, true);
    if (vendor === "cartesia") {
      while (server.messages.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      const [asked, cancelled] = server.messages;
      assert.deepEqual(cancelled, { context_id: asked!.context_id, cancel: true });
    } else await noConnections();
    assert.deepEqual(await all(speak(vendor, "Hello.", {}, voice, AbortSignal.abort())), []);
  });
}

for (const vendor of ["deepgram", "openai", "elevenlabs"] as const) {
  test(`${vendor}: an error page, and sound without an end, are no speech`, async () => {
    server.behave({ kind: "garbage" });
    assert.equal(await codeOf(all(speak(vendor, "Hello there."))), "invalid_response retry");
    if (vendor === "elevenlabs") return;
    server.behave({ kind: "endless" });
    const listen = (async () => {
      for await (const piece of speak(vendor, "Hello there.")) assert.ok(piece.samples.length > 0);
    })();
    assert.equal(await codeOf(listen), "too_large no");
    await noConnections();
  });
}

test("elevenlabs and cartesia report the times of words, also of those that two pieces share", async () => {
  for (const vendor of ["elevenlabs", "cartesia"] as const) {
    const pieces = await all(speak(vendor, "Good morning to you"));
    const words = pieces.flatMap((piece) => [...(piece.words ?? [])]);
    assert.deepEqual(
      words.map(({ word }) => word),
      ["Good", "morning", "to", "you"],
    );
    const [, morning] = words;
    assert.deepEqual([morning!.startMs, morning!.endMs], vendor === "elevenlabs" ? [250, 600] : [200, 350]);
  }
});

test("each request is as the provider documents it: path, key, format, voice, speed within its bounds", async () => {
  const more = { speed: 2, temperature: 2 };
  for (const vendor of VENDORS) await all(speak(vendor, "Hello", more));
  const [deepgram, openai, elevenlabs, cartesia] = server.requests;
  assert.equal(
    deepgram!.path,
    "/v1/speak?model=aura-2-thalia-en&encoding=linear16&container=none&sample_rate=8000&speed=1.5",
  );
  assert.deepEqual(JSON.parse(String(deepgram!.body)), { text: "Hello" });
  assert.equal(openai!.headers.authorization, `Bearer ${SPEECH_KEY}`);
  assert.deepEqual(JSON.parse(String(openai!.body)), {
    model: "gpt-4o-mini-tts",
    input: "Hello",
    voice: "alloy",
    response_format: "pcm",
    speed: 2,
  });
  assert.equal(
    elevenlabs!.path,
    "/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream/with-timestamps?output_format=pcm_8000",
  );
  assert.deepEqual(JSON.parse(String(elevenlabs!.body)), {
    text: "Hello",
    model_id: "eleven_flash_v2_5",
    voice_settings: { speed: 1.2, stability: 0 },
  });
  assert.equal(cartesia!.path, "/tts/websocket?cartesia_version=2026-03-01");
  const { context_id, ...generation } = server.messages[0]!;
  assert.match(String(context_id), /^[\w-]{36}$/);
  assert.deepEqual(generation, {
    model_id: "sonic-3",
    transcript: "Hello",
    voice: { mode: "id", id: VOICES.cartesia },
    language: "en",
    output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: 8_000 },
    add_timestamps: true,
    continue: false,
    generation_config: { speed: 1.5 },
  });
  assert.ok(
    server.requests.every(({ path }) => !path.includes(SPEECH_KEY)),
    "addresses end in logs",
  );
});

test("cartesia: sentences share one connection, and an error ends only its own", async () => {
  const voice = voiceOf("cartesia");
  const [refused, ...good] = await Promise.allSettled(
    ["refuse", "One", "Two", "Three"].map((text) => all(speak("cartesia", text, {}, voice))),
  );
  assert.ok(refused!.status === "rejected");
  assert.match(inspect(refused!.reason), /cartesia failed: 400 \(model_not_found\)/);
  assert.ok(good.every(({ status }) => status === "fulfilled"));
  assert.equal(server.requests.length, 1);
  server.behave({ kind: "drop" });
  opened.pop()!.close();
  await codeOf(all(speak("cartesia", "Four", {}, voice)));
  server.behave({ kind: "good" });
  assert.deepEqual(joined(await all(speak("cartesia", "Five", {}, voice))), [...standInSound()]);
  opened.push(voice as TextToSpeech & { close(): void });
});

test("a slow reader does not make the provider late", async (t) => {
  const running = heldTimers(t, (ms) => ms === LIMITS.gapMs);
  server.behave({ kind: "good" });
  let samples = 0;
  for await (const piece of speak("openai", "Hello")) {
    samples += piece.samples.length;
    assert.equal(running(), 0, "the clock stands while it is the reader's turn");
  }
  assert.equal(samples, standInSound().length);
});
