import { isDoubtfulAmount } from "#adapters/dialog-reading/amounts.ts";
import type { Said } from "#adapters/dialog-reading/said.ts";
import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { readValue } from "#adapters/dialog-reading/values.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Learned, State } from "./state.ts";

/** A value with the words it was read from. */
export type Read = Learned & { quote: string };

const TEMPORAL = new Set(["date", "time", "moment", "call_time", "period"]);
const OF_LANGUAGE = /\b(?:no hablo|ingles|english|anglais|englisch|ingles|tieng anh)\b/;
const SURE = new Set(["email", "phone", "zip"]);
const WHOLE = new Set(["interest", "yes_no", "choice"]);

/** Every value in a text: first of what was asked for, then of the rest, each part of the text for one field. */
export function readAll(state: State, said: Said, aside: boolean, order: readonly string[]): Read[] {
  const { pending, slots, known } = state;
  const { acts } = said;
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
    const yesNo = slot.kind === "interest" || slot.kind === "yes_no";
    if (acts.has("distress") && (TEMPORAL.has(slot.kind) || yesNo)) continue;
    if (yesNo && OF_LANGUAGE.test(said.folded)) continue;
    if (slot.kind === "choice" && (acts.has("call") || acts.has("later")) && slot !== asked) continue;
    const direct = slot === asked && !aside && !(yesNo && state.parked);
    const held = known.get(slot.field.name);
    const before = held?.value;
    if (found.some((other) => other.slot === slot)) continue;
    if (before !== undefined && SURE.has(slot.kind)) state.confirmed ||= readValue(slot, said, true)?.value === before;
    // What the service gave was taken from an earlier text: it is read there again, so that it can be corrected.
    const isGiven = held !== undefined && held.messageId === undefined;
    if (before !== undefined && !direct && !isGiven && !completes(slot, before)) continue;
    if (corrected !== undefined && WHOLE.has(slot.kind) && corrected.slot.kind !== slot.kind) continue;
    if (WHOLE.has(slot.kind) && said.acts.has("hostile") && slot.kind !== "interest") continue;
    if (
      TEMPORAL.has(slot.kind) &&
      ((slot.kind !== "call_time" &&
        (pending === "later" || pending === "call_time") &&
        !acts.has("yes") &&
        !acts.has("interest")) ||
        !isFor(slot, said, direct, ordered, known))
    )
      continue;
    const read = (direct && readTail(slot, said, before)) || readValue(slot, said, direct, before);
    if (read === undefined || (read.value === before && !isGiven)) continue;
    if (slot.kind === "money" && isDoubtfulAmount(slot, read, said)) continue;
    if (isGiven && !direct && read.value !== before && !completes(slot, held.value)) continue;
    if (!WHOLE.has(slot.kind) && found.some((other) => clash(other.slot, slot) && overlaps(other.quote, read.quote)))
      continue;
    if (slot.kind === "text" && direct && found.length > 0 && !said.text.includes(",")) continue;
    found.push({ slot, ...read });
  }
  return found;
}

const TURNS =
  /\b(?:actually no|no actually|no,? wait|wait,? no|scratch that|i mean|i meant|no,? sorry|oh sorry|sorry|actually|make (?:that|it)|let'?s say|call it|so maybe|no)\b[\s,.]*/gi;

/** `arvada actually no golden`: of an answer that turns round, what comes after the turn. */
function readTail(slot: Slot, said: Said, before: string | undefined): { value: string; quote: string } | undefined {
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
    slot.kind !== "text",
    before,
  );
  // "Ten grand, maybe, no, fifteen": the unit is said once.
  const isGrand = slot.kind === "money" && /\b(?:grand|thousand)\b|\dk\b/i.test(said.text.slice(0, last.index));
  return read !== undefined && isGrand && /^\d{1,3}$/.test(read.value) ? { ...read, value: `${read.value}000` } : read;
}

/** The words of a time may hold another's number ("december 20 from denver"); otherwise each part of a text is for one field. */
const clash = (one: Slot, other: Slot): boolean =>
  !WHOLE.has(one.kind) && TEMPORAL.has(one.kind) === TEMPORAL.has(other.kind);

const overlaps = (one: string, other: string): boolean => {
  const [first, second] = [` ${foldText(one)} `, ` ${foldText(other)} `];
  return first.includes(second) || second.includes(first);
};

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
): boolean {
  if (acts.has("call") && slot.kind !== "call_time") return false;
  if (acts.has("later") && !direct) return false;
  if (direct) return true;
  if (slot.kind === "period") return true;
  if (slot.kind === "call_time") return acts.has("call") || /\b(?:call|talk|reach)\b/.test(folded);
  if (acts.has("question") && !/\b(?:can|could|how about|what about|works?)\b/.test(folded)) return false;
  const open = slots.filter(
    (other) => TEMPORAL.has(other.kind) && other.kind !== "period" && !known.has(other.field.name),
  );
  return open.length === 1 || [...slot.stems].some((word) => word.length > 3 && folded.includes(word));
}

/** `no, wednesday`, `actually 500`: the last value of that kind is replaced. */
function correction(state: State, said: Said, order: readonly string[]): Read | undefined {
  if (!said.acts.has("corrects")) return undefined;
  const asked = typeof state.pending === "object" ? state.pending : undefined;
  for (const name of [...new Set(order.toReversed())]) {
    const slot = state.slots.find(({ field }) => field.name === name);
    const before = state.known.get(name)?.value;
    if (
      slot === undefined ||
      slot === asked ||
      before === undefined ||
      slot.kind === "text" ||
      (WHOLE.has(slot.kind) && slot.kind !== "choice")
    )
      continue;
    const rest = said.text.replace(
      /^\s*(?:(?:oh|um|uh|oops|wait|hmm|no+|nope|sorry|actually|scratch that|correction|my bad|i meant?|make (?:it|that)|change (?:it|that) to|rather)[\s,.!]+)+/i,
      "",
    );
    if (
      rest === said.text &&
      !/\b(?:instead|make (?:it|that)|change (?:it|that)|not \w+ but|i meant)\b/.test(said.folded)
    )
      continue;
    const numeric = asked !== undefined && NUMERIC.has(asked.kind) && NUMERIC.has(slot.kind);
    if (numeric && !/^(?:\w+ )?(?:actually|scratch|i meant|oops|sorry|wait|no wait|no i mean)\b/.test(said.folded))
      continue;
    if (
      asked !== undefined &&
      !TEMPORAL.has(slot.kind) &&
      readValue(asked, { ...said, text: rest }, true) !== undefined &&
      asked.kind === slot.kind
    )
      continue;
    const read = readValue(
      slot,
      { ...said, text: rest, acts: new Set([...said.acts].filter((act) => act !== "no")) },
      true,
      before,
    );
    if (read === undefined || read.value === before || !said.text.includes(read.quote)) continue;
    if (/^(?:place|name|first_name|last_name)$/.test(slot.kind) && order.at(-1) !== name) continue;
    return { slot, ...read };
  }
  return undefined;
}
