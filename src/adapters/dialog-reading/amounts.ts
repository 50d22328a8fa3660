import { digitRunsIn, type Numeral, numeralsIn } from "#adapters/dialog-words/numerals.ts";
import { isSupposed } from "./not-theirs.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";
import { timeIn } from "./time-values.ts";
import { isDayOfMonth } from "./units.ts";

const CURRENCY = /^(?:bucks?|dollars?|usd|cad|dolares|pesos)$/;
/** What a number counts when it is no money. */
const COUNTS =
  /^(?:am|pm|a\.m|p\.m|oclock|o'clock|years?|yrs?|months?|weeks?|days?|hours?|hrs?|minutes?|mins?|beds?|bedrooms?|baths?|bathrooms?|rooms?|people|kids?|drivers?|cars?|miles|percent|%|st|nd|rd|th|sq|square|acres?|times?|street|ave|avenue|road|anos|personas)$/;
/** What stands between the two numbers of a range, trimmed. */
const RANGE = /^(?:-|–|to|and|or|a|y|maybe)(?: (?:like|about|maybe|around))?(?: ?[$€£])?$/i;
export const CLOCK_BEFORE = /^(?:at|til|till|until|by|after|before)$/;
const CODE_BEFORE = /^(?:in|zip|code|zipcode|live|near|at)$/;

/** An amount of money: digits, or a range of two. `direct`: it answers the question for it, so a bare number counts. */
export const owesNothing = (slot: Slot, said: Said): boolean =>
  OWED.test(aboutOf(slot)) && OWES_NOTHING.test(said.text) && !said.acts.has("question");

export function readMoney(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const nothing =
    OWED.test(aboutOf(slot)) && !said.acts.has("question") ? OWES_NOTHING.exec(said.text)?.[0] : undefined;
  if (nothing !== undefined) return { value: "0", quote: nothing };
  const read = readAmount(slot, said, direct);
  // Nobody asks 385 dollars for a home.
  if (read === undefined || !OF_A_HOME.test(`${slot.words.join(" ")} ${slot.field.description ?? ""}`)) return read;
  return { ...read, value: read.value.replace(/^\d{2,3}(?=-\d{2,3}$|$)|(?<=-)\d{2,3}$/g, "$&000") };
}

const OF_A_HOME =
  /\basking price\b|\b(?:home|house|property) (?:is (?:really |now )?)?(?:value|worth)\b|\bassessed value\b|\bvalue of (?:their|your|the) (?:home|house|property)\b|\bmortgage\b/i;
const IN_THOUSANDS = /\b(?:budget|price|balance|income|salary|loan|debt|savings|revenue|value)\b/;

/** "About seven" for a budget may be seven thousand: a doubtful value is none. */
export function isDoubtfulAmount({ words }: Slot, { value, quote }: ReadValue, { text }: Said): boolean {
  if (!IN_THOUSANDS.test(words.join(" ")) || !(Number(value) < 100)) return false;
  const at = text.indexOf(quote);
  const unit = /^ ?(\p{L}+)/u.exec(text.slice(at + quote.length))?.[1]?.toLowerCase() ?? "";
  return !/[$€£]/.test(text.slice(Math.max(0, at - 2), at)) && !CURRENCY.test(unit);
}

const BY_THE_MONTH = /\b(?:month|monthly|bill|premium|payment)\b/;
const aboutOf = ({ words, field }: Slot): string => `${words.join(" ")} ${field.description ?? ""}`.toLowerCase();

/** "Sixty four ninety nine" a month are 64.99, and "twenty two five" of what is counted in thousands 22,500. */
function inPieces(slot: Slot, text: string, numbers: readonly Numeral[]): ReadValue | undefined {
  const [first, second, more] = numbers;
  // Read as one number by who knows no month: 6,499.
  const isPrice = first !== undefined && !first.digits && !first.scaled && first.value > 1_000 && first.value < 10_000;
  const isBill = /\bbill\b|\ba month\b/.test(aboutOf(slot)) && !/\b(?:rent|mortgage|income)\b/.test(aboutOf(slot));
  const hasCents = first !== undefined && (first.value % 10 !== 0 || (isBill && first.value >= 2_000));
  if (isPrice && second === undefined && hasCents && BY_THE_MONTH.test(aboutOf(slot)))
    return { value: (first.value / 100).toFixed(2), quote: text.slice(first.from, first.to) };
  if (first === undefined || second === undefined || more !== undefined || first.digits || second.digits)
    return undefined;
  const quote = text.slice(first.from, second.to);
  // "A hundred seventy two dollars and forty cents".
  const cents = /^cents?$/.test(second.after) && second.value < 100;
  if (cents && CURRENCY.test(first.after)) return { value: (first.value + second.value / 100).toFixed(2), quote };
  if (second.from !== first.to + 1 || first.scaled || second.scaled || COUNTS.test(second.after)) return undefined;
  if (BY_THE_MONTH.test(aboutOf(slot)) && first.value >= 10 && second.value >= 10 && second.value < 100)
    return { value: (first.value + second.value / 100).toFixed(2), quote };
  const isLarge = IN_THOUSANDS.test(slot.words.join(" ")) && first.value >= 20 && first.value < 100;
  return isLarge && second.value < 10 ? { value: String(first.value * 1_000 + second.value * 100), quote } : undefined;
}

/** "In the low 400s": no amount, kept as it was said. */
const NEARLY =
  /\b(?:in the |the )?(?:low|lower|mid|middle|high|upper)(?: to (?:mid|high|upper))? (?:\$?\d{1,3}0?s|(?:hundred|twent|thirt|fort|fift|sixt|sevent|eight|ninet)(?:ie)?s|(?:two|three|four|five|six|seven|eight|nine) hundreds|(?:four|five|six|seven|eight|nine)s|(?:five|six|seven) figures)\b/i;

function readAmount(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  // Of a card's number or an account's nothing is an amount.
  const long = digitRunsIn(said.text, LONGEST_AMOUNT + 1);
  const numbers = numeralsIn(said.text).filter(
    ({ from, to }) =>
      !long.some((run) => from >= run.from && to <= run.to && !said.text.slice(run.from, run.to).includes(",")),
  );
  const nearly = direct && slot.field.type !== "number" ? NEARLY.exec(said.text)?.[0] : undefined;
  if (nearly !== undefined && !numbers.some(isMoney)) return { value: nearly, quote: nearly };
  const pieces = direct ? inPieces(slot, said.text, numbers) : undefined;
  if (pieces !== undefined) return pieces;
  const mayBeTime = said.acts.has("later") || said.acts.has("call");
  const cued = (direct && !mayBeTime) || numbers.some((number) => isCued(slot, said.text, number));
  const index = bestAmount(numbers, said.text, cued, slot);
  if (
    index < 0 ||
    /\b(?:promise|guarantee)\b/.test(said.folded) ||
    (!direct && said.acts.has("question") && !isCued(slot, said.text, numbers[index]!))
  )
    return undefined;
  const earlier = numbers[index - 1];
  const ranges =
    earlier !== undefined &&
    RANGE.test(said.text.slice(earlier.to, numbers[index]!.from).trim()) &&
    isAmount(earlier, true, said.text);
  const first = ranges && earlier.value < numbers[index]!.value ? earlier : numbers[index]!;
  const second = first === earlier ? numbers[index] : numbers[index + 1];
  if (
    second !== undefined &&
    RANGE.test(said.text.slice(first.to, second.from).trim()) &&
    isAmount(second, true, said.text)
  ) {
    const quote = said.text.slice(first.from, second.to);
    // "250-300k": the unit is said once.
    const grown = first.value * scaleOf(second.value);
    const hundreds = first.value * 100;
    // "Two to three hundred".
    if (first.value < 10 && second.scaled && second.value < 1_000 && hundreds < second.value)
      return { value: slot.field.type === "number" ? String(hundreds) : `${hundreds}-${second.value}`, quote };
    const low = second.value >= 1_000 && first.value < 1_000 && grown < second.value ? grown : first.value;
    if (low < second.value && slot.field.type !== "number") return { value: `${low}-${second.value}`, quote };
    if (low < second.value) return { value: String(low), quote };
  }
  const time = isMoney(first) ? undefined : timeIn(said);
  const word = said.text.slice(first.from, first.to);
  // "Monday at four thirty", "you only hold a hundred eighty".
  if (time?.hasDate && time.hasTime && time.quote.includes(word)) return undefined;
  if (!isMoney(first) && OF_YOURS.test(said.text.slice(Math.max(0, first.from - 40), first.from))) return undefined;
  // "Eighteen fifty an hour".
  const hourly =
    /\bhourly\b|\bhour\b/i.test(slot.field.description ?? slot.field.name) &&
    first.value >= 1_000 &&
    first.value < 10_000
      ? first.value / 100
      : first.value;
  return {
    value: hourly === first.value ? String(first.value) : hourly.toFixed(2),
    quote: said.text.slice(first.from, first.to),
  };
}

/** `1,380/yr` for a yearly fee, `90 a month` for a monthly payment. */
const PERIODS: readonly (readonly [said: RegExp, wanted: RegExp])[] = [
  [
    /^ ?(?:dollars |bucks )?(?:\/ ?|an? |per |each |every )(?:yr|year)\b/i,
    /\b(?:a year|per year|yearly|annual(?:ly)?)\b/,
  ],
  [/^ ?(?:dollars |bucks )?(?:\/ ?|an? |per |each |every )(?:mo|month)\b/i, /\b(?:a month|per month|monthly)\b/],
  [/^ ?(?:dollars |bucks )?(?:\/ ?|an? |per |each |every )(?:wk|week)\b/i, /\b(?:a week|per week|weekly)\b/],
  [/^ ?(?:dollars |bucks )?(?:\/ ?|an? |per |each )(?:hr|hour)\b/i, /\b(?:an hour|per hour|hourly)\b/],
];

const isOfPeriod = (slot: Slot, behind: string): boolean =>
  PERIODS.some(([said, wanted]) => said.test(behind) && wanted.test(aboutOf(slot)));

/** `paid off`, `owe nothing`: what is owed is nothing. */
const OWED = /\b(?:owed?|owes|balance|loan|mortgage|debt)\b/;
const OWES_NOTHING =
  /\b(?:paid off(?! (?:in|by|next|soon))|paid in full|owe (?:nothing|zero)|(?:dont|do not) owe (?:anything|a thing|any)|nothing (?:left|owed|owing)|(?:no|without a) (?:mortgage|loan|balance)|free and clear|own it outright)\b/i;

const LONGEST_AMOUNT = 9;

const OF_YOURS =
  /\b(?:you|you guys|y'?all) (?:only |just |said |can |could ){0,2}(?:hold|take|have|fit|said|seat|do|charge|offer)s? (?:about |only |up to |around )?$/i;

const scaleOf = (value: number): number => (value >= 1_000_000 ? 1_000_000 : 1_000);

/** The last amount that is corrected to, else the first; what is surely money before what may be. */
const HOURLY = /^ ?(?:-? ?[$€£]?\d+ ?)?(?:\/ ?|an? |per |la |al |each )(?:hr|hour|h|month|mo|mes|hora)\b/i;

function bestAmount(numbers: readonly Numeral[], text: string, direct: boolean, slot: Slot): number {
  // "Five fifty five seventy": where one number ends and the next begins nobody knows.
  const run = numbers.some(
    (number, index) =>
      !number.digits && !number.scaled && numbers[index + 1]?.from === number.to + 1 && !numbers[index + 1]!.digits,
  );
  if (run && numbers.every((number) => !isMoney(number))) return -1;
  const sure = numbers.findIndex(
    (number) =>
      isMoney(number) ||
      HOURLY.test(text.slice(number.to, number.to + 20)) ||
      (direct && isCued(slot, text, number) && isAmount(number, true, text)),
  );
  if (sure >= 0) return numbers[sure]!.value > 0 ? sure : -1;
  return direct ? numbers.findIndex((number) => isAmount(number, true, text) && number.value > 0) : -1;
}

export const isMoney = (number: Numeral): boolean =>
  !COUNTS.test(number.after) &&
  // "From two thousand twelve to two thousand sixteen" are years.
  !(
    number.value >= 1_950 &&
    number.value <= 2_035 &&
    /^(?:in|from|since|to|until|till|of|around)$/.test(number.before)
  ) &&
  (/^[$€£]$/.test(number.sign) ||
    CURRENCY.test(number.after) ||
    (number.value >= 1_000 && /^(?:max|tops|maximum)$/.test(number.after)) ||
    (number.scaled && (number.digits || number.value >= 1_000)));

function isAmount(number: Numeral, direct: boolean, text: string): boolean {
  if (isMoney(number)) return true;
  // "In the low 400s" is no amount.
  if (/^s\b/.test(text.slice(number.to)) || isHourOf(number, text)) return false;
  if (!direct || (COUNTS.test(number.after) && text[number.to] !== "/") || isClockOrDate(number, text)) return false;
  if (isDayOfMonth(number) || isSupposed(text, number.from)) return false;
  if (CLOCK_BEFORE.test(number.before) && number.value <= 12) return false;
  const written = text.slice(number.from, number.to);
  if (number.value === 1 && !number.digits) return false;
  if (/^(?:19[5-9]\d|20[0-3]\d)$/.test(written) && number.value !== 2_000 && text.trim().length > written.length + 12)
    return false;
  // Five bare digits after "in" or "zip" are a place.
  return !(CODE_BEFORE.test(number.before) && /^\d{5}$/.test(text.slice(number.from, number.to)));
}

/** `my budget is 15000`, `bill is like one eighty`: a word of the slot stands right before the number. */
function isCued(slot: Slot, text: string, number: Numeral): boolean {
  const { stems } = slot;
  if (isOfPeriod(slot, text.slice(number.to, number.to + 20))) return true;
  const ahead = text.slice(Math.max(0, number.from - 40), number.from).toLowerCase();
  return (
    [...stems].some((stem) => stem.length > 2 && ahead.includes(stem)) &&
    !isClockOrDate(number, text) &&
    !COUNTS.test(number.after)
  );
}

/** `mon 10-12`, `tuesday between 9 and 11`: hours of a day that is named, and no amounts. */
const DAY_AHEAD =
  /\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?(?: (?:at|between|from|around|after|before|morning|afternoon))*(?: \d{1,2} ?(?:-|to|and))? ?$/i;

const isHourOf = ({ value, from }: Numeral, text: string): boolean =>
  value <= 12 && DAY_AHEAD.test(text.slice(Math.max(0, from - 40), from));

export const isClockOrDate = (number: Numeral, text: string): boolean =>
  /^[:/]\d/.test(text.slice(number.to, number.to + 2)) ||
  /\d[:/]$/.test(text.slice(Math.max(0, number.from - 2), number.from));
