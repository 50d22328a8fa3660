import type { Numeral } from "#adapters/dialog-words/numerals.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Slot } from "./slot.ts";

/** What a number counts, each with the words for it. */
const UNITS: readonly (readonly [unit: string, words: RegExp])[] = [
  ["year", /^(?:years?|yrs?|anos?|yo)$/],
  ["month", /^(?:months?|mos?|mths?|meses|mes)$/],
  ["week", /^(?:weeks?|wks?|semanas?)$/],
  ["day", /^(?:days?|dias?)$/],
  ["hour", /^(?:hours?|hrs?|horas?)$/],
  ["minute", /^(?:minutes?|mins?)$/],
  ["pound", /^(?:pounds?|lbs?)$/],
  ["kilo", /^(?:kilos?|kilograms?|kgs?)$/],
  ["percent", /^(?:%|percent|pct)$/],
  ["mile", /^miles?$/],
  ["foot", /^(?:feet|foot|ft|footers?|sq|square|sqft)$/],
  ["acre", /^acres?$/],
  ["story", /^(?:story|stories|storeys?|floors?|levels?)$/],
  ["window", /^windows?$/],
  ["bedroom", /^(?:br|bd|bdrms?|beds?|bedrooms?)$/],
  ["bath", /^(?:ba|baths?|bathrooms?)$/],
  ["person", /^(?:people|persons?|ppl|guests?|adults?|kids?|children|users?|attendees)$/],
  ["session", /^(?:sessions?|lessons?|times|x)$/],
];
/** Of what a field that names no unit is an amount: an age is in years. */
const IMPLIED: readonly (readonly [words: RegExp, unit: string])[] = [
  [/\bpercent|\binterest rate\b|\bapr\b/, "percent"],
  [/\bmileage\b/, "mile"],
  [/\bin pounds\b|\bweight\b/, "pound"],
  [/\b(?:square feet|square footage)\b/, "foot"],
  [/\b(?:age|old)\b|\bexperience\b/, "year"],
];

export const unitOfWord = (word: string): string | undefined =>
  UNITS.find(([, words]) => words.test(foldText(word) || word))?.[0];

/** The unit that a number is followed by, if any: `45 lbs`, `18-month-old`. */
export const unitOf = ({ after }: Pick<Numeral, "after">): string | undefined =>
  after === "" ? undefined : unitOfWord(after);

const remembered = new WeakMap<Slot, string | undefined>();

/** What a field counts: `how many months they need it`, `the dog's weight in pounds`, `the child's age`. */
export function unitOfSlot(slot: Slot): string | undefined {
  if (remembered.has(slot)) return remembered.get(slot);
  const unit =
    readUnit(`${slot.words.join(" ")} ${slot.field.description ?? ""}`.toLowerCase()) ??
    unitOfWord(slot.words.at(-1) ?? "");
  remembered.set(slot, unit);
  return unit;
}

function readUnit(about: string): string | undefined {
  const counted = /\b(?:how many|number of|in) (\p{L}+)/u.exec(about)?.[1];
  const unit = counted === undefined ? undefined : unitOfWord(counted);
  return unit ?? IMPLIED.find(([words]) => words.test(about))?.[1];
}

const MONTHS_A_YEAR = 12;

/** A number in the field's own unit, or undefined where its unit is another: eighteen months are 1.5 years, and two miles are no pounds. */
export function inUnitOf(slot: Slot, number: Numeral): number | undefined {
  const [own, wanted] = [unitOf(number), unitOfSlot(slot)];
  // "About ten feet from one" is no number of trees.
  if (wanted === undefined && own !== undefined && LENGTHS.has(own)) return undefined;
  if (own === undefined || wanted === undefined || own === wanted) return number.value;
  if (own === "year" && wanted === "month") return number.value * MONTHS_A_YEAR;
  // Ten months of age are no round number of years.
  if (own === "month" && wanted === "year")
    return number.value % (MONTHS_A_YEAR / 2) === 0 ? number.value / MONTHS_A_YEAR : undefined;
  // "Four kids" may be four drivers or four guests; of time and measures only one is meant.
  return MEASURES.has(own) || MEASURES.has(wanted) ? undefined : number.value;
}

const LENGTHS: ReadonlySet<string> = new Set("pound kilo mile foot acre minute".split(" "));
const MEASURES: ReadonlySet<string> = new Set(
  "year month week day hour minute pound kilo percent mile foot acre story window bedroom bath session".split(" "),
);
/** Units of which a field is rarely one of two: with them a number is for it, whatever was asked. */
const TELLING: ReadonlySet<string> = new Set("pound percent foot story window month session hour mile".split(" "));

/** `45 lbs` for a weight: the number is for this field though something else was asked. */
export const isByUnit = (slot: Slot, number: Numeral): boolean => {
  const own = unitOf(number);
  return own !== undefined && TELLING.has(own) && own === unitOfSlot(slot);
};

const MONTH =
  /^(?:jan|january|feb|february|mar|march|apr|april|may|jun|june|jul|july|aug|august|sep|sept|september|oct|october|nov|november|dec|december)$/;

/** A day of a month is no count: `Dec 2`, `2 December`. */
export const isDayOfMonth = ({ before, after, value }: Numeral): boolean =>
  value >= 1 && value <= 31 && (MONTH.test(before) || (MONTH.test(after) && after !== "may" && after !== "march"));
