import { G711_RATE } from "#domain/calls/g711.ts";
import { type Breaker, circuitBreaker } from "#domain/system/circuit-breaker.ts";
import {
  SpeechError,
  type SpeechToText,
  type SpeechToTextStream,
  type TranscriptEvent,
  type TranscriptWord,
} from "#ports/speech-to-text.ts";

/** Audio kept for the second provider to transcribe again: half a minute, 0.5 MB at 8 kHz. */
const MAX_SECONDS = 30;

/**
 * Transcribes with the first provider, and with the second when the first cannot listen, has been failing, or fails in mid-call: audio
 * since the last `flushed` final is then transcribed again by the second, and the times of words go on.
 */
export function speechToTextWithFallback(
  first: SpeechToText,
  second: SpeechToText,
  breaker: Breaker = circuitBreaker({ now: () => performance.now() }),
): SpeechToText {
  return {
    name: first.name,
    capabilities: first.capabilities,
    async listen(options, on, signal) {
      if (!breaker.allows()) return second.listen(options, on, signal);
      const { sampleRate = G711_RATE } = options;
      const memory = recentSpeech(MAX_SECONDS * sampleRate);
      let stream: SpeechToTextStream | undefined;
      let [isClosed, hasChanged] = [false, false];

      const change = async (error: SpeechError): Promise<void> => {
        breaker.failed();
        hasChanged = true;
        stream = undefined;
        try {
          const beginMs = Math.round((memory.begin() * 1_000) / sampleRate);
          const other = await second.listen(options, (event) => receive(shifted(event, beginMs)), signal);
          if (isClosed) return other.close();
          memory.replay(other);
          stream = other;
        } catch (reason) {
          if (!isClosed && !signal.aborted)
            on({ kind: "failed", error: reason instanceof SpeechError ? reason : error });
        }
      };
      const receive = (event: TranscriptEvent): void => {
        if (isClosed) return;
        if (event.kind === "final" && event.flushed) memory.answered();
        on(event);
      };
      const receiveFirst = (event: TranscriptEvent): void => {
        if (event.kind === "failed") void change(event.error);
        else {
          // Only a transcript counts as success: some providers report a refused key after `listen` has resolved.
          breaker.succeeded();
          receive(event);
        }
      };

      try {
        const listening = await first.listen(options, receiveFirst, signal);
        if (!hasChanged) stream = listening;
      } catch (error) {
        if (!(error instanceof SpeechError) || signal.aborted) throw error;
        breaker.failed();
        return second.listen(options, on, signal);
      }
      return {
        write(samples) {
          memory.write(samples);
          stream?.write(samples);
        },
        flush() {
          memory.flush();
          stream?.flush();
        },
        close() {
          isClosed = true;
          stream?.close();
        },
      };
    },
  } satisfies SpeechToText;
}

/** The audio since the last answered flush, with the flushes in it. */
function recentSpeech(maxSamples: number) {
  const parts: (Int16Array | "flush")[] = [];
  let samples = 0;
  let begin = 0;
  const drop = () => {
    const part = parts.shift();
    if (part === undefined || part === "flush") return part;
    samples -= part.length;
    begin += part.length;
    return part;
  };
  return {
    begin: () => begin,
    write(block: Int16Array): void {
      parts.push(block.slice());
      samples += block.length;
      // A flush is never dropped: its answer is waited for.
      while (samples > maxSamples && parts[0] !== "flush") drop();
    },
    flush: () => void parts.push("flush"),
    answered(): void {
      if (!parts.includes("flush")) return;
      while (drop() !== "flush");
    },
    replay(stream: SpeechToTextStream): void {
      for (const part of parts) {
        if (part === "flush") stream.flush();
        else stream.write(part);
      }
    },
  };
}

function shifted(event: TranscriptEvent, ms: number): TranscriptEvent {
  if (event.kind !== "final") return event;
  const words: TranscriptWord[] = event.words.map((word) => ({
    ...word,
    startMs: word.startMs + ms,
    endMs: word.endMs + ms,
  }));
  return { ...event, words };
}
