import { digitRunsIn, type Numeral, numeralsIn } from "./numerals.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";

const CURRENCY = /^(?:bucks?|dollars?|usd|cad|dolares|pesos)$/;
/** What a number counts when it is no money. */
const COUNTS =
  /^(?:am|pm|a\.m|p\.m|oclock|o'clock|years?|yrs?|months?|weeks?|days?|hours?|hrs?|minutes?|mins?|beds?|bedrooms?|baths?|bathrooms?|rooms?|people|kids?|drivers?|cars?|miles|percent|%|st|nd|rd|th|sq|square|acres?|times?|street|ave|avenue|road|anos|personas)$/;
/** What stands between the two numbers of a range, trimmed. */
const RANGE = /^(?:-|–|to|and|or|a|y)(?: (?:like|about|maybe|around))?(?: ?[$€£])?$/i;
const CLOCK_BEFORE = /^(?:at|til|till|until|by|after|before)$/;
const CODE_BEFORE = /^(?:in|zip|code|zipcode|live|near|at)$/;

/** An amount of money: digits, or a range of two. `direct`: it answers the question for it, so a bare number counts. */
export function readMoney(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const read = readAmount(slot, said, direct);
  // Nobody asks 385 dollars for a home.
  if (read === undefined || !/\basking price\b/.test(slot.words.join(" "))) return read;
  return { ...read, value: read.value.replace(/^\d{2,3}(?=-\d{2,3}$|$)|(?<=-)\d{2,3}$/g, "$&000") };
}

function readAmount(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const numbers = numeralsIn(said.text);
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
    const low = second.value >= 1_000 && first.value < 1_000 && grown < second.value ? grown : first.value;
    if (low < second.value && slot.field.type !== "number") return { value: `${low}-${second.value}`, quote };
    if (low < second.value) return { value: String(low), quote };
  }
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

const scaleOf = (value: number): number => (value >= 1_000_000 ? 1_000_000 : 1_000);

/** The last amount that is corrected to, else the first; what is surely money before what may be. */
const HOURLY = /^ ?(?:-? ?[$€£]?\d+ ?)?(?:\/ ?|an? |per |la |al |each )(?:hr|hour|h|month|mo|mes|hora)\b/i;

function bestAmount(numbers: readonly Numeral[], text: string, direct: boolean, slot: Slot): number {
  const sure = numbers.findIndex(
    (number) =>
      isMoney(number) ||
      HOURLY.test(text.slice(number.to, number.to + 20)) ||
      (direct && isCued(slot, text, number) && isAmount(number, true, text)),
  );
  if (sure >= 0) return numbers[sure]!.value > 0 ? sure : -1;
  return direct ? numbers.findIndex((number) => isAmount(number, true, text) && number.value > 0) : -1;
}

const isMoney = (number: Numeral): boolean =>
  !COUNTS.test(number.after) &&
  // "From two thousand twelve to two thousand sixteen" are years.
  !(
    number.value >= 1_950 &&
    number.value <= 2_035 &&
    /^(?:in|from|since|to|until|till|of|around)$/.test(number.before)
  ) &&
  (/^[$€£]$/.test(number.sign) ||
    CURRENCY.test(number.after) ||
    (number.scaled && (number.digits || number.value >= 1_000)));

function isAmount(number: Numeral, direct: boolean, text: string): boolean {
  if (isMoney(number)) return true;
  if (!direct || (COUNTS.test(number.after) && text[number.to] !== "/") || isClockOrDate(number, text)) return false;
  if (CLOCK_BEFORE.test(number.before) && number.value <= 12) return false;
  const written = text.slice(number.from, number.to);
  if (number.value === 1 && !number.digits) return false;
  if (/^(?:19[5-9]\d|20[0-3]\d)$/.test(written) && number.value !== 2_000 && text.trim().length > written.length + 12)
    return false;
  // Five bare digits after "in" or "zip" are a place.
  return !(CODE_BEFORE.test(number.before) && /^\d{5}$/.test(text.slice(number.from, number.to)));
}

/** `my budget is 15000`, `bill is like one eighty`: a word of the slot stands right before the number. */
function isCued({ stems }: Slot, text: string, number: Numeral): boolean {
  const ahead = text.slice(Math.max(0, number.from - 40), number.from).toLowerCase();
  return (
    [...stems].some((stem) => stem.length > 2 && ahead.includes(stem)) &&
    !isClockOrDate(number, text) &&
    !COUNTS.test(number.after)
  );
}

const isClockOrDate = (number: Numeral, text: string): boolean =>
  /^[:/]\d/.test(text.slice(number.to, number.to + 2)) ||
  /\d[:/]$/.test(text.slice(Math.max(0, number.from - 2), number.from));

const NONE =
  /^(?:(?:um|uh|i have|ive got|i got|have) )*(?:none|zero|no experience|not any|nothing|never done it|no years)\b|\bno (?:prior |previous )?experience\b/;
const ALONE =
  /^(?:(?:um|uh|its|it s|it is|thats|well|oh|nah|no|only) )*(?:(?:just|only)? ?(?:me|myself|one driver)(?: only| myself| driving)?$|(?:just|only) me\b(?! and))/;
const TWO =
  /\b(?:me and my (?:wife|husband|spouse|partner|girlfriend|boyfriend|son|daughter|mom|dad)|(?:my )?(?:wife|husband|spouse|partner) and (?:me|i|myself)|(?:the )?(?:two|2|both) of us|a couple of us)\b(?! and)/i;
const OLD = /^(?:years?|yrs?|yr|años?|anos?)$/;
const COUPLE = /\b(?:a )?couple(?: of)? (?:years?|yrs?)\b/;

/** Built, put on or replaced in a year: its age follows. */
const SINCE = /\b(?:in|since|from|around) ((?:19[5-9]|20[0-3])\d)\b/i;

/** A count, or a number of years. */
export function readNumber(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const { text, folded } = said;
  const people = slot.stems.has("driver") || slot.stems.has("people") || slot.stems.has("person");
  if (people && direct && ALONE.test(folded)) return { value: "1", quote: text.trim() };
  if (
    people &&
    !said.acts.has("other_person") &&
    !/\b(?:son|daughter|kid|three|3)\b/.test(folded.replace(TWO, "")) &&
    TWO.test(folded)
  )
    return { value: "2", quote: TWO.exec(text)?.[0] ?? text.trim() };
  if (direct && slot.stems.has("experienc") && NONE.test(folded)) return { value: "0", quote: text.trim() };
  const couple = direct ? COUPLE.exec(text)?.[0] : undefined;
  if (couple !== undefined) return { value: "2", quote: couple };
  const long = digitRunsIn(text, 7);
  const numbers = numeralsIn(text)
    .filter((number) => !long.some(({ from, to }) => number.from >= from && number.to <= to))
    .filter(
      (number) =>
        !isMoney(number) &&
        !isClockOrDate(number, text) &&
        !/^(?:am|pm|a\.m|p\.m|%|percent|st|nd|rd|th)$/.test(number.after),
    );
  const counted = numbers.find((number) => counts(slot, number, text));
  const found =
    counted ??
    (direct
      ? (numbers.find(({ after }) => OLD.test(after)) ??
        numbers.find((number) => !/^\d{5,}$/.test(text.slice(number.from, number.to))))
      : undefined);
  const since = slot.stems.has("age") ? SINCE.exec(text) : null;
  const age = since === null ? 0 : said.at.getUTCFullYear() - Number(since[1]);
  if (since !== null && age >= 0 && counted === undefined) return { value: String(age), quote: since[0] };
  if (found === undefined) return undefined;
  // A year is no age and no count.
  if (found.value >= 1_900 && found.value <= 2_100) return undefined;
  if (direct && counted === undefined && /^(?:months?|weeks?|days?|hours?|minutes?)$/.test(found.after))
    return undefined;
  return { value: String(found.value), quote: text.slice(found.from, found.to) };
}

/** `3 drivers`, `ten years old` for a roof's age: the number counts what the slot is about. */
function counts(slot: Slot, number: Numeral, text: string): boolean {
  const noun = number.after.replace(/s$/, "");
  if (noun !== "" && slot.words.some((word) => word.replace(/s$/, "").startsWith(noun) && noun.length > 2)) {
    return !/^(?:year|yr)$/.test(noun) || near(slot, number, text);
  }
  if (OLD.test(number.after) && slot.stems.has("experienc") && !/^ ?\S+ (?:old|ago)\b/.test(text.slice(number.to)))
    return true;
  if (
    /^(?:br|bd|bdrm|bed|bdr|recamara|habitacion|habitacione|cuarto|dormitorio)$/.test(
      noun.normalize("NFKD").replace(/\p{M}/gu, ""),
    ) &&
    slot.words.some((word) => word.startsWith("bedroom"))
  )
    return true;
  return OLD.test(number.after) && near(slot, number, text);
}

/** Years of what: a word of the slot stands within a few words, `roof is 10 years old`, `8 years of experience`. */
function near({ stems }: Slot, number: Numeral, text: string): boolean {
  const around =
    `${text.slice(Math.max(0, number.from - 30), number.from)} ${text.slice(number.to, number.to + 45)}`.toLowerCase();
  return [...stems].some((stem) => !/^(?:year|age|number|old)$/.test(stem) && stem.length > 3 && around.includes(stem));
}
