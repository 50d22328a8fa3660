import type { WebCalls } from "#ports/web-calls.ts";
import { createPlane, type Plane, type PlaneParts } from "./plane.ts";

/** The audio process is kept this long after its last call, so that the next one begins at once. */
const KEEP_MS = 5 * 60_000;

/**
 * Holds such calls in a process of their own beside the API, which is started with the first: the API process
 * only passes the audio on.
 */
export function webCalls(parts: Omit<PlaneParts, "children" | "salvage">, atOnce: number): WebCalls {
  let plane: Plane | undefined;
  let open = 0;
  let idle: NodeJS.Timeout | undefined;
  const leave = () => {
    open--;
    if (open > 0) return;
    idle = setTimeout(() => {
      void plane?.close();
      plane = undefined;
    }, KEEP_MS);
    idle.unref();
  };
  return {
    atOnce,
    async open(plan, on) {
      clearTimeout(idle);
      plane ??= createPlane({ ...parts, children: 1, salvage: async () => undefined });
      open++;
      const held = plane.open(
        plan,
        { kind: "web" },
        {
          report: async (event) => {
            if (event.kind === "utterance") on.utterance(event.utterance);
          },
          // There is nobody to transfer to: the call ends as if the transfer had succeeded.
          transfer: async () => true,
          sound: on.sound,
        },
      );
      const ended = held.ended.finally(leave);
      await held.local;
      held.begin(new Date(plan.now));
      return { receiveAudio: held.receiveAudio, digit: held.digit, hangUp: () => held.end("user_hangup"), ended };
    },
    async close() {
      clearTimeout(idle);
      await plane?.close();
    },
  };
}
