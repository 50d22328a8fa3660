import { FRAME_SAMPLES } from "#domain/calls/g711.ts";
import type { LegEvents, MediaLeg } from "#ports/media-leg.ts";

export type WebLeg = MediaLeg & {
  /** Audio of the other side: any number of whole frames. A partial frame is dropped. */
  receiveAudio(sound: Uint8Array): void;
};

/** A leg whose audio the holder of the call delivers and takes, in order and without a gap; the agent's audio goes to `say`, and `clear` drops
 * what of it was not played yet. Keys are ignored. */
export function webLeg({ say, clear }: { say(frame: Uint8Array): void; clear(): void }): WebLeg {
  let events: LegEvents | undefined;
  let sequence = 0;
  let timestamp = 0;
  return {
    listen(on) {
      events = on;
    },
    receiveAudio(sound) {
      for (let at = 0; at + FRAME_SAMPLES <= sound.length; at += FRAME_SAMPLES) {
        events?.packet(sequence, timestamp, sound.subarray(at, at + FRAME_SAMPLES));
        sequence = (sequence + 1) & 0xffff;
        timestamp = (timestamp + FRAME_SAMPLES) >>> 0;
      }
    },
    send: say,
    clear,
    dtmf() {},
    close() {
      events = undefined;
    },
  };
}
