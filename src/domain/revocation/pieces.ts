/** How many places the pieces of words share. A power of two. */
export const PLACES = 1 << 13;

/** Pieces of this many letters, so that a word with a slip of the thumb shares most of them with the right one. */
const SHORTEST = 3;
const LONGEST = 5;
/** A longer word is no word of ours; what it begins with says enough. */
const MAX_LETTERS = 24;

const BEGIN = "^";
const END = "$";
const ASKS = "?";
const MARKS = new Set([BEGIN, END, ASKS]);

/** The words of a folded text between its edges. Numbers are one word: which number it is says nothing. */
export function wordsOf(folded: string, asks: boolean): string[] {
  const words = folded.split(" ").filter((word) => word !== "");
  return [BEGIN, ...words.map((word) => (/^\d+$/.test(word) ? "0" : word)), ...(asks ? [ASKS] : []), END];
}

/** The places of a word: its own, which is the first, and those of its parts. */
export function placesOf(word: string): number[] {
  const places = [placeOf(word, 1)];
  if (MARKS.has(word)) return places;
  const edged = `<${word.slice(0, MAX_LETTERS)}>`;
  for (let length = SHORTEST; length <= Math.min(LONGEST, edged.length - 1); length++) {
    for (let at = 0; at + length <= edged.length; at++) places.push(placeOf(edged.slice(at, at + length), 2));
  }
  return places;
}

/** FNV-1a with its bits mixed once more, the same on every machine. */
function placeOf(piece: string, kind: number): number {
  let hash = 2_166_136_261 ^ kind;
  for (let at = 0; at < piece.length; at++) hash = Math.imul(hash ^ piece.charCodeAt(at), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) & (PLACES - 1);
}
