import type { Act } from "#adapters/dialog-reading/acts.ts";
import { isDoubtfulAmount, owesNothing } from "#adapters/dialog-reading/amounts.ts";
import { isOfBirth } from "#adapters/dialog-reading/birth-dates.ts";
import { isMeasure } from "#adapters/dialog-reading/free-words.ts";
import { readDays, wantsDays } from "#adapters/dialog-reading/frequencies.ts";
import type { ReadValue, Said } from "#adapters/dialog-reading/said.ts";
import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { wantsThing } from "#adapters/dialog-reading/things.ts";
import { isOnlyATime } from "#adapters/dialog-reading/time-values.ts";
import { isOfSomebody, readValue } from "#adapters/dialog-reading/values.ts";
import { numeralsIn } from "#adapters/dialog-words/numerals.ts";
import { stemsOf } from "#adapters/dialog-words/stems.ts";
import { foldText } from "#domain/values/fold.ts";
import { readBeside } from "./beside.ts";
import {
  afterBegin,
  countsAnother,
  countsElse,
  isAClock,
  isACount,
  isOfMoney,
  isWithin,
  OF_AMOUNT,
  type Read,
  rangeFrom,
  readBeforeQuestion,
  readPart,
  restOfList,
  secondAmount,
  sharesPlace,
} from "./parts.ts";
import type { State } from "./state.ts";

const TEMPORAL = new Set(["date", "time", "moment", "call_time", "period"]);
const OF_LANGUAGE = /\b(?:no hablo|ingles|english|anglais|englisch|ingles|tieng anh)\b/;
const SURE = new Set(["email", "phone", "zip"]);
const WHOLE = new Set(["interest", "yes_no", "choice"]);

/** Every value in a text: first of what was asked for, then of the rest, each part of the text for one field. */
export function readAll(state: State, said: Said, aside: boolean, order: readonly string[]): Read[] {
  const { pending, slots, known } = state;
  const found: Read[] = [];
  const corrected = correction(state, said, order);
  if (corrected !== undefined) found.push(corrected);
  // A first text that asks for no field asks whether the contact is interested.
  const opened = pending === "opening" ? slots.find(({ kind }) => kind === "interest") : undefined;
  const asked = typeof pending === "object" ? pending : opened;
  // What can be nothing else goes first, free words last.
  const rank = (slot: Slot): number => (slot.kind === "text" ? 3 : SURE.has(slot.kind) ? 0 : slot === asked ? 1 : 2);
  const ordered = [...slots].sort((one, other) => rank(one) - rank(other));
  for (const slot of ordered) {
    if (found.some((other) => other.slot === slot) || isAboutElse(slot, said, asked, corrected)) continue;
    // "I sold it last month" says nothing of a pickup, which was not asked for.
    if (slot.kind === "interest" && said.acts.has("refuse") && slot !== slots[0] && slot !== asked) continue;
    if (slot.kind === "text" && (isNoAnswer(state, said) || isACount(slot, said, slots))) continue;
    if (
      slot.kind === "money" &&
      slot !== asked &&
      !owesNothing(slot, said) &&
      isOfAnother(slot, said.folded, slots, known)
    )
      continue;
    const direct = slot === asked && !aside && !(isYesNo(slot) && state.parked);
    const held = known.get(slot.field.name);
    // What the service gave was taken from an earlier text: it is read there again, so that it can be corrected.
    const isGiven = held !== undefined && held.messageId === undefined;
    const isOpen = held === undefined || direct || completes(slot, held.value);
    if (!isOpen && !isGiven) continue;
    if (
      TEMPORAL.has(slot.kind) &&
      !isOfBirth(slot) &&
      (isForACall(slot, state, said) || !isFor(slot, said, direct, ordered, known, asked))
    )
      continue;
    const read =
      (direct && slot.kind === "text" && (readPart(slot, said, found) ?? readBeforeQuestion(slot, said, found))) ||
      ((direct || TEMPORAL.has(slot.kind)) && readTail(slot, said, direct, held?.value)) ||
      readValue(slot, said, direct, held?.value);
    if (read === undefined || (isGiven ? !isOpen && read.value !== held.value : read.value === held?.value)) continue;
    if (TEMPORAL.has(slot.kind) && isNoTime(read.quote, said)) continue;
    if (NUMERIC.has(slot.kind) && isAClock(read, said)) continue;
    if (slot.kind === "number" && (countsAnother(slot, read, said, slots) || isOfMoney(slot, said, slots, known)))
      continue;
    if (held !== undefined && state.parked && NUMERIC.has(slot.kind) && !said.acts.has("corrects")) continue;
    if (!isTaken(slot, read, said, direct, found)) found.push({ slot, ...read });
  }
  const range = asked?.kind === "date" && !aside ? rangeFrom(asked, slots, said, found, known) : [];
  for (const read of range) {
    const at = found.findIndex(({ slot }) => slot === read.slot);
    if (at < 0) found.push(read);
    else found[at] = read;
  }
  for (const [at, read] of found.entries()) found[at] = afterBegin(read, slots, said, known, found);
  if (!aside) found.push(...secondAmount(asked, slots, said, found, known), ...restOfList(slots, said, found, known));
  const wish = aside ? undefined : impliedWish(asked, said, found);
  if (wish !== undefined) found.push(wish);
  const beside = aside ? undefined : readBeside(slots, said, asked, found, ({ field }) => known.has(field.name));
  const rest = beside === undefined ? orphan(state, said, aside, found) : beside;
  return rest === undefined ? found : [...found, rest];
}

