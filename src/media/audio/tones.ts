import { FRAME_MS, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { goertzelFactor, goertzelPower, goertzelPowers } from "./goertzel.ts";

/** The bank: where machines beep, in steps that leave no gap under a Hann window of 40 ms. */
const LOWEST_HZ = 375;
const HIGHEST_HZ = 2_150;
const STEP_HZ = 25;
const BINS = (HIGHEST_HZ - LOWEST_HZ) / STEP_HZ + 1;
const WINDOW = 2 * FRAME_SAMPLES;
/** A window is a tone when so much of its energy is at one frequency. Speech stays below it, but for a moment. */
const TONE_RATIO = 0.7;
/** Quieter sounds are not analysed, in dBFS. */
const FAINT_DB = -45;
/** A tone of this length is a beep. 144 of 144 beeps are longer, and no vowel in 24 minutes of prompts is. */
const BEEP_MS = 240;
/** A longer one is a line that hums, or is on hold. */
const LONGEST_BEEP_MS = 4_000;
/** Shorter tones are not counted, also within a sequence. */
const SHORTEST_MS = 80;
/** Tones with less than this between them belong together: beeps in two notes, special information tones. */
const GAP_MS = 100;
const SEQUENCE = 8;

/** Special information tones: where each of the three may lie. */
const SIT_HZ = [
  [880, 1_010],
  [1_340, 1_460],
  [1_740, 1_820],
] as const;
const SIT_MS = [200, 460] as const;
/** A calling fax: this tone, again after three seconds. */
const FAX_CALL_HZ = [1_060, 1_140] as const;
const FAX_CALL_MS = [400, 620] as const;
const FAX_AGAIN_MS = [2_700, 4_300] as const;
/** An answering fax or modem: one tone that goes on. */
const FAX_ANSWER_HZ = [2_075, 2_125] as const;
const FAX_ANSWER_MS = 1_000;

/** Call progress is two tones at once, distinguished in blocks of 100 ms, which hold whole periods of all of them. */
const BLOCK = 800;
const PROGRESS_RATIO = 0.75;
const RINGBACK_BLOCKS = 8;
/** Busy and reorder: bursts of this many blocks, twice. */
const BURST_BLOCKS = [2, 6] as const;
const [F440, F480, F620] = [440, 480, 620].map(goertzelFactor) as [number, number, number];

export type ToneKind = "beep" | "sit" | "fax" | "ringback" | "busy";

/** Times in milliseconds of the sound that was pushed. A beep is reported 100 ms after its end, since more notes may follow. */
export type ToneEvent = { kind: ToneKind; hz: number; startMs: number; endMs: number };

/** Detects signalling tones from the far end. Takes frames of 160 samples; about 0.1 % of a core a call. */
export type ToneDetector = { push(frame: Int16Array): ToneEvent | undefined };

const factors = Float64Array.from({ length: BINS }, (_, bin) => goertzelFactor(LOWEST_HZ + bin * STEP_HZ));
/** Every second of them. Under the window a tone is at least a quarter as strong in the nearest: weaker ones need no closer look. */
const coarse = factors.filter((_, bin) => bin % 2 === 0);
const COARSE_SHARE = 0.25;
const hann = Float64Array.from({ length: WINDOW }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / WINDOW));
/** Of a sine, whose energy under the window is its power by this. */
const HANN_GAIN =
  (2 * hann.reduce((sum, weight) => sum + weight * weight, 0)) / hann.reduce((sum, weight) => sum + weight, 0) ** 2;
const FAINT = 32_768 ** 2 * 10 ** (FAINT_DB / 10);

const isIn = (value: number, [from, to]: readonly [number, number]): boolean => value >= from && value <= to;

