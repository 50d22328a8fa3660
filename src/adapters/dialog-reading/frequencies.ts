import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";

/** How often, each with the words for it; the rarer unit first, so that "every two weeks" is no "every week". */
const OFTEN: readonly (readonly [often: string, words: RegExp])[] = [
  [
    "two weeks",
    /\b(?:every (?:other|second|two|2|2nd) (?:weeks?|wks?)|(?:every )?(?:other|second) wee?ks?|bi ?weekly|fortnight(?:ly)?|twice (?:a|per|each|every) month|two times a month|2x (?:a|per) month|every 14 days)\b/,
  ],
  [
    "four times a year",
    /\b(?:quarterly|every (?:three|3) months|every quarter|(?:once )?(?:a|per|each) quarter|four times (?:a|per) year)\b/,
  ],
  [
    "half a year",
    /\b(?:twice (?:a|per) year|every (?:six|6) months|semi ?annual(?:ly)?|bi ?annual(?:ly)?|two times a year)\b/,
  ],
  ["two months", /\b(?:every (?:other|second|two|2) months?|bi ?monthly)\b/],
  ["twice a week", /\b(?:twice (?:a|per|each) (?:week|wk)|two times (?:a|per) week|2x (?:a|per) week)\b/],
  ["day", /\b(?:daily|every (?:single )?day|every ?day|each day|once (?:a|per) day|all week|seven days)\b/],
  [
    "week",
    /\b(?:weekly|(?:every|each) (?:single )?(?:week|wk)|once (?:a|per|every) (?:week|wk)|(?:one|1) time (?:a|per) week)\b/,
  ],
  [
    "month",
    /\b(?:monthly|(?:every|each) month|once (?:a|per|every) month|every (?:four|4) weeks|(?:one|1) time (?:a|per) month)\b/,
  ],
  ["year", /\b(?:yearly|annual(?:ly)?|(?:every|each) year|once (?:a|per|every) year)\b/],
  [
    "once",
    /\b(?:just (?:the )?(?:once|this once|one time|this time)|(?:one|1) (?:time|off)(?: \w+)?|only once|once only|single (?:time|visit)|once(?! (?:a|per|every|i|we|the|it|my|our|they|you|in)\b))\b/,
  ],
  [
    "as needed",
    /\b(?:as needed|now and then|whenever (?:i|we) need|on demand|on call|when needed|once in a while|occasional(?:ly)?)\b/,
  ],
];

/** How often a text says, all of it. */
function oftenIn(folded: string): string[] {
  let rest = folded;
  const found: string[] = [];
  for (const [often, words] of OFTEN) {
    if (!words.test(rest)) continue;
    found.push(often);
    rest = rest.replace(words, " ");
  }
  return found;
}

/** Of choices that say how often, those that are as often as the text says; none where the choices say something else. */
export function frequenciesIn(choices: readonly string[], folded: string): string[] {
  const meant = choices.map((choice) => oftenIn(foldText(choice)));
  if (meant.filter(({ length }) => length === 1).length < 2) return [];
  const said = oftenIn(folded);
  return choices.filter((_, at) => meant[at]!.length === 1 && said.includes(meant[at]![0]!));
}

/** Which days of the week: no date, and kept in the contact's words. */
export const wantsDays = ({ kind, words, field }: Slot): boolean =>
  kind === "text" &&
  (/\b(?:which|what) days\b|\bdays (?:of the week|they|you|we)\b/i.test(field.description ?? "") ||
    words.at(-1) === "days");

const TOKENS = /\p{L}+|\d{1,2}(?::\d\d)?|[-–/,&+]/gu;
const DAY =
  /^(?:mon|tues?|weds?|thur?s?|fri|sat|sun)$|^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:weekdays?|weekends?|daily|mwf|mf)$/;
/** "Every day", "all week", "five days". */
const HOW_MANY = /^(?:every|each|any|all|whole|business|work|two|three|four|five|six|seven|[2-7])$/;
const OF_WHAT = /^(?:days?|weeks?)$/;
const BETWEEN =
  /^(?:and|or|to|thru|through|until|till|plus|y|from|at|between|around|after|before|the|on|m|am|pm|[-–/,&+])$/;
const PART = /^(?:mornings?|afternoons?|evenings?|nights?|noon|\d{1,2}(?::\d\d)?|am|pm)$/;
const NOT_THEN = /\b(?:not|no|never|except|but|cant|dont|doesnt|wont)\b/;
const MOST_BETWEEN = 3;

/** `mon to thurs`, `every weekday`, `tuesdays and fridays, 8 to 4`. */
export function readDays({ text, folded, acts }: Said): ReadValue | undefined {
  if (["question", "call", "later"].some((act) => acts.has(act as "call")) || NOT_THEN.test(folded)) return undefined;
  const tokens = [...text.matchAll(TOKENS)].map((match) => ({ word: match[0].toLowerCase(), from: match.index }));
  const isCounted = (at: number): boolean =>
    HOW_MANY.test(tokens[at]?.word ?? "") && OF_WHAT.test(tokens[at + 1]?.word ?? "");
  // "M-F".
  const isShort = /\bm ?[-–] ?f\b/i.test(text);
  const isDay = (at: number): boolean =>
    DAY.test(tokens[at]?.word ?? "") || isCounted(at) || (isShort && /^[mf]$/.test(tokens[at]?.word ?? ""));
  const begin = tokens.findIndex((_, at) => isDay(at));
  if (begin < 0) return undefined;
  let last = begin;
  let between = 0;
  for (let at = begin; at < tokens.length && between <= MOST_BETWEEN; at++) {
    const { word } = tokens[at]!;
    if (isCounted(at)) last = ++at;
    else if (isDay(at) || PART.test(word)) last = at;
    else if (!BETWEEN.test(word)) break;
    between = last === at ? 0 : between + 1;
  }
  const first = /^(?:every|each|any|all)$/.test(tokens[begin - 1]?.word ?? "") ? begin - 1 : begin;
  const { from, word } = tokens[last]!;
  const quote = trimEndOf(text.slice(tokens[first]!.from, from + word.length), " ,");
  return { value: quote, quote };
}
