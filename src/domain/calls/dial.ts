import type { Decision, GatePurpose } from "#domain/compliance/gate.ts";
import type { CallPurpose } from "./call.ts";

/**
 * As what the gate takes a call. A first call and a redial are outreach, in all that it means. A callback was asked for, so no cap
 * counts it and no list forbids it; but its hour was understood by a machine, so that it keeps to the legal ones. A transfer goes on with
 * a conversation of this minute: it is a reply, which keeps to them too once that minute is long gone. A single call is a person's doing,
 * and obeys hours and caps, since its contact has not written.
 */
export const GATE_PURPOSE: Record<CallPurpose, GatePurpose> = {
  call: "start",
  redial: "drip",
  callback: "callback",
  transfer: "reply",
  single: "human",
};

export type DialVerdict =
  | { go: true }
  | {
      go: false;
      state: "held" | "suppressed" | "expired";
      /** "infinity" until something wakes it; null when it is over. */
      dueAt: Date | "infinity" | null;
      rule: string;
      reason: string;
    };

/** What becomes of a dial by the gate's word. Outreach is held no longer than its campaign lasts: then it expires. */
export function dialVerdict(gate: Decision, purpose: CallPurpose, endAt: Date | null): DialVerdict {
  if (gate.outcome === "allowed") return { go: true };
  if (gate.outcome === "blocked") {
    const state = gate.rule === "campaign_ended" ? "expired" : "suppressed";
    return { go: false, state, dueAt: null, rule: gate.rule, reason: gate.reason };
  }
  const until = gate.askAgainAt ?? gate.until;
  const ends = purpose === "call" || purpose === "redial" ? endAt : null;
  const dueAt = until === null ? "infinity" : ends !== null && ends < until ? ends : until;
  return { go: false, state: "held", dueAt, rule: gate.rule, reason: gate.rule };
}

/** By a carrier account that was removed nobody is called: what would be dialled, or waits, is over. What was refused anyway keeps its reason. */
export const withoutLine = (verdict: DialVerdict): DialVerdict =>
  !verdict.go && verdict.dueAt === null ? verdict : NO_LINE;

export const NO_LINE: Extract<DialVerdict, { go: false }> = {
  ...{ go: false, state: "suppressed", dueAt: null, rule: "carrier_removed" },
  reason: "The carrier account that its number was on was removed.",
};
