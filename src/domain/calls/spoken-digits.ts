/** A text with some words written as digits, and where each character of it was in the original. */
export type Respelled = { text: string; starts: readonly number[]; ends: readonly number[] };

type Word = { word: string; from: number; to: number; isNext: boolean };
type Read<T> = T & { end: number };
/** Words `begin` to `end` are written as `digits`. */
type Rule = (words: readonly Word[], begin: number) => Read<{ digits: string }> | undefined;

const UNITS = "one two three four five six seven eight nine".split(" ");
const TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ");
const SMALL = [...UNITS, ...TEENS];
const TENS = new Map([
  ["twenty", 20],
  ["thirty", 30],
  ["forty", 40],
  ["fourty", 40],
  ["fifty", 50],
]);
const ORDINALS =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(
    " ",
  );
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const NUMBERS = setOf(
  [...SMALL, ...TENS.keys(), "sixty seventy eighty ninety hundred thousand million oh zero point"].join(" "),
);
const MONTHS = setOf(
  "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec",
);
const SPANS = setOf("minute min hour hr day week month");
/** What two numbers before it count: two thirty year loans. */
const COUNTED = setOf(
  "year yr month week day hour hr minute min second k grand dollar buck cent percent people person guy kid child children bed bedroom bath bathroom room unit foot feet inch inches square sq acre mile mph pound lb gallon bill box boxes bag piece time thousand hundred million billion point old star of",
);
/** What is not counted and comes after a time that nothing before it marks as one. */
const AFTER_A_TIME = setOf(
  "am pm a p in at on or and to if is would works work sounds should will today tonight tomorrow tmrw this next every monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri please pls thanks thank ok okay then my your our time sharp ish oclock eastern central mountain pacific est pst cst mst edt pdt cdt mdt good great fine perfect appointment slot meeting call tour showing start for maybe but so because cause since when works i you we he she they it that's that yes yeah no sir maam ma'am",
);
const BEFORE_A_TIME = setOf("at @ after before by until till til from between around about");
const BEFORE_A_NUMBER = setOf(
  "unit apartment apt suite number room highway route exit channel i'm im extension zip code",
);
/** A price is said as a time is: under three fifty. */
const OF_VALUES = setOf(
  "budget price priced max maximum limit cost costs rent under over pay paid paying spend spending worth than offer offered below above owe owed salary score credit weigh dollars",
);
const STREETS = setOf("street st avenue ave road rd drive lane ln boulevard blvd court highway parkway");

/** The text with the days of the month, lengths of time and years that are said in words written as digits. */
export const withSpokenDays = (text: string): Respelled => respelled(text, dayRule);

/** The text with the times of day in it written as digits: `2:30`, `9pm`. `besideDay`: it names a day, so two numbers are a time. */
export const withSpokenTimes = (text: string, besideDay: boolean): Respelled =>
  respelled(text, (words, begin) => timeRule(words, begin, besideDay));

function respelled(text: string, rule: Rule): Respelled {
  const words = wordsOf(text);
  let out = "";
  let copied = 0;
  const starts: number[] = [];
  const ends: number[] = [];
  const copyTo = (to: number) => {
    for (; copied < to; copied++) {
      out += text[copied];
      starts.push(copied);
      ends.push(copied + 1);
    }
  };
  for (let begin = 0; begin < words.length; begin++) {
    const read = rule(words, begin);
    if (read === undefined) continue;
    copyTo(words[begin]!.from);
    const { to } = words[read.end - 1]!;
    for (let i = 0; i < read.digits.length; i++) {
      starts.push(copied);
      ends.push(to);
    }
    out += read.digits;
    copied = to;
    begin = read.end - 1;
  }
  copyTo(text.length);
  return { text: out, starts, ends };
}

