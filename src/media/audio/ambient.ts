import type { AMBIENT_SOUNDS } from "#domain/agents/agent.ts";
import { G711_RATE } from "#domain/calls/g711.ts";
import { mixInto } from "./mixer.ts";

export type AmbientSound = (typeof AMBIENT_SOUNDS)[number];

/** A loop this long is not noticed, and six of them are 4 MB a process. */
const LOOP_SECONDS = 40;
const LENGTH = LOOP_SECONDS * G711_RATE;
/** At a volume of 1, in dBFS: 20 dB below a voice, so that it is heard in pauses and hides no word. */
export const AMBIENT_DB = -42;
/** An event's end may run over the loop's: it goes on at the beginning. */
type Sound = Float64Array;

/** A stream of chance that is the same for the same seed: mulberry32, by Tommy Ettinger, public domain. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Noise between two frequencies that has no seam: it is filtered once round before it is kept. */
function noise(chance: () => number, lowHz: number, highHz: number): Sound {
  const white = Float64Array.from({ length: LENGTH }, () => 2 * chance() - 1);
  const low = 1 - Math.exp((-2 * Math.PI * lowHz) / G711_RATE);
  const high = 1 - Math.exp((-2 * Math.PI * highHz) / G711_RATE);
  const out = new Float64Array(LENGTH);
  let [above, smooth, smoother] = [0, 0, 0];
  for (let i = -G711_RATE; i < LENGTH; i++) {
    const sample = white[(i + LENGTH) % LENGTH] as number;
    above += low * (sample - above);
    smooth += high * (sample - above - smooth);
    smoother += high * (smooth - smoother);
    if (i >= 0) out[i] = smoother;
  }
  return out;
}

/** A slow swell between `least` and 1, with whole periods in the loop. */
function swell(sound: Sound, periods: number, phase: number, least: number): void {
  for (let i = 0; i < LENGTH; i++) {
    const wave = 0.5 + 0.5 * Math.sin(2 * Math.PI * ((periods * i) / LENGTH + phase));
    sound[i] = (sound[i] as number) * (least + (1 - least) * wave);
  }
}

function add(to: Sound, from: Sound, gain: number): void {
  for (let i = 0; i < LENGTH; i++) to[i] = (to[i] as number) + gain * (from[i] as number);
}

function rms(sound: Sound): number {
  return Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length);
}

/** Brings a sound to a level of its own before it is added to others. */
function leveled(sound: Sound): Sound {
  const level = rms(sound);
  return sound.map((sample) => sample / level);
}

/** Voices too many and too far to be understood: pulses through the resonances of vowels, syllable by syllable. */
function babble(chance: () => number, voices: number): Sound {
  const out = new Float64Array(LENGTH);
  for (let voice = 0; voice < voices; voice++) {
    const pitch = 95 + 130 * chance();
    const loudness = 0.4 + chance();
    let at = Math.floor(chance() * LENGTH);
    for (let spoken = 0; spoken < LENGTH; ) {
      const length = Math.floor((0.1 + 0.2 * chance()) * G711_RATE);
      if (chance() < 0.75) syllable(out, at, length, pitch * (0.9 + 0.25 * chance()), chance, loudness);
      const gap = chance() < 0.12 ? Math.floor((0.4 + 1.5 * chance()) * G711_RATE) : 0;
      at = (at + length + gap) % LENGTH;
      spoken += length + gap;
    }
  }
  return leveled(out);
}

function syllable(
  to: Sound,
  from: number,
  length: number,
  pitch: number,
  chance: () => number,
  loudness: number,
): void {
  const first = resonance(300 + 500 * chance(), 0.97);
  const second = resonance(900 + 1_400 * chance(), 0.95);
  let phase = 0;
  for (let i = 0; i < length; i++) {
    phase += (pitch * (1 - (0.1 * i) / length)) / G711_RATE;
    const pulse = phase >= 1 ? 1 : 0;
    phase -= pulse;
    const breath = 0.05 * (2 * chance() - 1);
    const envelope = Math.sin((Math.PI * i) / length);
    const place = (from + i) % LENGTH;
    to[place] = (to[place] as number) + loudness * envelope * (first(pulse + breath) + 0.6 * second(pulse + breath));
  }
}

function resonance(hz: number, radius: number): (input: number) => number {
  const turn = 2 * radius * Math.cos((2 * Math.PI * hz) / G711_RATE);
  let [last, before] = [0, 0];
  return (input) => {
    const next = input + turn * last - radius * radius * before;
    before = last;
    last = next;
    return next;
  };
}

/** Events at times of chance: so many in the loop, each adds itself from its place on. */
function events(chance: () => number, count: number, event: (put: (i: number, value: number) => void) => void): Sound {
  const out = new Float64Array(LENGTH);
  for (let n = 0; n < count; n++) {
    const from = Math.floor(chance() * LENGTH);
    event((i, value) => {
      const place = (from + Math.floor(i)) % LENGTH;
      out[place] = (out[place] as number) + value;
    });
  }
  return out;
}

/** Something hard that was struck: tones that die away. */
function clink(chance: () => number): (put: (i: number, value: number) => void) => void {
  return (put) => {
    const loudness = 0.3 + 0.7 * chance();
    const tones = [1_900, 2_600, 3_200].map((hz) => hz * (0.9 + 0.2 * chance()));
    for (let i = 0; i < 1_200; i++) {
      const ring = tones.reduce((sum, hz) => sum + Math.sin((2 * Math.PI * hz * i) / G711_RATE), 0);
      put(i, loudness * ring * Math.exp(-i / 220) * Math.min(1, i / 8));
    }
  };
}

