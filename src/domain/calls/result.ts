import type { Answerer, CallStatus, DisconnectionReason } from "./call.ts";
import { type CallOutcome, callOutcome } from "./redial.ts";
import type { CallReport, Utterance } from "./report.ts";

/** What a campaign counts calls by, with the calls that connected divided: by the machine that took them, and whether the contact said anything. */
export const CALL_RESULTS = [
  "talked",
  "nothing_said",
  "connected",
  "voicemail",
  "full_mailbox",
  "ivr",
  "call_screening",
  "no_answer",
  "busy",
  "declined",
  "failed",
] as const satisfies readonly (CallOutcome | Answerer | "talked" | "nothing_said")[];
export type CallResult = (typeof CALL_RESULTS)[number];

/** Answerers that are no person. */
type Machine = Extract<Answerer, CallResult>;
const MACHINES: ReadonlySet<Answerer> = new Set<Machine>(["voicemail", "full_mailbox", "ivr", "call_screening"]);
const isMachine = (answerer: Answerer | null): answerer is Machine => answerer !== null && MACHINES.has(answerer);

/**
 * What came of a call; null while it goes on.
 *
 * @param call.hasContactSpoken undefined where that has been erased: such a call is "connected"
 */
export function callResult(call: {
  status: CallStatus;
  reason: DisconnectionReason | null;
  answerer: Answerer | null;
  inVoicemail: boolean;
  durationMs: number;
  hasContactSpoken: boolean | undefined;
}): CallResult | null {
  const { status, reason, answerer, inVoicemail, durationMs, hasContactSpoken } = call;
  if (status === "registered" || status === "ongoing") return null;
  if (isMachine(answerer)) return answerer;
  const outcome = callOutcome({ status, reason: reason ?? "error_unknown", inVoicemail, durationMs });
  if (outcome !== "connected" || hasContactSpoken === undefined) return outcome;
  return hasContactSpoken ? "talked" : "nothing_said";
}

/** The same of a call that has just ended. */
export const resultOf = ({ status, reason, answerer, inVoicemail, durationMs, utterances }: CallReport): CallResult =>
  callResult({
    ...{ status, reason, inVoicemail, durationMs },
    answerer: answerer ?? null,
    hasContactSpoken: hasContactSpoken(utterances),
  })!;

export const hasContactSpoken = (utterances: readonly Utterance[]): boolean =>
  utterances.some(({ role, text }) => role === "contact" && text.trim() !== "");
