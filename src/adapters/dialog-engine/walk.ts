import { type Act, actsIn } from "#adapters/dialog-reading/acts.ts";
import { type Asked, hasNoPreference, refusesByReason } from "#adapters/dialog-reading/implied.ts";
import type { Said } from "#adapters/dialog-reading/said.ts";
import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { eitherDayIn, timeIn } from "#adapters/dialog-reading/time-values.ts";
import { languageOf } from "#adapters/dialog-words/language.ts";
import { isOutside } from "#adapters/dialog-words/opening-hours.ts";
import { isSomebodyElse } from "#adapters/dialog-words/somebody-else.ts";
import type { SpokenTime } from "#domain/calls/spoken-time.ts";
import type { Conversation, HistoryMessage } from "#ports/language-model.ts";
import { noteAgent } from "./asked.ts";
import { statedHours } from "./facts.ts";
import { readAll, saysAgain } from "./fill-slots.ts";
import { noteInterest } from "./interest.ts";
import { isUnread } from "./put-off.ts";
import { slotsOf } from "./slots.ts";
import { ONLY_OK, type State, type Together } from "./state.ts";

/** Walks the conversation once. `given` are values that the service has already. */
export function stateOf(conversation: Conversation, given: Readonly<Record<string, string>>): State {
  const slots = slotsOf(conversation);
  const state: State = {
    slots,
    known: new Map(Object.entries(given).map(([name, value]) => [name, { value }])),
    asks: new Map(),
    pending: undefined,
    parked: false,
    declined: new Set(),
    putOff: new Set(),
    interest: undefined,
    optedOut: false,
    somebodyElse: false,
    closed: false,
    call: undefined,
    said: undefined,
    learned: [],
    outside: undefined,
    confirmed: false,
    language: "english",
    spoken: new Set(),
  };
  const lastAnswer = conversation.history.findLastIndex((message) => message.role !== "contact");
  const burst: HistoryMessage[] = [];
  const order: string[] = [];
  let implied: readonly Act[] = [];
  for (const [index, message] of conversation.history.entries()) {
    if (message.role !== "contact") noteAgent(state, message.text, index === 0);
    else {
      const isNew = index > lastAnswer;
      if (isNew) burst.push(message);
      const more = noteContact(state, message, conversation, isNew, order);
      if (isNew) implied = [...implied, ...more];
    }
  }
  state.said = together(burst, conversation.contactZone, state, implied);
  return state;
}

const isPlainEnglish = (folded: string): boolean =>
  (folded.match(/\b(?:the|is|you|my|yes|what|how|and|i|im|to|please|dont|can)\b/g) ?? []).length >= 2;

const ASIDES: readonly Act[] = ["who", "robot", "about", "source", "recorded", "repeat", "hold", "still_there"];

/** `hold on`, `wait 5 minutes` */
const WAITS =
  /^(?:(?:ok|okay|um|uh|oh|please|just) )*(?:hold on|hang on|wait)(?: (?:for )?(?:a|one|two|three|five|ten|\d{1,2}) (?:secs?|seconds?|minutes?|mins?|moments?))?\b/;
const NUMBER_OR_DAY =
  /\d|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)\b/;

/** "Hold on, my wife says it's 8 years old": who asks to wait and names a number or a day in the same text answers. */
const saysMore = (folded: string): boolean => NUMBER_OR_DAY.test(folded.replace(WAITS, ""));

