import { FRAME_SAMPLES } from "#domain/g711.ts";
import { goertzelFactor, goertzelPower } from "./goertzel.ts";

const ROWS = [697, 770, 852, 941].map(goertzelFactor);
const COLUMNS = [1_209, 1_336, 1_477, 1_633].map(goertzelFactor);
const KEYS = "123A456B789C*0#D";

/** Quieter is no key that was pressed on this line, in dBFS. */
const FAINT = 32_768 ** 2 * 10 ** (-40 / 10);
/** So much of a frame's energy is in the two tones: speech has more beside them. */
const RATIO = 0.75;
/** The row may be this much louder than the column, and the column than the row (Q.24: 4 and 8 dB), as factors of power. */
const ROW_LOUDER = 10 ** 0.6;
const COLUMN_LOUDER = 10 ** 0.9;
/** The next best of a group is at least 6 dB lower. */
const CLEAR = 4;
/** A key sounds for 40 ms (Q.24), which is one whole frame at least, and 60 of the ones in use; with two no vowel is a key. */
const FRAMES = 2;

/** Keys pressed in the sound of a line that does not send them beside it (RFC 4733). */
export type DtmfDetector = {
  /** Takes a frame of 160 samples, and returns a key once, 40 ms after it was pressed. */
  push(frame: Int16Array): string | undefined;
};

export function createDtmfDetector(): DtmfDetector {
  const samples = new Float64Array(FRAME_SAMPLES);
  let candidate = -1;
  let frames = 0;

  return {
    push(frame) {
      let energy = 0;
      for (let i = 0; i < FRAME_SAMPLES; i++) {
        const sample = frame[i] as number;
        samples[i] = sample;
        energy += sample * sample;
      }
      const key = energy < FAINT * FRAME_SAMPLES ? -1 : keyIn(samples, energy);
      frames = key >= 0 && key === candidate ? frames + 1 : 1;
      candidate = key;
      return key >= 0 && frames === FRAMES ? KEYS[key] : undefined;
    },
  };
}

function keyIn(samples: Float64Array, energy: number): number {
  const row = loudest(samples, ROWS);
  const column = loudest(samples, COLUMNS);
  if (row < 0 || column < 0) return -1;
  const rowPower = goertzelPower(samples, FRAME_SAMPLES, ROWS[row] as number);
  const columnPower = goertzelPower(samples, FRAME_SAMPLES, COLUMNS[column] as number);
  if (rowPower > ROW_LOUDER * columnPower || columnPower > COLUMN_LOUDER * rowPower) return -1;
  if (rowPower + columnPower < (RATIO * energy * FRAME_SAMPLES) / 2) return -1;
  return row * 4 + column;
}

/** The frequency of a group that stands out, or -1. */
function loudest(samples: Float64Array, factors: readonly number[]): number {
  let best = -1;
  let most = 0;
  let second = 0;
  for (let i = 0; i < factors.length; i++) {
    const power = goertzelPower(samples, FRAME_SAMPLES, factors[i] as number);
    if (power > most) {
      second = most;
      most = power;
      best = i;
    } else if (power > second) second = power;
  }
  return most > CLEAR * second ? best : -1;
}
