import { type SpokenTime, spokenTime } from "#domain/calls/spoken-time.ts";
import { foldText } from "#domain/values/fold.ts";
import type { ReadValue, Said } from "./said.ts";

/** spokenTime, for a zone that may be unknown: then no time can be read, and the agent asks or passes on. */
export function timeIn({ text, at, zone }: Pick<Said, "text" | "at" | "zone">): SpokenTime | undefined {
  try {
    return spokenTime(text, at, zone);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const MONTHS =
  "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre";
const COUNT =
  "\\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|eighteen|twenty|thirty|sixty|ninety|a couple(?: of)?|a few|couple(?: of)?|few|an?";
/** A time that no calendar has: kept in the contact's words. */
const VAGUE = new RegExp(
  `\\b(?:(?:(?:first|second|third|last) (?:week|half|part) (?:of|in) |probably |maybe |sometime |some time |early |late |mid |middle of |end of |beginning of |start of |by |before |after |around |within |in |next |this |the |of |or |mid-|as |soon |like |during |over |right ){0,5}(?:${[
    "(?:spring|summer|fall|winter|christmas|thanksgiving|holiday) (?:break|vacation|recess)|spring|summer|fall|autumn|winter|primavera|verano|otono|invierno",
    "an? (?:year|month|week) or (?:two|so)|the year|this year|next year|new years?(?: day| eve)?|the new year|year end|holidays|christmas|xmas|x-mas|thanksgiving|the holidays|easter|any day(?: is fine)?|next week",
    "this month|next month|the month|next quarter|the quarter",
    "next wk|the week after next",
    "(?:mornings|afternoons|evenings|nights)(?: after (?:\\d{1,2}|six|five|seven|four))?",
    `(?:${MONTHS})(?: or (?:${MONTHS}))?`,
    `(?:${COUNT})(?: or (?:${COUNT})|-\\d{1,2}| to (?:${COUNT}))? (?:more )?(?:weeks?|months?|years?|yrs?|days?)`,
    "the sooner the better|asap|soon(?: as possible)?|not in (?:a|any) (?:rush|hurry)|right away|immediately|any ?time|whenever|as soon as possible|lo antes posible",
    "flexible|no rush|no hurry",
  ].join("|")})(?: sometime| maybe| probably| or so| from now| at the (?:earliest|latest)| after \\d{1,2})?)\\b`,
  "gi",
);
const OF_SOMETHING =
  /^(?:'s|s)? ?(?:old\b|exp\b|experience|of\b|in (?:the )?(?:trade|business|field)|ago\b|warranty|contract|lease)/i;
/** Said beside a time that means more. */
const WEAK = /^(?:as )?(?:soon|asap|right away|whenever|any ?time|flexible|no rush|no hurry|this year|as soon)$/i;
const SOMETIME = /\bsoon\b|\bwhenever\b/i;

function vagueIn(text: string): ReadValue | undefined {
  // "Every six months" is no time by itself, nor "four hours a day", nor "six years of experience".
  const all = [...text.matchAll(VAGUE)]
    .filter(({ index }) => !/\bevery $/i.test(text.slice(0, index)))
    .filter(({ 0: words }) => words === text.trim() || !/^an? (?:day|week|month|year)$/i.test(words.trim()))
    .filter(({ index, 0: words }) => !OF_SOMETHING.test(text.slice(index + words.length)))
    .map((match) => match[0].trim());
  const quote = all.find((words) => !WEAK.test(words)) ?? all[0];
  const bare = quote?.replace(/^(?:of|the|or|is|some) /i, "");
  return bare === undefined || bare === "" ? undefined : { value: bare, quote: bare };
}

/** Kept when it is the whole answer: `flexible`, `evenings after 6`. */
const AFTER_HOURS =
  /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day (?:mornings|afternoons|evenings|nights)|mornings|afternoons|evenings|nights|weekends|weekdays|any ?time (?:before|after) (?:\d{1,2}(?::\d\d)?|noon|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|any ?time|any (?:morning|afternoon|evening)|week ?day (?:mornings|evenings|afternoons))(?: (?:after|before|around) (?:\d{1,2}(?::\d\d)? ?(?:[ap]m)?|four|five|six|seven|eight)(?: thirty)?)?/i;

/** "The fifth", in answer to the question which day. */
function bareDay(said: Said): SpokenTime | undefined {
  const day =
    /^(?:(?:um|uh|ok|okay|yes|well|then|maybe|probably|around|about|its|on|lets say|make it) )*the (\w+(?:st|nd|rd|th))(?: works| is good| is fine| please| i think)?$/.exec(
      said.folded,
    )?.[1];
  const time = day === undefined ? undefined : timeIn({ ...said, text: `on the ${day}` });
  return time && { ...time, quote: said.text.trim() };
}

const DAY_NAME = "(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?";
const EITHER_DAY = new RegExp(`\\b${DAY_NAME} or ${DAY_NAME}\\b(?: (?:mornings?|afternoons?|evenings?))?`, "i");

/** `tuesday or thursday`: two days are no day yet, and no call is planned for either. */
export const eitherDayIn = (text: string): string | undefined => EITHER_DAY.exec(text)?.[0];

const MOST_OF_A_DAY = 6;
const NOT_THEN = /\b(?:not|no|never|except|but|cant|dont|doesnt|wont|off|out|closed|busy|bad|worst)\b/;
/** "Any Saturday", "Wednesdays": a day of each week, and no date. */
const USUAL_DAY =
  /\b(?:(?:any|every|most) (?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b(?: (?:or|and) (?:mon|tues|wednes|thurs|fri|satur|sun)days?)?(?: (?:mornings?|afternoons?|evenings?))?/i;

export type TimeKind = "date" | "time" | "moment" | "call_time" | "period";

/** A day, a time, both, or a period in words. `before`: what was known of it already, which a time alone completes. */
export function readTime(
  kind: TimeKind,
  said: Said,
  direct: boolean,
  before: string | undefined,
): ReadValue | undefined {
  const either = kind === "time" || kind === "period" ? undefined : eitherDayIn(said.text);
  if (either !== undefined) return { value: either, quote: either };
  const usual = kind === "date" || kind === "moment" ? USUAL_DAY.exec(said.text)?.[0] : undefined;
  const isWhole = said.folded.split(" ").length <= MOST_OF_A_DAY && !NOT_THEN.test(said.folded);
  const isAsked = said.acts.has("question") && !/\b(?:can|could|how about|what about|works?)\b/.test(said.folded);
  if (usual !== undefined && direct && isWhole && !isAsked && !/\d/.test(said.text))
    return { value: usual, quote: usual };
  const exact = timeIn(said) ?? (direct && kind !== "period" ? bareDay(said) : undefined);
  if (kind === "date" || kind === "moment") {
    const week = WEEK_OF.exec(said.text)?.[0];
    if (week !== undefined && direct) return { value: week, quote: week };
  }
  const general =
    kind === "time" || (exact?.hasDate && /\d|\b(?:at|noon|today|tomorrow)\b/.test(exact.quote))
      ? undefined
      : AFTER_HOURS.exec(said.text)?.[0].trim();
  if (
    (direct || kind === "moment" || (kind === "call_time" && /\bcall/.test(said.folded))) &&
    general !== undefined &&
    kind !== "date" &&
    kind !== "period"
  )
    return { value: general, quote: general };
  const last = direct ? COUNTED_DAY.exec(said.text)?.[0] : undefined;
  if (last !== undefined && kind !== "time" && exact === undefined) return { value: last, quote: last };
  const vague = kind === "period" ? vagueIn(said.text) : undefined;
  if (direct && vague !== undefined && WEAK.test(vague.value)) return eventIn(said) ?? vague;
  // When to be called is no time frame.
  if (vague !== undefined && /^(?:mornings|afternoons|evenings|nights)\b/i.test(vague.value)) return undefined;
  if (kind === "period") return vague ?? dated(said, "date") ?? (direct ? eventIn(said) : undefined);
  const time = exact;
  if (time === undefined || time.quote === "" || isEstimate(said))
    return direct ? vagueFor(kind, said.text) : undefined;
  const { localDate, localTime, quote, hasDate } = time;
  // "Three hours on Saturdays" is how often, and no day to begin on.
  if (!direct && hasDate && ((/days\b/i.test(quote) && !/\d|\bat\b/.test(quote)) || EACH_WEEK.test(said.text)))
    return undefined;
  if (hasDate && (isOver(said, quote) || (!direct && (isPast(said, quote) || areDaysInARow(said.folded)))))
    return undefined;
  // "Next week" is a day to nobody, and "Tuesday morning" has no hour yet.
  // "Any day but Tuesday" names the day that it is not.
  if (NOT_THE_DAY.test(said.text)) {
    const words = ANY_BUT.exec(said.text)?.[0];
    return direct && words !== undefined ? { value: words, quote: words } : undefined;
  }
  const counted = COUNTED_DAY.exec(said.text)?.[0];
  if (counted !== undefined) return { value: counted, quote: counted };
  if (hasDate && A_WEEK.test(quote)) return { value: quote, quote };
  const hasTime =
    time.hasTime &&
    !(
      hasDate &&
      /\b(?:morning|afternoon|evening|after work|manana|mañana|tarde)\b/i.test(quote) &&
      !HOUR_WORD.test(quote)
    );
  if (kind === "date") return hasDate ? { value: localDate, quote } : direct ? vagueFor(kind, said.text) : undefined;
  // "In the afternoon" is no hour: the words are kept, and where only an hour fits, nothing.
  const isPart = PART_OF_DAY.test(quote) && !/\d|\b(?:at|a las?|noon) /.test(quote);
  if (kind === "time") return hasTime && !isPart ? { value: localTime, quote } : undefined;
  if (isPart && !hasDate) return direct ? { value: quote, quote } : undefined;
  if (hasDate) return { value: hasTime ? `${localDate} ${localTime}` : localDate, quote };
  const day = before === undefined ? undefined : /^\d{4}-\d\d-\d\d/.exec(before)?.[0];
  if (day !== undefined) return { value: `${day} ${localTime}`, quote };
  return direct ? { value: localTime, quote } : undefined;
}

/** "Tuesdays and Fridays", "any Saturday": unasked, no day to come. */
const EACH_WEEK =
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days (?:and|or|&|,)|\b(?:any|every|each|most) (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/i;
const ONLY_A_TIME =
  /^(?:(?:um|uh|oh|ok|okay|well|maybe|probably|sometime|some time|like|about|around|i think|i guess|in|on|by|the|please) )*$/;

/** A text that is nothing but a time: `mid January`, `asap`, `next month`. */
export function isOnlyATime(said: Said): boolean {
  const quote = timeIn(said)?.quote || vagueIn(said.text)?.quote;
  if (quote === undefined || quote === "") return false;
  return ONLY_A_TIME.test(`${foldText(said.text.replace(quote, " "))} `) || foldText(said.text) === foldText(quote);
}

const WEEKDAY = /^(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:days?|sdays?|nesdays?|rsdays?|urdays?)?s?$/;

/** "Mon wed fri" is how often, not when. */
function areDaysInARow(folded: string): boolean {
  let run = 0;
  for (const word of folded.split(" ")) {
    if (WEEKDAY.test(word)) run++;
    else if (word !== "and") run = 0;
    if (run === 3) return true;
  }
  return false;
}

const PAST_VERB =
  /\b(?:called|filed|did|had|was|were|went|got|came|bought|put|paid|sent|saw|fixed|moved|started|happened|told|said|wrote|left|lost|broke|hit|signed|finished|sold|visited|spoke|talked) (?:\p{L}+ ){0,4}$/iu;

/** "He takes the test next Friday" is about the test. */
const OTHER_EVENT =
  /\b(?:takes?|has|have|gets?|got) (?:the|an?|his|her|my|their|our) (?:\p{L}+ )?(?:test|exam|appointment|surgery|game|birthday|party|wedding|interview|trip|flight|meeting) (?:on |this |next )?$/iu;

const aheadOf = (text: string, quote: string): string =>
  text.slice(Math.max(0, text.indexOf(quote) - 50), Math.max(0, text.indexOf(quote)));

/** `last tuesday` is no day to come; `the last saturday in november` is. */
const isOver = ({ text }: Said, quote: string): boolean =>
  /\blast $/i.test(aheadOf(text, quote)) && !COUNTED_DAY.test(text);

/** `my wife called them on tuesday`: a day on which something was done. */
const isPast = ({ text }: Said, quote: string): boolean => {
  const clause = aheadOf(text, quote)
    .split(/[.,;!?]| but | so | and /)
    .at(-1)!;
  if (OTHER_EVENT.test(clause)) return true;
  return PAST_VERB.test(clause.replace(/\b(?:on|this|the) $/i, ""));
};

/** A part of the day is no date, and "whenever" no appointment. */
function vagueFor(kind: TimeKind, text: string): ReadValue | undefined {
  const found = vagueIn(text);
  if (found === undefined || /^whenever$/i.test(found.value)) return undefined;
  return kind === "date" && /mornings|afternoons|evenings|nights/i.test(found.value) ? undefined : found;
}

const HOUR_WORD =
  /\d|\b(?:at|a las?|noon|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|quarter)\b/i;
const PART_OF_DAY =
  /\b(?:morning|afternoon|evening|night|tonight|lunch|work|hours|day|eod|cob|first thing|manana|mañana|tarde|noche)\b/i;

const WEEK_OF =
  /\bthe (?:first|second|third|last) (?:week|half|part) (?:of|in) \p{L}+|\bthe week (?:of|after|before) \p{L}+(?: \w+)?/iu;
const EVENT =
  /\b(?:once|after|when|as soon as|until|till|before|not before|whenever) (?:my|our|the|we|i|school|they|he|she|it|you)\b[^.!?\n]{2,60}/i;

/** "After the kids are out of school": the words are the time. */
function eventIn({ text, acts }: Said): ReadValue | undefined {
  const quote = acts.has("question") || acts.has("call") ? undefined : EVENT.exec(text)?.[0].trim();
  return quote === undefined ? undefined : { value: quote, quote };
}

const ANY_BUT =
  /\bany ?(?:day|time|morning|afternoon|evening)?s? (?:but|except) (?:on )?\w+|\bany other (?:day|time)\b/i;
const NOT_THE_DAY =
  /\b(?:but|except|not) (?:on |for )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tues?|wed|thurs?|fri)\b/i;
/** "The first Monday in December", "the last Saturday of the month": nobody reckons it here, the words are kept. */
const COUNTED_DAY =
  /\b(?:some|any|one|a) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend) (?:in|of) \p{L}+|\b(?:first|second|third|last) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend) (?:in|of|after) (?:the )?\p{L}+|\blast day of \p{L}+|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|day) after (?:thanksgiving|christmas|xmas|new years?|easter)/iu;

const A_WEEK = /^(?:\w+ )?(?:next week|(?:this |the |next |over the )?weekend|end of (?:the|this) week)$/i;

/** "In two weeks" is a day to nobody; "in two days" is. */
const isEstimate = ({ folded }: Said): boolean =>
  /\b(?:in|within) (?:about |like |a |the )?(?:couple|few|\d+|one|two|three|four|five|six)(?: of)? (?:months?|years?)\b/.test(
    folded,
  ) || SOMETIME.test(folded);

function dated(said: Said, kind: "date"): ReadValue | undefined {
  const time = timeIn(said);
  return kind === "date" && time?.hasDate ? { value: time.localDate, quote: time.quote } : undefined;
}
