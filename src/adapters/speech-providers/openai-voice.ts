import type { TextToSpeech } from "#ports/text-to-speech.ts";
import { postForStream, SOUND } from "./http-stream.ts";
import type { SpeechLimits } from "./patience.ts";
import { sampleJoiner } from "./pcm.ts";

const VENDOR = "openai";
/** What the format `pcm` is: 24 kHz, 16-bit signed, little-endian, without a header. */
const SAMPLE_RATE = 24_000;

/**
 * Any server that speaks OpenAI's `/audio/speech`: one request a sentence, sound as it is made. Its own voices have small letters, so
 * `Alloy` is `alloy`. Times of words it does not know; temperature has no counterpart.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createSpeech and
 * https://platform.openai.com/docs/guides/text-to-speech
 */
export function openAiVoice(settings: {
  /** With `/v1`. */
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
  limits: SpeechLimits;
}): TextToSpeech {
  return {
    name: VENDOR,
    knows: (voiceId) => /^[A-Za-z][\w.-]{0,63}$/.test(voiceId),
    async *speak(sentence, { voiceId, speed }, signal) {
      const request = {
        vendor: VENDOR,
        url: `${settings.baseUrl}/audio/speech`,
        headers: settings.apiKey ? { authorization: `Bearer ${settings.apiKey}` } : ({} as Record<string, string>),
        body: { model: settings.model, input: sentence, voice: voiceId.toLowerCase(), response_format: "pcm", speed },
        limits: settings.limits,
        contentType: SOUND,
      };
      const join = sampleJoiner();
      for await (const bytes of postForStream(request, signal)) {
        const samples = join(bytes);
        if (samples.length > 0) yield { samples, sampleRate: SAMPLE_RATE };
      }
    },
  } satisfies TextToSpeech;
}
