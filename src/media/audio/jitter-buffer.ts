import { FRAME_SAMPLES, ULAW_SILENCE, ulawToSample } from "#domain/calls/g711.ts";
import { createConcealer } from "./concealer.ts";
import { wideSound } from "./wide-sound.ts";

/** Holds a second: packets on a network fit for calls are never later. A power of two, so that timestamps wrap into it. */
const RING = 8_192;
/** Samples a millisecond. */
const PER_MS = 8;

/** Lateness is counted in steps of a frame, up to 480 ms. */
const STEPS = 24;
/** A packet's weight a second later is a third: the buffer adapts within a second or two, and a short disturbance has no lasting effect. */
const KEPT = 0.98;
/** The share of packets that arrive in time. One concealed frame in 50 is inaudible; the delay to wait for all would not be. */
const IN_TIME = 0.98;
/** Before anything is known of the network: as if ten packets had been up to two frames late. */
const FIRST_STEPS = 2;
const FIRST_WEIGHT = 10;

/** The shortest network delay is measured over this long: clocks drift by less than a sample in it. */
const FASTEST_MS = 2_000;
/** This many packets in a row with foreign timestamps, or all late, are a new source and not strays. */
const NEW_SOURCE = 3;
const ALL_LATE = 8;
/** Sequence numbers that are kept to detect duplicates: five seconds' worth. */
const SEEN = 256;
/** Frames for which an empty buffer waits for a late packet before it counts it as lost. */
const HELD = 2;
/** Frames between two corrections of the delay: more frequent ones are audible. */
const CORRECTION_FRAMES = 5;
/** Too much delay by this, in samples, is cut in the midst of speech; by a frame, in a quiet one. */
const CUT_IN_SPEECH = 640;
/** Too little by this, and a quiet frame is said twice: a whole frame would be too late, it would be missing. */
const STRETCHED_AT = 80;
/** More delay than this means that this process stalled: what waited is dropped at once. */
const STANDSTILL = 4_000;
/** A gap longer than this is a pause of the sender, not loss. */
const LOST_FRAMES = 3;
/** A frame below this mean magnitude (-50 dBFS) may be left out or said twice. */
const QUIET = 100;

/** What a popped frame is: as it came, made up for a lost one, or nothing said (before the beginning, or the sender's own pause). */
export type FrameKind = "sound" | "concealed" | "silence";

export type JitterStats = {
  packets: number;
  late: number;
  duplicates: number;
  concealed: number;
  /** Frames left out and put in, to follow the network and the sender's clock. */
  dropped: number;
  stretched: number;
  /** New sources: a jump of the timestamps. */
  resyncs: number;
};

export type JitterBuffer = {
  /** One packet of mu-law as it came, and the same at 16 kHz where there is that; both are copied. Any length up to a second. */
  push(sequence: number, timestamp: number, payload: Uint8Array, nowMs: number, wide?: Int16Array): void;
  /** The next 20 ms, whatever came: 160 samples. To be called every 20 ms. */
  pop(into: Int16Array, nowMs: number): FrameKind;
  /** The delay that is aimed at, in milliseconds. */
  targetMs(): number;
  readonly stats: JitterStats;
};

/**
 * Puts packets in order and evens out their arrival. Places follow the timestamps, so that reordering needs nothing; sequence numbers
 * distinguish loss from a sender that paused (DTX). The delay follows the lateness of 98 % of the packets over the fastest, and with it a clock that
 * drifts: quiet frames are dropped or said twice. `wideFrame`: where each frame that is popped is also written at 16 kHz, 320 samples.
 */
