import { type ReadValue, type Said, whole } from "./said.ts";
import type { Slot } from "./slot.ts";
import { timeIn } from "./time-values.ts";

const LOOKS_BACK =
  /\b(?:accident|incident|injury|crash|collision|theft|loss|happened|purchased?|bought|last (?:visit|service|check ?up|cleaning|inspection|appointment|time|seen))\b/;

/** A field about what has been: the day of an accident, of the last visit. */
export const looksBack = ({ words, field }: Slot): boolean =>
  LOOKS_BACK.test(`${words.join(" ")} ${field.description ?? ""}`.toLowerCase());

const DAY_MS = 86_400_000;
/** Over a week so that each weekday occurs, but not the same one as today. */
const WEEK_MS = 7 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

const AGO = /\b(a|one|two|three|four|five|six|\d{1,2}) days? ago\b/i;
const COUNTS = ["zero", "one", "two", "three", "four", "five", "six"];
const YESTERDAY = /\b(?:yesterday|last night)\b/i;
const TODAY = /\b(?:today|this morning|earlier today)\b/i;
const WEEKDAY = /\b(?:last |this past |this |on |past )?((?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;
/** A time of no day: `two weeks ago`, `last month`, `back in march`. */
const LONG_AGO =
  /\b(?:(?:about |like |around |maybe )?(?:a couple(?: of)?|a few|an?|one|two|three|four|five|six|eight|ten|\d{1,2}) (?:weeks?|months?|years?) ago|last (?:week|weekend|month|year|spring|summer|fall|winter)|(?:back )?in (?:january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)(?: (?:of )?(?:last year|20\d\d))?)\b/i;
/** "In October on the third" is October third. */
const APART =
  /\b(january|february|march|april|may|june|july|august|september|october|november|december) (?:(?:it was |was |like |around )?on )(?=the )/i;

/** The day that a text names, at the latest today. */
export function readPast(said: Said, direct: boolean): ReadValue | undefined {
  if (!direct) return undefined;
  const { text } = said;
  const today = /\bnot\b/i.test(text) ? null : TODAY.exec(text);
  const near = AGO.exec(text);
  if (near !== null) return daysBack(said, countOf(near[1]!), near[0]);
  const last = YESTERDAY.exec(text);
  if (last !== null) return daysBack(said, 1, last[0]);
  if (today !== null) return daysBack(said, 0, today[0]);
  // The next such day seen from then is the last one seen from now.
  const dated = timeIn({ ...said, text: text.replace(APART, "$1 "), at: new Date(said.at.getTime() - YEAR_MS) });
  const isOfWeek = WEEKDAY.exec(text);
  if (isOfWeek !== null && !isExact(text)) {
    const before = timeIn({ ...said, text: isOfWeek[1]!, at: new Date(said.at.getTime() - WEEK_MS) });
    return before && { value: before.localDate, quote: isOfWeek[0] };
  }
  if (dated?.hasDate && isExact(dated.quote))
    return { value: dated.localDate, quote: text.includes(dated.quote) ? dated.quote : whole(text) };
  const vague = LONG_AGO.exec(text)?.[0];
  return vague === undefined ? undefined : { value: vague, quote: vague };
}

/** "The third", "March 9": a number is in it. */
const isExact = (quote: string): boolean =>
  quote.split(/\s+/).some((word) => /^\d|(?:first|second|third|nd|rd|th)$/i.test(word) && !/^month$/i.test(word));

function daysBack({ at, zone }: Said, days: number, quote: string): ReadValue | undefined {
  try {
    const local = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone: zone });
    return { value: local.format(new Date(at.getTime() - days * DAY_MS)), quote };
  } catch (error) {
    // A zone that nobody knows has no days.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function countOf(word: string): number {
  const spoken = COUNTS.indexOf(word.toLowerCase());
  return spoken >= 0 ? spoken : /^\d/.test(word) ? Number(word) : 1;
}
