import { digitRunsIn, numeralsIn } from "#adapters/dialog-words/numerals.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";

const remembered = new WeakMap<Slot, boolean>();

/** A field about a year of the calendar: `year_bought`, "the year it was built". */
export function isYearOf(slot: Slot): boolean {
  const before = remembered.get(slot);
  if (before !== undefined) return before;
  const about = `${slot.words.join(" ")} ${slot.field.description ?? ""}`.toLowerCase();
  const isYear =
    /\byear\b/.test(about) &&
    !/\b(?:years|a year|per year|each year|every year|last year|this year|how (?:many|much|old|long)|yearly|year old|first year|income|fee|cost)\b/.test(
      about,
    );
  remembered.set(slot, isYear);
  return isYear;
}

const WRITTEN = /\b(?:19[2-9]|20[0-4])\d\b/g;
const SHORT =
  /(?:^|\b(?:in|from|since|back in|a|an|the|around|about|like|maybe|its|it's) )['’]?(\d\d)\b(?! ?(?:k|grand|years?|yrs?|months?|%|percent|miles|st|nd|rd|th)\b)/i;
const SPOKEN =
  /\b(?:twenty (?:ten|eleven|twelve|\p{L}+teen|twenty(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)|two thousand(?: and)?(?: (?:ten|eleven|twelve|\p{L}+teen|twenty(?:[ -]\p{L}+)?|one|two|three|four|five|six|seven|eight|nine))?|twenty oh \p{L}+|nineteen (?:\p{L}+ty)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)\b/iu;
const AGO =
  /\b(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty) (?:years?|yrs?) ago\b/i;
const OR = /\bor\b/i;

/** A year as it is written or said; of two that are named none is sure. */
export function readYear({ text, at, acts }: Said, direct: boolean): ReadValue | undefined {
  const years = [...text.matchAll(WRITTEN)].map(([quote]) => quote);
  const [first, second] = years;
  if (second !== undefined && OR.test(text)) return undefined;
  if (first !== undefined) {
    const last = years.at(-1)!;
    return { value: acts.has("corrects") ? last : first, quote: acts.has("corrects") ? last : first };
  }
  const spoken = SPOKEN.exec(text)?.[0];
  if (spoken !== undefined) {
    const value = spokenYear(spoken);
    return value === undefined ? undefined : { value: String(value), quote: spoken };
  }
  if (!direct) return undefined;
  const ago = AGO.exec(text);
  const count = ago === null ? undefined : numeralsIn(ago[1]!)[0]?.value;
  if (ago !== null && count !== undefined && !/\b(?:about|like|around|maybe|over|almost)\b/i.test(text))
    return { value: String(at.getUTCFullYear() - count), quote: ago[0] };
  const short = SHORT.exec(text)?.[1];
  if (short === undefined || OR.test(text) || digitRunsIn(text, 3).length > 0) return undefined;
  const year = Number(short);
  return { value: String(year > at.getUTCFullYear() % 100 ? 1_900 + year : 2_000 + year), quote: short };
}

function spokenYear(words: string): number | undefined {
  const [century, ...rest] = words.toLowerCase().replaceAll("-", " ").split(" ");
  if (century === "two") return numeralsIn(words)[0]?.value;
  const more = numeralsIn(rest.join(" ").replace(/^oh /, ""))[0]?.value;
  return more === undefined ? undefined : (century === "twenty" ? 2_000 : 1_900) + more;
}
