import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";

/** A field about the address of a house; one of an e-mail is another kind. */
export const isAddress = ({ words, field }: Slot): boolean =>
  /\baddress\b|\bstreet\b/.test(`${words.join(" ")} ${field.description ?? ""}`.toLowerCase()) &&
  !/\be-?mail|\bweb|\bip\b/i.test(`${field.name} ${field.description ?? ""}`);

const WAY =
  "(?:street|st|road|rd|avenue|ave|av|drive|dr|lane|ln|court|ct|way|boulevard|blvd|place|pl|circle|cir|terrace|ter|trail|trl|parkway|pkwy|highway|hwy|(?:square|sq)(?! (?:feet|foot|ft|meters?|yards?|miles?)\\b)|loop|row|run|path|pike|crossing|alley|ridge|plaza|calle|avenida|rue)";
const SPOKEN =
  "(?:oh|o|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)";
const HOUSE = `(?:\\d{1,6}[a-z]?|${SPOKEN}(?:[ -]${SPOKEN}){0,5})`;
const NAME =
  "(?:(?!(?:and|or|of|to|in|the|an?|we|i|for|at|is|are|my|our|it|its|with|on|people|dogs?|cats?|kids?|cars?|years?|days?|weeks?|months?|hours?|doors?|by|from)\\b)[\\p{L}][\\p{L}.'’-]*|\\d{1,3}(?:st|nd|rd|th))";
const UNIT = "(?:,? (?:apt|apartment|unit|suite|ste|lot|#)\\.? ?#?[\\p{L}\\d-]{1,6})?";
const CITY = "(?:,? (?:in )?\\p{Lu}\\p{L}+(?: \\p{Lu}\\p{L}+){0,2}(?:,? [A-Z]{2})?(?: \\d{5})?)?";
/** `418 Oak St apt 2B`, `seventeen oh five lake shore drive`. Four words of a name at most, so that no sentence is one. */
const STREET = new RegExp(`\\b(${HOUSE} (?:${NAME} ){1,4}?${WAY}\\b\\.?${UNIT})`, "iu");
const WITH_CITY = new RegExp(`^${CITY}`, "u");
/** In answer to the question the kind of street may be left out: `77 Broadway`. */
const BARE = new RegExp(
  `^(?:(?:um|uh|oh|sure|yes|ok|okay|its|it's|it is|at|im at|i'm at|we're at|the address is)[, ]+)*(\\d{1,6} ${NAME}(?: ${NAME}){0,3}${UNIT})[.!]?$`,
  "iu",
);
/** What a number with words behind it may be instead: a count, a time, an amount. */
export const NO_STREET =
  /^\d+ (?:years?|yrs?|months?|weeks?|days?|hours?|hrs?|minutes?|mins?|miles?|people|ppl|guests?|adults?|kids?|of|am|pm|dollars?|bucks|feet|ft|sq|square|acres?|bed\w*|br|bath\w*|rooms?|stories|story|cars?|lbs?|pounds?|percent|or|to|and|at|in|on|for|is|would|will|works|please|maybe|i|we|the|steps?|flights?|floors?|stairs?|box(?:es)?|items?|pieces?|bags?|truck\w*|loads?|big|small|more)\b|\b(?:thats|its|only|all|each|them|those)\b/;

/** The address of a house, with its number. */
export function readAddress({ text, acts }: Said, direct: boolean): ReadValue | undefined {
  if (acts.has("question") && !direct) return undefined;
  const found = STREET.exec(text);
  if (found !== null) {
    const behind = text.slice(found.index + found[1]!.length);
    const city = /^,? (?:in )?\p{Lu}/u.test(behind) ? (WITH_CITY.exec(behind)?.[0] ?? "") : "";
    const quote = trimEndOf(found[1]! + city, ",. ");
    return { value: quote, quote };
  }
  const bare = direct ? BARE.exec(text.trim())?.[1] : undefined;
  return bare === undefined || NO_STREET.test(foldText(bare)) ? undefined : { value: bare, quote: bare };
}
