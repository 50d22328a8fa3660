import type { Act } from "#adapters/dialog-reading/acts.ts";
import type { Slot } from "#adapters/dialog-reading/slot.ts";
import type { Language } from "#adapters/dialog-words/language.ts";
import type { SpokenTime } from "#domain/calls/spoken-time.ts";

/** A question that brings nothing is asked once more in other words, and then left. */
const MAX_ASKS = 2;

export type Known = { value: string; quote?: string; messageId?: string };
/** `isChange`: another value was known before. */
export type Learned = { slot: Slot; value: string; isChange: boolean };
/** The contact's texts since the agent's last, together, and what is done with them. */
export type Together = {
  text: string;
  folded: string;
  acts: ReadonlySet<Act>;
  time: SpokenTime | undefined;
  language: Language;
};

/** Where a conversation stands, read from its whole history: the engine remembers nothing itself. */
export type State = {
  slots: readonly Slot[];
  known: Map<string, Known>;
  /** How often each field was asked for. */
  asks: Map<string, number>;
  /** What the agent's last message asked for. */
  pending: Slot | "call_time" | "later" | "opening" | undefined;
  /** The agent's last message asks nothing: it waits for the contact, or for a person. */
  parked: boolean;
  declined: Set<string>;
  /** Answered in words that no rule reads: not asked for again, but known as soon as it is said otherwise. */
  putOff: Set<string>;
  /** What the contact thinks of the whole matter. */
  interest: "yes" | "no" | undefined;
  optedOut: boolean;
  /** Whoever wrote last is not the contact. */
  somebodyElse: boolean;
  /** The agent has taken its leave, and the contact has not come back to the matter since. */
  closed: boolean;
  /** A call the contact asked for, with its time as soon as one was named. */
  call: { time: SpokenTime | undefined } | undefined;
  said: Together | undefined;
  /** What those texts brought. */
  learned: Learned[];
  /** When somebody may come, to who named another time. */
  outside: string | undefined;
  /** They said again what was known. */
  confirmed: boolean;
  /** Spanish as soon as the contact writes it. */
  language: "english" | "spanish";
  /** What the agent has said, a folded sentence each. */
  spoken: Set<string>;
};

/** Whether a field still matters: one that depends on another does not where that has another value. */
export function matters({ only }: Slot, known: ReadonlyMap<string, Known>): boolean {
  const value = only === undefined ? undefined : known.get(only.field)?.value;
  return value === undefined || value === only?.value;
}

/**
 * The next field to ask for. One that was asked for twice is left, and one whose answer no rule reads is there for people to read; only the last of
 * all is asked for once more, since nothing else is to be asked.
 */
export function nextSlot(state: State): Slot | undefined {
  const open = state.slots.filter(
    (slot) =>
      matters(slot, state.known) &&
      !state.known.has(slot.field.name) &&
      !state.declined.has(slot.field.name) &&
      (state.asks.get(slot.field.name) ?? 0) < MAX_ASKS,
  );
  return open.find(({ field }) => !state.putOff.has(field.name)) ?? open.find((slot) => slot === state.pending);
}

/** Nothing but assent: to an agent that waits it says nothing. */
export const ONLY_OK =
  /^(?:(?:ok|okay|k|kk|cool|great|good|perfect|sounds good|sure|got it|alright|all right|right|yep|yes|yeah|yea|fine|nice|awesome|lol|bet|no|nope|np|no problem|merci|danke|tschuss|gracias|cam on|obrigado|whatever|will do|please|ill wait|thx|thanks|ty|thank you|appreciate it) ?){0,5}$/;
