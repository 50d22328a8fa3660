import assert from "node:assert/strict";
import { test } from "node:test";
import { pocketsphinxInstalled } from "#adapters/offline-speech/speech-to-text.ts";
import { ConfigError, readConfig } from "#app/settings/config.ts";
import { SPEECH_KEY, startSpeechServer } from "#test/support/agents/speech-server.ts";
import { standInSound } from "#test/support/agents/speech-server-voices.ts";
import { describeSpeech, speechOf } from "./speech.ts";

const never = new AbortController().signal;
const options = { language: "en-US", speed: 1, temperature: 1 };

function speechWith(t: { after(done: () => Promise<void>): void }, env: Record<string, string>) {
  const speech = speechOf(readConfig(env));
  t.after(() => speech.close());
  return speech;
}

test("without settings the built-in voice speaks, whatever an agent's voice is called", async (t) => {
  const { voice, speechToText } = speechWith(t, {});
  for (const voiceId of ["slt", "offline-kal", "11labs-Adrian", "openai-Alloy"]) {
    assert.ok(voice.knows(voiceId));
    const [piece] = await Array.fromAsync(voice.speak("Hi.", { ...options, voiceId }, never));
    assert.ok(piece!.samples.length > 1_000, voiceId);
  }
  assert.equal(voice.knows("offline-nobody"), false);
  assert.equal(speechToText?.name, pocketsphinxInstalled() ? "offline" : undefined);
});

test("providers are reached at their configured addresses, by the prefix of the voice, with the fallback behind", async (t) => {
  const server = await startSpeechServer();
  t.after(() => server.close());
  const { voice, speechToText } = speechWith(t, {
    PARLEY_VOICE_PROVIDER: "deepgram",
    PARLEY_VOICE_FALLBACK: "offline",
    PARLEY_VOICE_NAMES: "11labs-Adrian=21m00Tcm4TlvDq8ikWAM",
    PARLEY_SPEECH_TO_TEXT_PROVIDER: "deepgram",
    PARLEY_SPEECH_TO_TEXT_FALLBACK: "openai",
    PARLEY_DEEPGRAM_API_KEY: SPEECH_KEY,
    PARLEY_DEEPGRAM_BASE_URL: server.url,
    PARLEY_ELEVENLABS_API_KEY: SPEECH_KEY,
    PARLEY_ELEVENLABS_BASE_URL: `${server.url}/`,
    PARLEY_CARTESIA_API_KEY: SPEECH_KEY,
    PARLEY_CARTESIA_BASE_URL: server.url,
    PARLEY_OPENAI_SPEECH_BASE_URL: `${server.url}/v1`,
    PARLEY_OPENAI_SPEECH_API_KEY: SPEECH_KEY,
  });
  for (const voiceId of ["deepgram-aura-2-luna-en", "11labs-Adrian", "openai-Echo", "cartesia-Nobody", "nothing"]) {
    const pieces = await Array.fromAsync(voice.speak("Hello", { ...options, voiceId }, never));
    assert.deepEqual(
      pieces.flatMap(({ samples }) => [...samples]),
      [...standInSound()],
    );
  }
  assert.deepEqual(
    server.requests.map(({ path }) => path.split(/[?&]encoding|\?output|\?cart/)[0]),
    [
      "/v1/speak?model=aura-2-luna-en",
      "/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM/stream/with-timestamps",
      "/v1/audio/speech",
      "/tts/websocket",
      "/v1/speak?model=aura-2-thalia-en",
    ],
  );
  server.behave({ kind: "status", status: 500 });
  const [piece] = await Array.fromAsync(voice.speak("Hello", { ...options, voiceId: "openai-Echo" }, never));
  assert.ok(piece!.words!.length === 1, "flite spoke");
  server.requests.length = 0;
  server.behave({ kind: "status", status: 500 }, { kind: "good" });
  const stream = await speechToText!.listen({ language: "en-US", keywords: [] }, () => {}, never);
  assert.match(server.requests[0]!.path, /^\/v1\/listen\?model=nova-3/);
  stream.close();
});

test("a provider that is chosen without what it needs is a problem of the configuration", () => {
  assert.throws(
    () =>
      readConfig({
        PARLEY_VOICE_PROVIDER: "cartesia",
        PARLEY_SPEECH_TO_TEXT_FALLBACK: "openai",
        PARLEY_VOICE_NAMES: "x",
      }),
    (error: ConfigError) => {
      assert.deepEqual(error.problems, [
        "PARLEY_VOICE_NAMES must be a list of name=id, separated by commas",
        "PARLEY_CARTESIA_API_KEY is needed with PARLEY_VOICE_PROVIDER=cartesia",
        "PARLEY_OPENAI_SPEECH_BASE_URL is needed with PARLEY_SPEECH_TO_TEXT_FALLBACK=openai",
      ]);
      return error instanceof ConfigError;
    },
  );
  assert.deepEqual(
    (() => {
      try {
        readConfig({ PARLEY_OPENAI_SPEECH_API_KEY: "k" });
      } catch (error) {
        return (error as ConfigError).problems;
      }
    })(),
    ["PARLEY_OPENAI_SPEECH_API_KEY has no effect without PARLEY_OPENAI_SPEECH_BASE_URL"],
  );
});

test("the doctor's lines name text-to-speech and speech-to-text", () => {
  const [voice, speechToText] = describeSpeech(
    readConfig({
      PARLEY_VOICE_FALLBACK: "offline",
      PARLEY_VOICE_PROVIDER: "deepgram",
      PARLEY_SPEECH_TO_TEXT_PROVIDER: "deepgram",
      PARLEY_DEEPGRAM_API_KEY: "secret",
    }),
  );
  assert.equal(voice, "     voice: deepgram, or offline when that fails; by the name of an agent's voice also offline");
  assert.equal(speechToText, "     speech-to-text: deepgram");
  const [, offline] = describeSpeech(readConfig({}));
  assert.match(offline!, pocketsphinxInstalled() ? /^ {5}speech-to-text: offline$/ : /pocketsphinx is not installed/);
});

test("where nothing can transcribe, the doctor says that simulated phones report their own words and live calls cannot be had", async (t) => {
  const none = { PARLEY_OFFLINE_SPEECH_TO_TEXT_CALLS: "0" };
  assert.equal(speechWith(t, none).speechToText, undefined);
  assert.match(describeSpeech(readConfig(none)).at(-1)!, /simulated calls: .*\(handset\); live calls cannot/);
  const configured = { ...none, PARLEY_SPEECH_TO_TEXT_FALLBACK: "deepgram", PARLEY_DEEPGRAM_API_KEY: "secret" };
  assert.equal(speechWith(t, configured).speechToText?.name, "deepgram");
  assert.doesNotMatch(describeSpeech(readConfig(configured)).join("\n"), /handset/);
});
