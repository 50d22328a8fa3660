import { CLOCK_BEFORE, isClockOrDate, isMoney } from "./amounts.ts";
import { digitRunsIn, type Numeral, numeralsIn } from "./numerals.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";
import { timeIn } from "./time-values.ts";

const NONE =
  /^(?:(?:um|uh|i have|ive got|i got|have) )*(?:none|zero|no experience|not any|nothing|never done it|no years)\b|\bno (?:prior |previous )?experience\b/;
const ALONE =
  /^(?:(?:um|uh|its|it s|it is|thats|well|oh|nah|no|only) )*(?:(?:just|only)? ?(?:me|myself|one driver)(?: only| myself| driving)?$|(?:just|only) me\b(?! and))/;
const TWO =
  /\b(?:me and my (?:wife|husband|spouse|partner|girlfriend|boyfriend|son|daughter|mom|dad)|(?:my )?(?:wife|husband|spouse|partner) and (?:me|i|myself)|(?:the )?(?:two|2|both) of us|a couple of us)\b(?! and)/i;
const isRate = ({ words, field }: Slot): boolean =>
  /\b(?:rate|percent|percentage|apr)\b/.test(`${words.join(" ")} ${field.description ?? ""}`);
const ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" ");
const GRADE = new RegExp(
  `\\b(?:${ORDINALS.slice(1).join("|")}|1st|2nd|3rd|\\d{1,2}th|freshman|sophomore)\\b|\\bgrade (?:\\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\\b`,
  "i",
);
const TIMES = /\b(?:once|twice|three times)\b/i;
const FRACTIONS: readonly (readonly [RegExp, number])[] = [
  [/^ and a half\b/i, 0.5],
  [/^ and a quarter\b/i, 0.25],
  [/^ and three quarters\b/i, 0.75],
  [/^ and an eighth\b/i, 0.125],
  [/^ and three eighths\b/i, 0.375],
  [/^ and five eighths\b/i, 0.625],
  [/^ and seven eighths\b/i, 0.875],
];
const NONE_OF_THEM =
  /^(?:(?:um|uh|oh|well|nope|no) )*(?:none|zero|not (?:a single )?one|never had (?:one|any)|never)\b/;

/** Counts that no plain number says: `seventh grade`, `twice a week`, `none`, `six and a quarter`. */
function countedIn(slot: Slot, { text, folded }: Said): ReadValue | undefined {
  if (slot.stems.has("grad")) {
    const quote = GRADE.exec(text)?.[0];
    if (quote === undefined) return undefined;
    const word = quote.toLowerCase().replace(/^grade /, "");
    const named = ORDINALS.indexOf({ freshman: "ninth", sophomore: "tenth" }[word] ?? word);
    return {
      value: named > 0 ? String(named) : String(numeralsIn(word)[0]?.value ?? Number.parseInt(word, 10)),
      quote,
    };
  }
  const times = /\b(?:a|per|each|every) (?:day|week|month|year)\b/.test(folded) ? TIMES.exec(text)?.[0] : undefined;
  if (times !== undefined) return { value: { once: "1", twice: "2" }[times.toLowerCase()] ?? "3", quote: times };
  if (NONE_OF_THEM.test(folded) && !/\d|\b(?:one|two|three|four|five|six)\b/.test(folded.replace(NONE_OF_THEM, "")))
    return { value: "0", quote: text.trim() };
  for (const number of numeralsIn(text)) {
    const fraction = FRACTIONS.find(([pattern]) => pattern.test(text.slice(number.to)));
    if (fraction === undefined || !Number.isInteger(number.value)) continue;
    const quote = text.slice(number.from, number.to) + fraction[0].exec(text.slice(number.to))![0];
    return { value: String(number.value + fraction[1]), quote };
  }
  return undefined;
}

const RELATIVES =
  /\b(?:wife|husband|spouse|partner|son|daughter|teen|teenager|mom|mother|dad|father|brother|sister|roommate|girlfriend|boyfriend|friend)\b/g;

/** `me my wife and our daughter`, `me plus three`. */
function personsIn(folded: string): number | undefined {
  if (
    !/\b(?:me|myself|i)\b/.test(folded) ||
    /\b(?:kids|children|sons|daughters|friends|only|just|off|without|not|no)\b/.test(folded)
  )
    return undefined;
  const plus = /\bme (?:and|plus) (\w+)(?: others?| more)?$/.exec(folded)?.[1];
  const more = plus === undefined ? undefined : numeralsIn(plus)[0]?.value;
  if (more !== undefined) return more + 1;
  const others = folded.match(RELATIVES)?.length ?? 0;
  return others >= 2 && numeralsIn(folded).length === 0 ? others + 1 : undefined;
}

