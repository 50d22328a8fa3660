/**
 * Makes samples of bytes that come in pieces of any length: half a sample waits for the next piece. 16-bit little-endian, as every provider
 * sends it and as every machine has it that Node runs on.
 */
export function sampleJoiner(): (bytes: Uint8Array) => Int16Array {
  let rest = new Uint8Array(0);
  return (bytes) => {
    const length = rest.length + bytes.length;
    const even = length - (length % 2);
    const joined = new Uint8Array(length);
    joined.set(rest);
    joined.set(bytes, rest.length);
    rest = joined.slice(even);
    return new Int16Array(joined.buffer, 0, even / 2);
  };
}

/** Samples as their bytes, copied. */
export function bytesOf(samples: Int16Array): Buffer {
  return Buffer.from(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));
}

/** A WAV file of 16-bit mono. Source: https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html */
export function wavFile(samples: Int16Array, sampleRate: number): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, bytesOf(samples)]);
}
