import { G711_RATE } from "#domain/calls/g711.ts";
import type { TextToSpeech } from "#ports/text-to-speech.ts";
import { postForStream, SOUND } from "./http-stream.ts";
import type { SpeechLimits } from "./patience.ts";
import { sampleJoiner } from "./pcm.ts";

const VENDOR = "deepgram";
/** Twice the telephone's: what is above it would be thrown away. */
/** Aura-2 speaks at these speeds and refuses others. */
const SPEEDS = { min: 0.7, max: 1.5 } as const;

/**
 * Deepgram's voices: one HTTP request a sentence, sound as it is made. Voices are its models, such as `aura-2-thalia-en`; times of words and
 * temperature it does not know.
 *
 * Source: https://developers.deepgram.com/reference/text-to-speech/speak-request and, for the speed,
 * https://developers.deepgram.com/docs/tts-voice-controls
 */
export function deepgramVoice(settings: { baseUrl: string; apiKey: string; limits: SpeechLimits }): TextToSpeech {
  return {
    name: VENDOR,
    knows: (voiceId) => /^aura-[a-z0-9-]{1,60}$/.test(voiceId),
    async *speak(sentence, { voiceId, speed }, signal) {
      const query = new URLSearchParams({
        model: voiceId,
        encoding: "linear16",
        container: "none",
        sample_rate: String(G711_RATE),
        // Older voices refuse the parameter itself.
        ...(speed === 1 ? {} : { speed: String(Math.min(SPEEDS.max, Math.max(SPEEDS.min, speed))) }),
      });
      const request = {
        vendor: VENDOR,
        url: `${settings.baseUrl}/v1/speak?${query}`,
        headers: { authorization: `Token ${settings.apiKey}` },
        body: { text: sentence },
        limits: settings.limits,
        contentType: SOUND,
      };
      const join = sampleJoiner();
      for await (const bytes of postForStream(request, signal)) {
        const samples = join(bytes);
        if (samples.length > 0) yield { samples, sampleRate: G711_RATE };
      }
    },
  } satisfies TextToSpeech;
}
