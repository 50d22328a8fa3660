import { checkOutgoing, type GateRules, type OutputReason } from "#domain/messaging/output-gate.ts";
import { stripInvisible } from "#domain/values/invisible.ts";
import { findLinks } from "#domain/values/link.ts";

export type SpokenVerdict = { ok: true; text: string } | { ok: false; reason: OutputReason };

/** A leak or a number may be spread over several sentences: so much of what was said before is looked at again with each. */
const LOOK_BACK = 300;

/**
 * The last look at a sentence before it is spoken: the output gate of texts (domain/messaging/output-gate.ts) over the sentence and the end of what was said
 * before it in this turn, also as it is written when digits and dots are words; then without anything that only an eye
 * understands. `ok` with an empty text is nothing to say.
 */
export function checkSpoken(raw: string, before: string, rules: GateRules): SpokenVerdict {
  const text = withoutMarks(raw);
  if (!/[\p{L}\p{N}]/u.test(text)) return { ok: true, text: "" };
  const context = `${before.slice(-LOOK_BACK)} ${text}`.trim();
  for (const said of new Set([context, asWritten(context)])) {
    const verdict = checkOutgoing(said, rules);
    if (!verdict.ok) return verdict;
  }
  return { ok: true, text: speakable(text) };
}

/** A text of the agent's author (a starting message), as it is spoken: it is believed, and cleaned. */
export const speakable = (text: string): string => readOut(withoutMarks(text));

/** No markdown, no emoji, no links: a voice reads them all out. */
function withoutMarks(raw: string): string {
  let text = stripInvisible(raw)
    .replace(/!?\[([^[\]\n]*)\]\([^()\s]*\)/g, "$1")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*•+]|\d{1,2}[.)])[ \t]+/gm, "")
    .replace(/(\*\*|__|\*|`{1,3}|~~)(?=\S)(.{0,200}?\S)\1/g, "$2")
    .replace(/[*`#_|~]+/g, " ")
    .replace(/(?!\d)\p{Emoji_Presentation}|\p{Extended_Pictographic}|[\u200d\ufe0f]|\p{Emoji_Modifier}/gu, " ");
  for (const { text: link, kind } of findLinks(text)) {
    if (kind === "link" && /^(?:[a-z]+:\/\/|www\.)|\//i.test(link)) text = text.replace(link, " ");
  }
  return text
    .replace(/\s+/g, " ")
    .replace(/ ([,.!?;:])/g, "$1")
    .trim();
}

const DIGITS = "zero one two three four five six seven eight nine".split(" ");
const DIGIT = new RegExp(`\\b(?:${DIGITS.join("|")}|oh)\\b`, "gi");

/** What was said in words as it would be written: "nine zero zero", "acme dot com", "sam at acme dot com". */
function asWritten(text: string): string {
  return text
    .replace(DIGIT, (word) => String(Math.max(0, DIGITS.indexOf(word.toLowerCase()))))
    .replace(/(?<=\d)[\s,.-]+(?=\d)/g, " ")
    .replace(/(?<=\w) dot (?=\w)/gi, ".")
    .replace(/(?<=\w) at (?=[\w-]+\.\w)/gi, "@");
}

/** Addresses and numbers as people say them. */
function readOut(text: string): string {
  let spoken = text;
  for (const { text: found, kind } of findLinks(text)) {
    if (kind === "email") spoken = spoken.replace(found, found.replace("@", " at ").replaceAll(".", " dot "));
    if (kind === "link") spoken = spoken.replace(found, found.replaceAll(".", " dot "));
    if (kind === "phone") spoken = spoken.replace(found, digitsOf(found));
  }
  return spoken;
}

/** `+12125550123` -> "2 1 2, 5 5 5, 0 1 2 3": one by one, in the groups in which they are written down. */
function digitsOf(number: string): string {
  const digits = number.replace(/\D/g, "");
  const national = digits.length === 11 && digits.startsWith("1") ? digits.slice(1) : digits;
  const groups = national.length === 10 ? [national.slice(0, 3), national.slice(3, 6), national.slice(6)] : [national];
  return groups.map((group) => group.split("").join(" ")).join(", ");
}
