/** Speech-to-text: transcribes what the contact of a call says, as it is said. */
export interface SpeechToText {
  readonly name: string;
  readonly capabilities: { readonly words: boolean; readonly interim: boolean };
  /** One for each call. Rejects with SpeechError when it cannot listen. */
  listen(
    options: ListenOptions,
    on: (event: TranscriptEvent) => void,
    signal: AbortSignal,
  ): Promise<SpeechToTextStream>;
}

export type ListenOptions = {
  /** BCP 47. */
  language: string;
  keywords: readonly string[];
  /** Of the samples that are written: the telephone's 8 kHz where it is absent. */
  sampleRate?: SoundRate;
};

/** Samples a second of the contact's sound: of a telephone, and of a wideband codec. */
export type SoundRate = 8_000 | 16_000;

export interface SpeechToTextStream {
  /** Linear 16-bit mono at the rate that was asked for; the buffer is the caller's again when this returns. */
  write(samples: Int16Array): void;
  /** The contact has stopped speaking: whatever is still being worked on is to be said now. Every flush is answered by one `final` with `flushed`, without a text when there is none. */
  flush(): void;
  close(): void;
}

export type TranscriptEvent =
  | { kind: "interim"; text: string }
  /** Words that will not change. Times are milliseconds since the stream's first sample. `flushed`: nothing of what was written before the flush is to come. */
  | { kind: "final"; text: string; words: readonly TranscriptWord[]; flushed: boolean }
  /** Transcription has ended: a lost connection that could not be made again. */
  | { kind: "failed"; error: SpeechError };

export type TranscriptWord = { word: string; startMs: number; endMs: number; confidence?: number };

/** Speech-to-text or text-to-speech failed. `vendorCode` is the provider's own code (`429`, `timeout`). */
export class SpeechError extends Error {
  readonly retryable: boolean;
  readonly vendorCode: string;

  constructor(message: string, more: { retryable: boolean; vendorCode: string; cause?: unknown }) {
    super(message, { cause: more.cause });
    this.name = "SpeechError";
    this.retryable = more.retryable;
    this.vendorCode = more.vendorCode;
  }
}
