import type { Answerer } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";

/**
 * What thinks in a call: it is told what was heard and says what is to be spoken. It knows nothing of sound; who speaks when, and what of a
 * sentence was really heard, is the session's to find out and to tell it.
 */
export interface CallDialog {
  /** The first thing to say on answer. */
  greeting(): string;
  /** The text to leave on a voicemail, or undefined to hang up. */
  voicemailMessage(): string | undefined;
  /**
   * Answers what the contact said. Sentences come as soon as each is whole, then actions. Ends early at the signal: what had been given by
   * then may have been spoken in part, and `heard` says how much.
   */
  turn(said: string, signal: AbortSignal): AsyncIterable<DialogPart>;
  /** Something the agent says unasked: after a silence, at a wrong verdict about who answered, or told by an operator. */
  prompted(why: DialogPrompt, signal: AbortSignal): AsyncIterable<DialogPart>;
  /** How much of its latest turn the contact really heard: the rest leaves the history. */
  heard(text: string): void;
  /** Who answered, by what they say: undefined when the words do not tell. */
  answererOf(said: string): Answerer | undefined;
  readonly usage: { inputTokens: number; outputTokens: number };
}

export type DialogPrompt =
  | { kind: "silence"; reminder: number }
  | { kind: "injected"; text: string }
  | { kind: "dtmf"; digits: string };

export type DialogPart =
  /** Speak this. Plain words, one sentence. */
  | { kind: "sentence"; text: string }
  /** When the last sentence has been spoken, hang up. */
  | { kind: "goodbye" }
  /** Commit first, then the rest is spoken. */
  | { kind: "opt_out"; quote: string }
  | { kind: "callback"; at: string; quote: string }
  | { kind: "transfer"; to: string }
  | { kind: "dtmf"; digits: string };

/** Makes the mind of one call. */
export type CallDialogs = (plan: CallPlan) => CallDialog;
