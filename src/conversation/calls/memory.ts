import type { CallPlan } from "#domain/calls/plan.ts";
import { foldText } from "#domain/values/fold.ts";
import type { HistoryMessage } from "#ports/language-model.ts";

/** Two machines that talk to each other, or hold music with a voice in it: nobody says so many words three times in a row. */
const LOOP_LENGTH = 3;
const LOOP_WORDS = 4;

/** What was said in a call, after what was texted before it. An agent's turn is one entry, however many sentences it had. */
export type CallMemory = {
  contactSaid(text: string): void;
  /** What the agent says from now on is another turn than what it said before. */
  beginTurn(): void;
  agentSays(sentence: string): void;
  /** Ends the agent's turn: this much of it was played, the rest was never said. */
  played(text: string): void;
  /** Oldest first, the texts before the call included. */
  history(): HistoryMessage[];
  /** Where in `history` the call begins. */
  readonly spokenFrom: number;
  agentHasSpoken(): boolean;
  /** What the contact said last; empty before it has spoken. */
  lastOfContact(): string;
  /** How often the contact has spoken. */
  contactTurns(): number;
  isLoop(): boolean;
};

export function callMemory(plan: CallPlan, now: () => Date): CallMemory {
  const texts: HistoryMessage[] = plan.history.map(({ id, role, text, at }) => ({ id, role, text, at: new Date(at) }));
  const spoken: HistoryMessage[] = [];
  let turn: HistoryMessage | undefined;

  const add = (role: "contact" | "agent", text: string): HistoryMessage => {
    const entry = { id: `s${spoken.length + 1}`, role, text, at: now() };
    spoken.push(entry);
    return entry;
  };
  const byContact = () => spoken.filter(({ role }) => role === "contact");

  return {
    contactSaid(text) {
      const last = spoken.at(-1);
      // The same words and more: what was taken for a whole sentence was not, and was not answered.
      if (last?.role === "contact" && foldText(text).startsWith(foldText(last.text))) last.text = text;
      else add("contact", text);
      turn = undefined;
    },
    beginTurn() {
      turn = undefined;
    },
    agentSays(sentence) {
      if (turn === undefined) turn = add("agent", sentence);
      else turn.text += ` ${sentence}`;
    },
    played(text) {
      const entry = turn;
      turn = undefined;
      // A turn that was dropped before it had words: what was heard before it stays.
      if (entry === undefined) return;
      if (text.trim() === "") spoken.splice(spoken.indexOf(entry), 1);
      else entry.text = text;
    },
    history: () => [...texts, ...spoken.map((entry) => ({ ...entry }))],
    spokenFrom: texts.length,
    agentHasSpoken: () => spoken.some(({ role }) => role === "agent"),
    lastOfContact: () => byContact().at(-1)?.text ?? "",
    contactTurns: () => byContact().length,
    isLoop() {
      const last = byContact()
        .slice(-LOOP_LENGTH)
        .map(({ text }) => foldText(text));
      return last.length === LOOP_LENGTH && new Set(last).size === 1 && last[0]!.split(" ").length >= LOOP_WORDS;
    },
  };
}
