import type { Item } from "#api/operations.ts";
import { reasonOf, type Word, wordOf } from "#parts/show/words.ts";

/** Who answered where it was no person: nobody was talked with. */
const MACHINES: Readonly<Record<string, string>> = {
  voicemail: "Voicemail",
  full_mailbox: "Full mailbox",
  ivr: "Phone menu",
  call_screening: "Call screening",
};

/** What came of a call, in a word or two: who was talked with, which machine answered, or why nobody did. */
export function outcomeOf(call: Item<"GET /v1/voice/calls">): Word {
  const { call_status, answered_by, in_voicemail, call_duration_ms, disconnection_reason, waiting_because } = call;
  if (call_status !== "ended") {
    const isOver = call_status === "not_connected" || call_status === "error";
    const reason = disconnection_reason ?? waiting_because;
    if (isOver && reason) return { label: reasonOf(reason), tone: "bad" };
    // A single call has its id before anybody has been called.
    const waits = !isOver && (call.scheduled_for !== null || waiting_because !== null);
    return waits ? wordOf("recipient", "scheduled") : wordOf("call", call_status);
  }
  const machine = (answered_by && MACHINES[answered_by]) || (in_voicemail ? MACHINES.voicemail : undefined);
  if (machine !== undefined) return { label: machine, tone: "plain" };
  if (call_duration_ms === 0)
    return { label: disconnection_reason ? reasonOf(disconnection_reason) : "Not reached", tone: "bad" };
  return { label: call.call_successful ? "Talked with, goal met" : "Talked with", tone: "good" };
}
