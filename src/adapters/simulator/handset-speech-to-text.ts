import type { SpeechToText, TranscriptEvent, TranscriptWord } from "#ports/speech-to-text.ts";
import type { SpokenLine } from "./handset-leg.ts";

const SAMPLES_A_MS = 8;
/** How much later than the handset speaks its sound is in the stream: the jitter buffer's delay on a network that loses no time. */
const LINE_DELAY_MS = 30;

/** What the handset speaks, as `handsetLeg` reports it. */
export type HandsetSpeechToText = SpeechToText & {
  /** A line begins that many milliseconds after the handset's first sample. */
  spoken(line: SpokenLine, atMs: number): void;
};

/** `isLast`: the line ends with it. */
type DueWord = TranscriptWord & { isLast: boolean };

/**
 * Speech-to-text that recognises nothing: a simulated handset reports to it the words that it speaks, and when. It passes each on once
 * its sound has been written, as a streaming recogniser would: as an interim transcript with every word, as a final one at a line's end and at a
 * flush. For one call, and for simulated ones alone: it knows nothing of anybody else's words.
 */
export function handsetSpeechToText(): HandsetSpeechToText {
  let due: DueWord[] = [];
  return {
    name: "handset",
    capabilities: { words: true, interim: true },
    spoken({ words }, atMs) {
      const last = words.length - 1;
      const later = (ms: number) => Math.round(atMs + ms + LINE_DELAY_MS);
      due.push(
        ...words.map(({ word, startMs, endMs }, i) => ({
          word,
          startMs: later(startMs),
          endMs: later(endMs),
          isLast: i === last,
        })),
      );
    },
    async listen(_options, on, signal) {
      let written = 0;
      let said: TranscriptWord[] = [];
      let isClosed = false;
      const say = (event: TranscriptEvent) => {
        if (!isClosed && !signal.aborted) on(event);
      };
      const text = () => said.map(({ word }) => word).join(" ");
      const settle = (flushed: boolean) => {
        const words = said;
        const event = { kind: "final", text: text(), words, flushed } as const;
        said = [];
        say(event);
      };
      return {
        write(samples) {
          written += samples.length;
          const heard = due.filter(({ endMs }) => endMs * SAMPLES_A_MS <= written);
          if (heard.length === 0) return;
          due = due.slice(heard.length);
          said.push(...heard.map(({ word, startMs, endMs }) => ({ word, startMs, endMs })));
          if (heard.at(-1)!.isLast) settle(false);
          else say({ kind: "interim", text: text() });
        },
        flush: () => settle(true),
        close() {
          isClosed = true;
        },
      };
    },
  } satisfies HandsetSpeechToText;
}
