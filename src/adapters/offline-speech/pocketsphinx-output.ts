import type { TranscriptWord } from "#ports/speech-to-text.ts";

/** `from 1.480 1.720 0.044434`: word, begin and end in seconds, how sure. Other variants of a word are `to(3)`. */
const TIMED_WORD = /^(\S+) (\d+\.\d+) (\d+\.\d+) (\d+(?:\.\d+)?)$/;
/** Silence, noise and the marks of an utterance's begin and end. */
const NO_WORD = /^(?:<.*>|\[.*\]|\+\+.*\+\+)$/;
const UTTERANCE_END = "</s>";

/** What one printed line says, times counted from the program's first sample. The line with the whole text is skipped. */
export function readLine(line: string): { word?: TranscriptWord; isEnd: boolean } {
  const match = TIMED_WORD.exec(line.trim());
  if (!match) return { isEnd: false };
  const [, token, start, end, confidence] = match;
  if (NO_WORD.test(token!)) return { isEnd: token === UTTERANCE_END };
  return {
    isEnd: false,
    word: {
      word: token!.replace(/\(\d+\)$/, ""),
      startMs: Math.round(Number(start) * 1_000),
      endMs: Math.round(Number(end) * 1_000),
      confidence: Math.min(1, Number(confidence)),
    },
  };
}
