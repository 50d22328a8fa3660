import type { Conductor, TextCall } from "#ports/scripted-contact.ts";

export type MixedParts = {
  /** With sound, in real time. */
  audio: Conductor;
  /** In words only, at once. */
  text: Conductor;
  /** Calls with audio at a time that the machine can handle well; 0: none. */
  atOnce: number;
  /** Calls with audio that could be opened now. */
  room(): number;
  /** Recipients of the largest campaign whose calls have audio; also how many calls may wait for their turn. */
  largest: number;
};

/**
 * Holds a simulated call with sound when it is a single one or its campaign is small, and in words otherwise. Calls beyond `atOnce`, or without room,
 * wait for their turn, which takes real time and none of the tenant's clock; one that is stopped meanwhile ends at once. A call that a person
 * takes by microphone has audio at once, whatever its campaign and however many wait: those calls are few.
 */
export function mixedConductor({ audio, text, atOnce, room, largest }: MixedParts): Conductor {
  let held = 0;
  const waiting: (() => void)[] = [];

  /** False when the call was stopped before its turn came. */
  const turn = async ({ stop, contact }: TextCall): Promise<boolean> => {
    if (stop.aborted) return false;
    if ((held < atOnce && room() > 0) || contact.line) {
      held++;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const mine = () => resolve(true);
    const stopped = () => {
      const at = waiting.indexOf(mine);
      if (at < 0) return;
      waiting.splice(at, 1);
      resolve(false);
    };
    waiting.push(mine);
    stop.addEventListener("abort", stopped, { once: true });
    const came = await promise;
    stop.removeEventListener("abort", stopped);
    return came;
  };

  /** The place goes to the call that has waited longest, or becomes free. */
  const leave = () => {
    const next = held > atOnce ? undefined : waiting.shift();
    if (next) next();
    else held--;
  };

  return async (call, on) => {
    // A call by microphone always has audio.
    const isLarge = !call.contact.line && ((call.plan.campaignSize ?? 1) > largest || waiting.length >= largest);
    // Without one that is held there is none after which another could have its turn.
    const isFull = !call.contact.line && held === 0 && room() < 1;
    if (atOnce === 0 || isLarge || isFull || !(await turn(call))) return text(call, on);
    try {
      return await audio(call, on);
    } finally {
      leave();
    }
  };
}
