import type { ServerResponse } from "node:http";
import type { WebSocket } from "ws";
import type { SpeechBehavior, SpeechRequest } from "./speech-server.ts";

/** A spoken word of the tests at 8 kHz: 100 ms of one and the same value, which is its number. Silence is zero. */
export const WORD_SAMPLES = 800;

/** Speech that the stand-in transcribes as `w1 w2 ...`, each number once, 100 ms of silence after each. */
export const numberedWords = (...numbers: number[]): Int16Array => numberedWordsAt(8_000, ...numbers);

export function numberedWordsAt(sampleRate: number, ...numbers: number[]): Int16Array {
  const length = wordSamples(sampleRate);
  const samples = new Int16Array(numbers.length * length * 2);
  for (const [index, number] of numbers.entries()) {
    samples.fill(number, index * length * 2, index * length * 2 + length);
  }
  return samples;
}

const wordSamples = (sampleRate: number): number => (WORD_SAMPLES * sampleRate) / 8_000;

type TimedWord = { word: string; start: number; end: number; confidence: number; punctuated_word: string };

/** The words that are whole in what has come. */
function wordsIn(samples: Int16Array, sampleRate: number): TimedWord[] {
  const words: TimedWord[] = [];
  for (let at = 0; at < samples.length; at++) {
    const number = samples[at]!;
    if (number === 0) continue;
    let end = at;
    while (end < samples.length && samples[end] === number) end++;
    if (end === samples.length && end - at < wordSamples(sampleRate)) break;
    words.push({
      word: `w${number}`,
      start: at / sampleRate,
      end: end / sampleRate,
      confidence: 0.9,
      punctuated_word: `W${number}`,
    });
    at = end - 1;
  }
  return words;
}

/** Deepgram's /v1/listen: guesses after every message, words for good after a Finalize or three seconds. */
export function deepgramListens(client: WebSocket, behavior: SpeechBehavior, sampleRate: number): void {
  let audio = new Int16Array(0);
  let settled = 0;
  let isOver = false;
  const results = (recognised: readonly TimedWord[], more: { is_final: boolean; from_finalize?: boolean }) => {
    // It is surer of what is final.
    const words = recognised.map((word) => ({ ...word, confidence: more.is_final ? 0.99 : 0.9 }));
    const end = audio.length / sampleRate;
    client.send(
      JSON.stringify({
        type: "Results",
        channel_index: [0, 1],
        start: settled,
        duration: end - settled,
        speech_final: false,
        ...more,
        channel: {
          alternatives: [{ transcript: words.map((word) => word.punctuated_word).join(" "), confidence: 0.9, words }],
        },
      }),
    );
  };
  const unsettled = () => wordsIn(audio, sampleRate).filter(({ end }) => end > settled);
  client.on("message", (data, isBinary) => {
    if (isOver) return;
    if (isBinary) {
      const bytes = data as Buffer;
      const longer = new Int16Array(audio.length + bytes.length / 2);
      longer.set(audio);
      longer.set(new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), audio.length);
      audio = longer;
      if (behavior.kind === "deaf" && !behavior.toFinalizeOnly) return;
      const words = unsettled();
      if (behavior.kind === "drop" && words.length >= (behavior.afterWords ?? 1)) {
        isOver = true;
        return client.terminate();
      }
      results(words, { is_final: false });
      if (audio.length / sampleRate - settled < 3) return;
      results(words, { is_final: true });
      settled = audio.length / sampleRate;
      return;
    }
    const { type } = JSON.parse(String(data)) as { type: string };
    if (type === "Finalize" && behavior.kind !== "deaf") {
      results(unsettled(), { is_final: true, from_finalize: true });
      settled = audio.length / sampleRate;
    }
    if (type === "CloseStream") {
      client.send(
        JSON.stringify({ type: "Metadata", request_id: "1", duration: audio.length / sampleRate, channels: 1 }),
      );
      client.close(1000);
    }
  });
}

/** AssemblyAI's /v3/ws: the turn so far after every message, the turn as a whole after a ForceEndpoint; short messages are refused. */
export function assemblyAiListens(client: WebSocket, behavior: SpeechBehavior, sampleRate: number): void {
  let audio = new Int16Array(0);
  let [settled, turns] = [0, 0];
  const turn = (isOver: boolean) => {
    const words = wordsIn(audio, sampleRate).filter(({ end }) => end > settled);
    client.send(
      JSON.stringify({
        type: "Turn",
        turn_order: turns,
        turn_is_formatted: false,
        end_of_turn: isOver,
        end_of_turn_confidence: 0.5,
        transcript: words.map(({ word }) => word).join(" "),
        words: words.map(({ word, start, end, confidence }) => ({
          text: word,
          start: Math.round(start * 1_000),
          end: Math.round(end * 1_000),
          confidence,
          word_is_final: isOver,
        })),
      }),
    );
    return words.length;
  };
  client.send(JSON.stringify({ type: "Begin", id: "1", expires_at: 1_800_000_000 }));
  client.on("message", (data, isBinary) => {
    if (isBinary) {
      const bytes = data as Buffer;
      if (bytes.length < sampleRate / 10 || bytes.length > 2 * sampleRate) {
        client.send(JSON.stringify({ type: "Error", error_code: 3007, error: "Input duration violation" }));
        return client.close(3007);
      }
      const longer = new Int16Array(audio.length + bytes.length / 2);
      longer.set(audio);
      longer.set(new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), audio.length);
      audio = longer;
      const words = turn(false);
      if (behavior.kind === "drop" && words >= (behavior.afterWords ?? 1)) client.terminate();
      return;
    }
    const { type } = JSON.parse(String(data)) as { type: string };
    if (type === "ForceEndpoint" && behavior.kind !== "deaf") {
      turn(true);
      settled = audio.length / sampleRate;
      turns++;
    }
    if (type === "Terminate") {
      client.send(JSON.stringify({ type: "Termination", audio_duration_seconds: 1, session_duration_seconds: 1 }));
      client.close(1000);
    }
  });
}

/** OpenAI's /audio/transcriptions: times of words only for models of the whisper kind, as documented. */
export function openAiListens(request: SpeechRequest, response: ServerResponse): void {
  const form = request.body.toString("latin1");
  const field = (name: string) =>
    new RegExp(`name="${name.replace(/[[\]]/g, "\\$&")}"\r\n\r\n([^\r]*)`).exec(form)?.[1];
  const riff = request.body.indexOf("RIFF");
  const size = request.body.readUInt32LE(riff + 40);
  const samples = new Int16Array(
    request.body.buffer.slice(request.body.byteOffset + riff + 44, request.body.byteOffset + riff + 44 + size),
  );
  const sampleRate = request.body.readUInt32LE(riff + 24);
  const words = wordsIn(samples, sampleRate);
  const text = words.map(({ word }) => word).join(" ");
  response.setHeader("content-type", "application/json");
  if (field("response_format") === "verbose_json" && !field("model")?.startsWith("whisper")) {
    response.writeHead(400);
    response.end(
      '{"error":{"message":"response_format is not compatible","type":"invalid_request_error","code":"unsupported_value"}}',
    );
    return;
  }
  response.end(
    JSON.stringify(
      field("response_format") === "verbose_json"
        ? { task: "transcribe", language: "english", duration: samples.length / sampleRate, text, words }
        : { text },
    ),
  );
}
