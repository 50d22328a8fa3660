/** G.711's mu-law, the sound of a telephone line: 8,000 samples a second, each of 14 bits in 8. Samples are from -1 to 1. */
export const LINE_RATE = 8_000;

/** 20 ms: what goes over the line in one piece. */
export const FRAME_SAMPLES = 160;

/** It makes every segment twice the one before. */
const BIAS = 33;
const MAX_MAGNITUDE = 0x1fff;

export function encodeMuLaw(sample: number): number {
  const level = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
  const magnitude = Math.min(((level < 0 ? ~level : level) >> 2) + BIAS, MAX_MAGNITUDE);
  const segment = 32 - Math.clz32(magnitude >> 6);
  const code = ((7 - segment) << 4) | (0xf - ((magnitude >> (segment + 1)) & 0xf));
  return level < 0 ? code : code | 0x80;
}

export function decodeMuLaw(code: number): number {
  const segment = (~code >> 4) & 7;
  const step = 8 << segment;
  const magnitude = (0x80 << segment) + step * (~code & 0xf) + step / 2 - 4 * BIAS;
  return (code < 0x80 ? 0 - magnitude : magnitude) / 32_768;
}
