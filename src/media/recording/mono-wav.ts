const HEADER_BYTES = 44;
const PCM = 1;

/** Linear 16-bit sound of one channel as a WAV file. */
export function monoWav(pieces: readonly Int16Array[], sampleRate: number): Uint8Array {
  const dataBytes = pieces.reduce((sum, { length }) => sum + length * 2, 0);
  const bytes = new Uint8Array(HEADER_BYTES + dataBytes);
  const view = new DataView(bytes.buffer);
  const name = (at: number, word: string) => bytes.set(new TextEncoder().encode(word), at);
  name(0, "RIFF");
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  name(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  name(36, "data");
  view.setUint32(40, dataBytes, true);
  let at = HEADER_BYTES;
  for (const piece of pieces)
    for (const sample of piece) {
      view.setInt16(at, sample, true);
      at += 2;
    }
  return bytes;
}
