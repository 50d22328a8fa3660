import { foldText } from "#domain/values/fold.ts";
import { findLinks } from "#domain/values/link.ts";

/** As many words in a row as the instructions have are recited; shorter runs are how people speak. */
export const RECITED_WORDS = 5;

/** Instructions, and what of them may be said all the same. */
export type Instructions = {
  /** What they quote ("say: '...'") may be said, and so may a link, an address or a telephone number in them. */
  text: string;
  /** Whose names stand in them: the agent's, the organization's. */
  names?: readonly string[];
  /** What the contact has said, and what the author wrote to be sent: their words may be repeated. */
  sayable?: readonly string[];
};

/**
 * Whether a text holds five or more consecutive words of the instructions, a number being one. In scripts without spaces words are those of
 * the language.
 */
export function recites(text: string, instructions: Instructions): boolean {
  return WAYS.some((wordsOf) => {
    const words = wordsOf(text);
    if (words.length < RECITED_WORDS) return false;
    const guarded = guardedRuns(instructions, wordsOf);
    let sayable: string | undefined;
    for (let start = 0; start + RECITED_WORDS <= words.length; start++) {
      const run = words.slice(start, start + RECITED_WORDS).join(" ");
      if (!guarded.includes(` ${run} `)) continue;
      // Only now: most texts repeat nothing.
      sayable ??= (instructions.sayable ?? []).map((sentence) => ` ${wordsOf(sentence).join(" ")} `).join(BREAK);
      if (!sayable.includes(` ${run} `)) return true;
    }
    return false;
  });
}

/** A word that no text holds: no run goes across it. */
const BREAK = "~";

/** Of Latin letters without accents, so that no accent or look-alike hides a word; a text that is mostly in another script has none. */
function latinWords(text: string): string[] {
  const folded = foldText(text);
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return folded.replaceAll(/[ \d]/g, "").length * 2 < letters ? [] : folded.split(" ");
}

const FOREIGN = /[^\p{Script=Latin}\P{L}]/u;
const segmenter = new Intl.Segmenter("und", { granularity: "word" });

/** Of a text with letters that are not Latin ones: words as their script has them. */
function foreignWords(text: string): string[] {
  if (!FOREIGN.test(text)) return [];
  return [...segmenter.segment(text.normalize("NFKC").toLowerCase())]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}

const WAYS = [latinWords, foreignWords] as const;

type Remembered = { of: Instructions; runs: string };
const remembered = new Map<(typeof WAYS)[number], Remembered>();

/** The instructions in words. Remembered for one: a call looks at it with every sentence. */
function guardedRuns(instructions: Instructions, wordsOf: (typeof WAYS)[number]): string {
  const last = remembered.get(wordsOf);
  if (last !== undefined && last.of.text === instructions.text && String(last.of.names) === String(instructions.names))
    return last.runs;
  const parts = withoutSayable(instructions).split(BREAK);
  const runs = ` ${parts.map((part) => partWords(part, wordsOf).join(" ")).join(` ${BREAK} `)} `;
  remembered.set(wordsOf, { of: instructions, runs });
  return runs;
}

/** A part may be in another script than the whole: its own words count however few they are. */
const partWords = (part: string, wordsOf: (typeof WAYS)[number]): string[] =>
  wordsOf === latinWords ? foldText(part).split(" ") : wordsOf(part);

/** Double quotation marks of all kinds, and single ones that are no apostrophes. */
const QUOTED =
  /"[^"\n]{1,600}"|“[^“”\n]{1,600}”|„[^„“”\n]{1,600}[“”]|«[^«»\n]{1,600}»|(?<![\p{L}\p{N}])['‘](?:[^'’\n]|['’](?=\p{L})){1,600}['’](?!\p{L})/gu;

function withoutSayable({ text, names = [] }: Instructions): string {
  let guarded = text.replaceAll(BREAK, " ").replace(QUOTED, ` ${BREAK} `);
  for (const { text: link } of findLinks(guarded)) guarded = guarded.replaceAll(link, ` ${BREAK} `);
  guarded = guarded.replace(/\s+/g, " ");
  // A name of one word is a word like others.
  for (const name of names.map((name) => name.trim().replace(/\s+/g, " ")).filter((name) => name.includes(" "))) {
    guarded = without(guarded, name);
  }
  return guarded;
}

/** In whatever case; a text whose length changes with it is compared as it is. */
function without(text: string, name: string): string {
  const [lower, wanted] = [text.toLowerCase(), name.toLowerCase()];
  if (lower.length !== text.length) return text.replaceAll(name, ` ${BREAK} `);
  let left = "";
  let at = 0;
  for (let found = lower.indexOf(wanted); found >= 0; found = lower.indexOf(wanted, at)) {
    left += `${text.slice(at, found)} ${BREAK} `;
    at = found + wanted.length;
  }
  return left + text.slice(at);
}
