import { setInterval as every } from "node:timers/promises";
import type { ObjectStore } from "#ports/object-store.ts";
import type { Conductor } from "#ports/scripted-contact.ts";
import type { Plane } from "./plane.ts";
import { keepRecording } from "./recordings.ts";

/** An operator's word reaches the agent within this. */
const LOOK_FOR_WORDS_MS = 200;

/** Holds simulated calls with sound: a handset of the child's that speaks and listens, in real time, recorded as any other. */
export function audioConductor(plane: Plane, store: ObjectStore): Conductor {
  return async (call, on) => {
    const { plan } = call;
    const held = plane.open(plan, { kind: "handset", contact: call.contact }, { tell: on, transfer: async () => true });
    const stop = () => held.end(call.stopReason());
    call.stop.addEventListener("abort", stop, { once: true });
    const over = new AbortController();
    const words = async () => {
      for await (const _ of every(LOOK_FOR_WORDS_MS, undefined, { signal: over.signal })) {
        const text = call.takeInjected();
        if (text !== undefined) held.inject(text);
      }
    };
    try {
      await held.local;
      held.begin(call.answeredAt);
      if (call.stop.aborted) stop();
      words().catch(() => {});
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
      call.stop.removeEventListener("abort", stop);
    }
  };
}
