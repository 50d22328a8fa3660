import { type Breaker, circuitBreaker } from "#domain/system/circuit-breaker.ts";
import { SpeechError } from "#ports/speech-to-text.ts";
import type { TextToSpeech } from "#ports/text-to-speech.ts";

/**
 * Speaks with the first voice, and with the second when the first fails before its first sound, or has been failing. After
 * the first sound a failure is passed to the caller: the contact would otherwise hear the beginning twice.
 * `secondVoiceId` speaks when the second provider does not have the requested voice.
 */
export function voiceWithFallback(
  first: TextToSpeech,
  second: TextToSpeech,
  secondVoiceId: string,
  breaker: Breaker = circuitBreaker({ now: () => performance.now() }),
): TextToSpeech {
  return {
    name: first.name,
    knows: (voiceId) => first.knows(voiceId) || second.knows(voiceId),
    async *speak(sentence, options, signal) {
      if (breaker.allows()) {
        let wasHeard = false;
        try {
          for await (const piece of first.speak(sentence, options, signal)) {
            if (!wasHeard) breaker.succeeded();
            wasHeard = true;
            yield piece;
          }
          return;
        } catch (error) {
          if (!(error instanceof SpeechError)) throw error;
          breaker.failed();
          if (wasHeard || signal.aborted) throw error;
        }
      }
      const voiceId = second.knows(options.voiceId) ? options.voiceId : secondVoiceId;
      yield* second.speak(sentence, { ...options, voiceId }, signal);
    },
  } satisfies TextToSpeech;
}