/** Notes what a text of the contact says, and returns what it does beyond its plain words. */
function noteContact(
  state: State,
  message: HistoryMessage,
  { agent, contact, contactZone: zone }: Conversation,
  isNew: boolean,
  order: string[],
): readonly Act[] {
  if (state.optedOut) return [];
  const { folded, acts: plain } = actsIn(message.text);
  const heard: Said = { text: message.text, at: message.at, zone, folded, acts: plain };
  const asked: Asked =
    typeof state.pending === "object" ? state.pending.kind : state.pending === "opening" ? "opening" : undefined;
  const implied: Act[] =
    order.length === 0 && state.interest === undefined && refusesByReason(heard, asked) ? ["refuse"] : [];
  const acts: ReadonlySet<Act> = new Set([...plain, ...implied]);
  const said: Said = { ...heard, acts };
  if (acts.has("stop")) {
    // An older one has been obeyed, and undone since: otherwise nobody would be asked for an answer.
    state.optedOut = isNew;
    return [];
  }
  const language = languageOf(message.text);
  if (language === "spanish") state.language = "spanish";
  else if (isPlainEnglish(folded)) state.language = "english";
  // What somebody else says is no answer of the contact's.
  const name = typeof contact.first_name === "string" ? contact.first_name : undefined;
  const isAsked = asked !== undefined && asked !== "opening" && asked !== "interest";
  if (isSomebodyElse(folded, name, isAsked)) {
    state.somebodyElse = isNew;
    return [];
  }
  const aside = ASIDES.some((act) => acts.has(act) && !(act === "hold" && saysMore(folded)));
  const known = new Set(state.known.keys());
  const isKnown = ({ field }: Slot): boolean => known.has(field.name);
  const isWaiting = state.parked || state.closed;
  const idle = state.parked && ONLY_OK.test(folded);
  if (saysAgain(state, said)) state.confirmed = true;
  const read = idle ? [] : readAll(state, said, aside, order);
  const learned = read.filter(({ slot, value }) => isWithinHours(slot, value, agent.instructions));
  if (isNew && learned.length < read.length) state.outside = statedHours(agent.instructions)?.text;
  for (const { slot, value, quote } of learned) {
    state.known.set(slot.field.name, { value, quote, messageId: message.id });
    state.declined.delete(slot.field.name);
    order.push(slot.field.name);
    if (isNew) state.learned.push({ slot, value, isChange: isKnown(slot) });
  }
  noteInterest(state, said, learned, { messageId: message.id, isNew });
  noteCall(state, said);
  const named = acts.has("declines") ? declinedIn(state, folded) : undefined;
  if (named !== undefined) state.declined.add(named.field.name);
  else if (typeof state.pending === "object" && !state.known.has(state.pending.field.name)) {
    if (
      acts.has("declines") ||
      (state.pending.kind === "text" && HAS_NONE.test(folded)) ||
      (learned.length === 0 && !acts.has("question") && hasNoPreference(said, state.pending.kind))
    )
      state.declined.add(state.pending.field.name);
    else if (!isWaiting && learned.length === read.length && isUnread(state.pending, said, learned, isKnown))
      state.putOff.add(state.pending.field.name);
  }
  return implied;
}

const VISIT =
  /\b(?:appointments?|visits?|inspections?|come|coming|tours?|test drive|consultations?|viewings?|showings?|stop by|meet|estimates?)\b/;
/** Where an office is open only who comes there is bound by its hours. */
const THEY_COME =
  /\b(?:come (?:in|by|over|to (?:us|the \w+))|stop by|drop by|visit (?:us|the \w+)|tours?|test drive|(?:they|you) (?:can|could|may|would|want to) (?:come|visit))\b/;

function isWithinHours({ kind, words, field }: Slot, value: string, instructions: string): boolean {
  if (kind !== "moment" && kind !== "time") return true;
  const about = `${words.join(" ")} ${field.description ?? ""}`.toLowerCase();
  const hours = VISIT.test(about) ? statedHours(instructions) : undefined;
  if (hours === undefined || (/\bopen\b/i.test(hours.text) && !THEY_COME.test(about))) return true;
  return !isOutside(hours, value);
}

/** `id rather not give my email` to who asked something else. */
const WITHHOLDS =
  /\b(?:rather not|prefer not|dont want to|not (?:giving|telling|sharing|comfortable)|wont|no (?=email)|skip the|dont have an?|keep)\b/;

