/** How samples are kept: G.711 as it was on the line, in half the room, or linear. */
export type WavCoding = "ulaw" | "pcm16";

/** Two channels at 8 kHz: the contact left, the agent right. */
const CHANNELS = 2;
const RATE = 8_000;
/** RIFF's format tags. Mu-law's format chunk says its extension's length, and a fact chunk the number of samples. */
const FORMAT_TAGS = { ulaw: 7, pcm16: 1 } as const;
const HEADER_BYTES = { ulaw: 58, pcm16: 44 } as const;

export type WavFormat = { coding: WavCoding; headerBytes: number; bytesPerFrame: number };

/** A frame here is one sample of both channels. */
export function wavFormat(coding: WavCoding): WavFormat {
  return { coding, headerBytes: HEADER_BYTES[coding], bytesPerFrame: CHANNELS * (coding === "ulaw" ? 1 : 2) };
}

/** The header of a stereo file with so many bytes of sound. */
export function wavHeader(coding: WavCoding, dataBytes: number): Uint8Array {
  const { headerBytes, bytesPerFrame } = wavFormat(coding);
  const bytes = new Uint8Array(headerBytes);
  const view = new DataView(bytes.buffer);
  const name = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  name(0, "RIFF");
  view.setUint32(4, headerBytes - 8 + dataBytes, true);
  name(8, "WAVEfmt ");
  view.setUint32(16, coding === "ulaw" ? 18 : 16, true);
  view.setUint16(20, FORMAT_TAGS[coding], true);
  view.setUint16(22, CHANNELS, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * bytesPerFrame, true);
  view.setUint16(32, bytesPerFrame, true);
  view.setUint16(34, (bytesPerFrame / CHANNELS) * 8, true);
  if (coding === "ulaw") {
    name(38, "fact");
    view.setUint32(42, 4, true);
    view.setUint32(46, dataBytes / bytesPerFrame, true);
  }
  name(headerBytes - 8, "data");
  view.setUint32(headerBytes - 4, dataBytes, true);
  return bytes;
}

/** What a file of ours is by its first 24 bytes or more; undefined when it is none. */
export function wavFormatOf(header: Uint8Array): WavFormat | undefined {
  if (header.length < 24 || new TextDecoder().decode(header.subarray(0, 4)) !== "RIFF") return undefined;
  const tag = header[20]! | (header[21]! << 8);
  if (tag === FORMAT_TAGS.ulaw) return wavFormat("ulaw");
  return tag === FORMAT_TAGS.pcm16 ? wavFormat("pcm16") : undefined;
}
