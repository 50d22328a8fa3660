import { setInterval as every } from "node:timers/promises";
import type { ObjectStore } from "#ports/object-store.ts";
import type { Conductor, TextCall } from "#ports/scripted-contact.ts";
import type { Plane, PlaneCall } from "./plane.ts";
import { keepRecording } from "./recordings.ts";

/** An operator's word reaches the agent within this, and so does it that a person who plays a phone has hung up. */
const LOOK_EVERY_MS = 200;

/**
 * Holds simulated calls with sound, in real time and recorded as any other: with a handset of the child's that speaks and listens, or with
 * the microphone of whoever plays the phone.
 */
export function audioConductor(plane: Plane, store: ObjectStore): Conductor {
  return async (call, on) => {
    const { plan, contact } = call;
    const { line } = contact;
    const held = plane.open(plan, line ? { kind: "web" } : { kind: "handset", contact }, {
      tell: on,
      transfer: async () => true,
      sound: (frame) => line?.send(frame),
    });
    const over = new AbortController();
    try {
      await held.local;
      held.begin(call.answeredAt);
      // What has happened by now ends it as what happens later.
      endOn(call.stop, () => held.end(call.stopReason()), over.signal);
      line?.listen({ sound: held.hear, closed: () => held.end("user_hangup") });
      look(call, held, over.signal).catch(() => {});
      const { recording, reason, ...result } = await held.ended;
      const status = reason.startsWith("error_") ? "error" : "ended";
      const kept = recording && (await keepRecording(store, plan, recording));
      return { ...result, reason, status, ...(kept ? { recording: kept } : {}) };
    } catch {
      // No process could take it: to the contact it was a call that broke off at once.
      held.end("error_unknown");
      const { recording: _, ...result } = await held.ended;
      return { ...result, status: "error" };
    } finally {
      over.abort();
    }
  };
}

function endOn(stop: AbortSignal, end: () => void, signal: AbortSignal): void {
  if (stop.aborted) end();
  else stop.addEventListener("abort", end, { once: true, signal });
}

/** What is asked of the call from outside, until it is over. */
async function look({ contact, takeInjected }: TextCall, held: PlaneCall, signal: AbortSignal): Promise<void> {
  for await (const _ of every(LOOK_EVERY_MS, undefined, { signal })) {
    const text = takeInjected();
    if (text !== undefined) held.inject(text);
    // While the database is away nobody hangs up.
    if ((await contact.played?.().catch(() => undefined)) === null) held.end("user_hangup");
  }
}
