import { G711_RATE } from "#domain/calls/g711.ts";
import type { ListenOptions, SpeechToText, TranscriptWord } from "#ports/speech-to-text.ts";
import { failure, fields } from "./failure.ts";
import type { SpeechLimits } from "./patience.ts";
import {
  openStreamingSpeechToText,
  type StreamingProtocol,
  type TranscriptMessage,
} from "./streaming-speech-to-text.ts";

const VENDOR = "deepgram";
/** The limit is 500 tokens for all key terms together, and past it the stream dies without an error; a token has two letters at least. */
const MAX_KEYTERM_LETTERS = 1_000;

/**
 * Deepgram's streaming speech-to-text: interim words while the contact speaks. We detect the end of a turn ourselves, so its endpointing is
 * off and a flush sends `Finalize`.
 *
 * Source: https://developers.deepgram.com/reference/speech-to-text/listen-streaming,
 * https://developers.deepgram.com/docs/finalize, https://developers.deepgram.com/docs/audio-keep-alive,
 * https://developers.deepgram.com/docs/close-stream, https://developers.deepgram.com/docs/keyterm
 */
export function deepgramSpeechToText(settings: {
  baseUrl: string;
  apiKey: string;
  model: string;
  limits: SpeechLimits;
}): SpeechToText {
  return {
    name: VENDOR,
    capabilities: { words: true, interim: true },
    listen(options, on, signal) {
      const protocol: StreamingProtocol = {
        vendor: VENDOR,
        url: `${settings.baseUrl}/v1/listen?${query(settings.model, options)}`,
        headers: { authorization: `Token ${settings.apiKey}` },
        keepAlive: '{"type":"KeepAlive"}',
        finalize: '{"type":"Finalize"}',
        finish: '{"type":"CloseStream"}',
        sampleRate: options.sampleRate ?? G711_RATE,
        read,
      };
      return openStreamingSpeechToText(protocol, settings.limits, on, signal);
    },
  } satisfies SpeechToText;
}

function query(model: string, { language, keywords, sampleRate = G711_RATE }: ListenOptions): URLSearchParams {
  const search = new URLSearchParams({
    model,
    language,
    encoding: "linear16",
    sample_rate: String(sampleRate),
    channels: "1",
    interim_results: "true",
    endpointing: "false",
    punctuate: "true",
  });
  // Nova-3 is prompted with terms; the models before it have single words boosted.
  const parameter = model.startsWith("nova-3") ? "keyterm" : "keywords";
  let letters = 0;
  for (const word of keywords) {
    letters += word.length;
    if (letters > MAX_KEYTERM_LETTERS) break;
    search.append(parameter, word);
  }
  return search;
}

function read(message: Record<string, unknown>): TranscriptMessage | undefined {
  if (message.type === "Error") return { kind: "failure", error: failure(VENDOR, "error", true) };
  if (message.type !== "Results") return undefined;
  const { alternatives } = fields(message.channel);
  const best = fields(Array.isArray(alternatives) ? alternatives[0] : undefined);
  const text = typeof best.transcript === "string" ? best.transcript : "";
  const words = Array.isArray(best.words) ? best.words.flatMap(wordOf) : [];
  if (message.is_final !== true) return { kind: "interim", text, words };
  const endMs = (Number(message.start) + Number(message.duration)) * 1_000;
  return { kind: "final", text, words, endMs: endMs || 0, finalized: message.from_finalize === true };
}

function wordOf(value: unknown): TranscriptWord[] {
  const { word, punctuated_word: punctuated, start, end, confidence } = fields(value);
  if (typeof start !== "number" || typeof end !== "number") return [];
  return [
    {
      word: String(punctuated ?? word),
      startMs: Math.round(start * 1_000),
      endMs: Math.round(end * 1_000),
      ...(typeof confidence === "number" ? { confidence } : {}),
    },
  ];
}
