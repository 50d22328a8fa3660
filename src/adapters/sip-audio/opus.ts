import { Application, createDecoder, createEncoder, Signal } from "libopus-wasm";
import type { OpusWishes } from "#adapters/sip-messages/formats.ts";
import { FRAME_SAMPLES, G711_RATE } from "#domain/calls/g711.ts";

/** What is decoded: all that a voice has. The decoder takes what was sent at any rate, in one channel or two. */
export const OPUS_RATE = 16_000;
/** RFC 7587, 3.1.1: enough for a telephone's band, with what a lost packet is made again from. */
const BITRATE = 20_000;
/** Of 10. Measured: 3.6 ms of processor time to encode a second of a call; 2.1 at 1, 4.6 at 5. */
const COMPLEXITY = 2;
/** What the encoder reckons with: below it, it keeps no copy of the frame before. */
const LOSS_PERCENT = 10;
/** A frame of ours is never longer: it would not fit where G.711's does. */
export const MAX_OPUS_BYTES = FRAME_SAMPLES;
/** The longest packet, 120 ms (RFC 6716, 3.2.5). */
const MAX_SAMPLES = (120 * OPUS_RATE) / 1_000;

/** An encoder from 8 kHz and a decoder to 16, for one call. Nothing throws over what the other side sends. */
export type Opus = {
  /** 160 samples in; valid until the next. */
  encode(samples: Int16Array): Uint8Array;
  /** Undefined where it is no Opus. */
  decode(packet: Uint8Array): Int16Array | undefined;
  /** The packet before this one, which was lost: from the copy in this one where it has one, else made up. As many samples as asked for. */
  recover(next: Uint8Array, samples: number): Int16Array | undefined;
  shape(wishes: OpusWishes): void;
  free(): void;
};

/** The WebAssembly is compiled with the first in a process (40 ms). */
export async function openOpus(): Promise<Opus> {
  const encoder = await createEncoder({
    channels: 1,
    sampleRate: G711_RATE,
    frameSize: FRAME_SAMPLES,
    application: Application.Voip,
    signal: Signal.Voice,
    complexity: COMPLEXITY,
    bitrate: BITRATE,
    packetLossPercent: LOSS_PERCENT,
  });
  const decoder = await createDecoder({ channels: 1, sampleRate: OPUS_RATE, maxFrameSize: MAX_SAMPLES }).catch(
    (error) => {
      encoder.free();
      throw error;
    },
  );
  let isFree = false;
  const decoded = (packet: Uint8Array, options: { decodeFec: boolean; frameSize?: number }) => {
    try {
      return isFree ? undefined : decoder.decode(packet, options);
    } catch {
      return undefined;
    }
  };
  return {
    encode: (samples) => encoder.encode(samples, { maxPacketBytes: MAX_OPUS_BYTES }),
    decode: (packet) => decoded(packet, { decodeFec: false }),
    recover: (next, samples) => decoded(next, { decodeFec: true, frameSize: samples }),
    shape({ fec, maxBitrate = BITRATE, isConstant = false }) {
      encoder.setFec(fec);
      encoder.setBitrate(Math.min(BITRATE, maxBitrate));
      encoder.setVbr(!isConstant);
    },
    free() {
      if (isFree) return;
      isFree = true;
      encoder.free();
      decoder.free();
    },
  };
}
