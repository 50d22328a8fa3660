import { fieldValue } from "#domain/agents/extraction.ts";
import { isAddress, NO_STREET, readAddress } from "./addresses.ts";
import { readMoney } from "./amounts.ts";
import { isOfBirth, readBirth } from "./birth-dates.ts";
import { readChoice } from "./choices.ts";
import { readNumber } from "./counts.ts";
import { readEmail } from "./emails.ts";
import { readFree, readUnasked } from "./free-words.ts";
import { readCalled, readName, readNamed } from "./names.ts";
import { looksBack, readPast } from "./past-times.ts";
import { readPhone, readZip } from "./phones-and-codes.ts";
import { readPlace } from "./places.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";
import { isClause, readThing, wantsThing } from "./things.ts";
import { readTime } from "./time-values.ts";
import { readInterest, readYesNo } from "./yes-no.ts";

/**
 * The value of a field in a text, or undefined; a doubtful one is none. `direct` is true when this text answers the question for it:
 * then looser readings count ("Ana" is a name, "3" a number of rooms). `before` is what was known of it.
 */
export function readValue(slot: Slot, said: Said, direct: boolean, before?: string): ReadValue | undefined {
  const found = readKind(slot, said, direct, before);
  if (found === undefined) return undefined;
  const value = fieldValue(found.value, slot.field);
  return value === undefined ? undefined : { value, quote: found.quote };
}

function readKind(slot: Slot, said: Said, direct: boolean, before: string | undefined): ReadValue | undefined {
  switch (slot.kind) {
    case "email":
      return readEmail(said);
    case "phone":
      return readPhone(said);
    case "zip":
      return readZip(said, direct);
    case "name":
    case "first_name":
    case "last_name":
      return readName(slot.kind, said, direct);
    case "place":
      return readPlace(slot.words.join(" ") + (slot.field.name.startsWith("to_") ? " to" : ""), said, direct);
    case "money":
      return readMoney(slot, said, direct);
    case "number":
      return readNumber(slot, said, direct);
    case "date":
    case "time":
    case "moment":
    case "call_time":
    case "period":
      if (slot.kind === "date" && isOfBirth(slot)) return readBirth(said, direct);
      if (slot.kind === "date" && looksBack(slot)) return readPast(said, direct);
      return readTime(slot.kind, said, direct || isCued(slot, said), before);
    case "interest":
      return readInterest(slot, said, direct);
    case "yes_no":
      return readYesNo(slot, said, direct);
    case "choice":
      return readChoice(slot, said, direct);
    case "text":
      return readText(slot, said, direct);
  }
}

/** `it renews in june`: a word of the slot stands beside a time that would be too vague otherwise. */
const isCued = ({ kind, stems }: Slot, { folded, acts }: Said): boolean =>
  kind === "date" && !acts.has("question") && [...stems].some((word) => word.length > 4 && folded.includes(word));

/** The name of a child, a pet, a partner; a company's may be any words. */
export const isOfSomebody = ({ words, field }: Slot): boolean =>
  words.at(-1) === "name" &&
  !/\b(?:compan\w+|business|brand|product|insur\w+|provider|street|school|store|organi[sz]ation|employer|model|user ?name|event|project|bank|plan)\b/i.test(
    `${words.join(" ")} ${field.description ?? ""}`,
  );

/** "Just me" says who it is, and names no thing. */
const ONESELF = /^(?:(?:only|just|its|it's|for) )*(?:me|myself|us|nobody|no one)(?: alone| only)?$/i;
const IS_WHO = /\bwho\b|\bpatient\b|\bperson\b|\bresident\b|\binsured\b|\bmembers?\b|\bpeople\b/i;
const aboutOf = ({ words, field }: Slot): string => `${words.join(" ")} ${field.description ?? ""}`;

/** A short answer is its own value; of a longer one, the words that can be nothing else. */
function readText(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  if (isAddress(slot)) {
    const address = readAddress(said, direct);
    if (address !== undefined || !direct || NO_STREET.test(said.folded)) return address;
  }
  if (isOfSomebody(slot)) return (direct ? readCalled(said) : undefined) ?? readNamed(said);
  const answered = direct ? readFree(said) : undefined;
  const whole =
    answered !== undefined && ONESELF.test(answered.value) && !IS_WHO.test(aboutOf(slot)) ? undefined : answered;
  const isThing = direct && wantsThing(slot);
  const free =
    isThing && (whole === undefined || isClause(whole.value) || said.text.length > 25)
      ? (readThing(said) ?? (whole && !isClause(whole.value) ? whole : undefined))
      : whole;
  const sure = readUnasked(slot, said);
  const isPlain =
    free !== undefined &&
    free.value.length <= 50 &&
    !/\d/.test(free.value) &&
    /purpose|is for/.test(`${slot.words.join(" ")} ${slot.field.description ?? ""}`);
  // "Ford Lightning" is more than "Ford".
  const isMore =
    free !== undefined && sure !== undefined && free.value.split(" ").length <= 4 && free.value.includes(sure.value);
  return isPlain || isMore ? free : (sure ?? free);
}
