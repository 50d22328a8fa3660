import type { CallingWindows } from "./calling-window.ts";
import { type Decision, type GateSubject, mayContact } from "./gate.ts";

/** More different holds in a row than this are not in the table; it only keeps a fault from becoming a loop. */
const MAX_HOLDS = 50;

/**
 * The gate's word on a contact now and, when it holds, the first moment at which it lets go, as far as anybody can know
 * today: null when it is paused, banned without an end, or blocked by then. Asks the gate alone.
 */
export function contactability(
  subject: GateSubject,
  now: Date,
  callingWindows: CallingWindows,
): { decision: Decision; nextAt: Date | null } {
  const decision = mayContact(subject, now, callingWindows);
  let later = decision;
  for (let i = 0; i < MAX_HOLDS && later.outcome === "held" && later.until !== null; i++) {
    const at = later.until;
    later = mayContact(subject, at, callingWindows);
    if (later.outcome === "allowed") return { decision, nextAt: at };
  }
  return { decision, nextAt: null };
}
