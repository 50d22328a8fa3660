import { fieldValue } from "#domain/agents/extraction.ts";
import { type SpokenTime, spokenTime } from "#domain/calls/spoken-time.ts";
import { foldText } from "#domain/values/fold.ts";
import { findLinks } from "#domain/values/link.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import type { AskedField } from "./question.ts";
import type { Understanding } from "./understand.ts";

/** A value and the words it was read from, which occur in the text as they are. */
export type ReadValue = { value: string; quote: string };

/** One text of the contact, with what is needed to read values from it. */
export type Said = { text: string; at: Date; zone: string; meaning: Understanding };

const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u;
const ZIP = /\b\d{5}(?:-\d{4})?\b|\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b/i;
const AMOUNT = "\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?";
const MONEY = new RegExp(
  `([$€£])? ?(?<!\\d)(${AMOUNT}) ?(k|thousand|grand|m|mm|mil|million)?\\b(?: ?(?:-|–|to|and) ?[$€£]? ?(${AMOUNT}) ?(k|thousand|grand|m|mm|mil|million)?\\b)?`,
  "i",
);
const NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const NUMBER = new RegExp(`(?<![\\d$€£.,])(?:\\d+(?:\\.\\d+)?)(?!,*\\d)|\\b(?:${NUMBER_WORDS.join("|")})\\b`, "i");
/** "3 bedrooms", "two-bath": a number and what it counts. */
const COUNTED = new RegExp(`(?<![\\d.])(\\d+(?:\\.\\d+)?|${NUMBER_WORDS.join("|")})[ -](\\p{L}+)`, "giu");
const INTRODUCED =
  /\b(?:my name(?:'s| is)|name(?:'s| is)|i'm|i am|this is|it's|call me|me llamo|soy)\s+(\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’.-]*){0,3})/u;
