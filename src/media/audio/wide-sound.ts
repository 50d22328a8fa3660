import { FRAME_SAMPLES, ulawToSample } from "#domain/calls/g711.ts";

/** A frame of 20 ms at 16 kHz. */
export const WIDE_FRAME_SAMPLES = 2 * FRAME_SAMPLES;

/**
 * The sound of a wideband codec beside a jitter buffer's own: the same places, two samples for each of its. What has come in the telephone's band
 * alone, or stands in for what is lost, is there by each sample twice: speech-to-text is trained on sound with something above 4 kHz, and a filter
 * would leave nothing there (measured in adapters/offline-speech).
 */
export type WideSound = {
  /** `from` is the first of the payload's samples that is to be kept, `at` the place of the payload's first. */
  put(at: number, from: number, payload: Uint8Array, wide: Int16Array | undefined): void;
  silence(from: number, to: number): void;
  /** Writes the frame that begins at this place. */
  take(at: number): void;
  /** As `take`, crossed into it from the frame before where the weight of it is less than 1. */
  cross(at: number, weightOf: (sample: number) => number): void;
  /** Writes a frame of the telephone's band. */
  standIn(narrow: Int16Array): void;
};

/** Writes its frames into `frame`. `ring`: places that there are, a power of two. */
export function wideSound(frame: Int16Array, ring: number): WideSound {
  const kept = new Int16Array(2 * ring);
  const before = new Int16Array(WIDE_FRAME_SAMPLES);
  const mask = kept.length - 1;
  const placeOf = (at: number) => 2 * (at & (ring - 1));

  const take = (at: number) => {
    const first = placeOf(at);
    for (let i = 0; i < WIDE_FRAME_SAMPLES; i++) frame[i] = kept[(first + i) & mask] as number;
  };

  return {
    take,
    put(at, from, payload, wide) {
      const first = placeOf(at);
      for (let i = from; i < payload.length; i++) {
        const place = (first + 2 * i) & mask;
        const narrow = wide === undefined ? ulawToSample(payload[i] as number) : 0;
        kept[place] = wide === undefined ? narrow : (wide[2 * i] as number);
        kept[place + 1] = wide === undefined ? narrow : (wide[2 * i + 1] as number);
      }
    },
    silence(from, to) {
      for (let at = from; at < to; at++) {
        kept[placeOf(at)] = 0;
        kept[placeOf(at) + 1] = 0;
      }
    },
    cross(at, weightOf) {
      before.set(frame);
      take(at);
      for (let i = 0; i < WIDE_FRAME_SAMPLES; i++) {
        const weight = weightOf(i >> 1);
        frame[i] = Math.round((frame[i] as number) * weight + (before[i] as number) * (1 - weight));
      }
    },
    standIn(narrow) {
      for (let i = 0; i < FRAME_SAMPLES; i++) {
        frame[2 * i] = narrow[i] as number;
        frame[2 * i + 1] = narrow[i] as number;
      }
    },
  };
}
