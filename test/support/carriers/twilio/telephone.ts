import { FRAME_MS, FRAME_SAMPLES, ULAW_SILENCE } from "#domain/calls/g711.ts";
import type { MediaLeg } from "#ports/media-leg.ts";

/** Frames at a time after a standstill: then what has come meanwhile is read first. */
const AT_ONCE = 10;
const SILENCE = new Uint8Array(FRAME_SAMPLES).fill(ULAW_SILENCE);

/**
 * The network's side of a call: what the service says is played as fast as it was spoken, and what the telephone says comes 20 ms after 20 ms, also where
 * this process was late. Without that a telephone on a busy machine says less than it would, and its words have holes.
 */
export function playedIn(leg: Pick<MediaLeg, "send">, marked: (name: string) => void) {
  let waiting: (Uint8Array | string)[] = [];
  let played = 0;
  const begin = performance.now();
  const step = () => {
    const due = Math.floor((performance.now() - begin) / FRAME_MS);
    for (let n = 0; n < AT_ONCE && played < due; n++, played++) {
      while (typeof waiting[0] === "string") marked(waiting.shift() as string);
      leg.send((waiting.shift() as Uint8Array | undefined) ?? SILENCE);
    }
    if (played < due) setImmediate(() => timer.hasRef() && step());
  };
  const timer = setInterval(step, FRAME_MS / 2);
  return {
    frame: (sound: Uint8Array) => void waiting.push(sound),
    mark: (name: string) => void waiting.push(name),
    /** Drops what waits; its marks come back at once. */
    clear() {
      const dropped = waiting;
      waiting = [];
      for (const one of dropped) if (typeof one === "string") marked(one);
    },
    end: () => clearInterval(timer),
  };
}
