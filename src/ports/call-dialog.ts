import type { Answerer } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";

/**
 * The dialog engine of a call: it is given what the contact said and returns what the agent says and does. It does not depend on sound: the
 * session decides who speaks when, and reports how much of a sentence was really played.
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
  /** What the agent says without words of the contact before it: after a silence, after pressed keys, or injected by an operator. */
  prompted(why: DialogPrompt, signal: AbortSignal): AsyncIterable<DialogPart>;
  /** How much of its latest turn the contact really heard: the rest leaves the history. */
  heard(text: string): void;
  /** Who answered, judged by their words: undefined when the words leave it open. */
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

/** Creates the dialog of one call. */
export type CallDialogs = (plan: CallPlan) => CallDialog;
