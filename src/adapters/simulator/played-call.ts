import { setTimeout as pause } from "node:timers/promises";
import type { CallReport } from "#domain/calls/report.ts";
import type { HandsetAction } from "#ports/handset-network.ts";
import type { ScriptedContact } from "#ports/scripted-contact.ts";
import type { SoundLine } from "#ports/sound-bridge.ts";
import { CALL_BEHAVIORS } from "./call-behavior.ts";
import { type Carried, type CourseParts, insist, notConnected, note, talk, UNANSWERED } from "./call-course.ts";

/** How often the database is queried for what the person who plays the phone has done: soon enough for a click. */
const LOOK_EVERY_MS = 250;

/**
 * Lets a phone ring until the person who plays it decides, or the agent's patience is over by the tenant's clock. Who comes with a
 * microphone has taken the call by that.
 */
export async function ringForPerson(parts: CourseParts, call: Carried): Promise<CallReport> {
  const { plan, dialedAt, stored } = call;
  const offer = parts.bridge?.offer(`sim_${stored.seq}`);
  try {
    await parts.store.play(plan.tenantId, stored, parts.bridge?.address);
    note(call, { kind: "ringing", at: dialedAt.toISOString() });
    const decided = await decision(parts, call, offer?.taken ?? new Promise(() => {}));
    offer?.withdraw();
    return await decided();
  } finally {
    offer?.withdraw();
    // Also of one who came while it was being decided otherwise.
    void offer?.taken.then((line) => line.close());
  }
}

/** What becomes of the call, to be done. */
async function decision(
  parts: CourseParts,
  call: Carried,
  comes: Promise<SoundLine>,
): Promise<() => Promise<CallReport>> {
  const { plan, handle, dialedAt, stored } = call;
  const endsRinging = new Date(dialedAt.getTime() + plan.agent.ring_duration_ms);
  const asked = askedOf(parts, call);
  let line: SoundLine | undefined;
  const came = comes.then((soundLine) => {
    line = soundLine;
  });
  const take = async (now: Date, contact: ScriptedContact) => {
    const isSpoken = contact.line !== undefined;
    await insist(() => parts.store.note(plan.tenantId, stored, { answeredAt: now, isSpoken }));
    return talk({ ...parts, pace: parts.clock }, call, now, contact);
  };
  for (;;) {
    const offsetMs = await parts.store.clockOffsetMs(plan.tenantId);
    const now = new Date(parts.now().getTime() + offsetMs);
    if (handle.signal.aborted) {
      const cancelled = { outcome: "cancelled", reason: handle.stopReason, code: "487" } as const;
      return () => notConnected(parts, call, now, cancelled);
    }
    if (line) {
      const contact = { ...person(asked), line };
      return () => take(now, contact);
    }
    const next = await asked();
    if (next?.action === "decline") return () => notConnected(parts, call, now, UNANSWERED.decline);
    if (next?.action === "answer") return () => take(now, person(asked));
    if (next?.action === "voicemail") return () => take(now, CALL_BEHAVIORS.voicemail!.contact!);
    if (now >= endsRinging) return () => notConnected(parts, call, endsRinging, UNANSWERED.no_answer);
    await Promise.race([pause(LOOK_EVERY_MS), came]);
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
function askedOf({ store }: CourseParts, { plan, stored }: Carried): () => Promise<HandsetAction | undefined> {
  const taken: HandsetAction[] = [];
  return async () => {
    if (taken.length === 0) taken.push(...(await store.takeAsked(plan.tenantId, stored)));
    return taken.shift();
  };
}
