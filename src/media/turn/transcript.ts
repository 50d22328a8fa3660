import type { SpokenWord } from "#domain/calls/report.ts";
import type { SpeechError, SpeechToTextStream, TranscriptEvent } from "#ports/speech-to-text.ts";

/** After the turn's end the last words are waited for this long; then the turn has the words known so far ... */
const LAST_WORDS_WITHIN_MS = 1_200;
/** ... and when none are known, this long: providers that transcribe whole sentences only are slow. */
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
 * Collects the contact's words into a turn: they are transcribed piece by piece, and the turn is handed over once it has ended and its last words
 * have come. It does not decide when a turn ends: `over` is called then.
 */
export type TurnTranscript = {
  /** 20 ms, at the rate of speech-to-text. */
  push(frame: Int16Array): void;
  /** Takes an event of speech-to-text. */
  transcribed(event: TranscriptEvent, nowMs: number): void;
  /** The contact has stopped and it is the agent's turn: words that are still coming are waited for. */
  over(nowMs: number): void;
  /** The contact goes on speaking: it was not over after all. */
  goesOn(): void;
  /** Checks whether the last words are overdue. Every 20 ms. */
  tick(nowMs: number): void;
  /**
   * The call is over: undefined where no words are still to come, else resolves once they have, with undefined where it was nothing. Whoever waits
   * has to bound it; no turn is handed over any more.
   */
  last(nowMs: number, isSpeaking: boolean): Promise<ContactTurn | undefined> | undefined;
  /** What is known of the turn so far, finals and the newest guess. */
  soFar(): string;
  isWaiting(): boolean;
  close(): void;
};

export function turnTranscript(
  stream: SpeechToTextStream,
  on: { turn(turn: ContactTurn): void; words(text: string): void; failed(error: SpeechError): void },
): TurnTranscript {
  let finals: { text: string; words: SpokenWord[]; startMs: number; endMs: number }[] = [];
  let guess = "";
  let overMs: number | undefined;
  let lastWordMs = 0;
  /** When a turn was over whose words had not come in time: they may be a wish to stop, and are heard when they do. */
  let missedMs: number | undefined;
  /** Flushes that have not been answered. */
  let unanswered = 0;
  let onLast: ((turn: ContactTurn | undefined) => void) | undefined;

  const soFar = () => [...finals.map((final) => final.text), guess].filter((part) => part !== "").join(" ");

  const hand = (nowMs: number) => {
    const text = soFar();
    const [over, end] = [overMs!, lastWordMs];
    const said = finals;
    finals = [];
    guess = "";
    overMs = undefined;
    const turn = text === "" ? undefined : turnOf(said, { text, overMs: over, endMs: end, nowMs });
    if (onLast) onLast(turn);
    else if (turn) on.turn(turn);
  };
  const flush = (nowMs: number) => {
    overMs = nowMs;
    missedMs = undefined;
    unanswered++;
    stream.flush();
  };

  return {
    push: (frame) => stream.write(frame),
    transcribed(event, nowMs) {
      if (event.kind === "failed") {
        onLast?.(undefined);
        return on.failed(event.error);
      }
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
      if (event.kind !== "final" || !event.flushed) return;
      unanswered = Math.max(0, unanswered - 1);
      if (onLast && unanswered > 0) return;
      if (overMs === undefined && event.text !== "") overMs = missedMs;
      if (overMs !== undefined) hand(nowMs);
    },
    over(nowMs) {
      if (overMs === undefined) flush(nowMs);
    },
    last(nowMs, isSpeaking) {
      const isDue = isSpeaking || overMs !== undefined || missedMs !== undefined || soFar() !== "";
      if (!isDue) return undefined;
      if (overMs === undefined && (isSpeaking || unanswered === 0)) flush(nowMs);
      else overMs ??= missedMs;
      return new Promise((resolve) => {
        onLast = resolve;
      });
    },
    goesOn() {
      overMs = undefined;
      missedMs = undefined;
    },
    tick(nowMs) {
      if (overMs === undefined) return;
      const isMissed = soFar() === "";
      if (nowMs - overMs < (isMissed ? ANY_WORDS_WITHIN_MS : LAST_WORDS_WITHIN_MS)) return;
      if (isMissed) missedMs = overMs;
      hand(nowMs);
    },
    soFar,
    isWaiting: () => overMs !== undefined,
    close: () => stream.close(),
  };
}

function turnOf(
  said: readonly { words: SpokenWord[]; startMs: number; endMs: number }[],
  { text, overMs, endMs, nowMs }: { text: string; overMs: number; endMs: number; nowMs: number },
): ContactTurn {
  return {
    text,
    words: said.flatMap((final) => final.words),
    startMs: said[0]?.startMs ?? Math.min(endMs, overMs),
    endMs: said.at(-1)?.endMs ?? overMs,
    overMs,
    wordsMs: nowMs,
  };
}
