import { G711_RATE } from "#domain/calls/g711.ts";
import type { SpokenPiece, TextToSpeech } from "#ports/text-to-speech.ts";
import { failure, fields, parsed } from "./failure.ts";
import { postForStream } from "./http-stream.ts";
import type { SpeechLimits } from "./patience.ts";
import { sampleJoiner } from "./pcm.ts";
import { wordJoiner } from "./word-joiner.ts";

const VENDOR = "elevenlabs";
/** What `voice_settings.speed` may be. */
const SPEEDS = { min: 0.7, max: 1.2 } as const;
/** A line holds at most some seconds of sound in base64. */
const MAX_LINE = 4 * 1024 * 1024;

/**
 * ElevenLabs' voices: one HTTP request a sentence, whose answer is a line of JSON for each piece of sound, with the times of its characters.
 * Voices are its ids. A temperature other than 1 becomes a stability: 0 is the steadiest, 2 the liveliest.
 *
 * Source: https://elevenlabs.io/docs/api-reference/text-to-speech/stream-with-timestamps
 */
export function elevenLabsVoice(settings: {
  baseUrl: string;
  apiKey: string;
  model: string;
  limits: SpeechLimits;
}): TextToSpeech {
  return {
    name: VENDOR,
    knows: (voiceId) => /^[A-Za-z0-9]{16,40}$/.test(voiceId),
    async *speak(sentence, { voiceId, speed, temperature }, signal) {
      const tune = {
        ...(speed === 1 ? {} : { speed: Math.min(SPEEDS.max, Math.max(SPEEDS.min, speed)) }),
        ...(temperature === 1 ? {} : { stability: 1 - temperature / 2 }),
      };
      const request = {
        vendor: VENDOR,
        url: `${settings.baseUrl}/v1/text-to-speech/${encodeURIComponent(voiceId)}/stream/with-timestamps?output_format=pcm_${G711_RATE}`,
        headers: { "xi-api-key": settings.apiKey },
        body: {
          text: sentence,
          model_id: settings.model,
          ...(Object.keys(tune).length > 0 ? { voice_settings: tune } : {}),
        },
        limits: settings.limits,
        contentType: /json|event-stream|octet-stream/i,
      };
      const join = sampleJoiner();
      const words = wordJoiner();
      for await (const line of lines(postForStream(request, signal))) {
        const { audio_base64, alignment } = parsed(line.replace(/^data: ?/, ""));
        if (typeof audio_base64 !== "string") throw failure(VENDOR, "invalid_response", true);
        const samples = join(Buffer.from(audio_base64, "base64"));
        const timed = words.add(charactersOf(alignment), samples.length / G711_RATE);
        if (samples.length > 0 || timed.length > 0) yield piece(samples, timed);
      }
      const last = words.end();
      if (last.length > 0 && !signal.aborted) yield piece(new Int16Array(0), last);
    },
  } satisfies TextToSpeech;
}

const piece = (samples: Int16Array, words: NonNullable<SpokenPiece["words"]>): SpokenPiece => ({
  samples,
  sampleRate: G711_RATE,
  ...(words.length > 0 ? { words } : {}),
});

type Character = { character: string; start: number; end: number };

function charactersOf(alignment: unknown): Character[] {
  const { characters, character_start_times_seconds: starts, character_end_times_seconds: ends } = fields(alignment);
  if (!Array.isArray(characters) || !Array.isArray(starts) || !Array.isArray(ends)) return [];
  return characters.flatMap((character: unknown, index) => {
    const [start, end]: unknown[] = [starts[index], ends[index]];
    return typeof character === "string" && typeof start === "number" && typeof end === "number"
      ? [{ character, start, end }]
      : [];
  });
}

async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_LINE) throw failure(VENDOR, "too_large", false);
    const complete = text.split("\n");
    text = complete.pop()!;
    yield* complete.filter((line) => line.trim() !== "");
  }
  if (text.trim() !== "") yield text;
}
