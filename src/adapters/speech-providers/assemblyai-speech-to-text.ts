import { G711_RATE } from "#domain/calls/g711.ts";
import type { ListenOptions, SpeechToText, TranscriptWord } from "#ports/speech-to-text.ts";
import { failure, fields } from "./failure.ts";
import type { SpeechLimits } from "./patience.ts";
import {
  openStreamingSpeechToText,
  type StreamingProtocol,
  type TranscriptMessage,
} from "./streaming-speech-to-text.ts";

const VENDOR = "assemblyai";
/** Shorter messages are refused with error 3007. */
const SHORTEST_MS = 50;
/** The strictest values: if AssemblyAI found the end of a turn by itself, before us, our flush would get no answer. */
const PATIENCE = { end_of_turn_confidence_threshold: "1", max_turn_silence: "10000" } as const;
const MAX_KEYTERMS = 100;
const MAX_KEYTERM_LENGTH = 50;

/**
 * AssemblyAI's streaming speech-to-text, version 3: interim words while the contact speaks; a flush sends `ForceEndpoint`, which is answered
 * by the whole turn.
 *
 * Source: https://www.assemblyai.com/docs/streaming/message-sequence and
 * https://www.assemblyai.com/docs/streaming/api-spec/streaming-websocket
 */
export function assemblyAiSpeechToText(settings: {
  baseUrl: string;
  apiKey: string;
  model: string;
  limits: SpeechLimits;
}): SpeechToText {
  return {
    name: VENDOR,
    capabilities: { words: true, interim: true },
    listen(options, on, signal) {
      const { sampleRate = G711_RATE } = options;
      const protocol: StreamingProtocol = {
        vendor: VENDOR,
        url: `${settings.baseUrl}/v3/ws?${query(settings.model, options)}`,
        headers: { authorization: settings.apiKey },
        keepAlive: '{"type":"KeepAlive"}',
        finalize: '{"type":"ForceEndpoint"}',
        finish: '{"type":"Terminate"}',
        sampleRate,
        shortest: (SHORTEST_MS * sampleRate) / 1_000,
        read,
      };
      return openStreamingSpeechToText(protocol, settings.limits, on, signal);
    },
  } satisfies SpeechToText;
}

function query(model: string, { keywords, sampleRate = G711_RATE }: ListenOptions): URLSearchParams {
  const terms = keywords.filter((word) => word.length <= MAX_KEYTERM_LENGTH).slice(0, MAX_KEYTERMS);
  return new URLSearchParams({
    speech_model: model,
    sample_rate: String(sampleRate),
    encoding: "pcm_s16le",
    ...PATIENCE,
    ...(terms.length > 0 ? { keyterms_prompt: JSON.stringify(terms) } : {}),
  });
}

function read(message: Record<string, unknown>): TranscriptMessage | undefined {
  if (message.type === "Error") return { kind: "failure", error: failure(VENDOR, "error", true) };
  if (message.type !== "Turn" || !Array.isArray(message.words)) return undefined;
  const words = message.words.flatMap(wordOf);
  const text = words.map(({ word }) => word).join(" ");
  if (message.end_of_turn !== true) return { kind: "interim", text, words };
  return { kind: "final", text, words, endMs: words.at(-1)?.endMs ?? 0, finalized: true };
}

function wordOf(value: unknown): TranscriptWord[] {
  const { text, start, end, confidence } = fields(value);
  if (typeof text !== "string" || typeof start !== "number" || typeof end !== "number") return [];
  return [{ word: text, startMs: start, endMs: end, ...(typeof confidence === "number" ? { confidence } : {}) }];
}