const OPEN_ENDED = new Set<Act>([
  "question",
  "call",
  "later",
  "refuse",
  "declines",
  "hostile",
  "distress",
  "other_person",
  "person",
  "goodbye",
  "yes",
  "no",
]);
const MOST_WORDS = 6;

/** `500 each` to who asked "soft or firm?" again: it is no answer to that, and plainly one to another question that is open. */
function orphan(state: State, said: Said, aside: boolean, found: readonly Read[]): Read | undefined {
  const { pending, slots, known } = state;
  if (aside || found.length > 0 || typeof pending !== "object") return undefined;
  if (said.folded.split(" ").length > MOST_WORDS || [...said.acts].some((act) => OPEN_ENDED.has(act))) return undefined;
  const open = slots.filter(
    (slot) =>
      slot !== pending &&
      !known.has(slot.field.name) &&
      (((slot.kind !== "text" || wantsDays(slot)) && state.putOff.has(slot.field.name)) ||
        ((pending.kind !== "text" || TEMPORAL.has(slot.kind) || NUMERIC.has(slot.kind)) &&
          isPlainly(slot, said, pending))),
  );
  const amounts = OF_AMOUNT.test(said.text) ? open.filter(({ kind }) => kind === "money") : [];
  const reads = (amounts.length > 0 ? amounts : open).flatMap((slot) => {
    // "One guy is in a wheelchair" says no number, whatever was put off.
    if (NUMERIC.has(slot.kind) && !isMeasure(said.folded) && !isPlainly(slot, said, pending)) return [];
    const read = readTail(slot, said, true, undefined) ?? readValue(slot, said, true);
    return read === undefined || isTaken(slot, read, said, true, found) ? [] : [{ slot, ...read }];
  });
  return reads.length === 1 ? reads[0] : undefined;
}

/** "Ten months" is how long or how old, "in ten months" is when. */
const IS_HOW_LONG = /^(?:about |maybe |around |like )?\w+ (?:days?|weeks?|months?|years?)$/;

/** `110ish`, `um sixty four` to who asked for a place. */
const ONLY_A_NUMBER =
  /^(?:(?:about|around|maybe|like|just|say|um|uh|well|oh) )*(?:\d{1,4}(?:ish)?|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?: (?:one|two|three|four|five|six|seven|eight|nine|hundred))?)(?: or so)?$/;

