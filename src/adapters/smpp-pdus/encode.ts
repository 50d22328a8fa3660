import { COMMANDS, type CommandName, fieldsOf, type PduOf } from "./commands.ts";
import { HEADER_BYTES } from "./decode.ts";

/** `fields` that are left out are "" and 0. */
export type Outgoing<C extends CommandName> = Pick<PduOf<C>, "command" | "sequence"> &
  Partial<Pick<PduOf<C>, "status" | "tlvs">> & { fields?: Partial<PduOf<C>["fields"]> };

/** Throws a RangeError for what is longer than its field: what comes from outside has been checked by whoever took it in. */
export function encodePdu<C extends CommandName>(pdu: Outgoing<C>): Buffer {
  const given = (pdu.fields ?? {}) as Record<string, string | number | Uint8Array | undefined>;
  const tlvs = pdu.tlvs ?? [];
  // A refusal has no body.
  const fields = pdu.status ? [] : fieldsOf(pdu.command);
  let length = HEADER_BYTES;
  for (const [name, { type }] of fields) length += type === "octet" ? 1 : lengthOf(given[name]) + 1;
  for (const { value } of tlvs) length += 4 + value.length;
  const bytes = Buffer.allocUnsafe(length);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt32BE(COMMANDS[pdu.command].id, 4);
  bytes.writeUInt32BE(pdu.status ?? 0, 8);
  bytes.writeUInt32BE(pdu.sequence, 12);
  let at = HEADER_BYTES;
  for (const [name, field] of fields) {
    const value = given[name];
    if (field.type === "octet") {
      at = bytes.writeUInt8((value as number | undefined) ?? 0, at);
    } else if (field.type === "octets") {
      const octets = (value as Uint8Array | undefined) ?? new Uint8Array(0);
      if (octets.length > 254) throw new RangeError(`${name} is longer than 254 octets`);
      at = bytes.writeUInt8(octets.length, at);
      bytes.set(octets, at);
      at += octets.length;
    } else {
      const text = (value as string | undefined) ?? "";
      if (text.length >= field.most) throw new RangeError(`${name} is longer than ${field.most - 1} octets`);
      if (text.includes("\0")) throw new RangeError(`${name} has a zero octet`);
      at += bytes.write(text, at, "latin1");
      bytes[at++] = 0;
    }
  }
  for (const { tag, value } of tlvs) {
    at = bytes.writeUInt16BE(tag, at);
    at = bytes.writeUInt16BE(value.length, at);
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

const lengthOf = (value: string | number | Uint8Array | undefined): number =>
  typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
