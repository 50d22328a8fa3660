import { digitRunsIn, type Numeral, numeralsIn } from "#adapters/dialog-words/numerals.ts";
import { stem } from "#adapters/dialog-words/stems.ts";
import { foldText } from "#domain/values/fold.ts";
import { readAddress } from "./addresses.ts";
import { CLOCK_BEFORE, isClockOrDate, isMoney } from "./amounts.ts";
import { isSupposed } from "./not-theirs.ts";
import { groupOf, isOfOthers, isPeople, peopleIn } from "./people.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";
import { timeIn } from "./time-values.ts";
import { inUnitOf, isByUnit, isDayOfMonth, unitOf, unitOfSlot } from "./units.ts";
import { isYearOf, readYear } from "./years.ts";

const NONE =
  /^(?:(?:um|uh|i have|ive got|i got|have) )*(?:none|zero|no experience|not any|nothing|never done it|no years)\b|\bno (?:prior |previous )?experience\b/;
const isRate = ({ words, field }: Slot): boolean =>
  /\b(?:rate|percent|percentage|apr)\b/.test(`${words.join(" ")} ${field.description ?? ""}`);
const MOST_PERCENT = 40;
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
  const per = /\b(?:a|per|each|every) (day|week|month|year)\b/.exec(folded)?.[1];
  const wantedPer = /\b(?:a|per|each) (day|week|month|year)\b/i.exec(slot.field.description ?? slot.field.name)?.[1];
  // "Once a week" is no number of days a month.
  if (times !== undefined && wantedPer !== undefined && per !== wantedPer.toLowerCase()) return undefined;
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

const OLD = /^(?:years?|yrs?|yr|años?|anos?)$/;
const COUPLE = /\b(?:a )?couple(?: of)? (?:years?|yrs?)\b/;

/** Built, put on or replaced in a year: its age follows. */
const SINCE = /\b(?:in|since|from|around|house,) ((?:19[5-9]|20[0-3])\d)\b/i;
const SPOKEN_YEAR =
  /\b(?:in|since|from|around) (twenty (?:ten|eleven|twelve|\w+teen|twenty(?: \w+)?)|two thousand(?: and)?(?: \w+){1,2}|nineteen \w+ty(?: \w+)?)\b/i;

