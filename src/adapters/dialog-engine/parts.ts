import { actsIn } from "#adapters/dialog-reading/acts.ts";
import { isMoney } from "#adapters/dialog-reading/amounts.ts";
import type { ReadValue, Said } from "#adapters/dialog-reading/said.ts";
import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { isClause, wantsThing } from "#adapters/dialog-reading/things.ts";
import { unitOfWord } from "#adapters/dialog-reading/units.ts";
import { readValue } from "#adapters/dialog-reading/values.ts";
import { numeralsIn } from "#adapters/dialog-words/numerals.ts";
import { stem } from "#adapters/dialog-words/stems.ts";
import { foldText } from "#domain/values/fold.ts";
import type { State } from "./state.ts";

/** A value with the words it was read from. */
export type Read = { slot: Slot; value: string; quote: string };

const WHOLE: ReadonlySet<string> = new Set(["interest", "yes_no", "choice"]);
const NUMERIC: ReadonlySet<string> = new Set(["money", "number"]);
const TEMPORAL: ReadonlySet<string> = new Set(["date", "time", "moment", "call_time", "period"]);

export function readOf(slot: Slot, said: Said, text: string): Read | undefined {
  const read = readValue(slot, { ...said, text, folded: foldText(text), acts: new Set() }, true);
  return read === undefined ? undefined : { slot, ...read, quote: read.quote.replace(/^the (?=\d)/, "") };
}

const isOpenFor = (slot: Slot, found: readonly Read[], known: State["known"]): boolean =>
  !known.has(slot.field.name) && !found.some((other) => other.slot === slot);

const YEAR = /^(?:19[5-9]|20[0-3])\d$/;

/** `assessed 475,000, zillow says 430,000`: two amounts for the two fields of money that are open. */
export function secondAmount(
  asked: Slot | undefined,
  slots: readonly Slot[],
  said: Said,
  found: readonly Read[],
  known: State["known"],
): Read[] {
  const [first, more] = found.filter(({ slot }) => slot.kind === "money");
  const [open, other] = slots.filter((slot) => slot.kind === "money" && isOpenFor(slot, found, known));
  if (first === undefined || more !== undefined || open === undefined || other !== undefined || said.text.includes("?"))
    return [];
  if (asked !== first.slot && asked !== open && slots.indexOf(open) < slots.indexOf(first.slot)) return [];
  const parts = said.text.split(/, | and |;|\n|\.\s/);
  const rest = parts.filter(
    (part) =>
      numeralsIn(part).some(
        (number) => isMoney(number) || (number.value >= 1_000 && !YEAR.test(part.slice(number.from, number.to))),
      ) && !part.includes(first.quote),
  );
  if (rest.length !== 1 || parts.length > MOST_PARTS) return [];
  const read = readOf(open, said, rest[0]!);
  return read === undefined || !said.text.includes(read.quote) || first.quote.includes(read.quote) ? [] : [read];
}

/** `Nail salon, six employees, quickbooks online`: the one part that is left is for the one field of words that is. */
export function restOfList(slots: readonly Slot[], said: Said, found: readonly Read[], known: State["known"]): Read[] {
  const parts = said.text
    .split(/[,;\n]+|\.(?=\s|$)/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length < 3 || parts.length > MOST_PARTS || found.length < 2 || said.acts.has("question")) return [];
  const [open, other] = slots.filter((slot) => slot.kind === "text" && isOpenFor(slot, found, known));
  const [free, more] = parts.filter(
    (part) => !found.some(({ quote, value }) => overlaps(part, quote) || overlaps(part, value)) && wordsOnly(part),
  );
  if (open === undefined || other !== undefined || free === undefined || more !== undefined || !wantsThing(open))
    return [];
  const { folded, acts } = actsIn(free);
  const read =
    acts.size > 0 || isClause(free) ? undefined : readValue(open, { ...said, text: free, folded, acts }, true);
  return read === undefined ? [] : [{ slot: open, ...read }];
}

