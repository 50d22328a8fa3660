import { type Alphabet, DATA_CODING, encodeText } from "./alphabets.ts";
import type { Tlv } from "./commands.ts";
import { octetTlv, shortTlv, TLV } from "./tlvs.ts";

/** How a text that is longer than one segment goes out: a header in the text with a reference of 8 or 16 bits, TLVs, or whole in one. */
export const LONG_TEXTS = ["udh", "udh16", "sar", "payload"] as const;
export type LongTexts = (typeof LONG_TEXTS)[number];

/** What goes into one submit_sm. */
export type Part = { esmClass: number; dataCoding: number; octets: Uint8Array; tlvs: Tlv[] };

/** Octets of one message that stands alone, and of one that is joined to others by a header of 6 octets; GSM's are septets. */
const ALONE = { gsm: 160, latin1: 140, ucs2: 140 } as const;
const JOINED = { gsm: 153, latin1: 134, ucs2: 134 } as const;
/** A reference of 16 bits takes an octet more: one septet, or a whole character of UCS-2. */
const JOINED_16 = { gsm: 152, latin1: 133, ucs2: 132 } as const;
/** esm_class: the text begins with a header. */
export const HAS_HEADER = 0x40;
const [CONCAT_8, CONCAT_16] = [0x00, 0x08];

/** In the first alphabet that has all of its characters. */
function encoded(text: string, prefer: Alphabet): { alphabet: Alphabet; units: Uint8Array[] } {
  const units = encodeText(text, prefer);
  return units ? { alphabet: prefer, units } : { alphabet: "ucs2", units: encodeText(text, "ucs2")! };
}

/** No character is cut in two, of whatever many octets. */
function cut(units: readonly Uint8Array[], room: number): Uint8Array[] {
  const parts: Uint8Array[][] = [[]];
  let left = room;
  for (const unit of units) {
    if (unit.length > left) {
      parts.push([]);
      left = room;
    }
    parts.at(-1)!.push(unit);
    left -= unit.length;
  }
  return parts.map((part) => Buffer.concat(part));
}

/** A text as the parts that are submitted, in order. `reference` joins them: the same for no other text to this recipient in the near future. */
export function partsOf(text: string, options: { alphabet: Alphabet; long: LongTexts; reference: number }): Part[] {
  const { alphabet, units } = encoded(text, options.alphabet);
  const dataCoding = DATA_CODING[alphabet];
  const [whole, ...more] = cut(units, ALONE[alphabet]);
  const plain = { esmClass: 0, dataCoding, tlvs: [] };
  if (more.length === 0) return [{ ...plain, octets: whole! }];
  if (options.long === "payload") {
    return [{ ...plain, octets: new Uint8Array(0), tlvs: [{ tag: TLV.message_payload, value: Buffer.concat(units) }] }];
  }
  const pieces = cut(units, (options.long === "udh16" ? JOINED_16 : JOINED)[alphabet]);
  const low = options.reference & 0xff;
  return pieces.map((piece, i) => {
    const [of, number] = [pieces.length, i + 1];
    if (options.long === "sar") {
      const tlvs = [
        shortTlv(TLV.sar_msg_ref_num, low),
        octetTlv(TLV.sar_total_segments, of),
        octetTlv(TLV.sar_segment_seqnum, number),
      ];
      return { ...plain, octets: piece, tlvs };
    }
    const header =
      options.long === "udh"
        ? [5, CONCAT_8, 3, low, of, number]
        : [6, CONCAT_16, 4, (options.reference >> 8) & 0xff, low, of, number];
    return { ...plain, esmClass: HAS_HEADER, octets: Buffer.concat([Buffer.from(header), piece]) };
  });
}

/** Which part of which text it is. */
export type PlaceInText = { reference: number; of: number; number: number };

/** Octets behind the header, and what it says about a longer text. Undefined when the header says it is longer than the message. */
export function readHeader(octets: Uint8Array): { octets: Uint8Array; place: PlaceInText | undefined } | undefined {
  const end = 1 + (octets[0] ?? 0);
  if (octets.length < end) return undefined;
  let place: PlaceInText | undefined;
  for (let at = 1; at + 2 <= end; ) {
    const [id, length] = [octets[at]!, octets[at + 1]!];
    at += 2;
    if (at + length > end) return undefined;
    if (id === CONCAT_8 && length === 3)
      place = { reference: octets[at]!, of: octets[at + 1]!, number: octets[at + 2]! };
    if (id === CONCAT_16 && length === 4) {
      place = { reference: octets[at]! * 256 + octets[at + 1]!, of: octets[at + 2]!, number: octets[at + 3]! };
    }
    at += length;
  }
  return { octets: octets.subarray(end), place };
}
