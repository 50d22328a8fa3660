import { type CommandName, commandOf, fieldsOf, isResponse, type Pdu, type Tlv } from "./commands.ts";
import { STATUS } from "./status.ts";

export const HEADER_BYTES = 16;
/** No string of SMPP is half as long. Some gateways have ids that are longer than the specification's 65. */
const MOST_STRING_BYTES = 255;

/** A PDU that cannot be read: `status` is what to answer it with, and `sequence` is whose answer that is. */
export type Malformed = {
  command: "malformed";
  id: number;
  sequence: number;
  status: number;
  why: string;
};

/**
 * Reads one PDU that a framer has cut out: its command_length is its length. Requests have to be whole. A response may end early: many gateways
 * leave a refused one's body out, some an accepted one's. Nothing beyond the PDU is read, whatever it says about its lengths.
 */
export function decodePdu(bytes: Buffer): Pdu | Malformed {
  const id = bytes.readUInt32BE(4);
  const status = bytes.readUInt32BE(8);
  const sequence = bytes.readUInt32BE(12);
  const malformed = (answer: number, why: string): Malformed => ({
    command: "malformed",
    id,
    sequence,
    status: answer,
    why,
  });
  const command = commandOf(id);
  if (!command) return malformed(STATUS.invalidCommandId, `0x${id.toString(16)} is no command`);
  const read = readFields(command, bytes);
  if (typeof read === "string") return malformed(STATUS.invalidCommandLength, read);
  const tlvs = readTlvs(bytes, read.end);
  if (typeof tlvs === "string") return malformed(STATUS.invalidTlvStream, tlvs);
  return { command, status, sequence, fields: read.fields, tlvs } as Pdu;
}

type Fields = Record<string, string | number | Uint8Array>;

function readFields(command: CommandName, bytes: Buffer): { fields: Fields; end: number } | string {
  const mayEnd = isResponse(bytes.readUInt32BE(4));
  const fields: Fields = {};
  let at = HEADER_BYTES;
  for (const [name, { type }] of fieldsOf(command)) {
    if (at >= bytes.length) {
      if (!mayEnd) return `${command} ends before ${name}`;
      fields[name] = type === "string" ? "" : 0;
    } else if (type === "octet") {
      fields[name] = bytes[at++]!;
    } else if (type === "octets") {
      const length = bytes[at++]!;
      if (at + length > bytes.length) return `${name} is said to be longer than the PDU`;
      fields[name] = bytes.subarray(at, at + length);
      at += length;
    } else {
      const end = bytes.subarray(at, at + MOST_STRING_BYTES).indexOf(0);
      if (end < 0) return `${name} does not end`;
      fields[name] = bytes.toString("latin1", at, at + end);
      at += end + 1;
    }
  }
  return { fields, end: at };
}

function readTlvs(bytes: Buffer, from: number): Tlv[] | string {
  const tlvs: Tlv[] = [];
  let at = from;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return "a TLV ends before its length";
    const [tag, length] = [bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2)];
    at += 4;
    if (at + length > bytes.length) return `TLV 0x${tag.toString(16)} is said to be longer than the PDU`;
    tlvs.push({ tag, value: bytes.subarray(at, at + length) });
    at += length;
  }
  return tlvs;
}
