import { foldText } from "#domain/values/fold.ts";
import type { Answerer, DisconnectionReason } from "./call.ts";
import type { ContactRequests } from "./report.ts";

/** Nobody has said anything for this long: the agent asks whether the contact is still there. */
const REMIND_AFTER_MS = 10_000;

/** A silence so far; times are milliseconds since the answer. */
export type Silence = {
  /** Since when nobody speaks. The agent's own reminder breaks this silence, */
  quietSinceMs: number;
  /** but need not break the one that ends the call. */
  countsFromMs: number;
  reminders: number;
};

/** What the agent does next if nobody speaks, and when. Where both are due, the call ends. */
export function nextInSilence(
  { quietSinceMs, countsFromMs, reminders }: Silence,
  agent: { end_call_after_silence_ms: number },
  maxReminders: number,
): { kind: "remind" | "end"; atMs: number } {
  const endMs = countsFromMs + agent.end_call_after_silence_ms;
  const remindMs = quietSinceMs + REMIND_AFTER_MS;
  return reminders < maxReminders && remindMs < endMs
    ? { kind: "remind", atMs: remindMs }
    : { kind: "end", atMs: endMs };
}

/** What the agent does about who answered: it talks, leaves its message, or hangs up for this reason. */
export function receptionOf(
  answerer: Answerer,
  agent: { detect_voicemail: boolean },
  message: string | undefined,
): "talk" | "leave_message" | Extract<DisconnectionReason, "voicemail_reached" | "ivr_reached"> {
  if (!agent.detect_voicemail) return "talk";
  if (answerer === "ivr") return "ivr_reached";
  if (answerer === "full_mailbox") return "voicemail_reached";
  if (answerer === "voicemail") return message === undefined ? "voicemail_reached" : "leave_message";
  return "talk";
}

/** What is to be done once everything of a turn has been spoken: hang up, or put the call through. */
export type Ending = { kind: "goodbye" } | { kind: "transfer"; to: string };

/** What an agent does in a turn besides speaking. */
export type TurnAction =
  | Ending
  /** Commit first, then the rest is spoken. */
  | { kind: "opt_out"; quote: string }
  /** `isPromise`: the contact did not ask for it, and `quote` is what the agent promises it with. */
  | { kind: "callback"; at: string; quote: string; isPromise?: true }
  | { kind: "dtmf"; digits: string };

/** Writes down what the contact asked for, and what it was promised. Returns what is to follow the turn's words, if it is that. */
export function takeAction(requests: ContactRequests, action: TurnAction): Ending | undefined {
  if (action.kind === "goodbye" || action.kind === "transfer") return action;
  if (action.kind === "opt_out") requests.optOut ??= { quote: action.quote };
  if (action.kind === "callback") {
    requests[action.isPromise ? "promised" : "callback"] = { at: action.at, quote: action.quote };
  }
  return undefined;
}

/**
 * Settles what a turn promised, by the words that were played of it: nobody is called who did not ask for it and has not heard of it. `isWhole`: all
 * of the turn was played.
 */
export function settlePromise(requests: ContactRequests, played: string, isWhole: boolean): void {
  const { promised } = requests;
  delete requests.promised;
  if (promised && (isWhole || isPromiseHeard(promised.quote, played))) requests.callback = promised;
}

/** Whether the words that were played have the promise's first sentence; a goodbye may follow it. */
export const isPromiseHeard = (promise: string, played: string): boolean =>
  foldText(played).includes(foldText(promise.split(". ")[0]!));
