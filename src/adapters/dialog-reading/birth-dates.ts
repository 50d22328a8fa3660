import { type ReadValue, type Said, whole } from "./said.ts";
import type { Slot } from "./slot.ts";

const OF_BIRTH = /\b(?:dob|born|birth ?dates?|birth ?days?|date of birth|birth)\b/;
/** A birthday that is celebrated, and a child that is expected, are days to come. */
const TO_COME = /\b(?:part(?:y|ies)|celebrat\w*|event|due|expect\w*|giving birth|give birth|month)\b/;

/** A field about the day somebody was born. */
export function isOfBirth({ words, field }: Slot): boolean {
  const about = `${words.join(" ")} ${field.name.replaceAll("_", " ")} ${field.description ?? ""}`.toLowerCase();
  return OF_BIRTH.test(about) && !TO_COME.test(about);
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const SPANISH_MONTHS = ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];
const MONTH_WORD =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)$/;
const UNITS = "oh one two three four five six seven eight nine".split(" ");
const TEENS =
  "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety".split(
    " ",
  );
const UNIT_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth".split(" ");
const TEEN_ORDINALS =
  "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth".split(
    " ",
  );

/** A number that begins at a word, with how many words it takes; the longer first. */
type Reading = { value: number; words: number };
type Day = { year: number; month: number; day: number };

const BIRTH_CUE = /\b(?:born|birth ?da(?:y|te)|bday|date of birth|dob|nacid?[oaí]|naci|nacimiento)\b/;
/** Days that were, and on which nobody was born. */
const OTHER_PAST =
  /\b(?:bought|built|married|moved|happened|accident|since|started|installed|diagnosed|hired|graduated|died|purchased|last)\b/;
/** Unasked, a date alone is one of birth when it lies this many years back. */
const LEAST_AGE = 5;
const MOST_AGE = 120;

/** `4/12/79`, `june second nineteen eighty five`, `born 3 Oct 1968`: a day that has been, in any of the usual forms. A day without a year is none. */
export function readBirth(said: Said, direct: boolean): ReadValue | undefined {
  const { folded, text, at } = said;
  const isCued = BIRTH_CUE.test(folded);
  if (text.includes("?") && !isCued) return undefined;
  const words = folded.split(" ");
  const found: { value: string; quote: string; year: number }[] = [];
  for (let from = 0; from < words.length; from++) {
    const read = dayAt(words, from, at, direct || isCued);
    if (read === undefined) continue;
    const { year, month, day } = read;
    const value = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
    found.push({ value, quote: quoteOf(words.slice(from, from + read.words), text), year });
    from += read.words - 1;
  }
  const values = new Set(found.map((one) => one.value));
  const first = said.acts.has("corrects") ? found.at(-1) : found[0];
  // Two days, of which nobody says which: a couple's, or one that was taken back.
  if (first === undefined || (values.size > 1 && !said.acts.has("corrects"))) return undefined;
  if (!direct && !isCued && (OTHER_PAST.test(folded) || at.getUTCFullYear() - first.year < LEAST_AGE)) return undefined;
  return { value: first.value, quote: first.quote };
}

function dayAt(words: readonly string[], from: number, at: Date, loosely: boolean): (Day & Reading) | undefined {
  for (const [day, length] of [
    ...yearFirst(words, from),
    ...monthFirst(words, from),
    ...dayFirst(words, from),
    ...(loosely ? [...inFigures(words, from), ...written(words[from]!)] : inFigures(words, from).filter(isLong)),
  ]) {
    const full = { ...day, year: inCentury(day.year, at) };
    const when = Date.UTC(full.year, full.month - 1, full.day);
    const isReal = new Date(when).getUTCDate() === full.day && full.month >= 1 && full.month <= 12;
    if (isReal && when <= at.getTime() && at.getUTCFullYear() - full.year < MOST_AGE)
      return { ...full, value: 0, words: length };
  }
  return undefined;
}

type Form = readonly [day: Day, words: number];

/** With a year of four digits: `4 12 79` may be anything to who was not asked. */
const isLong = ([{ year }]: Form): boolean => year >= 1_900;

/** Of two digits: the last such year that has begun. */
const inCentury = (year: number, at: Date): number =>
  year >= 100 ? year : year > at.getUTCFullYear() % 100 ? 1_900 + year : 2_000 + year;

/** `1979-04-12`. */
function yearFirst(words: readonly string[], from: number): Form[] {
  const [year, month, day] = words.slice(from, from + 3);
  if (!/^(?:19|20)\d\d$/.test(year ?? "") || !/^\d{1,2}$/.test(month ?? "") || !/^\d{1,2}$/.test(day ?? "")) return [];
  return [[{ year: Number(year), month: Number(month), day: Number(day) }, 3]];
}

/** `march 22 1990`, `july fourth seventy six`. */
function monthFirst(words: readonly string[], from: number): Form[] {
  const month = monthOf(words[from]);
  if (month === 0) return [];
  const start = from + (words[from + 1] === "the" ? 2 : 1);
  return daysAt(words, start).flatMap((day) =>
    yearsAt(words, start + day.words).map(
      (year): Form => [{ year: year.value, month, day: day.value }, start + day.words + year.words - from],
    ),
  );
}

/** `the ninth of february nineteen seventy one`, `3 Oct 1968`. */
function dayFirst(words: readonly string[], from: number): Form[] {
  return daysAt(words, from).flatMap((day) => {
    const at = from + day.words + (/^(?:of|de)$/.test(words[from + day.words] ?? "") ? 1 : 0);
    const month = monthOf(words[at]);
    if (month === 0) return [];
    return yearsAt(words, at + 1).map(
      (year): Form => [{ year: year.value, month, day: day.value }, at + 1 + year.words - from],
    );
  });
}

