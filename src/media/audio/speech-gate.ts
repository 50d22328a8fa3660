/** Speech begins at this probability and ends below the lower one: with one threshold a value that hovers about it would be many onsets. */
const ONSET = 0.5;
const OFFSET = 0.35;
/** A click or a breath is shorter. */
const MIN_SPEECH_MS = 60;
/** The stop before a "t" or a "p" is shorter: 100 ms of silence are a pause. */
const MIN_SILENCE_MS = 100;

export type SpeechEdge = "onset" | "offset";

/** Separates speech from silence by a detector's probabilities. Times are the detector's; -1 before the first. */
export type SpeechGate = {
  /**
   * Takes the probability of the next window and the times of its beginning and end. Returns "onset" or "offset" when it is now certain
   * that speech has begun or ended; `onsetMs` and `offsetMs` say when that was, which is earlier.
   */
  push(probability: number, startMs: number, endMs: number): SpeechEdge | undefined;
  isSpeaking(): boolean;
  /** When the current or last speech began. */
  onsetMs(): number;
  /** When the last speech ended; of a current one, the end of its latest sound. */
  offsetMs(): number;
};

export function createSpeechGate(): SpeechGate {
  let isSpeaking = false;
  let onset = -1;
  let offset = -1;
  /** Where the sound began that may become speech; -1 while there is none. */
  let candidate = -1;

  return {
    isSpeaking: () => isSpeaking,
    onsetMs: () => onset,
    offsetMs: () => offset,

    push(probability, startMs, endMs) {
      if (isSpeaking) {
        if (probability >= OFFSET) offset = endMs;
        if (endMs - offset < MIN_SILENCE_MS) return undefined;
        isSpeaking = false;
        candidate = -1;
        return "offset";
      }
      if (probability < ONSET) {
        candidate = -1;
        return undefined;
      }
      if (candidate < 0) candidate = startMs;
      if (endMs - candidate < MIN_SPEECH_MS) return undefined;
      isSpeaking = true;
      onset = candidate;
      offset = endMs;
      return "onset";
    },
  };
}