const OLD = /^(?:years?|yrs?|yr|años?|anos?)$/;
const COUPLE = /\b(?:a )?couple(?: of)? (?:years?|yrs?)\b/;

/** Built, put on or replaced in a year: its age follows. */
const SINCE = /\b(?:in|since|from|around|house,) ((?:19[5-9]|20[0-3])\d)\b/i;
const SPOKEN_YEAR =
  /\b(?:in|since|from|around) (twenty (?:ten|eleven|twelve|\w+teen|twenty(?: \w+)?)|two thousand(?: and)?(?: \w+){1,2}|nineteen \w+ty(?: \w+)?)\b/i;

function yearIn(text: string): { value: number; quote: string } | undefined {
  const written = SINCE.exec(text);
  if (written !== null) return { value: Number(written[1]), quote: written[0] };
  const said = SPOKEN_YEAR.exec(text);
  if (said === null) return undefined;
  const [century, ...rest] = said[1]!.toLowerCase().split(" ");
  const inCentury = century === "two" ? undefined : numeralsIn(rest.join(" "))[0]?.value;
  const value =
    century === "two" ? numeralsIn(said[1]!)[0]?.value : (century === "twenty" ? 2_000 : 1_900) + (inCentury ?? 0);
  return value !== undefined && value >= 1_950 && value <= 2_035 ? { value, quote: said[0] } : undefined;
}

/** A count, or a number of years. */
export function readNumber(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const { text, folded } = said;
  const people = ["driver", "peopl", "person", "guest", "adult", "attende"].some((word) => slot.stems.has(word));
  if (people && direct && ALONE.test(folded)) return { value: "1", quote: text.trim() };
  if (
    people &&
    !said.acts.has("other_person") &&
    !/\b(?:son|daughter|kid|three|3)\b/.test(folded.replace(TWO, "")) &&
    TWO.test(folded)
  )
    return { value: "2", quote: TWO.exec(text)?.[0] ?? text.trim() };
  const named = people && direct ? personsIn(folded) : undefined;
  if (named !== undefined) return { value: String(named), quote: text.trim() };
  if (direct && slot.stems.has("experienc") && NONE.test(folded)) return { value: "0", quote: text.trim() };
  const half = direct ? /\b(?:a|one) year and a half\b|\bhalf a year\b/i.exec(text)?.[0] : undefined;
  if (half !== undefined) return { value: half.startsWith("half") ? "0.5" : "1.5", quote: half };
  const couple = direct ? COUPLE.exec(text)?.[0] : undefined;
  if (couple !== undefined) return { value: "2", quote: couple };
  const counted = direct ? countedIn(slot, said) : undefined;
  if (counted !== undefined) return counted;
  const time = timeIn(said);
  const long = digitRunsIn(text, 5).filter(({ digits }) => digits.length === 5 || digits.length >= 7);
  const numbers = numeralsIn(text)
    .filter((number) => !long.some(({ from, to }) => number.from >= from && number.to <= to))
    .filter(
      (number) =>
        !isMoney(number) &&
        !isClockOrDate(number, text) &&
        !(CLOCK_BEFORE.test(number.before) && time?.hasTime) &&
        !/^(?:am|pm|a\.m|p\.m|st|nd|rd|th)$/.test(number.after) &&
        (isRate(slot) || !/^(?:%|percent)$/.test(number.after)),
    );
  const about = numbers.find((number) => counts(slot, number, text));
  const found =
    about ??
    (direct
      ? (numbers.find(({ after }) => OLD.test(after)) ??
        numbers.find((number) => !/^\d{5,}$/.test(text.slice(number.from, number.to))))
      : undefined);
  const built = slot.stems.has("age") && about === undefined ? yearIn(text) : undefined;
  const age = built === undefined ? -1 : said.at.getUTCFullYear() - built.value;
  if (built !== undefined && age >= 0) return { value: String(age), quote: built.quote };
  if (found === undefined) return undefined;
  // A year is no age and no count.
  if (found.value >= 1_900 && found.value <= 2_100) return undefined;
  if (direct && about === undefined && /^(?:months?|weeks?|days?|hours?|minutes?)$/.test(found.after)) return undefined;
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
  if (/^ ?of us\b/i.test(text.slice(number.to)) && slot.stems.has("peopl")) return true;
  return OLD.test(number.after) && near(slot, number, text);
}

/** Years of what: a word of the slot stands within a few words, `roof is 10 years old`, `8 years of experience`. */
function near({ stems }: Slot, number: Numeral, text: string): boolean {
  const around =
    `${text.slice(Math.max(0, number.from - 30), number.from)} ${text.slice(number.to, number.to + 45)}`.toLowerCase();
  return [...stems].some((stem) => !/^(?:year|age|number|old)$/.test(stem) && stem.length > 3 && around.includes(stem));
}