function yearIn(text: string): { value: number; quote: string } | undefined {
  const short = /\b(?:from|in|since) '?([5-9]\d)\b(?! ?(?:years?|yrs?|%))/i.exec(text);
  if (short !== null) return { value: 1_900 + Number(short[1]), quote: short[0] };
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

const RESULT =
  /\bso(?: that's| it's| that is| it is| about| like| maybe| now)? (\d{1,3}|\p{L}+(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)(?: (?:altogether|in all|total|in total|now|years?|yrs?|of us|people|days?))*[\s.!]*$/iu;

/** `three at one place and two at another so five`: what somebody reckoned up is the number. */
function resultIn(text: string): ReadValue | undefined {
  const quote = RESULT.exec(text)?.[1];
  const [number, second] = quote === undefined ? [] : numeralsIn(quote);
  return number === undefined || second !== undefined || quote === undefined
    ? undefined
    : { value: String(number.value), quote };
}

/** What speech-to-text writes for a number that stands alone or before what it counts. */
const HEARD = new Map([
  ["won", "1"],
  ["to", "2"],
  ["too", "2"],
  ["for", "4"],
  ["ate", "8"],
]);
const MISHEARD =
  /^(?:(?:um|uh|oh|well|probably|maybe|about|around|like|just|its|it s|id say|i think|i guess|she|he|shes|hes|turned|now) )*(won|to|too|for|ate)(?: (?:days?|weeks?|months?|years?|hours?|people|kids|guests|bedrooms?|sessions?|times)(?: (?:a|per) (?:day|week|month))?)?(?: (?:please|i think|i guess|maybe))*$/;

/** "For days a week" is four. */
function misheardIn({ text, folded }: Said): ReadValue | undefined {
  const value = HEARD.get(MISHEARD.exec(folded)?.[1] ?? "");
  return value === undefined ? undefined : { value, quote: text.trim() };
}

/** "A year" in months; of a field of years it says nothing more than "one". */
function aYearOf(slot: Slot, text: string): ReadValue | undefined {
  if (unitOfSlot(slot) !== "month") return undefined;
  const quote = /\b(?:half a year|a year and a half|(?:a|one|the whole|a whole) year)\b/i.exec(text)?.[0];
  if (quote === undefined) return undefined;
  return { value: /half a/i.test(quote) ? "6" : /and a half/i.test(quote) ? "18" : "12", quote };
}

/** `no claims`, `without kids`, `not behind`: none of what the field counts. */
function noneOf({ words }: Slot, { text, acts }: Said): ReadValue | undefined {
  const state = /\b(?:not|arent|aren't|am not) (?:really |actually |even )?(\p{L}{4,})/iu.exec(text);
  if (state !== null && words.at(-1) === state[1]!.toLowerCase() && words.length > 1 && !acts.has("question"))
    return { value: "0", quote: state[0] };
  const match = /\b(?:no|zero|without any|don'?t have any|haven'?t had any|never had any) (\p{L}+)/iu.exec(text);
  const noun = match?.[1]?.toLowerCase();
  if (match === null || noun === undefined || noun.length < 4 || acts.has("question")) return undefined;
  const same = words.some((word) => word.length > 3 && word.replace(/s$/, "") === noun.replace(/s$/, ""));
  return same ? { value: "0", quote: match[0] } : undefined;
}

/** `half a cord`, where cords are counted. */
function halfOf({ words }: Slot, text: string): ReadValue | undefined {
  const match = /\bhalf an? (\p{L}{3,})/iu.exec(text);
  const noun = match?.[1]?.toLowerCase();
  const isCounted = noun !== undefined && words.some((word) => word.replace(/s$/, "") === noun);
  return match !== null && isCounted ? { value: "0.5", quote: match[0] } : undefined;
}

/** "Four hours a day" is no number of hours a week. */
const PER = /^ ?\p{L}+ (?:a|an|per|each|every) (day|week|month|year)\b/iu;

const wantedPer = ({ field }: Slot): string | undefined =>
  /\b(?:a|per|each) (day|week|month|year)\b/i.exec(field.description ?? field.name)?.[1]?.toLowerCase();

function isOtherRate({ field }: Slot, { to }: Numeral, text: string): boolean {
  const per = PER.exec(text.slice(to, to + 30))?.[1]?.toLowerCase();
  const wanted = /\b(?:a|per|each) (day|week|month|year)\b/i.exec(field.description ?? field.name)?.[1]?.toLowerCase();
  return per !== undefined && wanted !== undefined && per !== wanted;
}

/** "Eleven twelve pounds", "ten to twelve thousand": the unit is said once, behind the second number. */
function isOfAnother(slot: Slot, number: Numeral, second: Numeral | undefined, text: string): boolean {
  if (second === undefined || !/^(?: |-| or | to | and )$/.test(text.slice(number.to, second.from))) return false;
  return inUnitOf(slot, second) === undefined || isMoney(second);
}

/** "He'll be four in March" is no age yet. */
const NOT_YET =
  /\b(?:(?:will|ll|gonna|going to|about to) (?:be|turn)|turns|turning|almost|nearly|not quite|hell be|shell be|itll be|theyll be|well be) (?:\p{L}+ )?$/iu;
const PRONOUN_ONE =
  /\b(?:have|has|had|got|get|want|wants|need|needs|take|find|buy|use|that|this|which|any|no|another|each|new|good|either|last|first|only|other|right|wrong|big|small|large|every|the|not)$/;

const isPronoun = ({ value, digits, before, from, to }: Numeral, text: string): boolean =>
  value === 1 &&
  !digits &&
  ((PRONOUN_ONE.test(before) && !/\b(?:just|only) the $/i.test(text.slice(Math.max(0, from - 12), from))) ||
    // "Just the regular one".
    (/\b(?:the|an?) \p{L}+ $/iu.test(text.slice(Math.max(0, from - 24), from)) &&
      /^(?:$|[.,!?\n]| (?:please|thanks|then))/.test(text.slice(to))));

/** "A hundred and twelve thousand on it" of a mileage is no money, nor "twenty four hundred" of square feet; "fifteen thousand" may be. */
const isOfMiles = (slot: Slot, { sign, after, value }: Numeral): boolean => {
  const unit = unitOfSlot(slot);
  const isOfFeet = unit === "foot" && value < 10_000 && value % 1_000 !== 0;
  return (unit === "mile" || isOfFeet) && !/[$€£]/.test(sign) && !/^(?:bucks?|dollars?|usd)$/.test(after);
};

/** "I work like two miles away" is no mileage. */
const isAWay = (slot: Slot, number: Numeral): boolean =>
  unitOf(number) === "mile" &&
  number.value < 1_000 &&
  slot.words.some((word) => word === "mileage" || word === "odometer");
/** "I make 4200". */
const EARNS = /\b(?:makes?|earns?|pays?|costs?|brings? in) $/i;

/** "Twenty by thirty feet" are two sides and no area. */
const isSide = ({ from, to }: Numeral, text: string): boolean =>
  /^ ?(?:by|x) ?[\p{L}\d]/iu.test(text.slice(to, to + 12)) ||
  /(?:\bby |\d ?x ?)$/i.test(text.slice(Math.max(0, from - 4), from));

/** Of people who come or live together nobody counts more: the number is a price. */
const MOST_PEOPLE = 10_000;

/** Of more numbers than a person writes in an answer none is looked at. */
const MOST_NUMBERS = 40;

/** A count, or a number of years. */
export function readNumber(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const { text, folded } = said;
  if (isYearOf(slot)) return readYear(said, direct);
  const none = noneOf(slot, said);
  if (none !== undefined) return none;
  const people = peopleIn(slot, said, direct);
  if (people !== undefined) return people;
  if (direct && slot.stems.has("experienc") && NONE.test(folded)) return { value: "0", quote: text.trim() };
  const result = direct ? (resultIn(text) ?? misheardIn(said)) : undefined;
  if (result !== undefined) return result;
  const length = direct ? aYearOf(slot, text) : undefined;
  if (length !== undefined) return length;
  const one =
    direct && unitOfSlot(slot) === "year"
      ? /(?<!half )\b(?:a|one) (?:year|yr)\b(?! (?:and|or|ago))/i.exec(text)?.[0]
      : undefined;
  if (one !== undefined && !/\d/.test(text)) return { value: "1", quote: one };
  const recent = direct && slot.stems.has("age") ? NEW.exec(text)?.[0] : undefined;
  if (recent !== undefined && !/\d/.test(text)) return { value: /last year/i.test(recent) ? "1" : "0", quote: recent };
  const half = direct ? /\b(?:a|one) year and a half\b|\bhalf a year\b/i.exec(text)?.[0] : undefined;
  if (half !== undefined) return { value: half.startsWith("half") ? "0.5" : "1.5", quote: half };
  const part = direct ? halfOf(slot, text) : undefined;
  if (part !== undefined) return part;
  const couple = direct ? COUPLE.exec(text)?.[0] : undefined;
  if (couple !== undefined) return { value: "2", quote: couple };
  const counted = direct ? countedIn(slot, said) : undefined;
  if (counted !== undefined) return counted;
  const time = timeIn(said);
  const long = digitRunsIn(text, 5).filter(
    ({ digits, from, to }) => (digits.length === 5 || digits.length >= 7) && !GROUPED.test(text.slice(from, to)),
  );
  const all = numeralsIn(text);
  if (all.length > MOST_NUMBERS) return undefined;
  const behind = new Map(all.map((number, index) => [number, all[index + 1]]));
  const address = readAddress(said, false)?.quote;
  const house = address === undefined ? -1 : text.indexOf(address);
  const isOfAddress = ({ from }: Numeral): boolean =>
    address !== undefined && from >= house && from < house + address.length;
  const numbers = all
    .filter((number) => !long.some(({ from, to }) => number.from >= from && number.to <= to))
    .filter(
      (number) =>
        !(isMoney(number) && !isOfMiles(slot, number)) &&
        !isAWay(slot, number) &&
        !EARNS.test(text.slice(Math.max(0, number.from - 12), number.from)) &&
        !isClockOrDate(number, text) &&
        !isDayOfMonth(number) &&
        !isPronoun(number, text) &&
        !isOtherRate(slot, number, text) &&
        !isOfAnother(slot, number, behind.get(number), text) &&
        !isOfOthers(slot, number) &&
        !isOfAddress(number) &&
        !isSupposed(text, number.from) &&
        !(unitOfSlot(slot) !== "year" && !isAge(slot) && isAgeAlone(number, text)) &&
        !isSide(number, text) &&
        !(number.after === "ish" && number.value <= 12 && (!direct || time?.hasDate === true)) &&
        !NOT_YET.test(text.slice(Math.max(0, number.from - 30), number.from)) &&
        inUnitOf(slot, number) !== undefined &&
        !(isPeople(slot) && number.value >= (number.scaled ? 1_000 : MOST_PEOPLE)) &&
        !(CLOCK_BEFORE.test(number.before) && time?.hasTime) &&
        !/^(?:am|pm|a\.m|p\.m|st|nd|rd|th)$/.test(number.after) &&
        (isRate(slot) || !/^(?:%|percent)$/.test(number.after)),
    );
  const extreme = extremeIn(slot, numbers, text);
  if (extreme !== undefined) return extreme;
  const about = numbers.find((number) => counts(slot, number, text));
  if (about === undefined && direct && countThings(numbers)) return undefined;
  const found =
    about ??
    (direct
      ? (numbers.find(({ after }) => OLD.test(after)) ??
        numbers.find((number) => !/^\d{5,}$/.test(text.slice(number.from, number.to))))
      : undefined);
  const begins = slot.stems.has("age") || (slot.stems.has("experienc") && /\bsince\b/.test(folded));
  // "15-20 years": the first of the two, which it is at least.
  const lower =
    found && numbers.find(({ to }) => to < found.from && /^(?: ?- ?| or | to )$/.test(text.slice(to, found.from)));
  const built = begins && (about === undefined || slot.stems.has("experienc")) ? yearIn(text) : undefined;
  const age = built === undefined ? -1 : said.at.getUTCFullYear() - built.value;
  if (built !== undefined && age >= 0) return { value: String(age), quote: built.quote };
  if (found === undefined) return undefined;
  // A year is no age and no count.
  if (found.value >= 1_900 && found.value <= 2_100) return undefined;
  const unit = unitOf(found);
  const isOther = /^(?:months?|weeks?|days?|hours?|minutes?)$/.test(found.after) && unit !== unitOfSlot(slot);
  const value = lower?.value ?? inUnitOf(slot, found);
  if (value === undefined || (direct && about === undefined && isOther && value === found.value)) return undefined;
  // Nobody pays 220 percent.
  if (isRate(slot) && value > MOST_PERCENT) return undefined;
  return { value: String(value), quote: text.slice(lower?.from ?? found.from, found.to) };
}

/** "Two doors and five windows", of entry points: which of them it is nobody knows. */
const countThings = (numbers: readonly Numeral[]): boolean =>
  new Set(
    numbers
      .map(({ after }) => after)
      .filter((noun) => noun.length > 3 && !OF_TIME_OR_SIZE.test(noun) && /s$/.test(noun)),
  ).size > 1;
const OF_TIME_OR_SIZE = /^(?:years|months|weeks|days|hours|minutes|mins|inches|pounds|miles|times|acres|kids|adults)$/;

const LEAST = /\b(?:youngest|smallest)\b/i;
const MOST = /\b(?:oldest|eldest|biggest|largest)\b/i;

/** `one is 4 and the other 7` of the youngest: of two ages the one that is asked for. */
function extremeIn(slot: Slot, numbers: readonly Numeral[], text: string): ReadValue | undefined {
  const about = `${slot.words.join(" ")} ${slot.field.description ?? ""}`;
  const isLeast = LEAST.test(about);
  if ((!isLeast && !MOST.test(about)) || numbers.length < 2 || numbers.length > MOST_AGES) return undefined;
  // Two people and how old they are: only numbers that count nothing else are ages.
  const ages = numbers.filter(
    (number) =>
      number.after === "" ||
      unitOf(number) === "year" ||
      !/^\p{L}/u.test(number.after) ||
      AGE_BEHIND.test(number.after),
  );
  const values = ages.flatMap((number) => {
    const value = inUnitOf(slot, number);
    return value === undefined ? [] : [{ value, quote: text.slice(number.from, number.to) }];
  });
  if (values.length < 2 || values.length !== ages.length) return undefined;
  const sorted = values.toSorted((one, other) => one.value - other.value);
  const read = isLeast ? sorted[0]! : sorted.at(-1)!;
  return { value: String(read.value), quote: read.quote };
}
const AGE_BEHIND = /^(?:and|or|the|yo|y\/o|month|months|mos?|but|so)$/;
const MOST_AGES = 6;

/** `3 drivers`, `ten years old` for a roof's age: the number counts what the slot is about. */
function counts(slot: Slot, number: Numeral, text: string): boolean {
  if (isByUnit(slot, number)) return true;
  // "Four people six nights a week", of so many dinners a week.
  const per = PER.exec(text.slice(number.to, number.to + 30))?.[1];
  if (per !== undefined && wantedPer(slot) === per.toLowerCase()) return true;
  const group = groupOf(slot.words);
  if (group !== undefined && group === groupOf([number.after])) return true;
  const ahead = text.slice(Math.max(0, number.from - 40), number.from);
  if (unitOf(number) === undefined && isNamedRightBefore(slot, ahead)) return true;
  if (isAge(slot) && isAgeOfSomebody(ahead, text.slice(number.to))) return true;
  if (isAge(slot) && unitOf(number) === "year" && isWholePart(number, text)) return true;
  const noun = number.after.replace(/s$/, "");
  // "Two dogs" is no dog's weight.
  if (MEASURED.has(unitOfSlot(slot) ?? "") && unitOf(number) === undefined) return false;
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
  if (
    isPeople(slot) &&
    /^(?:people|persons?|ppl|guests?|adults?|attendees|folks|guys|employees|staff|workers|techs|drivers|passengers|heads)$/.test(
      number.after,
    )
  )
    return true;
  // "Prune the apple trees, about six of them".
  if (unitOfSlot(slot) === undefined && /^ ?of (?:them|those|em)\b/i.test(text.slice(number.to))) return true;
  if (/^ ?of us\b/i.test(text.slice(number.to)) && slot.stems.has("peopl")) return true;
  return OLD.test(number.after) && near(slot, number, text);
}

/** Put on, built or bought last year or this one. */
const NEW =
  /\b(?:new|put (?:it )?(?:on|in)|replaced|redone|installed|built|bought)\b(?: it)? (?:just )?(?:last year|this year|this (?:spring|summer|fall))\b|\b(?:last year|this year)(?= it was (?:built|replaced|put|installed))/i;

/** `61,500`, of a text that writes numbers in groups. */
const GROUPED = /^\d{1,3},\d{3}$/;
const BETWEEN: ReadonlySet<string> = new Set(
  "is are was its at of prob probably around about like maybe roughly only just almost nearly i think uh um right over under close to say".split(
    " ",
  ),
);
const SAYS_NOTHING = /^(?:numb|count|total|amount|how|many|much|year|month|week|day|hour|what|time|size)$/;

/** `mileage prob around 61,500`: the very word of the field and then its number. */
function isNamedRightBefore({ words, stems }: Slot, ahead: string): boolean {
  if (/[.;!?]$/.test(ahead.trimEnd())) return false;
  const word = foldText(ahead)
    .split(" ")
    .findLast((one) => !BETWEEN.has(one));
  if (word === undefined || word.length < 4) return false;
  const base = stem(word);
  return !SAYS_NOTHING.test(base) && stems.has(base) && words.some((own) => stem(own) === base);
}

/** `he's uh fifty two`, `11 both of them`; what a number counts is no age. */
const SOMEBODY_IS =
  /\b(?:(?:he|she|they)(?:'?s| is|'?re| are)|(?:he|she|they|i) (?=(?:just )?turned)|(?:i'm|im|i am))(?: ?(?:uh|um|about|almost|only|just|now|turned|like|is|a)(?= |,))*[ ,]+$/i;
const OLD_OR_END =
  /^(?:\s*$|[.,;!?\n]| ?(?:years? old|yrs? old|yo\b|y\/o|now\b|and\b|but\b|so\b|both\b|each\b|if\b|i think))/i;

const isAgeOfSomebody = (ahead: string, behind: string): boolean =>
  (SOMEBODY_IS.test(ahead) && OLD_OR_END.test(behind)) ||
  (/\bde $/i.test(ahead) && /^ a[nñ]os?\b/i.test(behind)) ||
  /^ ?(?:both|each)\b(?! (?:time|day|week|month))/i.test(behind);

/** "They're nine and eleven", "she is 7": how old somebody is counts nothing. */
const ARE_OLD =
  /\b(?:they|he|she)(?:'?s| is| are|'?re) (?:(?:about|almost|only|just|now|like|already) )?(?:(?:\d{1,2}|\p{L}+) and )?$/iu;
const isAgeAlone = ({ from, to, after }: Numeral, text: string): boolean =>
  ARE_OLD.test(text.slice(Math.max(0, from - 40), from)) &&
  /^(?:\s*$|[.,;!?\n]| (?:years? old|and\b|so\b|but\b|now\b))/i.test(text.slice(to)) &&
  after !== "of";

const MEASURED: ReadonlySet<string> = new Set(["pound", "kilo", "percent", "foot", "mile"]);
const isAge = ({ words }: Slot): boolean => words.includes("age");

/** `Poodle, 3 yrs, 45 lbs`: the part between commas is the number and what it counts. */
function isWholePart({ from, to }: Numeral, text: string): boolean {
  const ahead = text.slice(Math.max(0, from - 3), from).trimEnd();
  const behind = /^[ -]?\p{L}+(?:[ -]old)?\s*(.?)/u.exec(text.slice(to, to + 20))?.[1] ?? "";
  return /^(?:|.*[,;.\n])$/s.test(ahead) && /^[,;.\n]?$/.test(behind);
}

/** Years of what: a word of the slot stands within a few words, `roof is 10 years old`, `8 years of experience`. */
function near({ stems }: Slot, number: Numeral, text: string): boolean {
  const around =
    `${text.slice(Math.max(0, number.from - 30), number.from)} ${text.slice(number.to, number.to + 45)}`.toLowerCase();
  return [...stems].some((stem) => !/^(?:year|age|number|old)$/.test(stem) && stem.length > 3 && around.includes(stem));
}
