import { FRAME_SAMPLES, G711_RATE, sampleToUlaw, ULAW_SILENCE } from "#domain/calls/g711.ts";

/** Keys by their number in RFC 4733, 3.2. */
const KEYS = "0123456789*#ABCD";

/** How loud a key is said to be, in -dBm0: as most phones have it. */
const VOLUME = 10;

/** A key is pressed for this many frames and released for as many: ITU-T Q.24 asks for 40 ms each at least, voicemail systems for more. */
export const PRESSED_FRAMES = 8;
export const RELEASED_FRAMES = 5;

export const eventOf = (digit: string): number => KEYS.indexOf(digit.toUpperCase());

export const isKey = (digit: string): boolean => digit.length === 1 && eventOf(digit) >= 0;

/** The four bytes of an event (RFC 4733, 2.3). `duration` in samples since it began. */
export function writeEvent(into: Buffer, at: number, event: number, duration: number, isEnd: boolean): void {
  into[at] = event;
  into[at + 1] = (isEnd ? 0x80 : 0) | VOLUME;
  into.writeUInt16BE(Math.min(duration, 0xffff), at + 2);
}

/** The key of an event packet; undefined for other events. */
export function digitOfEvent(payload: Uint8Array): string | undefined {
  return payload.length >= 4 ? KEYS[payload[0]!] : undefined;
}

/** ITU-T Q.23: the row's and the column's tone, Hz. */
const ROWS = [697, 770, 852, 941];
const COLUMNS = [1_209, 1_336, 1_477, 1_633];
const PAD = "123A456B789C*0#D";
/** Each of the two, of 16 bits: -10 dBm0 or so. */
const AMPLITUDE = 7_000;

/** Frame number `index` of a key's tones in mu-law, for the other side that knows no events. */
export function toneFrame(digit: string, index: number, into: Uint8Array): void {
  const key = PAD.indexOf(digit.toUpperCase());
  if (key < 0) {
    into.fill(ULAW_SILENCE);
    return;
  }
  const [row, column] = [ROWS[key >> 2]!, COLUMNS[key & 3]!];
  for (let i = 0; i < FRAME_SAMPLES; i++) {
    const at = (2 * Math.PI * (index * FRAME_SAMPLES + i)) / G711_RATE;
    into[i] = sampleToUlaw(Math.round(AMPLITUDE * (Math.sin(at * row) + Math.sin(at * column))));
  }
}
