import { nextSlot, type State } from "./state.ts";
import { fresh, type Wording, wasSaid } from "./wording.ts";

/** What is to be said next, in sentences, and what is to be done; the channels give it their form. */
export type Move = {
  sentences: string[];
  /** At most one, said last. */
  question?: string;
  does?: "opt_out" | "transfer" | { schedule: Date };
  /** The conversation is over, with this outcome. */
  ends?: string;
  /** A person has to hear of it, though the words name none. */
  needsPerson?: true;
};

export type Channel = {
  spoken: boolean;
  canSchedule: boolean;
  canTransfer: boolean;
  /** Whether the call is recorded. */
  recorded: boolean;
  /** The last words of the agent's own, for who did not hear them. */
  lastWords: string | undefined;
  /** Nothing has been said in this call yet. */
  isFirst: boolean;
  /** `I'm Ava, an automated assistant for Acme.` */
  introduction: string;
  /** `Tuesday, November 24 at 3:00 PM`. */
  when: (at: Date) => string;
};

export const texts = (state: State, ...names: Wording[]): string[] =>
  names.map((name) => fresh(state, name)).filter((text) => text !== undefined);

/** The question for the next field, in a wording that was not said before; nothing when there is none. */
export function question(state: State): { question?: string } {
  const slot = nextSlot(state);
  if (slot === undefined) return openQuestion(state);
  const wordings = state.language === "spanish" && slot.spanish.length > 0 ? slot.spanish : slot.questions;
  const unsaid = wordings.find((wording) => !wasSaid(state, wording));
  return unsaid === undefined ? {} : { question: unsaid };
}

function openQuestion(state: State): { question?: string } {
  if (state.slots.length > 0 || state.interest !== undefined) return {};
  const text = fresh(state, "nothing_more");
  return text === undefined || state.closed ? {} : { question: text };
}

/** After a farewell nothing is asked. */
export const onTo = (state: State): { question?: string } =>
  state.closed || state.interest === "no" ? {} : question(state);

export const asking = (state: State, name: Wording): { question?: string } => {
  const text = fresh(state, name);
  return text === undefined ? {} : { question: text };
};
