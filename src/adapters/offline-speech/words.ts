import type { SpokenPiece } from "#ports/text-to-speech.ts";

type Words = NonNullable<SpokenPiece["words"]>;
type Phone = { startMs: number; endMs: number };

/** How flite writes a pause. */
const PAUSE = "pau";
/** Where flite pauses within a sentence. */
const BREAK = /[,;:.!?]["')\]]*$/;
/** "42" is read as "forty two": a digit sounds about as long as four letters. */
const LETTERS_A_DIGIT = 4;

/**
 * The times of a text's words. Flite reports when each phone ends, but not which word it belongs to: between two pauses the
 * phones are shared among the words by their length in letters, so a word is off by a phone or two and never by
 * more than the clause.
 */
export function timedWords(text: string, segments: string, durationMs: number): Words {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const stretches = speechStretches(segments, durationMs);
  if (words.length === 0 || stretches.length === 0) return [];
  const clauses = clausesOf(words);
  if (clauses.length !== stretches.length) return deal(words, stretches.flat());
  return clauses.flatMap((clause, index) => deal(clause, stretches[index]!));
}

function clausesOf(words: readonly string[]): string[][] {
  const clauses: string[][] = [[]];
  for (const word of words) {
    clauses.at(-1)!.push(word);
    if (BREAK.test(word)) clauses.push([]);
  }
  return clauses.filter((clause) => clause.length > 0);
}

/** Runs of phones without a pause. Each line of `segments` begins at zero again, and all lines together last `durationMs`. */
function speechStretches(segments: string, durationMs: number): Phone[][] {
  const stretches: Phone[][] = [];
  let [offset, end] = [0, 0];
  for (const line of segments.split("\n")) {
    let isPause = true;
    for (const [, phone, seconds] of line.matchAll(/(?<!\S)([^\s:]+):(\d+(?:\.\d+)?)/g)) {
      const begin = end;
      end = offset + Number(seconds) * 1_000;
      if (phone === PAUSE) isPause = true;
      else {
        if (isPause) stretches.push([]);
        isPause = false;
        stretches.at(-1)!.push({ startMs: begin, endMs: end });
      }
    }
    offset = end;
  }
  // The diphone voice is up to two in a hundred shorter than it says.
  const scale = end > 0 ? durationMs / end : 1;
  return stretches.map((phones) =>
    phones.map(({ startMs, endMs }) => ({ startMs: startMs * scale, endMs: endMs * scale })),
  );
}

function deal(words: readonly string[], phones: readonly Phone[]): Words {
  const lengths = words.map((word) => [...word].reduce((sum, letter) => sum + weight(letter), 0));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let before = 0;
  return words.map((word, index) => {
    const from = Math.round((before / total) * phones.length);
    before += lengths[index]!;
    const to = Math.max(from + 1, Math.round((before / total) * phones.length));
    const first = phones[Math.min(from, phones.length - 1)]!;
    const last = phones[Math.min(to, phones.length) - 1]!;
    return { word, startMs: Math.round(first.startMs), endMs: Math.round(last.endMs) };
  });
}

const weight = (letter: string): number => (/\p{N}/u.test(letter) ? LETTERS_A_DIGIT : /\p{L}/u.test(letter) ? 1 : 0);