function wordsOf(text: string): Word[] {
  let end = 0;
  return [...text.matchAll(/[a-z0-9']+|@/g)].map(({ 0: word, index }) => {
    const between = text.slice(end, index);
    end = index + word.length;
    return { word, from: index, to: end, isNext: between === " " || between === "-" };
  });
}

/** The word at `i` if nothing but a space is before it. */
const next = (words: readonly Word[], i: number): string | undefined => (words[i]?.isNext ? words[i]!.word : undefined);

const singular = (word: string): string => (word.length > 2 && word.endsWith("s") ? word.slice(0, -1) : word);

/** 1 to 59. */
function cardinal(words: readonly Word[], begin: number): Read<{ value: number }> | undefined {
  const word = words[begin]!.word;
  const tens = TENS.get(word);
  if (tens !== undefined) {
    const unit = UNITS.indexOf(next(words, begin + 1) ?? "") + 1;
    return { value: tens + unit, end: begin + (unit > 0 ? 2 : 1) };
  }
  const value = SMALL.indexOf(word) + 1;
  return value > 0 ? { value, end: begin + 1 } : undefined;
}

/** 1 to 31. */
function ordinal(words: readonly Word[], begin: number): Read<{ value: number }> | undefined {
  const { word } = words[begin]!;
  if (word === "thirtieth") return { value: 30, end: begin + 1 };
  const tens = TENS.get(word);
  const unit = tens === undefined ? undefined : ORDINALS.indexOf(next(words, begin + 1) ?? "") + 1;
  if (tens !== undefined && unit! >= 1 && unit! <= 9 && tens + unit! <= 31)
    return { value: tens + unit!, end: begin + 2 };
  const value = ORDINALS.indexOf(word) + 1;
  return value > 0 ? { value, end: begin + 1 } : undefined;
}

const dayRule: Rule = (words, begin) => {
  const before = begin > 0 ? words[begin - 1]!.word : "";
  const beforeThat = begin > 1 ? words[begin - 2]!.word : "";
  const isBehindMonth = words[begin]!.isNext && (MONTHS.has(before) || (before === "the" && MONTHS.has(beforeThat)));
  const named = ordinal(words, begin);
  if (named) {
    const after = next(words, named.end);
    const month = after === "of" ? next(words, named.end + 1) : after === "may" ? undefined : after;
    const isFree = words[named.end] === undefined || after === undefined || AFTER_A_TIME.has(after);
    const isDay = before === "the" && (named.value > 10 || DAY_PREPOSITIONS.has(beforeThat));
    const isFollowed = before === "the" && WEEKDAYS.has(beforeThat) && after === "around";
    const isOfMonth = after === "of" && month === "next" && next(words, named.end + 2) === "month";
    if (isBehindMonth || MONTHS.has(month ?? "") || isOfMonth || isFollowed || (isDay && isFree))
      return { digits: `${named.value}th`, end: named.end };
  }
  const count = cardinal(words, begin);
  if (count === undefined) return undefined;
  const after = next(words, count.end) ?? "";
  const year = words[begin]!.word === "twenty" && after === "twenty" ? cardinal(words, begin + 1) : undefined;
  if (year && year.value > 20 && !COUNTED.has(singular(next(words, year.end) ?? "")))
    return { digits: `20${year.value}`, end: year.end };
  if (SPANS.has(singular(after)) && LENGTH_PREPOSITIONS.has(before))
    return { digits: `${count.value}`, end: count.end };
  const isAlone = !NUMBERS.has(after) || after === "twenty";
  const isDay = isBehindMonth && before !== "may" && count.value <= 31 && isAlone;
  return isDay && !COUNTED.has(singular(after)) && meridiem(words, count.end) === undefined
    ? { digits: `${count.value}`, end: count.end }
    : undefined;
};
const DAY_PREPOSITIONS = setOf(
  "on by until till til before after for monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun",
);
const WEEKDAYS = setOf(
  "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun",
);
const LENGTH_PREPOSITIONS = setOf("in about around like maybe another");

/** `p m`, `p.m`, `pm`. */
function meridiem(words: readonly Word[], begin: number): Read<{ half: string }> | undefined {
  const word = words[begin];
  if (word === undefined || !(word.isNext || word.from === words[begin - 1]?.to)) return undefined;
  if (word.word === "am" || word.word === "pm") return { half: word.word, end: begin + 1 };
  const m = words[begin + 1];
  return (word.word === "a" || word.word === "p") && m?.word === "m" && m.from - word.to <= 2
    ? { half: `${word.word}m`, end: begin + 2 }
    : undefined;
}

/** Ten past, 05, thirty five. */
function minutes(words: readonly Word[], begin: number): Read<{ value: number; isSaid: boolean }> | undefined {
  const word = next(words, begin);
  if (word === undefined) return undefined;
  if (/^[0-5]\d$/.test(word)) return { value: +word, end: begin + 1, isSaid: false };
  if (word === "oh" || word === "o" || word === "zero") {
    const unit = UNITS.indexOf(next(words, begin + 1) ?? "") + 1;
    return unit > 0 ? { value: unit, end: begin + 2, isSaid: true } : undefined;
  }
  const read = cardinal(words, begin);
  return read && read.value >= 10 ? { ...read, isSaid: true } : undefined;
}

const two = (value: number): string => String(value).padStart(2, "0");

function hourOf(word: string): number | undefined {
  const hour = /^\d{1,2}$/.test(word) ? +word : SMALL.indexOf(word) + 1;
  return hour >= 1 && hour <= 12 ? hour : undefined;
}

function timeRule(words: readonly Word[], begin: number, besideDay: boolean): ReturnType<Rule> {
  const { word } = words[begin]!;
  const together = /^(1[0-2]|[1-9])([0-5]\d)([ap]m)?$/.exec(word);
  if (together) {
    const half = together[3] ? { half: together[3], end: begin + 1 } : meridiem(words, begin + 1);
    return half && { digits: `${together[1]}:${together[2]}${half.half}`, end: half.end };
  }
  const hour = hourOf(word);
  if (hour === undefined) return pastRule(words, begin);
  const minute = minutes(words, begin + 1);
  const end = minute?.end ?? begin + 1;
  const time = minute ? `${hour}:${two(minute.value)}` : `${hour}`;
  const half = meridiem(words, end);
  if (half) return { digits: `${time}${half.half}`, end: half.end };
  const part = partOfDay(words, end);
  if (part && !(hour === 12 && part.isTonight)) return { digits: `${time}${part.half}`, end };
  if (RANGES.has(next(words, end) ?? "") && words[end + 1] && isHalfNamed(words, end + 1)) return { digits: time, end };
  if (minute === undefined || !isTime(words, begin, end, minute.isSaid, besideDay)) return pastRule(words, begin);
  return { digits: time, end };
}
const RANGES = setOf("to and or");

/** Eight in the morning, twelve at night. */
function partOfDay(words: readonly Word[], begin: number): { half: string; isTonight: boolean } | undefined {
  const [first, second, third] = [0, 1, 2].map((i) => next(words, begin + i));
  if (first === "tonight") return { half: "pm", isTonight: true };
  if (first === "at" && second === "night")
    return { half: hourOf(words[begin - 1]!.word) === 12 ? "am" : "pm", isTonight: false };
  if (!(first === "in" && second === "the")) return undefined;
  if (third === "morning") return { half: "am", isTonight: false };
  return third === "afternoon" || third === "evening" ? { half: "pm", isTonight: false } : undefined;
}

/** Two and four thirty p m. */
function isHalfNamed(words: readonly Word[], begin: number): boolean {
  if (hourOf(words[begin]!.word) === undefined) return false;
  return meridiem(words, minutes(words, begin + 1)?.end ?? begin + 1) !== undefined;
}

/** Whether an hour and minutes are a time: they may count, or be a price, an address, a phone number. */
function isTime(words: readonly Word[], begin: number, end: number, isSaid: boolean, besideDay: boolean): boolean {
  const before = begin > 0 ? words[begin - 1]!.word : "";
  const after = next(words, end);
  if (words[begin]!.isNext && (NUMBERS.has(before) || BEFORE_A_NUMBER.has(before) || /^\d/.test(before))) return false;
  if (after !== undefined && (NUMBERS.has(after) || COUNTED.has(singular(after)) || /^\d/.test(after))) return false;
  if (words.slice(end, end + 3).some(({ word }) => STREETS.has(word))) return false;
  if (BEFORE_A_TIME.has(before)) return true;
  if (!isSaid || words.slice(Math.max(0, begin - 3), begin).some(({ word }) => OF_VALUES.has(word))) return false;
  return besideDay || after === undefined || AFTER_A_TIME.has(after);
}

/** Ten past two, twenty minutes to five. Not `ten to two`, which is four hours. */
function pastRule(words: readonly Word[], begin: number): ReturnType<Rule> {
  const number = /^\d{1,2}$/.test(words[begin]!.word)
    ? { value: +words[begin]!.word, end: begin + 1 }
    : cardinal(words, begin);
  if (number === undefined || number.value > 30) return undefined;
  const isNamed = singular(next(words, number.end) ?? "") === "minute";
  const side = next(words, number.end + (isNamed ? 1 : 0)) ?? "";
  const at = number.end + (isNamed ? 2 : 1);
  const hour = words[at]?.isNext ? hourOf(words[at]!.word) : undefined;
  const isBefore = TO.has(side) && (isNamed || number.value >= 20);
  if (hour === undefined || !(isBefore || PAST.has(side)) || NUMBERS.has(next(words, at + 1) ?? "")) return undefined;
  if (COUNTED.has(singular(next(words, at + 1) ?? ""))) return undefined;
  const time = isBefore ? `${hour === 1 ? 12 : hour - 1}:${two(60 - number.value)}` : `${hour}:${two(number.value)}`;
  const half = meridiem(words, at + 1);
  return half ? { digits: `${time}${half.half}`, end: half.end } : { digits: time, end: at + 1 };
}
const TO = setOf("to til till before of");
const PAST = setOf("past after");
