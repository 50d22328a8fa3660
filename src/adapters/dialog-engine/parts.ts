import { actsIn } from "#adapters/dialog-reading/acts.ts";
import { isMoney } from "#adapters/dialog-reading/amounts.ts";
import type { Said } from "#adapters/dialog-reading/said.ts";
import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { isClause, wantsThing } from "#adapters/dialog-reading/things.ts";
import { readValue } from "#adapters/dialog-reading/values.ts";
import { numeralsIn } from "#adapters/dialog-words/numerals.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Learned, State } from "./state.ts";

/** A value with the words it was read from. */
export type Read = Learned & { quote: string };

const WHOLE: ReadonlySet<string> = new Set(["interest", "yes_no", "choice"]);
const NUMERIC: ReadonlySet<string> = new Set(["money", "number"]);

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
    const free = without(part, found);
    const { folded, acts } = actsIn(free);
    const read = folded === "" ? undefined : readValue(slot, { ...said, text: free, folded, acts }, true);
    if (read !== undefined && said.text.includes(read.quote)) return read;
    // "Ok, marriott": assent comes before the answer; anything else that is free and no answer ends the search.
    if (folded !== "" && !acts.has("yes")) return undefined;
  }
  return undefined;
}

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

export const overlaps = (one: string, other: string): boolean => {
  const [first, second] = [` ${foldText(one)} `, ` ${foldText(other)} `];
  return first.includes(second) || second.includes(first);
};
