import { isKey, PRESSED_FRAMES, RELEASED_FRAMES, toneFrame } from "#adapters/sip-audio/telephone-event.ts";
import { FRAME_SAMPLES, ULAW_SILENCE } from "#domain/calls/g711.ts";
import type { LegEvents, MediaLeg } from "#ports/media-leg.ts";

/** More keys than a menu asks for. */
const MAX_KEYS = 100;

export type WebLeg = MediaLeg & {
  /** Audio of the other side: any number of whole frames. A partial frame is dropped. */
  receiveAudio(sound: Uint8Array): void;
};

/**
 * A leg whose audio the holder of the call delivers and takes, in order and without a gap; the agent's audio goes to `say`, and `clear` drops what of
 * it was not played yet. Such a line has no other way for keys: they are pressed as tones, in place of the agent's sound.
 */
export function webLeg({ say, clear }: { say(frame: Uint8Array): void; clear(): void }): WebLeg {
  let events: LegEvents | undefined;
  let sequence = 0;
  let timestamp = 0;
  let keys: string[] = [];
  /** Of the first key. */
  let frameOfKey = 0;
  const tone = new Uint8Array(FRAME_SAMPLES);

  function pressOn(digit: string): void {
    if (frameOfKey < PRESSED_FRAMES) toneFrame(digit, frameOfKey, tone);
    else tone.fill(ULAW_SILENCE);
    say(tone);
    if (++frameOfKey < PRESSED_FRAMES + RELEASED_FRAMES) return;
    frameOfKey = 0;
    keys.shift();
  }

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
    send(frame) {
      const [key] = keys;
      if (key === undefined) say(frame);
      else pressOn(key);
    },
    clear,
    dtmf(digits) {
      keys.push(...[...digits].filter(isKey).slice(0, MAX_KEYS - keys.length));
    },
    close() {
      events = undefined;
      keys = [];
    },
  };
}