/** `4 12 79`, `30 12 1975`, `four twelve seventy nine`: the month before the day, where both could be one. */
function inFigures(words: readonly string[], from: number): Form[] {
  return daysAt(words, from).flatMap((first) =>
    daysAt(words, from + first.words).flatMap((second) =>
      yearsAt(words, from + first.words + second.words).flatMap((year): Form[] => {
        const length = first.words + second.words + year.words;
        // "Two kids, 4 and 6, 80 dollars": of figures that are not written together nothing more may follow.
        if (/^(?:dollars?|bucks|percent|years?|yrs?|k|lbs?|pounds)$/.test(words[from + length] ?? "")) return [];
        const isDayFirst = first.value > 12;
        const [month, day] = isDayFirst ? [second.value, first.value] : [first.value, second.value];
        return [[{ year: year.value, month, day }, length]];
      }),
    ),
  );
}

/** `04121979`. */
function written(word: string): Form[] {
  const parts = /^(\d\d)(\d\d)(\d{4})$/.exec(word);
  return parts === null ? [] : [[{ year: Number(parts[3]), month: Number(parts[1]), day: Number(parts[2]) }, 1]];
}

function monthOf(word: string | undefined): number {
  if (word === undefined || !MONTH_WORD.test(word)) return 0;
  const begin = word.slice(0, 3);
  return (MONTHS.indexOf(begin) >= 0 ? MONTHS.indexOf(begin) : SPANISH_MONTHS.indexOf(begin)) + 1;
}

function daysAt(words: readonly string[], at: number): Reading[] {
  const word = words[at] ?? "";
  if (/^\d{1,2}(?:st|nd|rd|th)?$/.test(word)) return inRange([{ value: Number.parseInt(word, 10), words: 1 }], 1, 31);
  if (word === "oh" || word === "zero")
    return smallAt(words, at + 1)
      .filter(({ value }) => value < 10)
      .map(({ value }) => ({ value, words: 2 }));
  const ordinal = UNIT_ORDINALS.indexOf(word);
  if (ordinal > 0) return [{ value: ordinal, words: 1 }];
  const teen = TEEN_ORDINALS.indexOf(word);
  if (teen >= 0) return [{ value: teen < 10 ? teen + 10 : teen === 10 ? 20 : 30, words: 1 }];
  const next = UNIT_ORDINALS.indexOf(words[at + 1] ?? "");
  const tens = word === "twenty" ? 20 : word === "thirty" ? 30 : 0;
  const composed = tens > 0 && next > 0 ? [{ value: tens + next, words: 2 }] : [];
  return inRange([...composed, ...smallAt(words, at)], 1, 31);
}

/** A number below a hundred, in words. */
function smallAt(words: readonly string[], at: number): Reading[] {
  const word = words[at] ?? "";
  const unit = UNITS.indexOf(word);
  if (unit > 0) return [{ value: unit, words: 1 }];
  const teen = TEENS.indexOf(word);
  if (teen < 0) return [];
  const value = teen < 10 ? teen + 10 : (teen - 8) * 10;
  const more = UNITS.indexOf(words[at + 1] ?? "");
  return [...(value >= 20 && more > 0 ? [{ value: value + more, words: 2 }] : []), { value, words: 1 }];
}

function yearsAt(words: readonly string[], start: number): Reading[] {
  const at = start + (/^(?:in|of|de|del)$/.test(words[start] ?? "") ? 1 : 0);
  const skipped = at - start;
  const word = words[at] ?? "";
  if (/^(?:19|20)\d\d$/.test(word) || /^\d\d$/.test(word)) return [{ value: Number(word), words: 1 + skipped }];
  if (word === "two" && words[at + 1] === "thousand") {
    const and = words[at + 2] === "and" ? 1 : 0;
    const more = smallAt(words, at + 2 + and).map(({ value, words: length }) => ({
      value: 2_000 + value,
      words: 2 + and + length + skipped,
    }));
    return [...more, { value: 2_000, words: 2 + skipped }];
  }
  const century = { nineteen: 1_900, twenty: 2_000 }[word];
  const oh = /^(?:oh|o)$/.test(words[at + 1] ?? "") ? 1 : 0;
  const inIt = (century === undefined ? [] : smallAt(words, at + 1 + oh))
    .filter(({ value }) => (oh === 1 ? value < 10 : value >= 10))
    .map(({ value, words: length }) => ({ value: century! + value, words: 1 + oh + length + skipped }));
  const short = smallAt(words, at).filter(({ value }) => value >= 10);
  return [...inIt, ...short.map(({ value, words: length }) => ({ value, words: length + skipped }))];
}

const inRange = (readings: readonly Reading[], least: number, most: number): Reading[] =>
  readings.filter(({ value }) => value >= least && value <= most);

/** Characters between two of the words of a date. */
const MOST_BETWEEN = 4;

/** The words as they stand in the text, or the beginning of it where something is between them. */
function quoteOf(words: readonly string[], text: string): string {
  const them = [...text.matchAll(/[\p{L}\d]+/gu)].map(({ 0: word, index }) => ({
    word,
    index,
    end: index + word.length,
  }));
  const isAt = (from: number): boolean =>
    words.every((word, i) => {
      const one = them[from + i];
      return one?.word.toLowerCase() === word && (i === 0 || one.index - them[from + i - 1]!.end <= MOST_BETWEEN);
    });
  const at = them.findIndex((_, from) => isAt(from));
  return at < 0 || words.length === 0 ? whole(text) : text.slice(them[at]!.index, them[at + words.length - 1]!.end);
}
