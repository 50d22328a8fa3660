import { DIGITS, tokensOf } from "#adapters/dialog-words/numerals.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import type { ReadValue, Said } from "./said.ts";

const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u;
const SPOKEN_SIGNS = new Map([
  ["dot", "."],
  ["period", "."],
  ["point", "."],
  ["underscore", "_"],
  ["dash", "-"],
  ["hyphen", "-"],
]);
const DOMAINS =
  /^(?:gmail|yahoo|hotmail|outlook|icloud|aol|mail|proton|protonmail|comcast|msn|live|me|[a-z0-9-]{2,40})$/;
const TOP = /^(?:com|net|org|edu|ca|us|co|io|gov|example)$/i;
const LEADS_IN = new Set(
  "is its it's at to email mail e address me my use the um uh so yeah yes ok okay sure thats that's write send on a i and".split(
    " ",
  ),
);

/** `ana@x.example`, or as it is said: `ana dot ruiz at gmail dot com`, `a n a at gmail dot com`. */
export function readEmail({ text }: Said): ReadValue | undefined {
  const written = EMAIL.exec(text)?.[0];
  if (written !== undefined) {
    const email = trimEndOf(written, ".,!?");
    return { value: email, quote: email };
  }
  const tokens = tokensOf(
    text.replace(/\ball (?:one word|lowercase|together)\b/i, (words) => " ".repeat(words.length)),
  ).filter(({ text: word }) => word !== "#");
  for (const [at, token] of tokens.entries()) {
    if (token.text.toLowerCase() !== "at") continue;
    const domain = domainAfter(tokens, at + 1, text);
    const user = writtenBefore(text, token.from) ?? wordsBefore(tokens, at - 1) ?? userBefore(tokens, at - 1);
    if (domain === undefined || user === undefined) continue;
    return { value: `${user.word}@${domain.word}`, quote: text.slice(user.from, domain.to) };
  }
  return undefined;
}

type Tokens = ReturnType<typeof tokensOf>;

/** `mike_88 at`: what is written without a space and with more than letters is the name as it stands. */
function writtenBefore(text: string, end: number): { word: string; from: number } | undefined {
  // No name is longer, and a text of many "at" is not read again for each of them.
  const start = Math.max(0, end - 66);
  const before = text.slice(start, end).trimEnd();
  const word = before.split(/\s/).at(-1) ?? "";
  if (!/^[\w.+-]{3,64}$/.test(word) || !/[\d_.+-]/.test(word) || !/[a-z]/i.test(word)) return undefined;
  return { word: word.toLowerCase(), from: start + before.length - word.length };
}

function domainAfter(tokens: Tokens, start: number, text: string): { word: string; to: number } | undefined {
  let word = "";
  for (let at = start; at < tokens.length && at < start + 6; at++) {
    const part = tokens[at]!.text.toLowerCase();
    const sign = SPOKEN_SIGNS.get(part);
    if (sign === ".") {
      const end = tokens[at + 1];
      if (word === "" || end === undefined) return undefined;
      const top = end.text.toLowerCase();
      if (TOP.test(top)) return { word: `${word}.${top}`, to: end.to };
      word += ".";
    } else if (/^[a-z0-9-]+\.(?:com|net|org|edu|ca|us|co|io)$/.test(part))
      return { word: word + part, to: tokens[at]!.to };
    else if (DOMAINS.test(part)) {
      word += part;
      const end = tokens[at + 1];
      if (end !== undefined && text[tokens[at]!.to] === "." && end.from === tokens[at]!.to + 1 && TOP.test(end.text)) {
        return { word: `${word}.${end.text.toLowerCase()}`, to: end.to };
      }
    } else return undefined;
  }
  return undefined;
}

/** What stands right before an address that is said, and what people say on the way to it. */
const LEADS_TO = /^(?:is|it's|its|that's|thats|email|address|to|word|use|at|be|by|me)$/;
const ON_THE_WAY = /^(?:um|uh|oh|so|yeah|yes|ok|okay|sure|well|my|the|and|like|just|i|mail|e)$/;
const NUMBER_WORDS = new Map(
  "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ")
    .map((word, value) => [word, String(value + 10)]),
);
const TENS = new Map(
  "twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, at) => [word, at + 2]),
);
/** No address that is said has more parts before its "at". */
const MAX_PARTS = 12;

/** `it's k miller ninety one at`, `mary lou at`: all from a lead-in, or from the text's beginning, when there is little of it. */
function wordsBefore(tokens: Tokens, end: number): { word: string; from: number } | undefined {
  let start = end + 1;
  while (start > 0 && end - start < MAX_PARTS && !LEADS_TO.test(tokens[start - 1]!.text.toLowerCase())) start--;
  const isLed = start > 0 && LEADS_TO.test(tokens[start - 1]!.text.toLowerCase());
  while (start < end && ON_THE_WAY.test(tokens[start]!.text.toLowerCase())) start++;
  if (start > end || (!isLed && end - start > 2)) return undefined;
  let word = "";
  let words = 0;
  for (let at = start; at <= end; at++) {
    const part = tokens[at]!.text.toLowerCase();
    const tens = TENS.get(part);
    const unit = tens === undefined ? undefined : DIGITS.get(tokens[at + 1]?.text.toLowerCase() ?? "");
    if (tens !== undefined) {
      const isPair = unit !== undefined && unit !== "0" && at < end;
      word += isPair ? `${tens}${unit}` : `${tens}0`;
      if (isPair) at++;
      continue;
    }
    const plain = SPOKEN_SIGNS.get(part) ?? DIGITS.get(part) ?? NUMBER_WORDS.get(part);
    if (plain === undefined && !/^[a-z0-9]+$/.test(part)) return undefined;
    if (plain === undefined && part.length > 1 && ++words > 3) return undefined;
    word += plain ?? part;
  }
  return word.length < 2 || !/[a-z]/.test(word) || SPOKEN_SIGNS.has(tokens[start]!.text.toLowerCase())
    ? undefined
    : { word, from: tokens[start]!.from };
}

/** Backwards from `at`: letters that are spelled, words joined by signs, digits; one whole word otherwise. */
function userBefore(tokens: Tokens, end: number): { word: string; from: number } | undefined {
  let word = "";
  let from = -1;
  let joined = true;
  for (let at = end; at >= 0 && at > end - 24; at--) {
    const part = tokens[at]!.text.toLowerCase();
    const sign = SPOKEN_SIGNS.get(part);
    const plain = DIGITS.get(part) ?? (/^[a-z0-9]+$/.test(part) ? part : undefined);
    const short = plain !== undefined && (plain.length === 1 || /^\d+$/.test(plain));
    if (sign !== undefined && word !== "") {
      word = sign + word;
      joined = true;
    } else if (plain !== undefined && (joined || short) && !(word !== "" && !short && LEADS_IN.has(plain))) {
      if (word !== "" && LEADS_IN.has(part) && !joined) break;
      word = plain + word;
      from = tokens[at]!.from;
      joined = short;
    } else break;
  }
  return word === "" || from < 0 || LEADS_IN.has(word) ? undefined : { word, from };
}