/** A bird: a few whistles that glide. */
function chirps(chance: () => number): (put: (i: number, value: number) => void) => void {
  return (put) => {
    const loudness = 0.3 + 0.7 * chance();
    const base = 2_100 + 900 * chance();
    const notes = 2 + Math.floor(4 * chance());
    const slide = 500 * (chance() - 0.5);
    for (let note = 0; note < notes; note++) {
      let phase = 0;
      for (let i = 0; i < 640; i++) {
        phase += (base + (slide * i) / 640) / G711_RATE;
        put(note * 960 + i, loudness * Math.sin(2 * Math.PI * phase) * Math.sin((Math.PI * i) / 640) ** 2);
      }
    }
  };
}

/** A key that is pressed: a short burst of noise. */
function keystrokes(chance: () => number): (put: (i: number, value: number) => void) => void {
  return (put) => {
    const loudness = 0.4 + 0.6 * chance();
    const strokes = 3 + Math.floor(8 * chance());
    let at = 0;
    for (let stroke = 0; stroke < strokes; stroke++) {
      at += 700 + 1_100 * chance();
      for (let i = 0; i < 160; i++) put(at + i, loudness * (2 * chance() - 1) * Math.exp(-i / 25));
    }
  };
}

/** A telephone that rings at another desk. */
function farRing(): (put: (i: number, value: number) => void) => void {
  return (put) => {
    for (let i = 0; i < 1.6 * G711_RATE; i++) {
      const isUp = Math.floor(i / 400) % 2 === 0;
      const edge = Math.min(1, i / 200, (1.6 * G711_RATE - i) / 200);
      put(i, 0.5 * edge * Math.sin((2 * Math.PI * (isUp ? 1_180 : 1_480) * i) / G711_RATE));
    }
  };
}

const MAKERS: Record<AmbientSound, (chance: () => number) => Sound> = {
  "coffee-shop": (chance) => {
    const room = babble(chance, 9);
    add(room, leveled(noise(chance, 80, 900)), 0.35);
    add(room, events(chance, 34, clink(chance)), 0.9);
    const steam = leveled(noise(chance, 1_500, 3_600));
    swell(steam, 3, chance(), 0);
    add(room, steam, 0.25);
    return room;
  },
  "convention-hall": (chance) => {
    const hall = babble(chance, 24);
    // The same again a moment later and duller: walls far away.
    const echo = new Float64Array(LENGTH);
    for (let i = 0; i < LENGTH; i++) echo[(i + 1_300) % LENGTH] = hall[i] as number;
    add(hall, echo, 0.5);
    add(hall, leveled(noise(chance, 60, 500)), 0.5);
    return hall;
  },
  "summer-outdoor": (chance) => {
    const air = leveled(noise(chance, 150, 700));
    swell(air, 5, chance(), 0.5);
    const crickets = new Float64Array(LENGTH);
    for (let i = 0; i < LENGTH; i++) {
      const at = i / G711_RATE;
      const trill = Math.max(0, Math.sin(2 * Math.PI * 30 * at)) * (Math.sin(2 * Math.PI * 1.5 * at) > -0.2 ? 1 : 0);
      crickets[i] = trill * Math.sin(2 * Math.PI * 3_300 * at);
    }
    add(air, crickets, 0.3);
    add(air, events(chance, 26, chirps(chance)), 1.6);
    return air;
  },
  "mountain-outdoor": (chance) => {
    const wind = leveled(noise(chance, 60, 320));
    swell(wind, 4, chance(), 0.25);
    const gusts = leveled(noise(chance, 250, 900));
    swell(gusts, 7, chance(), 0);
    add(wind, gusts, 0.6);
    const brook = leveled(noise(chance, 900, 2_600));
    add(wind, brook, 0.15);
    add(wind, events(chance, 7, chirps(chance)), 0.7);
    return wind;
  },
  "static-noise": (chance) => {
    const hiss = leveled(noise(chance, 20, 3_800));
    const crackle = events(chance, 120, (put) => {
      const loudness = 2 + 4 * chance();
      for (let i = 0; i < 24; i++) put(i, loudness * (2 * chance() - 1) * Math.exp(-i / 6));
    });
    add(hiss, crackle, 0.5);
    return hiss;
  },
  "call-center": (chance) => {
    const office = babble(chance, 14);
    add(office, leveled(noise(chance, 80, 600)), 0.4);
    add(office, events(chance, 30, keystrokes(chance)), 1.1);
    add(office, events(chance, 2, farRing()), 0.5);
    return office;
  },
};

const loops = new Map<AmbientSound, Int16Array>();

/** One of the six backgrounds as a loop without a seam, 40 s at 8 kHz, at AMBIENT_DB; the same every time. Made once a process, in about 0.2 s. */
export function ambientLoop(sound: AmbientSound): Int16Array {
  const made = loops.get(sound);
  if (made !== undefined) return made;
  const raw = MAKERS[sound](chanceOf(sound.length * 7_919));
  const gain = (32_768 * 10 ** (AMBIENT_DB / 20)) / rms(raw);
  const loop = Int16Array.from(raw, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * gain))));
  loops.set(sound, loop);
  return loop;
}

/**
 * The background of one call: adds the next piece to each frame, in place, silence included. `volume` is `ambient_sound_volume`: 0 is none, 1
 * as it is, 2 twice as loud (6 dB). `start` from 0 to 1 is where in the loop the call begins, so that no two calls hear the same.
 */
export function createAmbient(sound: AmbientSound, volume: number, start: number): (frame: Int16Array) => void {
  const loop = ambientLoop(sound);
  let at = Math.floor(start * LENGTH) % LENGTH;

  return (frame) => {
    mixInto(frame, loop, volume, at);
    at = (at + frame.length) % LENGTH;
  };
}