const INTRODUCED_PLAINLY = /\b(?:my name(?:'s| is)|name(?:'s| is)|me llamo)\s+([\p{L}'’-]+(?:\s+[\p{L}'’.-]+){0,2})/iu;
const NAME = /^[\p{L}][\p{L}'’.-]*(?:\s+[\p{L}][\p{L}'’.-]*){0,3}$/u;
const PLACE =
  /\b(?:live|living|located|based|reside|moving|relocating|move|home|house|place|from|am|i'm) (?:in|to|near|around)?\s*(\p{Lu}[\p{L}.'’-]+(?:\s+\p{Lu}[\p{L}.'’-]+){0,3})/u;

/** Answers are short; what is longer is a story, kept by its beginning. */
const MAX_TEXT_VALUE = 200;

/**
 * The value of a field in a text, or undefined. `direct` is true when this text answers the question for it: then looser
 * readings count ("Ana" is a name, "3" a number of rooms) and a free text is its own value.
 */
export function readValue(asked: AskedField, said: Said, direct: boolean): ReadValue | undefined {
  const found = readKind(asked, said, direct);
  if (found === undefined) return undefined;
  const value = fieldValue(found.value, asked.field);
  return value === undefined ? undefined : { value, quote: found.quote };
}

function readKind({ field, kind, words }: AskedField, said: Said, direct: boolean): ReadValue | undefined {
  const { text, meaning } = said;
  switch (kind) {
    case "email":
      return matched(EMAIL.exec(text), 0);
    case "phone": {
      const phone = findLinks(text).find((link) => link.kind === "phone");
      return phone && text.includes(phone.text) ? { value: phone.text, quote: phone.text } : undefined;
    }
    case "zip":
      return direct || /\b(?:zip|postal)/i.test(text) ? matched(ZIP.exec(text), 0) : undefined;
    case "name":
    case "first_name":
    case "last_name":
      return readName(kind, said, direct);
    case "city":
      return matched(PLACE.exec(text), 1) ?? (direct ? readPlace(said) : undefined);
    case "money":
      return readMoney(text, direct, field.type === "number");
    case "number":
      return readNumber(text, words, direct);
    case "date":
    case "time":
    case "moment":
    case "call_time":
      return direct ? (readTime(kind, said) ?? freeText(said)) : undefined;
    case "interest":
      if (meaning.notInterested || (direct && meaning.no)) return { value: "no", quote: whole(text) };
      return meaning.interested || (direct && meaning.yes) ? { value: "yes", quote: whole(text) } : undefined;
    case "yes_no":
      if (!direct || meaning.yes === meaning.no) return undefined;
      return { value: meaning.yes ? "yes" : "no", quote: whole(text) };
    case "enum":
      return readChoice(field.choices, text, direct);
    case "text":
      return direct ? freeText(said) : undefined;
  }
}

/** The beginning of a text as its own quote. */
const whole = (text: string): string => text.trim().slice(0, MAX_TEXT_VALUE);

function matched(match: RegExpExecArray | null, group: number): ReadValue | undefined {
  const quote = trimEndOf(match?.[group] ?? "", ".,!?").trim();
  return quote ? { value: quote, quote } : undefined;
}

function readName(kind: "name" | "first_name" | "last_name", said: Said, direct: boolean): ReadValue | undefined {
  const introduced = matched(INTRODUCED.exec(said.text), 1) ?? matched(INTRODUCED_PLAINLY.exec(said.text), 1);
  const bare = trimEndOf(said.text.trim().replace(/^(?:sure|yes|ok|okay|it's|its)[,.!]?\s+/i, ""), ".,!");
  const { meaning } = said;
  const isAnswer =
    direct &&
    NAME.test(bare) &&
    !meaning.no &&
    !meaning.declined &&
    !meaning.question &&
    !meaning.later &&
    !isOnlyYes(meaning);
  const full = introduced ?? (isAnswer ? { value: bare, quote: bare } : undefined);
  if (full === undefined) return undefined;
  const parts = full.value.split(/\s+/);
  if (kind === "first_name") return { value: parts[0]!, quote: full.quote };
  if (kind === "last_name")
    return parts.length > 1 || isAnswer ? { value: parts.at(-1)!, quote: full.quote } : undefined;
  return full;
}

const isOnlyYes = (meaning: Understanding): boolean => meaning.yes && meaning.folded.split(" ").length <= 2;

function readPlace(said: Said): ReadValue | undefined {
  const place = trimEndOf(said.text.trim().replace(/^(?:i live in|living in|i'm in|im in|in|near|from)\s+/i, ""), ".!");
  if (!/^[\p{L}][\p{L}\s.,'’-]{1,60}$/u.test(place)) return undefined;
  return said.meaning.yes || said.meaning.no || said.meaning.declined || said.meaning.later
    ? undefined
    : { value: place, quote: place };
}

function readMoney(text: string, direct: boolean, single: boolean): ReadValue | undefined {
  const match = MONEY.exec(text);
  if (match === null) return undefined;
  const [quote, currency, low, unit, high, highUnit] = match;
  const first = amount(low!, unit ?? (high ? highUnit : undefined));
  if (!direct && !currency && !unit && !highUnit) return undefined;
  if (high && !single) return { value: `${first}-${amount(high, highUnit ?? unit)}`, quote: quote.trim() };
  return { value: first, quote: quote.trim() };
}

function amount(digits: string, unit: string | undefined): string {
  const factor = unit === undefined ? 1 : /^[kgt]/i.test(unit) ? 1_000 : 1_000_000;
  return String(Math.round(Number(digits.replaceAll(",", "")) * factor * 100) / 100);
}

function readNumber(text: string, words: readonly string[], direct: boolean): ReadValue | undefined {
  if (!direct) {
    const counted = words.filter((word) => !/^(?:number|num|count|many|how|quantity)$/.test(word));
    const nouns = counted.map((word) => word.replace(/s$/, "").toLowerCase());
    for (const [quote, count, noun] of text.matchAll(COUNTED)) {
      if (nouns.some((word) => noun!.toLowerCase().startsWith(word))) return { value: numeral(count!), quote };
    }
    return undefined;
  }
  const match = NUMBER.exec(text);
  return match ? { value: numeral(match[0]), quote: match[0] } : undefined;
}

function numeral(word: string): string {
  const index = NUMBER_WORDS.indexOf(word.toLowerCase());
  return index < 0 ? word : String(index);
}

function readTime(kind: "date" | "time" | "moment" | "call_time", said: Said): ReadValue | undefined {
  const time = timeIn(said);
  if (time === undefined || time.quote === "") return undefined;
  const { localDate, localTime, quote } = time;
  if (kind === "date") return time.hasDate ? { value: localDate, quote } : undefined;
  if (kind === "time") return time.hasTime ? { value: localTime, quote } : undefined;
  return { value: time.hasTime ? `${localDate} ${localTime}` : localDate, quote };
}

/** spokenTime, for a zone that may be unknown: then no time can be read, and the agent asks or passes on. */
export function timeIn({ text, at, zone }: Pick<Said, "text" | "at" | "zone">): SpokenTime | undefined {
  try {
    return spokenTime(text, at, zone);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readChoice(choices: readonly string[], text: string, direct: boolean): ReadValue | undefined {
  const folded = ` ${foldText(text)} `;
  const found = choices
    .map((choice) => ({ choice, at: folded.indexOf(` ${foldText(choice)} `) }))
    .filter(({ choice, at }) => at >= 0 && (direct || choice.length > 3))
    .sort((a, b) => a.at - b.at || b.choice.length - a.choice.length)[0];
  return found ? { value: found.choice, quote: whole(text) } : undefined;
}

/** Anything said in answer, except what plainly answers nothing. */
function freeText({ text, meaning }: Said): ReadValue | undefined {
  const quote = whole(text);
  const empty = meaning.folded === "" || meaning.declined || meaning.whoAreYou || meaning.wantsCall;
  if (empty || isOnlyYes(meaning) || text.includes("?") || (meaning.later && meaning.folded.split(" ").length < 5))
    return undefined;
  return { value: quote, quote };
}