export function createToneDetector(): ToneDetector {
  /** The newest window, and the frame before it. */
  const samples = new Float64Array(FRAME_SAMPLES + WINDOW);
  const windowed = new Float64Array(WINDOW);
  const powers = new Float64Array(coarse.length);
  const progress = createProgressDetector();
  /** The tones of a sequence so far. */
  const hz = new Float64Array(SEQUENCE);
  const starts = new Float64Array(SEQUENCE);
  const ends = new Float64Array(SEQUENCE);
  let count = 0;
  /** The tone that sounds: its bin, and since when; -1 while none does. */
  let bin = -1;
  let sinceMs = 0;
  let untilMs = 0;
  let nowMs = 0;
  let isFaxAnswer = false;
  /** When a possible calling-fax tone was last detected. */
  let faxMs = Number.NEGATIVE_INFINITY;
  /** The window before the newest has not been analysed. */
  let isPassedOver = false;

  /** The bin that holds the energy of the window that begins there, or -1. */
  const findTone = (from: number): number => {
    let energy = 0;
    let weighted = 0;
    for (let i = 0; i < WINDOW; i++) {
      const sample = samples[from + i] as number;
      const under = sample * (hann[i] as number);
      windowed[i] = under;
      energy += sample * sample;
      weighted += under * under;
    }
    if (energy < FAINT * WINDOW) return -1;
    const needed = (TONE_RATIO * weighted) / HANN_GAIN;
    goertzelPowers(windowed, WINDOW, coarse, powers);
    let best = -1;
    let most = COARSE_SHARE * needed;
    for (let i = 0; i < powers.length; i++) {
      if ((powers[i] as number) <= most) continue;
      most = powers[i] as number;
      best = 2 * i;
    }
    if (best < 0) return -1;
    const middle = best;
    for (let bin = middle - 1; bin <= middle + 1; bin += 2) {
      if (bin < 0 || bin >= BINS) continue;
      const power = goertzelPower(windowed, WINDOW, factors[bin] as number);
      if (power <= most) continue;
      most = power;
      best = bin;
    }
    return most >= needed ? best : -1;
  };

  const endTone = () => {
    if (bin >= 0 && untilMs - sinceMs >= SHORTEST_MS && count < SEQUENCE) {
      hz[count] = LOWEST_HZ + bin * STEP_HZ;
      starts[count] = sinceMs;
      ends[count] = untilMs;
      count += 1;
    }
    bin = -1;
  };

  const event = (kind: ToneKind, at: number): ToneEvent => ({
    kind,
    hz: hz[at] as number,
    startMs: starts[0] as number,
    endMs: ends[count - 1] as number,
  });

  const isSit = (): boolean =>
    count >= 3 &&
    SIT_HZ.every(
      (range, i) => isIn(hz[i] as number, range) && isIn((ends[i] as number) - (starts[i] as number), SIT_MS),
    );

  const judge = (): ToneEvent | undefined => {
    if (isSit()) return event("sit", 0);
    for (let i = 0; i < count; i++) {
      const ms = (ends[i] as number) - (starts[i] as number);
      const start = starts[i] as number;
      if (count === 1 && isIn(hz[i] as number, FAX_CALL_HZ) && isIn(ms, FAX_CALL_MS)) {
        const isAgain = isIn(start - faxMs, FAX_AGAIN_MS);
        faxMs = start;
        return event(isAgain ? "fax" : "beep", i);
      }
      // It is measured to a frame.
      if (ms >= BEEP_MS - FRAME_MS && ms <= LONGEST_BEEP_MS) return event("beep", i);
    }
    return undefined;
  };

  /** What was found in the window that ended at a time. */
  const follow = (found: number, endMs: number) => {
    if (found >= 0 && bin >= 0 && Math.abs(found - bin) <= 1) untilMs = endMs;
    else if (found >= 0) {
      endTone();
      bin = found;
      // The window began 40 ms before, and half of it is enough.
      sinceMs = endMs - 1.5 * FRAME_MS;
      untilMs = endMs;
      isFaxAnswer = false;
    } else if (bin >= 0) endTone();
  };

  /**
   * While there is no tone only every second window is analysed; when it has one, the window before it is analysed too. Only a tone within that
   * skipped window alone is missed, and it is shorter than any tone that counts.
   */
  const look = () => {
    if (bin < 0 && count === 0 && !isPassedOver) {
      isPassedOver = true;
      return;
    }
    const found = findTone(FRAME_SAMPLES);
    if (found >= 0 && isPassedOver) follow(findTone(0), nowMs - FRAME_MS);
    isPassedOver = false;
    follow(found, nowMs);
  };

  return {
    push(frame) {
      nowMs += FRAME_MS;
      samples.copyWithin(0, FRAME_SAMPLES);
      for (let i = 0; i < FRAME_SAMPLES; i++) samples[WINDOW + i] = frame[i] as number;
      look();

      if (
        bin >= 0 &&
        !isFaxAnswer &&
        isIn(LOWEST_HZ + bin * STEP_HZ, FAX_ANSWER_HZ) &&
        nowMs - sinceMs >= FAX_ANSWER_MS
      ) {
        isFaxAnswer = true;
        return { kind: "fax", hz: LOWEST_HZ + bin * STEP_HZ, startMs: sinceMs, endMs: nowMs };
      }
      const line = progress(frame, nowMs);
      if (line !== undefined) {
        count = 0;
        return line;
      }
      if (count === 0 || bin >= 0 || nowMs - (ends[count - 1] as number) < GAP_MS) return undefined;
      const judged = isFaxAnswer ? undefined : judge();
      count = 0;
      isFaxAnswer = false;
      return judged;
    },
  };
}

/** Ringing and busy lines, by blocks of 100 ms. */
function createProgressDetector(): (frame: Int16Array, nowMs: number) => ToneEvent | undefined {
  const block = new Float64Array(BLOCK);
  let filled = 0;
  let ringing = 0;
  let burst = 0;
  let pause = 0;
  let bursts = 0;

  return (frame, nowMs) => {
    for (let i = 0; i < FRAME_SAMPLES; i++) block[filled + i] = frame[i] as number;
    filled += FRAME_SAMPLES;
    if (filled < BLOCK) return undefined;
    filled = 0;
    const kind = progressOf(block);
    ringing = kind === "ringback" ? ringing + 1 : 0;
    if (ringing === RINGBACK_BLOCKS)
      return { kind, hz: 440, startMs: nowMs - ringing * 100, endMs: nowMs } as ToneEvent;

    if (kind === "busy") {
      burst += 1;
      pause = 0;
      return undefined;
    }
    if (burst > 0) bursts = isIn(burst, BURST_BLOCKS) ? bursts + 1 : 0;
    burst = 0;
    pause += 1;
    if (pause > BURST_BLOCKS[1]) bursts = 0;
    if (bursts < 2) return undefined;
    bursts = 0;
    return { kind: "busy", hz: 480, startMs: nowMs - 100, endMs: nowMs };
  };
}

function progressOf(block: Float64Array): "ringback" | "busy" | undefined {
  let energy = 0;
  for (let i = 0; i < BLOCK; i++) energy += (block[i] as number) ** 2;
  if (energy < FAINT * BLOCK) return undefined;
  const low = goertzelPower(block, BLOCK, F440);
  const middle = goertzelPower(block, BLOCK, F480);
  const high = goertzelPower(block, BLOCK, F620);
  const needed = (PROGRESS_RATIO * energy * BLOCK) / 2;
  // Both are there: neither is more than 10 dB over the other.
  if (low + middle >= needed && low < 10 * middle && middle < 10 * low) return "ringback";
  if (middle + high >= needed && middle < 10 * high && high < 10 * middle) return "busy";
  return undefined;
}
