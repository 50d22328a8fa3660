import { FRAME_SAMPLES, G711_RATE } from "#domain/calls/g711.ts";
import {
  type ListenOptions,
  SpeechError,
  type SpeechToText,
  type SpeechToTextStream,
  type TranscriptEvent,
} from "#ports/speech-to-text.ts";

/** Frames per write to speech-to-text: small blocks of speech for early interim results, larger ones of silence. */
const SPEECH_FRAMES = 5;
const SILENCE_FRAMES = 12;
/** Blocks that are buffered while the stream opens: 5 s of speech. */
const MAX_BUFFERED_BLOCKS = 50;

export type Listener = SpeechToTextStream & {
  /** The contact begins to speak, or has stopped. */
  attend(isSpeaking: boolean): void;
};

/**
 * Accepts audio at once: what is spoken while the speech-to-text connection opens is buffered. Speech is sent in blocks of 100 ms, silence in
 * blocks of 240, and the rest at a flush: one message a frame would cost more than the processing of its audio. One for each call.
 */
export function listener(
  speechToText: SpeechToText,
  options: ListenOptions,
  on: (event: TranscriptEvent) => void,
  signal: AbortSignal,
): Listener {
  let stream: SpeechToTextStream | undefined;
  let kept: Int16Array[] = [];
  let wantsFlush = false;
  const frame = (FRAME_SAMPLES * (options.sampleRate ?? G711_RATE)) / G711_RATE;
  const block = new Int16Array(SILENCE_FRAMES * frame);
  let length = 0;
  let wanted = block.length;
  const hand = () => {
    if (length === 0) return;
    const samples = block.subarray(0, length);
    length = 0;
    if (stream) stream.write(samples);
    else if (kept.length < MAX_BUFFERED_BLOCKS) kept.push(samples.slice());
  };
  speechToText
    .listen(options, on, signal)
    .then((connection) => {
      if (signal.aborted) return connection.close();
      stream = connection;
      for (const samples of kept) connection.write(samples);
      kept = [];
      if (wantsFlush) connection.flush();
    })
    .catch((error) => {
      if (signal.aborted) return;
      const known = error instanceof SpeechError ? error : undefined;
      const failure =
        known ?? new SpeechError("speech-to-text cannot be opened", { retryable: true, vendorCode: "unknown" });
      on({ kind: "failed", error: failure });
    });
  return {
    write(samples) {
      block.set(samples, length);
      length += samples.length;
      if (length >= wanted) hand();
    },
    attend(isSpeaking) {
      wanted = (isSpeaking ? SPEECH_FRAMES : SILENCE_FRAMES) * frame;
      if (length >= wanted) hand();
    },
    flush() {
      hand();
      if (stream) stream.flush();
      else wantsFlush = true;
    },
    close: () => stream?.close(),
  };
}
