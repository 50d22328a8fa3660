import { G711_RATE } from "#domain/calls/g711.ts";
import {
  type ListenOptions,
  SpeechError,
  type SpeechToText,
  type TranscriptEvent,
  type TranscriptWord,
} from "#ports/speech-to-text.ts";
import { failure, fields, parsed, responseFailure, toSpeechError } from "./failure.ts";
import { patienceOf, type SpeechLimits } from "./patience.ts";
import { wavFile } from "./pcm.ts";
import { unsettledAudio } from "./unsettled-audio.ts";
import { voicedPart } from "./voiced-part.ts";

const VENDOR = "openai";
/** One stretch of speech. A file may have 25 MB; nobody speaks for longer than this without a pause. */
const MAX_STRETCH_SECONDS = 60;
/** The contact waits for the answer, so there is only one retry. */
const MAX_TRIES = 2;
/** A page of text is 5 kB; with word times ten times that. */
const MAX_ANSWER_CHARACTERS = 1_000_000;

type Settings = {
  /** With `/v1`. */
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
  limits: SpeechLimits;
};

/**
 * Any server that speaks OpenAI's `/audio/transcriptions`: what was said before a flush is sent as one file, and comes back as one
 * `final`. Stretches without a voice are not sent: they cost money, and such models invent words in silence. Words have times where the
 * model supports them (`whisper-1` and its variants); others answer 400, and are then asked for the text alone.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function openAiSpeechToText(settings: Settings): SpeechToText {
  const asking = { forWords: true };
  return {
    name: VENDOR,
    capabilities: { words: true, interim: false },
    async listen(options, on, signal) {
      if (signal.aborted) throw failure(VENDOR, "aborted", true);
      const life = new AbortController();
      const stop = () => {
        life.abort();
        signal.removeEventListener("abort", stop);
      };
      signal.addEventListener("abort", stop, { once: true });
      const { sampleRate = G711_RATE } = options;
      const audio = unsettledAudio(sampleRate, MAX_STRETCH_SECONDS);
      /** Stretches are reported in the order in which they were spoken. */
      let turn: Promise<void> = Promise.resolve();

      const say = async (samples: Int16Array, beginMs: number): Promise<void> => {
        const event = await transcribeStretch(settings, asking, options, samples, beginMs, life.signal);
        if (life.signal.aborted) return;
        if (event.kind === "failed") stop();
        on(event);
      };
      return {
        write(samples) {
          if (!life.signal.aborted) audio.add(samples);
        },
        flush() {
          if (life.signal.aborted) return;
          const begin = audio.begin();
          const samples = joined(audio.between(begin, audio.end()));
          audio.settle(audio.end());
          turn = turn.then(() => (life.signal.aborted ? undefined : say(samples, (begin / sampleRate) * 1_000)));
        },
        close: stop,
      };
    },
  } satisfies SpeechToText;
}

type Asking = { forWords: boolean };

async function transcribeStretch(
  settings: Settings,
  asking: Asking,
  options: ListenOptions,
  samples: Int16Array,
  beginMs: number,
  signal: AbortSignal,
): Promise<TranscriptEvent> {
  const { sampleRate = G711_RATE } = options;
  const voiced = voicedPart(samples, sampleRate);
  if (!voiced) return { kind: "final", text: "", words: [], flushed: true };
  const offsetMs = beginMs + (voiced.from / sampleRate) * 1_000;
  const file = wavFile(samples.subarray(voiced.from, voiced.to), sampleRate);
  for (let tries = 1; ; tries++) {
    try {
      const body = await transcribe(settings, asking, options, file, signal);
      const words = Array.isArray(body.words) ? body.words.flatMap((word) => wordOf(word, offsetMs)) : [];
      return { kind: "final", text: String(body.text).trim(), words, flushed: true };
    } catch (error) {
      const failed = toSpeechError(VENDOR, error);
      if (failed.vendorCode === "400" && asking.forWords) asking.forWords = false;
      else if (!failed.retryable || tries >= MAX_TRIES || signal.aborted) return { kind: "failed", error: failed };
    }
  }
}

async function transcribe(
  { baseUrl, apiKey, model, limits }: Settings,
  { forWords }: Asking,
  { language, keywords }: ListenOptions,
  file: Buffer,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(file)], { type: "audio/wav" }), "speech.wav");
  form.set("model", model);
  form.set("language", language.split("-")[0]!.toLowerCase());
  form.set("response_format", forWords ? "verbose_json" : "json");
  if (forWords) form.append("timestamp_granularities[]", "word");
  if (keywords.length > 0) form.set("prompt", keywords.join(", "));
  const patience = patienceOf(signal);
  try {
    patience.within(limits.firstMs, "timeout");
    const response = await fetch(`${baseUrl}/audio/transcriptions`, {
      method: "POST",
      headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
      body: form,
      redirect: "error",
      signal: patience.signal,
    });
    if (!response.ok) throw await responseFailure(VENDOR, response);
    const body = parsed(await boundedText(response));
    if (typeof body.text !== "string") throw failure(VENDOR, "invalid_response", true);
    return body;
  } catch (error) {
    if (error instanceof SpeechError) throw error;
    throw patience.expired ? failure(VENDOR, patience.expired, true) : error;
  } finally {
    patience.end();
  }
}

async function boundedText(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_ANSWER_CHARACTERS) throw failure(VENDOR, "too_large", false);
  }
  return text;
}

function wordOf(value: unknown, offsetMs: number): TranscriptWord[] {
  const { word, start, end } = fields(value);
  if (typeof word !== "string" || typeof start !== "number" || typeof end !== "number") return [];
  const at = (seconds: number) => Math.round(offsetMs + seconds * 1_000);
  return [{ word: word.trim(), startMs: at(start), endMs: at(end) }];
}

function joined(blocks: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole;
}
