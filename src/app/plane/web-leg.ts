import { FRAME_SAMPLES } from "#domain/calls/g711.ts";
import type { LegEvents, MediaLeg } from "#ports/media-leg.ts";

export type WebLeg = MediaLeg & {
  /** What the other side says: any number of whole frames. What is less than one is dropped. */
  hear(sound: Uint8Array): void;
};

/** Sound that comes and goes by whoever holds the call, in order and without a gap; what the agent says is given to `say`. Keys go nowhere. */
export function webLeg(say: (frame: Uint8Array) => void): WebLeg {
  let events: LegEvents | undefined;
  let sequence = 0;
  let timestamp = 0;
  return {
    listen(on) {
      events = on;
    },
    hear(sound) {
      for (let at = 0; at + FRAME_SAMPLES <= sound.length; at += FRAME_SAMPLES) {
        events?.packet(sequence, timestamp, sound.subarray(at, at + FRAME_SAMPLES));
        sequence = (sequence + 1) & 0xffff;
        timestamp = (timestamp + FRAME_SAMPLES) >>> 0;
      }
    },
    send: say,
    clear() {},
    dtmf() {},
    close() {
      events = undefined;
    },
  };
}
