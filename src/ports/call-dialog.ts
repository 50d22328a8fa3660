import type { CallPlan } from "#domain/calls/plan.ts";
import type { TurnAction } from "#domain/calls/rules.ts";

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
   * then may have been spoken in part, and `played` says how much.
   */
  turn(said: string, signal: AbortSignal): AsyncIterable<DialogPart>;
  /** What the agent says without words of the contact before it: after a silence, after pressed keys, or injected by an operator. */
  prompted(why: DialogPrompt, signal: AbortSignal): AsyncIterable<DialogPart>;
  /** How much of its latest turn was played to the contact: the rest leaves the history. */
  played(text: string): void;
  readonly usage: { inputTokens: number; outputTokens: number };
}

export type DialogPrompt =
  | { kind: "silence"; reminder: number }
  | { kind: "injected"; text: string }
  | { kind: "dtmf"; digits: string };

/** A sentence to speak, in plain words, or something to do. */
export type DialogPart = { kind: "sentence"; text: string } | TurnAction;

/** Creates the dialog of one call. */
export type CallDialogs = (plan: CallPlan) => CallDialog;
