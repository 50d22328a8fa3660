import { setTimeout as pause } from "node:timers/promises";
import type { ObjectStore } from "#ports/object-store.ts";
import type { Conductor, ScriptedContact, TextCall } from "#ports/scripted-contact.ts";
import type { Plane, PlaneCall } from "./plane.ts";
import { keepRecording } from "./recordings.ts";

/** An operator's message reaches the agent within this time; a hang-up of a person who plays a phone takes effect within it too. */
const LOOK_EVERY_MS = 200;

/**
 * Holds simulated calls with sound, in real time and recorded as any other: with a simulated handset in the child process, or with
 * the microphone of the person who plays the phone.
 */
export function audioConductor(plane: Plane, store: ObjectStore): Conductor {
  return async (call, on) => {
    const { plan, contact } = call;
    const { line } = contact;
    const held = plane.open(plan, line ? { kind: "web" } : { kind: "handset", contact }, {
      report: on,
      transfer: async () => true,
      sound: (frame) => line?.send(frame),
    });
    const over = new AbortController();
    try {
      await held.local;
      held.begin(call.answeredAt);
      // A stop that was requested before this point ends the call too.
      endOn(call.stop, () => held.end(call.stopReason()), over.signal);
      line?.listen({ sound: held.receiveAudio, closed: () => held.end("user_hangup") });
      repeat(() => passInjected(call, held), over.signal);
      if (contact.played) repeat(() => passHangUp(contact.played!, held), over.signal);
      const { recording, reason, ...result } = await held.ended;
      // The person on the line need not wait until the call is stored.
      line?.close();
      const status = reason.startsWith("error_") ? "error" : "ended";
      const kept = recording && (await keepRecording(store, plan, recording));
      return { ...result, reason, status, ...(kept ? { recording: kept } : {}) };
    } catch {
      // No process could take the call: for the contact it broke off at once.
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

/** Polls for requests from outside, until the call is over. */
function repeat(look: () => Promise<void> | void, signal: AbortSignal): void {
  const looking = async () => {
    for (;;) {
      await pause(LOOK_EVERY_MS, undefined, { signal });
      await look();
    }
  };
  looking().catch(() => {});
}

function passInjected({ takeInjected }: TextCall, held: PlaneCall): void {
  const text = takeInjected();
  if (text !== undefined) held.inject(text);
}

async function passHangUp(played: NonNullable<ScriptedContact["played"]>, held: PlaneCall): Promise<void> {
  // While the database is away the call is not taken as hung up.
  if ((await played().catch(() => undefined)) === null) held.end("user_hangup");
}
