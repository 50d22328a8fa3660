import type { SpokenPiece } from "#ports/text-to-speech.ts";

type Words = NonNullable<SpokenPiece["words"]>;
type Character = { character: string; start: number; end: number };

/**
 * Joins timed characters (in seconds), which come piece by piece, into words; a word cut by the end of a piece is returned once it is whole.
 * Times may count from the start of the sentence or of each piece: when they go back, they count from the piece.
 */
export function wordJoiner() {
  let open: { word: string; start: number; end: number } | undefined;
  let [lastEnd, soundBefore] = [0, 0];
  const close = (): Words => {
    if (!open) return [];
    const { word, start, end } = open;
    open = undefined;
    return [{ word, startMs: Math.round(start * 1_000), endMs: Math.round(end * 1_000) }];
  };
  return {
    /** `seconds`: how long the piece's sound is. */
    add(characters: readonly Character[], seconds: number): Words {
      const words: Words[number][] = [];
      const [first] = characters;
      const offset = first && first.start < lastEnd - 0.001 ? soundBefore : 0;
      for (const { character, start, end } of characters) {
        if (character.trim() === "") words.push(...close());
        else if (open) {
          open.word += character;
          open.end = end + offset;
        } else open = { word: character, start: start + offset, end: end + offset };
        lastEnd = end + offset;
      }
      soundBefore += seconds;
      return words;
    },
    end: close,
  };
}
