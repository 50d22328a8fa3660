import { type Breaker, circuitBreaker } from "#domain/system/circuit-breaker.ts";
import { SpeechError } from "#ports/speech-to-text.ts";
import type { TextToSpeech } from "#ports/text-to-speech.ts";

/**
 * Speaks by the first voice, and by the second when the first fails before its first sound, or has been failing. Once
 * something was heard a failure is the caller's: said again from the beginning, the contact would hear it twice.
 * `secondVoiceId` speaks where the second has no voice of the name that was asked for.
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