export function createJitterBuffer(wideFrame?: Int16Array): JitterBuffer {
  const wideband = wideFrame && wideSound(wideFrame, RING);
  const ring = new Uint8Array(RING);
  const isThere = new Uint8Array(RING);
  const seen = new Int32Array(SEEN);
  const beside = new Int16Array(FRAME_SAMPLES);
  const lateness = new Float64Array(STEPS);
  const concealer = createConcealer();
  const stats = { packets: 0, late: 0, duplicates: 0, concealed: 0, dropped: 0, stretched: 0, resyncs: 0 };

  let hasBegun = false;
  /** Places are timestamps counted on past 32 bits. `playAt` is the next to be played, `end` what follows the newest that came. */
  let playAt = 0;
  let end = 0;
  /** Of the newest packet. */
  let lastSequence = 0;
  let lastTimestamp = 0;
  let lastAt = 0;
  let strays = 0;
  let lateInRow = 0;
  let steps = FIRST_STEPS;
  /** Arrival less place, in samples: of the fastest packet of the last window and of this one. */
  let fastestBefore = Number.POSITIVE_INFINITY;
  let fastest = Number.POSITIVE_INFINITY;
  let windowEndsMs = 0;
  let held = 0;
  let missing = LOST_FRAMES;
  let sinceCorrection = 0;
  let wasQuiet = false;

  const begin = (sequence: number, timestamp: number, nowMs: number) => {
    isThere.fill(0);
    seen.fill(0);
    lateness.fill(0);
    lateness[FIRST_STEPS - 1] = FIRST_WEIGHT;
    steps = FIRST_STEPS;
    hasBegun = true;
    lastSequence = (sequence - 1) & 0xffff;
    lastTimestamp = timestamp;
    lastAt = timestamp;
    end = timestamp;
    playAt = timestamp - steps * FRAME_SAMPLES;
    fastestBefore = Number.POSITIVE_INFINITY;
    fastest = Number.POSITIVE_INFINITY;
    windowEndsMs = nowMs + FASTEST_MS;
    strays = 0;
    lateInRow = 0;
    held = 0;
  };

  const learn = (at: number, nowMs: number) => {
    const way = nowMs * PER_MS - at;
    if (nowMs >= windowEndsMs) {
      fastestBefore = fastest;
      fastest = way;
      windowEndsMs = nowMs + FASTEST_MS;
    }
    if (way < fastest) fastest = way;
    const late = Math.min(STEPS - 1, Math.floor((way - Math.min(fastest, fastestBefore)) / FRAME_SAMPLES));
    let total = 1;
    for (let i = 0; i < STEPS; i++) {
      lateness[i] = (lateness[i] as number) * KEPT;
      total += lateness[i] as number;
    }
    lateness[late] = (lateness[late] as number) + 1;
    let inTime = 0;
    steps = 0;
    do inTime += lateness[steps++] as number;
    while (steps < STEPS && inTime < IN_TIME * total);
  };

  /** Puts a packet in its place; what is too late or there already is left out. */
  const place = (sequence: number, timestamp: number, at: number, payload: Uint8Array, wide?: Int16Array) => {
    const after = at + payload.length;
    if (after > end) {
      // The next in sequence but later in time: nothing was lost, the sender paused.
      if (sequence === ((lastSequence + 1) & 0xffff)) {
        for (let i = Math.max(end, playAt); i < at; i++) {
          ring[i & (RING - 1)] = ULAW_SILENCE;
          isThere[i & (RING - 1)] = 1;
        }
        wideband?.silence(Math.max(end, playAt), at);
      }
      end = after;
      lastSequence = sequence;
      lastTimestamp = timestamp;
      lastAt = at;
    }
    const first = at & (RING - 1);
    const from = Math.max(0, playAt - at);
    for (let i = from; i < payload.length; i++) {
      const place = (first + i) & (RING - 1);
      ring[place] = payload[i] as number;
      isThere[place] = 1;
    }
    wideband?.put(at, from, payload, wide);
  };

  const isWhole = (at: number): boolean => {
    // Places are beyond what a machine counts in integers: one is brought into the ring, the others follow it.
    const first = at & (RING - 1);
    for (let i = 0; i < FRAME_SAMPLES; i++) if (isThere[(first + i) & (RING - 1)] === 0) return false;
    return true;
  };

  /** Takes the next frame out of the ring, whatever is in it. */
  const take = (into: Int16Array) => {
    const first = playAt & (RING - 1);
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      const place = (first + i) & (RING - 1);
      into[i] = ulawToSample(ring[place] as number);
      isThere[place] = 0;
    }
    playAt += FRAME_SAMPLES;
  };

  /** How much longer than aimed at the next sample has waited; negative when it is asked for too early. */
  const excessAt = (nowMs: number): number =>
    nowMs * PER_MS - Math.min(fastest, fastestBefore) - steps * FRAME_SAMPLES - playAt;

  const catchUp = (excess: number) => {
    const frames = Math.floor(excess / FRAME_SAMPLES);
    for (let i = Math.min(RING, frames * FRAME_SAMPLES) - 1; i >= 0; i--) isThere[(playAt + i) & (RING - 1)] = 0;
    playAt += frames * FRAME_SAMPLES;
    stats.dropped += frames;
  };

  const crossing = (i: number): number => (i + 1) / (FRAME_SAMPLES + 1);

  /** Leaves one frame out: a quiet one as it is, in speech by crossing it into the next. */
  const dropOne = (into: Int16Array, excess: number) => {
    const quiet = isQuiet(into);
    if ((!quiet && excess < CUT_IN_SPEECH) || !isWhole(playAt)) return;
    const weightOf = quiet ? () => 1 : crossing;
    wideband?.cross(playAt, weightOf);
    take(beside);
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      const weight = weightOf(i);
      into[i] = Math.round((beside[i] as number) * weight + (into[i] as number) * (1 - weight));
    }
    stats.dropped += 1;
    sinceCorrection = 0;
  };

  const standIn = (into: Int16Array): FrameKind => {
    const isLost = end >= playAt + FRAME_SAMPLES;
    if (isLost || held >= HELD) take(into);
    else held += 1;
    concealer.conceal(into);
    wideband?.standIn(into);
    wasQuiet = false;
    missing += 1;
    if (missing > LOST_FRAMES) return "silence";
    stats.concealed += 1;
    return "concealed";
  };

  const push = (sequence: number, timestamp: number, payload: Uint8Array, nowMs: number, wide?: Int16Array): void => {
    stats.packets += 1;
    if (!hasBegun) begin(sequence, timestamp, nowMs);
    if (seen[sequence % SEEN] === sequence + 1) {
      stats.duplicates += 1;
      return;
    }
    const at = lastAt + ((timestamp - lastTimestamp) | 0);
    const after = at + payload.length;
    if (after <= playAt - RING || after > playAt + RING) strays += 1;
    else strays = 0;
    lateInRow = after <= playAt ? lateInRow + 1 : 0;
    if (strays >= NEW_SOURCE || lateInRow >= ALL_LATE) {
      stats.resyncs += 1;
      begin(sequence, timestamp, nowMs);
      push(sequence, timestamp, payload, nowMs, wide);
      stats.packets -= 1;
      return;
    }
    if (strays > 0) return;
    seen[sequence % SEEN] = sequence + 1;
    learn(at, nowMs);
    if (after <= playAt) stats.late += 1;
    else place(sequence, timestamp, at, payload, wide);
  };

  return {
    stats,
    push,
    targetMs: () => (steps * FRAME_SAMPLES) / PER_MS,

    pop(into, nowMs) {
      if (!hasBegun) {
        into.fill(0);
        wideFrame?.fill(0);
        return "silence";
      }
      sinceCorrection += 1;
      if (excessAt(nowMs) > STANDSTILL) catchUp(excessAt(nowMs));
      if (!isWhole(playAt)) return standIn(into);

      const excess = excessAt(nowMs);
      const mayCorrect = sinceCorrection >= CORRECTION_FRAMES;
      if (mayCorrect && wasQuiet && excess <= -STRETCHED_AT) {
        into.set(beside);
        wideband?.standIn(into);
        stats.stretched += 1;
        sinceCorrection = 0;
      } else {
        wideband?.take(playAt);
        take(into);
        if (mayCorrect && excess >= FRAME_SAMPLES) dropOne(into, excess);
        held = 0;
      }
      missing = 0;
      wasQuiet = isQuiet(into);
      if (wasQuiet) beside.set(into);
      concealer.keep(into);
      return "sound";
    },
  };
}

function isQuiet(frame: Int16Array): boolean {
  let sum = 0;
  for (let i = 0; i < FRAME_SAMPLES; i++) sum += Math.abs(frame[i] as number);
  return sum < QUIET * FRAME_SAMPLES;
}