function declinedIn({ slots, known, pending }: State, folded: string): Slot | undefined {
  if (!WITHHOLDS.test(folded)) return undefined;
  const named = slots.filter(
    ({ field, words }) =>
      !known.has(field.name) && words.some((word) => word.length > 4 && ` ${folded} `.includes(` ${word} `)),
  );
  return named.length === 1 && named[0] !== pending ? named[0] : undefined;
}

/** Of a field of words there is none: it is not asked for again. */
const HAS_NONE =
  /^(?:(?:um|uh|well|no|nope|nah|i have|we have|ive got|theres) )*(?:none|nobody|no one|nothing|(?:i |we |im |i am )?(?:dont (?:really )?(?:have|use|take|need|do) (?:one|any|anything|it)|not (?:on|using|taking|with|doing) (?:one|any|anyone|anything)))(?: right now| yet| currently| at the moment| really)?$/;

function noteCall(state: State, said: Said): void {
  const { pending } = state;
  const asked =
    pending === "call_time" || pending === "later" || (typeof pending === "object" && pending.kind === "call_time");
  const { acts } = said;
  if (!asked && !acts.has("call")) return;
  if (acts.has("no") && !acts.has("call") && timeIn(said) === undefined) return;
  const time = eitherDayIn(said.text) === undefined ? timeIn(said) : undefined;
  if (time || acts.has("call")) state.call = { time: time ?? state.call?.time };
}

/** `around 4`, `4ish` in answer to when, and `busy til 4`. */
function bareTime(text: string, at: Date, zone: string, { pending }: State): SpokenTime | undefined {
  const until = /\b(?:till?|until|after) (\w+(?::\d\d)?(?: ?[ap]m)?)\b/i.exec(text)?.[1];
  if (until !== undefined && HOUR.test(until)) return timeIn({ text: `at ${until}`, at, zone });
  // "Ring me back around four": who wants to be called says when by it, whatever was asked.
  const wished = CALL_AT.exec(text)?.[1];
  if (wished !== undefined && HOUR.test(wished)) return timeIn({ text: `at ${wished}`, at, zone });
  if (pending !== "call_time" && pending !== "later") return undefined;
  const words = text
    .toLowerCase()
    .split(/[\s.!,]+/)
    .filter((word) => word !== "" && !AROUND.has(word));
  const hour = words[0]?.replace(/ish$/, "");
  return words.length === 1 && hour !== undefined && HOUR.test(hour)
    ? timeIn({ text: `at ${hour}`, at, zone })
    : undefined;
}

const HOUR = /^(?:\d{1,2}(?::\d\d)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?: ?[ap]m)?$/i;
const CALL_AT =
  /\b(?:call|ring|phone|buzz|try|reach|dial) (?:me|us)\b(?: (?:back|again|up|please|today|then))* (?:around|about|by|before|like|at like|closer to) (\w+(?::\d\d)?(?: ?[ap]m)?)\b/i;
const AROUND = new Set(
  "maybe like around about by after how say so or ish works is good please ok okay um uh at".split(" "),
);

function together(
  burst: readonly HistoryMessage[],
  zone: string,
  state: State,
  implied: readonly Act[],
): Together | undefined {
  const last = burst.at(-1);
  if (last === undefined) return undefined;
  const text = burst.map((message) => message.text).join("\n");
  const acts = new Set([...implied, ...burst.flatMap((message) => [...actsIn(message.text).acts])]);
  const { folded } = actsIn(text);
  const language =
    burst.map((message) => languageOf(message.text)).findLast((own) => own !== "english") ?? state.language;
  return {
    text,
    folded,
    acts,
    time:
      eitherDayIn(text) === undefined
        ? (timeIn({ text, at: last.at, zone }) ?? bareTime(text, last.at, zone, state))
        : undefined,
    language,
  };
}
