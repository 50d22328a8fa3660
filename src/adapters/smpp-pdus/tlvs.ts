import type { Tlv } from "./commands.ts";

/** Tags of the TLVs that we read or write; all others are kept as octets and ignored. */
export const TLV = {
  additional_status_info_text: 0x001d,
  receipted_message_id: 0x001e,
  user_message_reference: 0x0204,
  sar_msg_ref_num: 0x020c,
  sar_total_segments: 0x020e,
  sar_segment_seqnum: 0x020f,
  sc_interface_version: 0x0210,
  network_error_code: 0x0423,
  message_payload: 0x0424,
  message_state: 0x0427,
} as const;

type Has = { tlvs: readonly Tlv[] };

/** The first of this tag: what comes twice is not trusted to replace it. */
export const tlvOf = ({ tlvs }: Has, tag: number): Uint8Array | undefined => tlvs.find((tlv) => tlv.tag === tag)?.value;

/** An unsigned number of one to four octets; undefined when it is not there or is none. */
export function numberIn(pdu: Has, tag: number): number | undefined {
  const value = tlvOf(pdu, tag);
  if (!value || value.length === 0 || value.length > 4) return undefined;
  return value.reduce((sum, octet) => sum * 256 + octet, 0);
}

/** A string as it should be, with a zero octet at its end, or without. */
export function stringIn(pdu: Has, tag: number): string | undefined {
  const value = tlvOf(pdu, tag);
  if (!value) return undefined;
  const end = value.indexOf(0);
  return Buffer.from(end < 0 ? value : value.subarray(0, end)).toString("latin1");
}

export const octetTlv = (tag: number, value: number): Tlv => ({ tag, value: Uint8Array.of(value) });
export const shortTlv = (tag: number, value: number): Tlv => ({ tag, value: Uint8Array.of(value >> 8, value & 0xff) });
export const stringTlv = (tag: number, value: string): Tlv => ({ tag, value: Buffer.from(`${value}\0`, "latin1") });
