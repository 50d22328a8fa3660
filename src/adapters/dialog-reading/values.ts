import { fieldValue } from "#domain/agents/extraction.ts";
import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import { isAddress, NO_STREET, readAddress } from "./addresses.ts";
import { readMoney } from "./amounts.ts";
import { isOfBirth, readBirth } from "./birth-dates.ts";
import { readChoice } from "./choices.ts";
import { readNumber } from "./counts.ts";
import { readEmail } from "./emails.ts";
import { ONLY_WHEN, readFree, readUnasked } from "./free-words.ts";
import { readDays, wantsDays } from "./frequencies.ts";
import { readCalled, readName, readNamed } from "./names.ts";
import { mayBeNone, readNone } from "./none-of-any.ts";
import { isOfKin } from "./not-theirs.ts";
import { looksBack, readPast } from "./past-times.ts";
import { readPhone, readZip } from "./phones-and-codes.ts";
import { readPlace } from "./places.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";
import { isClause, readThing, wantsThing } from "./things.ts";
import { isOnlyATime, readTime } from "./time-values.ts";
import { readInterest, readYesNo } from "./yes-no.ts";

/**
 * The value of a field in a text, or undefined; a doubtful one is none. `direct` is true when this text answers the question for it:
 * then looser readings count ("Ana" is a name, "3" a number of rooms). `before` is what was known of it.
 */
export function readValue(slot: Slot, said: Said, direct: boolean, before?: string): ReadValue | undefined {
  const found = readKind(slot, said, direct, before);
  if (found === undefined) return undefined;
  if (isOfKin(slot, found.quote, said)) return readValue(slot, behind(found.quote, said), direct, before);
  const value = fieldValue(found.value, slot.field);
  return value === undefined ? undefined : { value, quote: found.quote };
}

/** What is said after a part of the text. */
function behind(quote: string, said: Said): Said {
  const text = said.text.slice(said.text.indexOf(quote) + quote.length);
  return { ...said, text, folded: foldText(text) };
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

const OF_TIME =
  /\b(?:when|time|times|day|days|date|dates|hours?|schedul\w*|availab\w*|how (?:long|often|soon)|since|deadline|season|month|year|duration|event|occasion|holiday)\b/i;

const COURTESY =
  / (?:if (?:poss|possible|you can|thats (?:ok|okay|fine))|please|pls|works|is (?:fine|good|ok|okay|best)|would be (?:great|good|best))[.!]?$/i;
const withoutCourtesy = (said: Said): Said => {
  const text = said.text.trim().replace(COURTESY, "");
  return { ...said, text, folded: foldText(text) };
};

/** A color, and no other words. */
const IS_COLOR = /\bcolou?rs?$/;
const COLOR =
  /\b(?:red|blue|green|yellow|black|white|gr[ae]y|brown|blond\w*|brunette|auburn|ginger|orange|purple|pink|navy|teal|tan|beige|cream|ivory|gold|silver|maroon|burgundy|turquoise|violet|lavender|mint|olive|charcoal|copper|bronze|rose|coral|peach|khaki|natural|clear|dark|light|bright|pastel|neutral|neon|any|whatever|same|match\w*|plain|colou?r\w*|rojo|azul|verde|negro|blanco|gris|cafe|rubio|castano|\w+ish)\b/;

/** The words of a length of time, a short text whole. */
function readLength(said: Said): ReadValue | undefined {
  if (
    !LENGTH.test(said.folded) ||
    ["question", "declines", "call", "later"].some((act) => said.acts.has(act as "call"))
  )
    return undefined;
  const text = trimEndOf(said.text.trim(), ".,! ");
  return (
    readFree(said) ?? (said.folded.split(" ").length <= MOST_OF_A_LENGTH ? { value: text, quote: text } : undefined)
  );
}
const MOST_OF_A_LENGTH = 8;

const isWhen = (said: Said): boolean => isOnlyATime(said) || ONLY_WHEN.test(said.folded);

/** How long something has been, or takes: a length of time, and no other words. */
const HOW_LONG = /^how long\b/i;
const LENGTH =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|a|an|half|couple|few|several)\b.{0,12}\b(?:min|hour|day|night|week|month|year|yr|decade|semester|summer|season)|\b(?:since|until|till|years|months|weeks|days|hours|forever|ages|always|never|new|beginner|just (?:started|starting|got)|a while|long|not (?:long|yet|at all|started)|hasnt|havent|(?:all|whole|entire) (?:my |his |her |their )?life|recently|childhood|school|college|permanent\w*|short|temporar\w*|indefinite\w*|overnight|today|tomorrow|lately|last)\b/;

/** An address, or where something is: a place without a street answers only the second. */
const isPlace = (slot: Slot): boolean => !/\b(?:street )?address$/.test(slot.words.join(" "));

/** "Just me" says who it is, and names no thing. */
const ONESELF = /^(?:(?:only|just|its|it's|for) )*(?:me|myself|us|nobody|no one)(?: alone| only)?$/i;
/** "My son, hes 17": a person, and no thing. */
const SOMEBODY =
  /^(?:(?:for|its|it's) )*(?:my|our) (?:\w+ )?(?:son|daughter|kids?|child|wife|husband|mom|mother|dad|father|brother|sister|grand\w+|niece|nephew|friend|boyfriend|girlfriend|fiancee?)(?:$|, )/i;
const IS_WHO = /\bwho\b|\bpatient\b|\bperson\b|\bresident\b|\binsured\b|\bmembers?\b|\bpeople\b/i;
const aboutOf = ({ words, field }: Slot): string => `${words.join(" ")} ${field.description ?? ""}`;

/** A short answer is its own value; of a longer one, the words that can be nothing else. */
function readText(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  if (isAddress(slot)) {
    const address = readAddress(said, direct);
    if (address !== undefined || !direct || NO_STREET.test(said.folded) || isOnlyATime(said)) return address;
    if (!isPlace(slot)) return undefined;
  } else if (direct && readAddress(said, false)?.quote === said.text.trim().replace(/[.!]$/, "")) return undefined;
  if (isOfSomebody(slot)) return readNamed(said, slot.words) ?? (direct ? readCalled(said) : undefined);
  if (wantsDays(slot)) return direct ? readDays(said) : undefined;
  if (direct && mayBeNone(slot)) {
    const none = readNone(slot, said);
    if (none !== undefined) return none;
    // "No, but my back is bad".
    const rest = /^\W*(?:no|nope|nah)\b[\s,.]*(?:but|except) (.+)$/is.exec(said.text)?.[1];
    if (rest !== undefined) return readFree({ ...said, text: rest, folded: foldText(rest) });
  }
  // A time answers no question of words that does not ask for one.
  if (direct && !OF_TIME.test(aboutOf(slot)) && isWhen(withoutCourtesy(said))) return undefined;
  if (direct && IS_COLOR.test(slot.words.join(" ")) && !COLOR.test(said.folded)) return undefined;
  if (direct && HOW_LONG.test(slot.field.description ?? "")) return readLength(said);
  const answered = direct ? readFree(said) : undefined;
  const whole =
    answered !== undefined &&
    (ONESELF.test(answered.value) || SOMEBODY.test(answered.value)) &&
    !IS_WHO.test(aboutOf(slot))
      ? undefined
      : answered;
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
