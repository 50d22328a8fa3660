/** Text-to-speech: turns one sentence after the other into sound. */
export interface TextToSpeech {
  readonly name: string;
  /** Whether it has a voice of this name: what it does not know is the 500 "voice configuration failed". */
  knows(voiceId: string): boolean;
  /**
   * The sentence as sound, piece by piece as it comes, linear 16-bit mono. Ends or rejects with SpeechError (ports/speech-to-text.ts); at the
   * signal it ends at once, without an error.
   */
  speak(sentence: string, options: SpeakOptions, signal: AbortSignal): AsyncIterable<SpokenPiece>;
}

/** The voices of every provider that is configured, as one. */
export interface Voices extends TextToSpeech {
  /** The voice that speaks in place of one that no provider has, as an agent's `voice_id` would name it; undefined for one that speaks itself. */
  spokenInstead(voiceId: string): string | undefined;
}

export type SpeakOptions = {
  voiceId: string;
  /** BCP 47. */
  language: string;
  /** 0.5 to 2, 1 being as the voice is. */
  speed: number;
  /** 0 to 2, 1 being as the voice is; heeded where the engine has such a thing. */
  temperature: number;
};

export type SpokenPiece = {
  /** Shared with other calls that say the same: not to be changed. May be empty in a last piece that only has words. */
  samples: Int16Array;
  /** Samples a second; the same in all pieces of a sentence. */
  sampleRate: number;
  /**
   * Words whose times have become known with this piece, where the engine knows them: they may lie in an earlier or later one.
   * Milliseconds since the sentence's first sample.
   */
  words?: readonly { word: string; startMs: number; endMs: number }[];
};
