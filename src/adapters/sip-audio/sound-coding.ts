import { type Codec, clockRateOf, type OpusWishes } from "#adapters/sip-messages/formats.ts";
import { alawToUlaw, decodeUlaw, encodeUlaw, FRAME_SAMPLES, ulawToAlaw } from "#domain/calls/g711.ts";
import { createResampler, type Resampler } from "#domain/calls/resample.ts";
import { G722_RATE, type G722Decoder, type G722Encoder, g722Decoder, g722Encoder } from "./g722.ts";
import type { Opus } from "./opus.ts";

/** Ticks of RTP's clock in a frame of 20 ms. */
export const ticksOf = (codec: Codec): number => (clockRateOf(codec) / 8_000) * FRAME_SAMPLES;

/** Of the sound that wideband codecs are decoded to. */
export const WIDE_RATE = 16_000;

export const isWideband = (codec: Codec): boolean => codec === "G722" || codec === "opus";

/** Lost just before this one: more than these in a row no packet has a copy of. */
const RECOVERED = 1;

/**
 * Takes in sound of the session's kind, mu-law of 8 kHz. `back` is 0 for the packet that came, 1 for the one before it, made again. `wide` is the same
 * at 16 kHz, where the codec has that. Both are valid during the call only.
 */
export type Decoded = (back: 0 | 1, sound: Uint8Array, wide: Int16Array | undefined) => void;

export type SoundCoding = {
  /** Writes one frame of mu-law as the codec has it, and returns how many bytes that is. */
  encode(codec: Codec, frame: Uint8Array, into: Uint8Array, at: number): number;
  /** False where the payload is none of the codec's: nothing was decoded. */
  decode(codec: Codec, sequence: number, payload: Uint8Array, on: Decoded): boolean;
  /** What comes belongs to another stream from now on. */
  restart(): void;
  shape(wishes: OpusWishes): void;
};

type Wide = { decode: G722Decoder; encode: G722Encoder; up: Resampler };

/** One call's way from its codec to the session's and back, whichever codec is agreed on. What a codec needs is made when it is first used. */
export function soundCoding(opus: Opus | undefined): SoundCoding {
  const narrow = new Int16Array(FRAME_SAMPLES);
  let g722: Wide | undefined;
  let down: Resampler | undefined;
  let twice: Int16Array | undefined;
  let samples = new Int16Array(0);
  let sound = new Uint8Array(0);
  let newest: number | undefined;

  const wideband = (): Wide => {
    g722 ??= { decode: g722Decoder(), encode: g722Encoder(), up: createResampler(8_000, G722_RATE) };
    return g722;
  };

  /** Sound of 16 kHz, also as the session has it. */
  function hand(back: 0 | 1, wide: Int16Array, on: Decoded): void {
    down ??= createResampler(16_000, 8_000);
    if (samples.length < wide.length) {
      samples = new Int16Array(wide.length);
      sound = new Uint8Array(wide.length);
    }
    const count = down(wide, samples);
    encodeUlaw(samples.subarray(0, count), sound);
    on(back, sound.subarray(0, count), wide);
  }

  function decodeOpus(sequence: number, payload: Uint8Array, on: Decoded): boolean {
    if (opus === undefined) return false;
    const ahead = newest === undefined ? 1 : ((sequence - newest) << 16) >> 16;
    // What comes too late has been made again or made up: the decoder is past it.
    if (ahead <= 0 && ahead > -1_000) return true;
    const lost = ahead - 1 === RECOVERED ? opus.recover(payload, samplesOf(payload)) : undefined;
    const came = opus.decode(payload);
    if (came === undefined) return false;
    newest = sequence;
    if (lost !== undefined) hand(1, lost, on);
    hand(0, came, on);
    return true;
  }

  return {
    encode(codec, frame, into, at) {
      if (codec === "opus" && opus !== undefined) {
        decodeUlaw(frame, narrow);
        const packet = opus.encode(narrow);
        into.set(packet, at);
        return packet.length;
      }
      if (codec === "G722") {
        const { up, encode } = wideband();
        twice ??= new Int16Array(2 * FRAME_SAMPLES);
        decodeUlaw(frame, narrow);
        up(narrow, twice);
        encode(twice, into, at);
        return FRAME_SAMPLES;
      }
      into.set(frame, at);
      const part = into.subarray(at, at + FRAME_SAMPLES);
      if (codec === "PCMA") ulawToAlaw(part, part);
      return FRAME_SAMPLES;
    },
    decode(codec, sequence, payload, on) {
      if (codec === "opus") return decodeOpus(sequence, payload, on);
      if (codec === "G722") {
        const wide = new Int16Array(2 * payload.length);
        wideband().decode(payload, wide);
        hand(0, wide, on);
        return true;
      }
      if (codec === "PCMA") alawToUlaw(payload, payload);
      on(0, payload, undefined);
      return true;
    },
    restart() {
      newest = undefined;
    },
    shape: (wishes) => opus?.shape(wishes),
  };
}

/** Samples at 16 kHz of each frame of a packet, by its first byte (RFC 6716, 3.1): the packet before it had as many. */
function samplesOf(packet: Uint8Array): number {
  const config = packet[0]! >> 3;
  if (config < 12) return [160, 320, 640, 960][config & 3]!;
  if (config < 16) return [160, 320][config & 1]!;
  return [40, 80, 160, 320][config & 3]!;
}
