/** Below this nothing is speech, in dBFS: the noise of a line and of its codec. */
const SILENCE_DB = -55;
/** Where the floor begins: between a quiet room and a loud one. */
const FIRST_FLOOR_DB = -50;
/** The floor is the quietest frame of the last 1.5 s, kept in parts of half a second: nobody speaks for longer without a gap. */
const PARTS = 3;
const PART_FRAMES = 25;
/** Decibels above the floor at which a sound may be speech, and at which it certainly is. */
const MAYBE_DB = 6;
const SURE_DB = 14;

/** How much louder a frame is than the line's own noise, as a probability of speech from 0 to 1. */
export type EnergyVad = { push(frame: Int16Array): number; floorDb(): number };

/** A cheap detector by energy alone: it cannot distinguish speech from music or a cough, only from steady noise. */
export function createEnergyVad(): EnergyVad {
  const quietest = new Float64Array(PARTS).fill(FIRST_FLOOR_DB);
  let part = 0;
  let frames = 0;
  let floor = FIRST_FLOOR_DB;

  return {
    floorDb: () => floor,
    push(frame) {
      const level = levelDb(frame);
      if (frames === PART_FRAMES) {
        frames = 0;
        part = (part + 1) % PARTS;
      }
      quietest[part] = frames === 0 ? level : Math.min(level, quietest[part] as number);
      frames += 1;
      floor = Math.max(SILENCE_DB, Math.min(quietest[0] as number, quietest[1] as number, quietest[2] as number));
      return Math.min(1, Math.max(0, (level - floor - MAYBE_DB) / (SURE_DB - MAYBE_DB)));
    },
  };
}

/** The level of a frame in dBFS: 0 is a square wave of full scale, silence is -100. */
export function levelDb(frame: Int16Array): number {
  let sum = 0;
  for (let i = 0; i < frame.length; i++) sum += (frame[i] as number) ** 2;
  return sum === 0 ? -100 : 10 * Math.log10(sum / frame.length / 32_768 ** 2);
}