const isACalledName = (slot: Slot, { text }: Said): boolean =>
  (slot.kind === "name" || isOfSomebody(slot)) && /^\p{Lu}\p{L}+(?: \p{Lu}\p{L}+){0,2}[.!]?$/u.test(text.trim());

function isPlainly(slot: Slot, said: Said, pending: Slot): boolean {
  const { kind } = slot;
  if (TEMPORAL.has(kind)) return !TEMPORAL.has(pending.kind) && isOnlyATime(said) && !IS_HOW_LONG.test(said.folded);
  if (kind === "choice") return pending.kind !== "choice";
  if (wantsDays(slot)) return (readDays(said)?.quote.length ?? 0) > said.text.length / 2;
  // A name alone is nobody's number and no day.
  if (kind === "text" || kind === "name") return isACalledName(slot, said);
  if (kind === "number")
    return (
      !NUMERIC.has(pending.kind) &&
      !TEMPORAL.has(pending.kind) &&
      !SURE.has(pending.kind) &&
      (ONLY_A_NUMBER.test(said.folded) || isMeasure(said.folded))
    );
  if (kind === "money")
    return (
      (!NUMERIC.has(pending.kind) || (pending.kind === "number" && OF_AMOUNT.test(said.text))) &&
      /^\W*(?:(?:ouch|wow|ok|okay|well|um|uh|hm+|prob|probably|maybe|around|about|like|i think|say|up to|under|no more than)[.,!]? )*[$€£]?\d{3,6}\b|\b(?:bucks|dollars|grand|k)\b/i.test(
        said.text,
      )
    );
  return false;
}

/** Whether a text says again what is known: an address, a telephone number, a postal code. */
export const saysAgain = ({ slots, known }: State, said: Said): boolean =>
  slots.some((slot) => {
    const before = SURE.has(slot.kind) ? known.get(slot.field.name)?.value : undefined;
    return before !== undefined && readValue(slot, said, true)?.value === before;
  });

const isYesNo = ({ kind }: Slot): boolean => kind === "interest" || kind === "yes_no";

/** What is done with the text says nothing of this field, whatever words are in it. */
function isAboutElse(
  slot: Slot,
  { acts, folded }: Said,
  asked: Slot | undefined,
  corrected: Read | undefined,
): boolean {
  const { kind } = slot;
  if (acts.has("distress") && (TEMPORAL.has(kind) || isYesNo(slot))) return true;
  if (
    isYesNo(slot) &&
    ((OF_LANGUAGE.test(folded) && !acts.has("interest") && !YES_BUT.test(folded)) ||
      (acts.has("other_person") && !acts.has("refuse")))
  )
    return true;
  if (kind === "choice" && (acts.has("call") || acts.has("later")) && slot !== asked) return true;
  // "I already got it fixed" chooses no repair.
  if (kind === "choice" && acts.has("refuse") && /\balready\b/.test(folded)) return true;
  if (!WHOLE.has(kind)) return false;
  return (
    (corrected !== undefined && corrected.slot.kind !== kind) ||
    (acts.has("hostile") && (kind !== "interest" || !acts.has("refuse")))
  );
}

/** "Yes, but I don't speak English". */
const YES_BUT = /^(?:\w+ )?(?:yes|yeah|yep|sure|si|claro) (?:but|pero)\b/;

/** "If I book today", "the fifth text today": the day of the text, and no answer. */
const isNoTime = (quote: string, { acts, folded }: Said): boolean =>
  /^(?:later )?(?:today|now|tonight)$/i.test(quote) &&
  (acts.has("hostile") || (acts.has("question") && /\bif\b/.test(folded)));

const AGAINST: readonly Act[] = [
  "no",
  "refuse",
  "later",
  "hostile",
  "distress",
  "other_person",
  "declines",
  "call",
  "goodbye",
  "person",
];

