import { DIGITS, digitRunsIn, tokensOf } from "#adapters/dialog-words/numerals.ts";
import { findLinks } from "#domain/values/link.ts";
import type { ReadValue, Said } from "./said.ts";

export function readPhone({ text, folded, acts }: Said): ReadValue | undefined {
  // Somebody else's number is not the contact's.
  if (acts.has("other_person") || /\b(?:his|her|their|wifes?|husbands?) (?:number|cell|phone)\b/.test(folded))
    return undefined;
  const phone = findLinks(text).find((link) => link.kind === "phone");
  if (phone && text.includes(phone.text)) return { value: phone.text, quote: phone.text };
  const run = digitRunsIn(text, 10).find(({ digits }) => /^1?[2-9]\d{9}$/.test(digits));
  return run && { value: run.digits, quote: text.slice(run.from, run.to) };
}

const ZIP = /(?<![\d$€£.,])\d{5}(?:-\d{4})?(?!\d|,\d{3}|k\b|\.\d)/;
const CANADIAN = /\b[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d\b/i;
const SPELLED =
  /^(?:(?:um|uh|oh|its|it is|yeah|yes|thats|ok|okay) )*(?:(?:oh|o|zero|one|two|three|four|five|six|seven|eight|nine) ?){5}$/;
const CODE_WORDS = /\b(?:zip|postal|zipcode|postcode|codigo postal|live in|located in|in)\b/;

/** A postal code of the United States or Canada. Five bare digits count in answer to the question, or beside a word for it. */
export function readZip({ text, folded }: Said, direct: boolean): ReadValue | undefined {
  const canadian = CANADIAN.exec(text)?.[0];
  const spelled = spelledCode(text);
  if (spelled !== undefined) return spelled;
  if (canadian !== undefined) return { value: canadian.toUpperCase(), quote: canadian };
  const written = ZIP.exec(text)?.[0];
  const alone = written !== undefined && text.split(/[,.;\n]|\band\b/).some((part) => part.trim() === written);
  if (!direct && !alone && !SPELLED.test(folded) && !CODE_WORDS.test(folded)) return undefined;
  if (written !== undefined) return { value: written, quote: written };
  const said = digitRunsIn(text, 5).find(
    ({ digits, from, to }) => digits.length === 5 && isPlainRun(text.slice(from, to)),
  );
  // Said by itself, or behind a word that leads in, five digits are a code even when something else was asked.
  return said && { value: said.digits, quote: text.slice(said.from, said.to) };
}

/** "Eighty two oh four" is 8204 as well as 80204: no code. */
const isPlainRun = (words: string): boolean =>
  !/\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety) (?:one|two|three|four|five|six|seven|eight|nine)\b/i.test(
    words,
  );

/** `m five v two t six`: letters and digits in turn. */
function spelledCode(text: string): ReadValue | undefined {
  const tokens = tokensOf(text);
  for (let at = 0; at + 6 <= tokens.length; at++) {
    const part = tokens.slice(at, at + 6);
    const signs = part.map(({ text: word }) => DIGITS.get(word.toLowerCase()) ?? word.toUpperCase());
    const code = signs.join("");
    if (signs.every((sign) => sign.length === 1) && CANADIAN.test(code)) {
      return { value: code, quote: text.slice(part[0]!.from, part[5]!.to) };
    }
  }
  return undefined;
}