const wordsOnly = (part: string): boolean => /^[\p{L}][\p{L} '’&-]{2,40}$/u.test(part) && part.split(" ").length <= 4;

/** `Poodle, 3 yrs, 45 lbs`: of a list, the part that is no other field's value. */
export function readPart(slot: Slot, said: Said, found: readonly Read[]): { value: string; quote: string } | undefined {
  if (!found.some((other) => !WHOLE.has(other.slot.kind) && other.quote.length < said.text.length)) return undefined;
  // What it is for has words of its own before it, wherever it is said.
  if (
    !/\bwho\b/i.test(slot.field.description ?? "") &&
    /\bpurpose\b|\bis for\b/.test(`${slot.words.join(" ")} ${slot.field.description ?? ""}`)
  )
    return undefined;
  const sure = readValue(slot, said, false);
  if (sure !== undefined) return sure;
  const parts = said.text
    .split(/[,;\n]+|(?<![.!])[.!]{1,5}(?=\s|$)| and (?=it'?s |he |she |they |we |i |yes |no |needs? )/i)
    .map((part) => part.trim());
  if (parts.length > MOST_PARTS) return undefined;
  if (parts.length < 2) return readAhead(slot, said, found);
  for (const part of parts) {
    // "Oh right, the Instagram thing": it was remembered, and the answer comes behind it.
    if (REMEMBERS.test(part)) continue;
    const free = without(part, found);
    const { folded, acts } = actsIn(free);
    const read = folded === "" ? undefined : readValue(slot, { ...said, text: free, folded, acts }, true);
    if (read !== undefined && said.text.includes(read.quote)) return read;
    // "Ok, marriott": assent comes before the answer; anything else that is free and no answer ends the search.
    if (folded !== "" && !acts.has("yes")) return undefined;
  }
  return undefined;
}

const REMEMBERS = /^(?:(?:oh|ah|ok|okay),? )+(?:right|yeah|yes|i see|now i remember)\b/i;

/** `a birthday party on may 2nd`: what stands before another field's value that ends the text. */
function readAhead(slot: Slot, said: Said, found: readonly Read[]): { value: string; quote: string } | undefined {
  const last = found.find(
    ({ quote }) =>
      quote !== "" &&
      said.text
        .trim()
        .replace(/[.! ]{1,3}$/, "")
        .endsWith(quote),
  );
  if (last === undefined) return undefined;
  const ahead = said.text.slice(0, said.text.lastIndexOf(last.quote)).trim();
  const text = ahead
    .replace(/[\s,]{1,2}(?:on|at|for|in|from|by|around|about|is|this|next|like|maybe|probably)$/i, "")
    .trim();
  if (text === ahead || text === "") return undefined;
  const { folded, acts } = actsIn(text);
  return acts.has("question") ? undefined : readValue(slot, { ...said, text, folded, acts }, true);
}

/** A part without the number that ends it and is another field's: of "marriott vacation club 1998" the club. */
function without(part: string, found: readonly Read[]): string {
  const other = found.find(({ quote }) => overlaps(part, quote));
  if (other === undefined) return part;
  const isNumber = NUMERIC.has(other.slot.kind) && part.endsWith(other.quote) && part.split(" ").length > 1;
  const rest = isNumber ? part.slice(0, -other.quote.length).trim() : "";
  return /^\p{L}[\p{L} '’&-]+$/u.test(rest) && !isClause(rest) ? rest : "";
}

const MOST_PARTS = 8;

/** `left knee. do you do knees`: of a text that asks, too, the sentence that does not. */
export function readBeforeQuestion(
  slot: Slot,
  said: Said,
  found: readonly Read[],
): { value: string; quote: string } | undefined {
  if (!said.acts.has("question")) return undefined;
  const parts = said.text
    .split(
      /(?<=[.!?])\s+|\n| (?:and|but) (?:uh |um )?(?=i have a question\b|how (?:much|long|many)\b|what(?:'?s)? (?:is|does|the)\b|do you\b)/,
    )
    .map((part) => part.trim());
  if (parts.length < 2 || parts.length > MOST_PARTS) return undefined;
  for (const text of parts) {
    if (found.some(({ quote }) => overlaps(text, quote))) continue;
    const { folded, acts } = actsIn(text);
    const read = acts.has("question") ? undefined : readValue(slot, { ...said, text, folded, acts }, true);
    if (read !== undefined && said.text.includes(read.quote)) return read;
  }
  return undefined;
}

/** Whether two parts of a text stand in the same place: "3" of "3 nights" is not in "2 adults and 3 kids" behind it. */
export function sharesPlace(text: string, one: string, other: string): boolean {
  const [first, second] = [text.indexOf(one), text.indexOf(other)];
  if (one === other || first < 0 || second < 0 || !/\d/.test(one) || !/\d/.test(other)) return overlaps(one, other);
  return first < second + other.length && second < first + one.length;
}

export const overlaps = (one: string, other: string): boolean => {
  const [first, second] = [` ${foldText(one)} `, ` ${foldText(other)} `];
  return first.includes(second) || second.includes(first);
};

/** "Private" of a private office. */
export const isWithin = (choice: string, words: string): boolean => {
  const own = foldText(choice).split(" ");
  return foldText(words)
    .split(" ")
    .every((word) => own.includes(word));
};

/** An amount, and what makes it one. */
export const OF_AMOUNT =
  /^\W*(?:(?:like|about|around|maybe|prob|probably|up to|under) )*\d{2,6} ?(?:tops|max|maximum|at most|or less|bucks|dollars)\b/i;

/** `400 tops` to who asked how large: a limit is of the amount that is still open. */
export const isOfMoney = (slot: Slot, { text }: Said, slots: readonly Slot[], known: State["known"]): boolean =>
  slot.kind === "number" &&
  /^\W*(?:(?:like|about|around|maybe|prob|probably|up to|under) )*\d{3,6} ?(?:tops|max|maximum|at most|or less|or under)\b/i.test(
    text,
  ) &&
  slots.some((other) => other.kind === "money" && !known.has(other.field.name));

/** "Ring me back around four": the number is when. */
export const isAClock = ({ value, quote }: ReadValue, { acts, text }: Said): boolean =>
  acts.has("call") &&
  Number(value) <= 12 &&
  /\b(?:around|about|at|after|before|by|til|till|until) $/i.test(text.slice(0, text.indexOf(quote)));

/** `twenty four shirts then` to who asked what for: the number of them, and no words. */
export function isACount(slot: Slot, { folded }: Said, slots: readonly Slot[]): boolean {
  const noun = A_COUNT.exec(folded)?.[1]?.replace(/s$/, "");
  return (
    noun !== undefined &&
    slots.some((other) => other !== slot && NUMERIC.has(other.kind) && other.stems.has(stem(noun)))
  );
}
const A_COUNT =
  /^(?:(?:ok|okay|um|uh|well|so|then|about|maybe|like|just|its|lets say|lets do|make it) )*(?:\d+|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|a dozen)(?: (?:one|two|three|four|five|six|seven|eight|nine|hundred))*) (\w{3,})(?: (?:then|please|i think|i guess|total|altogether))*$/;

/** "No but 2 goats" is no other size of the yard. */
export function countsElse(slot: Slot, { quote }: ReadValue, { text }: Said): boolean {
  const noun = /^[ -](\p{L}{3,})/u.exec(text.slice(text.indexOf(quote) + quote.length))?.[1]?.toLowerCase();
  if (noun === undefined || unitOfWord(noun) !== undefined || SAID_BEHIND.has(noun)) return false;
  return !slot.stems.has(stem(noun)) && !slot.words.some((word) => word.replace(/s$/, "") === noun.replace(/s$/, ""));
}
const SAID_BEHIND: ReadonlySet<string> = new Set(
  "instead please actually not sorry now total altogether and but for then with people persons ppl guests adults kids thanks max min about maybe because since".split(
    " ",
  ),
);

/** `3 nights` to who asked how many guests: the word behind the number is another field's own. */
export function countsAnother(slot: Slot, { quote }: ReadValue, { text }: Said, slots: readonly Slot[]): boolean {
  const at = text.indexOf(quote);
  const noun = /^[ -](\p{L}{3,})/u
    .exec(text.slice(at + quote.length))?.[1]
    ?.toLowerCase()
    .replace(/s$/, "");
  if (at < 0 || noun === undefined) return false;
  const names = ({ words }: Slot): boolean => words.some((word) => word.replace(/s$/, "") === noun);
  const isLast = ({ words, kind }: Slot): boolean => !TEMPORAL.has(kind) && words.at(-1)?.replace(/s$/, "") === noun;
  return (
    !names(slot) &&
    !slot.stems.has(stem(noun)) &&
    slots.some((other) => other !== slot && (NUMERIC.has(other.kind) ? names(other) : isLast(other)))
  );
}

const ENDS = /\b(?:pick ?up|pick|return|check ?out|end|ends|until|leave|leaving|departure|depart|back|last|finish)\b/;
const isEnd = ({ words, kind }: Slot): boolean => kind === "date" && ENDS.test(words.join(" "));

/** `jan 2nd to the 9th`: the first day is for what is asked, the second for the field of its end. */
export function rangeFrom(
  pending: Slot,
  slots: readonly Slot[],
  said: Said,
  found: readonly Read[],
  known: State["known"],
): Read[] {
  // Asked for the end, somebody names both: the begin is still open.
  const before = slots[slots.indexOf(pending) - 1];
  const isForEnd = isEnd(pending) && before?.kind === "date" && !known.has(before.field.name);
  const asked = isForEnd ? before : pending;
  const end = slots[slots.indexOf(asked) + 1];
  if (end === undefined || !isEnd(end) || isEnd(asked)) return [];
  const parts = said.text.split(/ (?:to|until|till?|thru|through|(?:and )?back(?: on)?) (?:the )?| ?[–-] ?/i);
  const [first, second] = parts;
  if (first === undefined || second === undefined || parts.length > 2) return [];
  const begin = found.find(({ slot }) => slot === asked) ?? readOf(asked, said, first);
  if (begin === undefined || !DAY.test(begin.value)) return [];
  const day = new Date(`${begin.value}T12:00:00Z`);
  const read =
    readOf(
      end,
      { ...said, at: day },
      /^\d/.test(second) ? `the ${second}` : second.replace(/^that (?=\p{L}+day\b)/iu, ""),
    ) ?? readOf(end, { ...said, at: day }, second);
  if (read === undefined || !DAY.test(read.value) || !said.text.includes(read.quote)) return [];
  return [{ ...begin, quote: begin.quote }, read];
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** "Sunday", for the day of return, is the one after the day of leaving. */
export function afterBegin(
  read: Read,
  slots: readonly Slot[],
  said: Said,
  known: State["known"],
  found: readonly Read[],
): Read {
  if (!isEnd(read.slot) || !DAY.test(read.value)) return read;
  const before = slots.slice(0, slots.indexOf(read.slot)).findLast(({ kind }) => kind === "date");
  const name = before?.field.name;
  const begin =
    found.find(({ slot }) => slot === before)?.value ?? (name === undefined ? undefined : known.get(name)?.value);
  if (begin === undefined || !DAY.test(begin) || read.value > begin) return read;
  const later = readOf(read.slot, { ...said, at: new Date(`${begin}T18:00:00Z`) }, read.quote);
  return later !== undefined && later.value > begin ? { ...read, value: later.value } : read;
}
