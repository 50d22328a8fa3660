/** How the text of an uploaded file is encoded. `latin1` is what Windows calls so: code page 1252. */
export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "latin1"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Enough to detect UTF-16 without a byte order mark by its zero bytes. */
const SAMPLE_BYTES = 4_096;

export type EncodingFinder = {
  /** The next bytes of the file. */
  push(bytes: Uint8Array): void;
  /** What it is, after the last of them. */
  end(): Encoding;
};

/**
 * Finds out a file's encoding while it goes by: by its byte order mark; as UTF-16 when every other byte of its beginning
 * is zero; as UTF-8 when all of it is valid UTF-8; else it is taken for Latin-1, in which every byte is some letter.
 */
export function encodingFinder(): EncodingFinder {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const sample = new Uint8Array(SAMPLE_BYTES);
  let sampled = 0;
  let isUtf8 = true;
  const check = (bytes?: Uint8Array) => {
    try {
      if (isUtf8) decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      isUtf8 = false;
    }
  };
  return {
    push(bytes) {
      const part = bytes.subarray(0, SAMPLE_BYTES - sampled);
      sample.set(part, sampled);
      sampled += part.length;
      check(bytes);
    },
    end() {
      check();
      return utf16(sample.subarray(0, sampled)) ?? (isUtf8 ? "utf-8" : "latin1");
    },
  };
}

function utf16(sample: Uint8Array): Encoding | undefined {
  if (sample[0] === 0xff && sample[1] === 0xfe) return "utf-16le";
  if (sample[0] === 0xfe && sample[1] === 0xff) return "utf-16be";
  const zeros = [0, 0];
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2]!++;
  // In text of Latin letters nearly every character has one zero byte, and never two.
  const many = sample.length * 0.4;
  if (zeros[1]! >= many && zeros[0] === 0 && sample.length > 1) return "utf-16le";
  return zeros[0]! >= many && zeros[1] === 0 && sample.length > 1 ? "utf-16be" : undefined;
}
