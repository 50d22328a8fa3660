/** Sine tones that sound together for a time; none is silence. */
export type Tone = { hz: readonly number[]; ms: number };

/** North American call progress (Telcordia GR-506): while it rings, while it is engaged, and while the network is. */
export const RINGBACK: readonly Tone[] = [
  { hz: [440, 480], ms: 2_000 },
  { hz: [], ms: 4_000 },
];
export const BUSY: readonly Tone[] = [
  { hz: [480, 620], ms: 500 },
  { hz: [], ms: 500 },
];
export const REORDER: readonly Tone[] = [
  { hz: [480, 620], ms: 250 },
  { hz: [], ms: 250 },
];
/** Special information tones before "the number you have dialed" (vacant code). */
export const SIT: readonly Tone[] = [
  { hz: [985.2], ms: 380 },
  { hz: [1_370.6], ms: 274 },
  { hz: [1_776.7], ms: 380 },
];
/** What a fax sends that calls (T.30), and one that answers. */
export const FAX_CALLING: readonly Tone[] = [
  { hz: [1_100], ms: 500 },
  { hz: [], ms: 3_000 },
];
export const FAX_ANSWERING: readonly Tone[] = [{ hz: [2_100], ms: 3_000 }];
/** An answering machine's. */
export const BEEP: readonly Tone[] = [{ hz: [1_000], ms: 400 }];

const ROWS = [697, 770, 852, 941];
const COLUMNS = [1_209, 1_336, 1_477, 1_633];
const KEYS = "123A456B789C*0#D";

/** The two tones of a key of 0-9 * # A-D (Q.23); undefined for anything else. */
export function keyTones(key: string): readonly [number, number] | undefined {
  const at = key.length === 1 ? KEYS.indexOf(key) : -1;
  return at < 0 ? undefined : [ROWS[at >> 2] as number, COLUMNS[at & 3] as number];
}

/** Keys as they are pressed: 100 ms each with 100 ms between, twice what Q.24 asks for. What is no key is left out. */
export function keyPresses(keys: string): Tone[] {
  return [...keys].flatMap((key) => {
    const hz = keyTones(key);
    return hz === undefined
      ? []
      : [
          { hz, ms: 100 },
          { hz: [], ms: 100 },
        ];
  });
}

/** Each tone's level: with two of them -13 dBm0 in all, as exchanges send it. */
const LEVEL_DB = -16;
/** Tones begin and end within this many samples (2 ms), or they click. */
const RAMP = 16;

/**
 * Plays tones one after the other at 8 kHz, over and over if `repeats`. Each call fills a frame, with silence after the end, and returns
 * whether it holds any of the tones. Nothing is allocated.
 */
export function createToneGenerator(
  tones: readonly Tone[],
  { repeats = false, levelDb = LEVEL_DB }: { repeats?: boolean; levelDb?: number } = {},
): (into: Int16Array) => boolean {
  const peak = 32_768 * Math.SQRT2 * 10 ** (levelDb / 20);
  let index = 0;
  /** Samples of the current tone that were played. */
  let at = 0;

  return (into) => {
    if (index >= tones.length) {
      into.fill(0);
      return false;
    }
    for (let i = 0; i < into.length; i++) {
      const tone = tones[index];
      if (tone === undefined) {
        into[i] = 0;
        continue;
      }
      const length = tone.ms * 8;
      let sum = 0;
      for (let k = 0; k < tone.hz.length; k++) sum += Math.sin((2 * Math.PI * (tone.hz[k] as number) * at) / 8_000);
      into[i] = Math.round(peak * sum * Math.min(1, (at + 1) / RAMP, (length - at) / RAMP));
      at += 1;
      if (at < length) continue;
      at = 0;
      index += 1;
      if (repeats && index === tones.length) index = 0;
    }
    return true;
  };
}

/** All of the tones as samples: for tests, and for what is played at once. */
export function tonesOf(tones: readonly Tone[], levelDb = LEVEL_DB): Int16Array {
  const samples = new Int16Array(tones.reduce((sum, { ms }) => sum + ms * 8, 0));
  createToneGenerator(tones, { levelDb })(samples);
  return samples;
}