/** `thurs dec 10 afternoon pls` to who asks whether an appointment is wanted: who says when, wants it. */
function impliedWish(asked: Slot | undefined, said: Said, found: readonly Read[]): Read | undefined {
  if (asked?.kind !== "interest" || found.some(({ slot }) => slot === asked)) return undefined;
  if (said.acts.has("question") || AGAINST.some((act) => said.acts.has(act))) return undefined;
  const telling = found.find(({ slot }) => ["date", "moment", "time"].includes(slot.kind));
  if (telling === undefined) return undefined;
  const value = asked.field.type === "boolean" ? "true" : "yes";
  return { slot: asked, value, quote: telling.quote };
}

/** Who turns it down, or takes leave of an agent that has done so, names nothing by it. */
const isNoAnswer = ({ closed }: State, { acts, folded }: Said): boolean =>
  acts.has("refuse") ||
  (closed &&
    !NAMES.test(folded) &&
    (acts.has("thanks") || acts.has("goodbye")) &&
    folded.split(" ").length <= MOST_WORDS);

/** "Thank you. Its hilton": what was asked before is answered all the same. */
const NAMES = /\b(?:its|it is|thats|my|our) \w{4,}/;

/** The time answers when to call or to write again. */
const isForACall = ({ kind }: Slot, { pending }: State, { acts }: Said): boolean =>
  kind !== "call_time" && (pending === "later" || pending === "call_time") && !acts.has("yes") && !acts.has("interest");

/** The words are another field's already, or too little for a value. */
function isTaken(slot: Slot, read: ReadValue, said: Said, direct: boolean, found: readonly Read[]): boolean {
  if (slot.kind === "money" && isDoubtfulAmount(slot, read, said)) return true;
  if (
    !WHOLE.has(slot.kind) &&
    found.some((other) => clash(other.slot, slot) && sharesPlace(said.text, other.quote, read.quote))
  )
    return true;
  // "Driveway" is where, and no car.
  if (
    slot.kind === "text" &&
    found.some((other) => other.slot.kind === "choice" && isWithin(other.value, read.value.replace(HOW_MUCH, "")))
  )
    return true;
  // A part of the text that names the thing is beside the others; a story is not.
  const isPart = wantsThing(slot) && read.quote.length < said.text.length * 0.7;
  return slot.kind === "text" && direct && found.length > 0 && !said.text.includes(",") && !isPart;
}

/** `very short` is no more than the choice. */
const HOW_MUCH = /^(?:(?:very|really|pretty|quite|kind of|kinda|so|too|super|a bit|just|more|mostly) )+/i;

