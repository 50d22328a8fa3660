import type { SpokenWord, Utterance } from "#domain/calls/report.ts";

/** 150 words a minute of five letters each is how people talk on the telephone; a longer word takes longer. */
const WORD_MS = 160;
const LETTER_MS = 48;

/** The words of a text as they would be spoken from a moment on, at 1 as fast as people talk. */
export function wordsOf(text: string, fromMs: number, speed: number): SpokenWord[] {
  let at = fromMs;
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => {
      const startMs = Math.round(at);
      at += (WORD_MS + LETTER_MS * Math.min(word.length, 20)) / speed;
      return { word, startMs, endMs: Math.round(at) };
    });
}

/** What had been said of a text by a moment, in whole words; undefined when it was not one. */
export function saidBy(
  untilMs: number,
  { role, text, words: all }: Pick<Utterance, "role" | "text" | "words">,
): Utterance | undefined {
  const words = all.filter((word) => word.endMs <= untilMs);
  const [first, final] = [words[0], words.at(-1)];
  if (first === undefined || final === undefined) return undefined;
  const said = { role, text, startMs: first.startMs, endMs: final.endMs, words };
  if (words.length === all.length) return said;
  const cut = { ...said, text: words.map(({ word }) => word).join(" ") };
  return role === "agent" ? { ...cut, interrupted: true } : cut;
}
