import type { SpokenTime } from "#domain/calls/spoken-time.ts";
import { optOutIntent } from "#domain/compliance/opt-out.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Conversation, HistoryMessage } from "#ports/language-model.ts";
import { asideIn } from "./aside.ts";
import { fieldsToAsk } from "./goal.ts";
import { type AskedField, askedField } from "./question.ts";
import { type Understanding, understand } from "./understand.ts";
import { readValue, type Said, timeIn } from "./value.ts";

export const CALL_TIME_QUESTION = "What day and time would be good for a call?";
export const LATER_QUESTION = "When would be a better time?";
/** Leaves it to the contact; a time that is named afterwards is for a call. */
export const WHEN_IT_SUITS = "just text me when it suits you";

/** A question that brings nothing is asked once more in other words, and then left. */
const MAX_ASKS = 2;

export type Known = { value: string; quote?: string; messageId?: string };

/** Where a conversation stands, read from its whole history: the offline agent remembers nothing itself. */
export type Progress = {
  fields: readonly AskedField[];
  known: ReadonlyMap<string, Known>;
  /** The next thing to ask, and how often it was asked. */
  next: { asked: AskedField; times: number } | undefined;
  /** What the agent's last message asked for. */
  pending: AskedField | "call_time" | "opening" | undefined;
  /** What the contact thinks of the whole matter. */
  interest: "yes" | "no" | undefined;
  optedOut: boolean;
  /** A call the contact asked for, with its time as soon as one was named. */
  call: { time: SpokenTime | undefined } | undefined;
  /** The contact's texts since the agent's last, together, and what they mean. */
  said: { text: string; meaning: Understanding; time: SpokenTime | undefined } | undefined;
  /** The fields whose values those texts brought. */
  learned: ReadonlySet<string>;
  /** The contact would not, or could not, answer the last question. */
  declined: boolean;
};

/** Walks the conversation once. `known` are values that the service has already. */
export function progressOf(conversation: Conversation, given: Readonly<Record<string, string>>): Progress {
  const fields = fieldsToAsk(conversation).map(askedField);
  const known = new Map<string, Known>(Object.entries(given).map(([name, value]) => [name, { value }]));
  const asks = new Map<string, number>();
  const declined = new Set<string>();
  const { history } = conversation;
  const lastAnswer = history.findLastIndex((message) => message.role !== "contact");
  const learned = new Set<string>();
  const now: Progress = {
    fields,
    known,
    next: undefined,
    pending: undefined,
    interest: undefined,
    optedOut: false,
    call: undefined,
    said: undefined,
    learned,
    declined: false,
  };
  const burst: HistoryMessage[] = [];
  let speaking = false;
  let aside = false;

  for (const [index, message] of history.entries()) {
    if (message.role !== "contact") {
      if (message.text.includes("?")) now.pending = questionIn(message.text, fields, asks.size === 0);
      else if (message.text.includes(WHEN_IT_SUITS)) now.pending = "call_time";
      else if (index === 0) now.pending = "opening";
      else now.pending = undefined;
      if (typeof now.pending === "object") {
        const { name } = now.pending.field;
        // A question that comes again only because the contact had one is not asked twice.
        if (!aside || !asks.has(name)) asks.set(name, (asks.get(name) ?? 0) + 1);
      }
      speaking = true;
      continue;
    }
    const meaning = understand(message.text);
    aside = meaning.whoAreYou || asideIn(meaning.folded) !== undefined;
    const said: Said = { text: message.text, at: message.at, zone: conversation.contactZone, meaning };
    if (index > lastAnswer) burst.push(message);
    if (optOutIntent(message.text)) {
      now.optedOut = true;
      continue;
    }
    noteInterest(now, meaning, speaking);
    noteCall(now, said);
    if (typeof now.pending === "object" && meaning.declined) {
      declined.add(now.pending.field.name);
      now.declined = index > lastAnswer;
    }
    for (const asked of fields) {
      const direct = now.pending === asked && !aside;
      const before = known.get(asked.field.name);
      // What was asked for and answered stands until it is asked for and answered again.
      if (before !== undefined && !direct) continue;
      const read = readValue(asked, said, direct);
      if (read === undefined) continue;
      known.set(asked.field.name, { ...read, messageId: message.id });
      if (index > lastAnswer) learned.add(asked.field.name);
    }
    speaking = false;
  }
  now.said = saidTogether(burst, conversation);
  const open = fields.find(
    ({ field }) => !known.has(field.name) && !declined.has(field.name) && (asks.get(field.name) ?? 0) < MAX_ASKS,
  );
  now.next = open && { asked: open, times: asks.get(open.field.name) ?? 0 };
  return now;
}

/** The field that an agent's text asks for: by our own wording, or a question of any other agent by the field's words. */
function questionIn(text: string, fields: readonly AskedField[], first: boolean): Progress["pending"] {
  const own = fields.findLast((asked) => text.includes(asked.question));
  if (own) return own;
  if (text.includes(CALL_TIME_QUESTION) || text.includes(LATER_QUESTION)) return "call_time";
  const question = foldText(
    text
      .slice(0, text.lastIndexOf("?"))
      .split(/[.!?\n]/)
      .at(-1) ?? "",
  );
  const named = fields.find(({ words }) => words.length > 0 && words.every((word) => question.includes(word)));
  return named ?? (first ? "opening" : undefined);
}

function noteInterest(now: Progress, meaning: Understanding, answersAgent: boolean): void {
  const opening = now.pending === "opening" && answersAgent;
  if (meaning.notInterested || (opening && meaning.no && !meaning.later)) now.interest = "no";
  else if (meaning.interested || meaning.wantsCall || (opening && meaning.yes)) now.interest = "yes";
}

function noteCall(now: Progress, said: Said): void {
  const asked = now.pending === "call_time" || (typeof now.pending === "object" && now.pending.kind === "call_time");
  if (!asked && !said.meaning.wantsCall) return;
  if (said.meaning.no && !said.meaning.wantsCall) return;
  const time = timeIn(said);
  if (time || said.meaning.wantsCall) now.call = { time: time ?? now.call?.time };
}

function saidTogether(burst: readonly HistoryMessage[], { contactZone }: Conversation): Progress["said"] {
  const last = burst.at(-1);
  if (last === undefined) return undefined;
  const text = burst.map((message) => message.text).join("\n");
  return { text, meaning: understand(text), time: timeIn({ text, at: last.at, zone: contactZone }) };
}
