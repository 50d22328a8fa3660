/** Characters of a checksum, in the order of their values. */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62 to the sixth is more than there are values of 32 bits. */
const LENGTH = 6;

/** CRC-32 of a text in ASCII, as zlib, PNG and Ethernet have it (ISO 3309). */
export function crc32(text: string): number {
  let crc = 0xff_ff_ff_ff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1;
  }
  return (crc ^ 0xff_ff_ff_ff) >>> 0;
}

/** What a key ends with: the checksum of all before it, so that whoever finds a text of this form knows without asking whether it is a key. */
export function keyChecksum(text: string): string {
  let left = crc32(text);
  let written = "";
  for (let i = 0; i < LENGTH; i++) {
    written = BASE62[left % 62] + written;
    left = Math.floor(left / 62);
  }
  return written;
}

/** The form of the keys that we make; one of before there were checksums is six shorter, and an operator's own has any form. */
export const KEY_PATTERN = /^pk_(?:live|test)_[0-9a-z]{26}_[\w-]{43}[0-9A-Za-z]{6}$/;

/** Whether a text is one of our keys that somebody has mistyped or cut: its form is right, and its checksum is not. */
export const isMistyped = (key: string): boolean =>
  KEY_PATTERN.test(key) && keyChecksum(key.slice(0, -LENGTH)) !== key.slice(-LENGTH);
