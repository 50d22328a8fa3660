import { FRAME_MS, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import type { SpokenWord } from "#domain/calls/report.ts";

/** Samples a millisecond. */
const PER_MS = FRAME_SAMPLES / FRAME_MS;

/** Takes one sentence's sound. After a cut both functions have no effect. */
export type SentenceSink = {
  /** Linear, 8 kHz; kept until it is played. Words begin in it, at milliseconds since the sentence's first sample. */
  push(samples: Int16Array, words?: readonly SpokenWord[]): void;
  end(): void;
};

/** What was really played: the words that were begun, and when, in milliseconds since the answer. */
export type Played = { text: string; words: SpokenWord[]; startMs: number; endMs: number; whole: boolean };

/**
 * Playback of the agent's sentences, one after the other, 20 ms at a time. It can be paused, resumed or cut off, and records which words were
 * played. Sound may be added to a sentence that is already being played.
 */
export type Playback = {
  say(text: string): SentenceSink;
  /** Fills a frame of 160 samples; false, and the frame untouched, when there is nothing to play now. */
  next(frame: Int16Array, nowMs: number): boolean;
  hold(): void;
  goOn(): void;
  /** Drops what has not been played. */
  cut(): void;
  /** Something was said that has not been played to its end. */
  isBusy(): boolean;
  isHeld(): boolean;
  /** All that was played and not taken before; complete after a cut and when nothing is left. Undefined when it is nothing. */
  take(): Played | undefined;
};

type Sentence = {
  text: string;
  /** What is still to be played: `skip` samples of the first piece are gone. */
  pieces: Int16Array[];
  skip: number;
  waiting: number;
  samples: number;
  words: SpokenWord[];
  isWhole: boolean;
  beganMs: number | undefined;
  endedMs: number;
  /** Of its own sound. */
  playedMs: number;
  /** Where playback was paused or the voice's sound was late: how much had been played, and for how long. */
  gaps: { atMs: number; ms: number }[];
};

export function createPlayback(): Playback {
  let queue: Sentence[] = [];
  let done: Sentence[] = [];
  let isHeld = false;

  /** Sentences that are over leave the queue, also those that never had a sound. */
  const settle = () => {
    while (queue[0]?.isWhole && queue[0].waiting === 0) done.push(queue.shift()!);
  };

  return {
    say(text) {
      const sentence: Sentence = {
        text,
        pieces: [],
        skip: 0,
        waiting: 0,
        samples: 0,
        words: [],
        isWhole: false,
        beganMs: undefined,
        endedMs: 0,
        playedMs: 0,
        gaps: [],
      };
      queue.push(sentence);
      return {
        push(samples, words = []) {
          if (sentence.isWhole || samples.length === 0) return;
          sentence.pieces.push(samples);
          sentence.waiting += samples.length;
          sentence.samples += samples.length;
          sentence.words.push(...words);
        },
        end() {
          sentence.isWhole = true;
          settle();
        },
      };
    },
    next(frame, nowMs) {
      const sentence = queue[0];
      // Part of a frame would be a click in mid-word; only a sentence's last one is filled up with silence.
      if (!sentence || isHeld || (sentence.waiting < FRAME_SAMPLES && !sentence.isWhole)) return false;
      fill(sentence, frame);
      if (sentence.beganMs === undefined) sentence.beganMs = nowMs;
      else if (nowMs > sentence.endedMs) sentence.gaps.push({ atMs: sentence.playedMs, ms: nowMs - sentence.endedMs });
      sentence.endedMs = nowMs + FRAME_MS;
      sentence.playedMs += FRAME_MS;
      settle();
      return true;
    },
    hold() {
      isHeld = true;
    },
    goOn() {
      isHeld = false;
    },
    cut() {
      isHeld = false;
      for (const sentence of queue) sentence.isWhole = true;
      if (queue[0]?.beganMs !== undefined) done.push(queue[0]);
      queue = [];
    },
    isBusy: () => queue.length > 0,
    isHeld: () => isHeld,
    take() {
      const parts = done.map(playedOf).filter((played) => played !== undefined);
      done = [];
      if (parts.length === 0) return undefined;
      return {
        text: parts.map((part) => part.text).join(" "),
        words: parts.flatMap((part) => part.words),
        startMs: parts[0]!.startMs,
        endMs: parts.at(-1)!.endMs,
        whole: parts.every((part) => part.whole),
      };
    },
  };
}

/** Takes a frame's worth out of a sentence; what is not there is silence. */
function fill(sentence: Sentence, frame: Int16Array): void {
  let at = 0;
  while (at < frame.length && sentence.pieces.length > 0) {
    const piece = sentence.pieces[0]!;
    const part = piece.subarray(sentence.skip, sentence.skip + frame.length - at);
    frame.set(part, at);
    at += part.length;
    sentence.skip += part.length;
    if (sentence.skip === piece.length) {
      sentence.pieces.shift();
      sentence.skip = 0;
    }
  }
  sentence.waiting -= at;
  frame.fill(0, at);
}

/** The words of a sentence that were begun; undefined when none was. */
function playedOf(sentence: Sentence): Played | undefined {
  const { beganMs: startMs, endedMs: endMs } = sentence;
  if (startMs === undefined) return undefined;
  const at = (ms: number) =>
    startMs + Math.round(ms + sentence.gaps.reduce((sum, gap) => sum + (gap.atMs <= ms ? gap.ms : 0), 0));
  const words = (sentence.words.length > 0 ? sentence.words : spread(sentence.text, sentence.samples / PER_MS)).filter(
    (word) => word.startMs < sentence.playedMs,
  );
  const whole = sentence.waiting === 0;
  if (words.length === 0) return undefined;
  return {
    text: whole ? sentence.text : words.map(({ word }) => word).join(" "),
    words: words.map((word) => ({
      word: word.word,
      startMs: at(word.startMs),
      endMs: Math.min(at(word.endMs), endMs),
    })),
    startMs,
    endMs,
    whole,
  };
}

/** Words over a time by their lengths, each with a letter's worth of air: how most voices talk, to a tenth of a second. */
function spread(text: string, ms: number): SpokenWord[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const letters = words.reduce((sum, word) => sum + word.length + 1, 0);
  let at = 0;
  return words.map((word) => {
    const startMs = at;
    at += ((word.length + 1) / letters) * ms;
    return { word, startMs, endMs: at };
  });
}