const TURNS =
  /\b(?:actually no|no actually|no,? wait|wait,? no|scratch that|i mean|i meant|no,? sorry|oh sorry|sorry|actually|make (?:that|it)|let'?s say|call it|so maybe|so (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day|mornings|afternoons|evenings|nights|weekends)|no)\b[\s,.]*/gi;

/** `arvada actually no golden`: of an answer that turns round, what comes after the turn. */
function readTail(
  slot: Slot,
  said: Said,
  direct: boolean,
  before: string | undefined,
): { value: string; quote: string } | undefined {
  if (WHOLE.has(slot.kind)) return undefined;
  // "Friday, I mean Thursday, sorry": the last turn that something follows.
  const last = [...said.text.matchAll(TURNS)].findLast(({ index, 0: turn }) =>
    /\w/.test(said.text.slice(index + turn.length)),
  );
  if (last === undefined || last.index === 0) return undefined;
  const text = said.text.slice(last.index + last[0].length);
  const read = readValue(
    slot,
    { ...said, text, folded: foldText(text), acts: new Set() },
    direct && slot.kind !== "text",
    before,
  );
  // "Ten grand, maybe, no, fifteen": the unit is said once.
  const isGrand = slot.kind === "money" && /\b(?:grand|thousand)\b|\dk\b/i.test(said.text.slice(0, last.index));
  return read !== undefined && isGrand && /^\d{1,3}$/.test(read.value) ? { ...read, value: `${read.value}000` } : read;
}

/** The words of a time may hold another's number ("december 20 from denver"); otherwise each part of a text is for one field. */
const clash = (one: Slot, other: Slot): boolean =>
  !WHOLE.has(one.kind) && TEMPORAL.has(one.kind) === TEMPORAL.has(other.kind);

const NUMERIC = new Set(["money", "number"]);

/** A day is known, and the time of it is still to come. */
const completes = (slot: Slot, before: string): boolean =>
  (slot.kind === "moment" || slot.kind === "call_time") && /^\d{4}-\d\d-\d\d$/.test(before);

/** Whether a time in a text can be for this slot: a wish to be called is for a call, and of two open slots the asked one takes it. */
function isFor(
  slot: Slot,
  { acts, folded }: Said,
  direct: boolean,
  slots: readonly Slot[],
  known: State["known"],
  asked: Slot | undefined,
): boolean {
  if (acts.has("call") && slot.kind !== "call_time") return false;
  if (acts.has("later") && !direct) return false;
  if (direct) return !namesAnother(slot, folded, slots, known);
  if (asked !== undefined && wantsDays(asked)) return false;
  if (slot.kind === "period") return true;
  if (slot.kind === "call_time") return acts.has("call") || /\b(?:call|talk|reach)\b/.test(folded);
  if (acts.has("question") && !/\b(?:can|could|how about|what about|works?)\b/.test(folded)) return false;
  const open = slots.filter(
    (other) => TEMPORAL.has(other.kind) && other.kind !== "period" && !known.has(other.field.name),
  );
  return open.length === 1 || [...slot.stems].some((word) => word.length > 3 && folded.includes(word));
}

/** `drop off is christmas eve` to who asked for the other day. */
function namesAnother(slot: Slot, folded: string, slots: readonly Slot[], known: State["known"]): boolean {
  const own = (other: Slot): string[] => other.words.filter((word) => word.length > 3 && !OF_TIMES.has(word));
  const isNamed = (words: readonly string[]): boolean => words.some((word) => ` ${folded} `.includes(` ${word} `));
  if (isNamed(own(slot))) return false;
  return slots.some(
    (other) =>
      other !== slot &&
      (other.kind === "date" || other.kind === "moment") &&
      !known.has(other.field.name) &&
      isNamed(own(other).filter((word) => !slot.stems.has(word) && !slot.words.includes(word))),
  );
}

/** `we still owe 14 grand` is no yearly fee: a word of another field of money is said, and none of this one. */
function isOfAnother(slot: Slot, folded: string, slots: readonly Slot[], known: State["known"]): boolean {
  const said = stemsOf(folded);
  const names = (other: Slot, without: Slot): boolean =>
    [...other.stems].some((word) => word.length > 2 && !without.stems.has(word) && said.has(word));
  const others = slots.filter((other) => other !== slot && other.kind === "money" && !known.has(other.field.name));
  return others.some((other) => names(other, slot) && !names(slot, other));
}

const OF_TIMES: ReadonlySet<string> = new Set(
  "date time day when preferred best start begin end call visit move book want need with from this that".split(" "),
);

/** `the 27th actually make that the 28th`: before the turn stands an answer to what was asked. */
function turnsWithin(asked: Slot, said: Said): boolean {
  const turn = [...said.text.matchAll(TURNS)].find(({ index }) => index > 0);
  if (turn === undefined) return false;
  const text = said.text.slice(0, turn.index);
  return readValue(asked, { ...said, text, folded: foldText(text), acts: new Set() }, true) !== undefined;
}

const DAY_KNOWN = /^\d{4}-\d\d-\d\d/;
const CHANGES = /\b(?:actually|make|change|changed|instead|i mean|i meant|scratch|rather|sorry|wait|lets)\b/;

const OF_A_CHOICE: ReadonlySet<string> = new Set(
  "ok okay then sure fine actually the please one ones lets do go with make it maybe well hmm alright ill take id like a an rather instead".split(
    " ",
  ),
);

/** `ok vault` after the other room: nothing but another choice of a field that is known, and no answer to what is asked. */
function chosenAgain({ slots, known }: State, said: Said, asked: Slot | undefined): Read | undefined {
  const words = said.folded.split(" ").filter((word) => !OF_A_CHOICE.has(word));
  if (words.length === 0 || words.length > 3 || said.acts.has("question")) return undefined;
  if (asked === undefined || asked.kind === "choice" || readValue(asked, said, true) !== undefined) return undefined;
  for (const slot of slots) {
    const before = slot.kind === "choice" ? known.get(slot.field.name)?.value : undefined;
    if (before === undefined) continue;
    const read = readValue(slot, said, true);
    const own = read === undefined ? [] : foldText(read.value).split(" ");
    if (read !== undefined && read.value !== before && words.every((word) => own.includes(word)))
      return { slot, ...read };
  }
  return undefined;
}

/** `no, wednesday`, `actually 500`: the last value of that kind is replaced. */
function correction(state: State, said: Said, order: readonly string[]): Read | undefined {
  const asked = typeof state.pending === "object" ? state.pending : undefined;
  const again = chosenAgain(state, said, asked);
  if (again !== undefined) return again;
  // Who lost somebody corrects nothing by a no.
  if (!said.acts.has("corrects") || said.acts.has("distress")) return undefined;
  for (const name of [...new Set(order.toReversed())]) {
    const slot = state.slots.find(({ field }) => field.name === name);
    const before = state.known.get(name)?.value;
    if (
      slot === undefined ||
      (slot === asked && !state.parked) ||
      before === undefined ||
      slot.kind === "text" ||
      (WHOLE.has(slot.kind) && slot.kind !== "choice")
    )
      continue;
    const rest = said.text.replace(
      /^\s*(?:(?:oh|um|uh|oops|wait|hmm|no+|nope|sorry|actually|scratch that|correction|my bad|i meant?|make (?:it|that)|change (?:it|that) to|rather|not (?:mon|tues|wednes|thurs|fri|satur|sun)day)[\s,.!]+)+/i,
      "",
    );
    if (
      rest === said.text &&
      !/\b(?:instead|make (?:it|that)|change (?:it|that)|not \w+ but|i meant|i said)\b/.test(said.folded)
    )
      continue;
    const numeric = asked !== undefined && NUMERIC.has(asked.kind) && NUMERIC.has(slot.kind);
    if (numeric && !/^(?:\w+ )?(?:actually|scratch|i meant|oops|sorry|wait|no wait|no i mean)\b/.test(said.folded))
      continue;
    if (asked !== undefined && !TEMPORAL.has(slot.kind) && asked.kind === slot.kind) {
      const own = readValue(asked, { ...said, text: rest }, true);
      if (own !== undefined && !countsAnother(asked, own, said, state.slots)) continue;
    }
    if (TEMPORAL.has(slot.kind) && asked !== undefined && TEMPORAL.has(asked.kind) && turnsWithin(asked, said))
      continue;
    if (NUMERIC.has(slot.kind) && numeralsIn(rest).length === 0) continue;
    const read = readValue(
      slot,
      { ...said, text: rest, folded: foldText(rest), acts: new Set([...said.acts].filter((act) => act !== "no")) },
      true,
      before,
    );
    if (read === undefined || read.value === before || !said.text.includes(read.quote)) continue;
    if (slot.kind === "number" && countsElse(slot, read, said)) continue;
    // "No, we lost him in the spring" is no other day for one that is known.
    if (TEMPORAL.has(slot.kind) && DAY_KNOWN.test(before) && !/\d/.test(read.value) && !CHANGES.test(said.folded))
      continue;
    if (/^(?:place|name|first_name|last_name)$/.test(slot.kind) && order.at(-1) !== name) continue;
    return { slot, ...read };
  }
  return undefined;
}
