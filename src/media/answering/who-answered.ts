import { answererOf } from "#domain/calls/answerer.ts";
import type { Answerer } from "#domain/calls/call.ts";
import type { ToneEvent } from "#media/audio/tones.ts";
import { createCadence } from "./cadence.ts";

/** A person's words are a person's once they wait for an answer: "hi" may go on with "you've reached". */
const WAITS_MS = 400;
/** What sounded like a recording and then waits is a person, but its words are surer evidence: they are waited for this long. */
const WORDS_WITHIN_MS = 4_000;
/** Later the verdict stands: a beep in a conversation is not a voicemail's. */
const CORRECTED_WITHIN_MS = 30_000;

/** What a verdict rests on, the weakest first: a weaker one never overrides a stronger one. */
const GROUNDS = ["silence", "cadence", "tone", "words"] as const;
export type Ground = (typeof GROUNDS)[number];

export type Verdict = {
  answerer: Answerer;
  by: Ground;
  /** False for a guess. In doubt the verdict is "human", so that no person is met with silence. */
  isSure: boolean;
  /** There was another verdict before. */
  isCorrection: boolean;
  atMs: number;
};

/**
 * Who answered a call: cadence, tones and words side by side. The first verdict comes when a person would expect an answer, at the latest 1.2 s
 * after the answer when nothing is said, and can be corrected for half a minute: by a beep, or by words. "human" and "call_screening" mean
 * speak now. A fax or an engaged line is "unknown". Times are milliseconds since the answer and never go back.
 */
export type WhoAnswered = {
  speech(atMs: number): void;
  silence(sinceMs: number): void;
  /** Everything transcribed since the answer. */
  words(said: string): void;
  tone(event: ToneEvent): void;
  /** To be called every frame; returns a new verdict once. `areWordsDue`: a part of what was said is not yet transcribed. */
  check(nowMs: number, areWordsDue?: boolean): Verdict | undefined;
  verdict(): Verdict | undefined;
};

export function createWhoAnswered(): WhoAnswered {
  const cadence = createCadence();
  let current: Verdict | undefined;
  let byWords: Answerer | undefined;
  let byTone: Answerer | undefined;
  let utterances = 0;

  const outranks = (ground: Ground): boolean =>
    current === undefined || GROUNDS.indexOf(ground) >= GROUNDS.indexOf(current.by);

  const give = (answerer: Answerer, by: Ground, isSure: boolean, atMs: number): Verdict | undefined => {
    if (answerer === current?.answerer) {
      // The same verdict on stronger evidence: weaker evidence can no longer change it.
      if (outranks(by)) current = { ...current, by, isSure };
      return undefined;
    }
    if (!outranks(by)) return undefined;
    current = { answerer, by, isSure, isCorrection: current !== undefined, atMs };
    return current;
  };

  return {
    verdict: () => current,
    speech(atMs) {
      if (utterances === 0 || cadence.pauseMs(atMs) >= WAITS_MS) utterances += 1;
      cadence.speech(atMs);
    },
    silence: cadence.silence,
    words(said) {
      byWords = answererOf(said) ?? byWords;
    },
    tone({ kind, endMs }) {
      if (kind === "ringback") cadence.rings(endMs);
      else if (kind === "sit") byTone = "ivr";
      else if (kind === "fax" || kind === "busy") byTone = "unknown";
      // After a person's words and a second utterance a beep is not a machine's.
      else if (current?.answerer !== "human" || current.by !== "words" || utterances < 2) byTone = "voicemail";
    },
    check(nowMs, areWordsDue = false) {
      if (nowMs > CORRECTED_WITHIN_MS) return undefined;
      if (byWords !== undefined && (byWords !== "human" || cadence.pauseMs(nowMs) >= WAITS_MS)) {
        const isBeeped = byWords === "human" && byTone !== undefined;
        if (!isBeeped) return give(byWords, "words", true, nowMs);
      }
      if (byTone !== undefined) {
        // The beep decides over a "hello" that a machine had said.
        if (current?.by === "words" && current.answerer === "human") current = { ...current, by: "tone" };
        return give(byTone, "tone", true, nowMs);
      }
      const rhythm = cadence.check(nowMs);
      if (rhythm === undefined) return undefined;
      const isTakenBack = current?.answerer === "voicemail" && rhythm.answerer === "human";
      if (isTakenBack && areWordsDue && cadence.pauseMs(nowMs) < WORDS_WITHIN_MS) return undefined;
      return give(rhythm.answerer, rhythm.isSure ? "cadence" : "silence", rhythm.isSure, nowMs);
    },
  };
}
