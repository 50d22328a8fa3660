import { setTimeout as pause } from "node:timers/promises";
import type { CallReport } from "#domain/call-report.ts";
import type { HandsetAction } from "#ports/handset-network.ts";
import type { ScriptedContact } from "#ports/scripted-contact.ts";
import { CALL_BEHAVIORS } from "./call-behavior.ts";
import { type Carried, type CourseParts, notConnected, note, talk, UNANSWERED } from "./call-course.ts";

/** How often the books are asked what the person who plays the phone has done: soon enough for a click. */
const LOOK_EVERY_MS = 250;

/** Lets a phone ring until the person who plays it decides, or the agent's patience is over by the tenant's clock. */
export async function ringForPerson(parts: CourseParts, call: Carried): Promise<CallReport> {
  const { plan, handle, dialedAt, booked } = call;
  const endsRinging = new Date(dialedAt.getTime() + plan.agent.ring_duration_ms);
  const asked = askedOf(parts, call);
  await parts.books.play(plan.tenantId, booked);
  note(call, { kind: "ringing", at: dialedAt.toISOString() });
  for (;;) {
    const offsetMs = await parts.books.clockOffsetMs(plan.tenantId);
    const now = new Date(parts.now().getTime() + offsetMs);
    if (handle.signal.aborted)
      return notConnected(parts, call, now, { outcome: "cancelled", reason: handle.stopReason, code: "487" });
    const next = await asked();
    if (next?.action === "decline") return notConnected(parts, call, now, UNANSWERED.decline);
    if (next?.action === "answer" || next?.action === "voicemail") {
      await parts.books.note(plan.tenantId, booked, { answeredAt: now });
      const contact = next.action === "answer" ? person(asked) : CALL_BEHAVIORS.voicemail!.contact!;
      return talk({ ...parts, pace: parts.clock }, call, now, contact);
    }
    if (now >= endsRinging) return notConnected(parts, call, endsRinging, UNANSWERED.no_answer);
    await pause(LOOK_EVERY_MS);
  }
}

const person = (asked: () => Promise<HandsetAction | undefined>): ScriptedContact => ({
  answerer: "human",
  says: [],
  async played() {
    const next = await asked();
    if (next?.action === "hang_up") return null;
    return next?.action === "speak" ? next.text : undefined;
  },
});

/** What was asked of the call, one after the other. */
function askedOf({ books }: CourseParts, { plan, booked }: Carried): () => Promise<HandsetAction | undefined> {
  const taken: HandsetAction[] = [];
  return async () => {
    if (taken.length === 0) taken.push(...(await books.takeAsked(plan.tenantId, booked)));
    return taken.shift();
  };
}
