import type { SpokenWord } from "#domain/calls/report.ts";
import type { SpeechError, SpeechToTextStream, TranscriptEvent } from "#ports/speech-to-text.ts";

/** After the turn's end the ears have this long for their last words; past it what is known is taken ... */
const LAST_WORDS_WITHIN_MS = 1_200;
/** ... and when nothing is known, this long for any: ears that hear whole sentences only are slow. */
const ANY_WORDS_WITHIN_MS = 8_000;

/** What the contact said in one turn; times in milliseconds since the answer. */
export type ContactTurn = {
  text: string;
  words: SpokenWord[];
  startMs: number;
  endMs: number;
  /** When the turn was taken for ended, and when its words were there. */
  overMs: number;
  wordsMs: number;
};

/**
 * The contact's words on their way to a turn: the ears say them piece by piece, and the turn is handed over once it is over and they have
 * nothing more to say about it. Knows nothing of when a turn ends: `over` tells it.
 */
export type TurnTranscript = {
  /** 160 samples at 8 kHz. */
  push(frame: Int16Array): void;
  /** The ears' own word; to be given to them as their listener. */
  heard(event: TranscriptEvent, nowMs: number): void;
  /** The contact has stopped and it is the agent's turn: words that are still coming are waited for. */
  over(nowMs: number): void;
  /** The contact goes on speaking: it was not over after all. */
  goesOn(): void;
  /** Looks whether last words are overdue. Every 20 ms. */
  tick(nowMs: number): void;
  /** What is known of the turn so far, finals and the newest guess. */
  soFar(): string;
  isWaiting(): boolean;
  close(): void;
};

export function turnTranscript(
  stream: SpeechToTextStream,
  on: { turn(it: ContactTurn): void; words(text: string): void; failed(error: SpeechError): void },
): TurnTranscript {
  let finals: { text: string; words: SpokenWord[]; startMs: number; endMs: number }[] = [];
  let guess = "";
  let overMs: number | undefined;
  let lastWordMs = 0;

  const soFar = () => [...finals.map((it) => it.text), guess].filter((it) => it !== "").join(" ");

  const hand = (nowMs: number) => {
    const text = soFar();
    const [over, end] = [overMs!, lastWordMs];
    const said = finals;
    finals = [];
    guess = "";
    overMs = undefined;
    if (text === "") return;
    on.turn({
      text,
      words: said.flatMap((it) => it.words),
      startMs: said[0]?.startMs ?? Math.min(end, over),
      endMs: said.at(-1)?.endMs ?? over,
      overMs: over,
      wordsMs: nowMs,
    });
  };

  return {
    push: (frame) => stream.write(frame),
    heard(event, nowMs) {
      if (event.kind === "failed") return on.failed(event.error);
      if (event.kind === "interim") {
        guess = event.text;
        lastWordMs = nowMs;
      } else {
        guess = "";
        const words = event.words.map(({ word, startMs, endMs }) => ({ word, startMs, endMs }));
        if (event.text !== "") {
          lastWordMs = nowMs;
          finals.push({
            text: event.text,
            words,
            startMs: words[0]?.startMs ?? nowMs,
            endMs: words.at(-1)?.endMs ?? nowMs,
          });
        }
      }
      if (event.kind === "interim" || event.text !== "") on.words(soFar());
      if (event.kind === "final" && event.flushed && overMs !== undefined) hand(nowMs);
    },
    over(nowMs) {
      if (overMs !== undefined) return;
      overMs = nowMs;
      stream.flush();
    },
    goesOn() {
      overMs = undefined;
    },
    tick(nowMs) {
      if (overMs === undefined) return;
      const withinMs = soFar() === "" ? ANY_WORDS_WITHIN_MS : LAST_WORDS_WITHIN_MS;
      if (nowMs - overMs >= withinMs) hand(nowMs);
    },
    soFar,
    isWaiting: () => overMs !== undefined,
    close: () => stream.close(),
  };
}
