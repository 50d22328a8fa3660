import type { PduOf } from "./commands.ts";
import { numberIn, stringIn, TLV } from "./tlvs.ts";

/** How a gateway writes the ids in its receipts, where its answers to submits have them otherwise. */
export const RECEIPT_IDS = ["as_sent", "hex", "decimal"] as const;
export type ReceiptIds = (typeof RECEIPT_IDS)[number];

export type SmppReceipt = {
  messageId: string;
  status: "sent" | "delivered" | "undelivered" | "failed";
  errorCode: string | undefined;
  /** What the text was submitted with, where the gateway says it back. */
  reference: number | undefined;
};

/** esm_class, bits 2 to 5: a receipt of the gateway, or word of a text that is still on its way. */
const TYPE_BITS = 0x3c;
const RECEIPT = 0x04;
const ON_ITS_WAY = 0x20;
export const isReceipt = (esmClass: number): boolean => [RECEIPT, ON_ITS_WAY].includes(esmClass & TYPE_BITS);

const STATES: Readonly<Record<string, SmppReceipt["status"]>> = {
  SCHEDUL: "sent",
  ENROUTE: "sent",
  ACCEPTD: "sent",
  UNKNOWN: "sent",
  DELIVRD: "delivered",
  UNDELIV: "undelivered",
  EXPIRED: "undelivered",
  DELETED: "undelivered",
  REJECTD: "failed",
  SKIPPED: "failed",
};
/** By message_state. */
const STATE_NAMES = [
  "SCHEDUL",
  "ENROUTE",
  "DELIVRD",
  "EXPIRED",
  "DELETED",
  "UNDELIV",
  "ACCEPTD",
  "UNKNOWN",
  "REJECTD",
  "SKIPPED",
];
/** Nothing of a receipt's text stands later than this. */
const TEXT_BYTES = 1_000;
const SPACE = 0x20;
/** A message_id has at most 65 octets; no gateway's is longer than this. */
const ID_LENGTH = 255;

/** A field of the receipt's text, as most gateways write it: `id:123 sub:001 dlvrd:001 ... stat:DELIVRD err:000 text:...`. */
function fieldIn(text: string, name: string): string | undefined {
  const padded = ` ${text}`;
  const lower = padded.toLowerCase();
  // What the recipient was sent comes last, and could look like any other field.
  const end = lower.indexOf(" text:");
  const at = lower.indexOf(` ${name}:`);
  if (at < 0 || (end >= 0 && at > end)) return undefined;
  const from = at + name.length + 2;
  const to = padded.indexOf(" ", from);
  return padded.slice(from, to < 0 ? undefined : to) || undefined;
}

/** A receipt, from its TLVs where it has them, else from its text. Undefined when it names no text or no state. */
export function readReceipt(
  pdu: Pick<PduOf<"deliver_sm">, "tlvs">,
  octets: Uint8Array,
  ids: ReceiptIds,
): SmppReceipt | undefined {
  // Some gateways end their texts with a zero octet, or put fields on lines.
  const text = Buffer.from(octets.subarray(0, TEXT_BYTES).map((octet) => Math.max(octet, SPACE))).toString("latin1");
  const messageId = stringIn(pdu, TLV.receipted_message_id)?.trim() || fieldIn(text, "id");
  const state = numberIn(pdu, TLV.message_state);
  const name =
    (state === undefined ? undefined : STATE_NAMES[state]) ?? fieldIn(text, "stat")?.toUpperCase().slice(0, 7);
  const status = name && STATES[name];
  if (!messageId || messageId.length > ID_LENGTH || !status) return undefined;
  const errorCode = errorOf(pdu, text);
  return {
    messageId: idAs(messageId, ids),
    status,
    errorCode: status === "sent" || status === "delivered" ? undefined : `${name}${errorCode ? ` ${errorCode}` : ""}`,
    reference: numberIn(pdu, TLV.user_message_reference),
  };
}

function errorOf(pdu: Pick<PduOf<"deliver_sm">, "tlvs">, text: string): string | undefined {
  const said = fieldIn(text, "err")?.slice(0, 20);
  if (said && /[1-9A-Za-z]/.test(said)) return said;
  const network = pdu.tlvs.find(({ tag }) => tag === TLV.network_error_code)?.value;
  if (network?.length !== 3) return undefined;
  const code = network[1]! * 256 + network[2]!;
  return code === 0 ? undefined : String(code);
}

/** The answer's id in the form in which ids are stored: `ids` says how this gateway's receipts write what its answers write otherwise. */
function idAs(id: string, ids: ReceiptIds): string {
  if (ids === "hex" && /^[0-9a-f]{1,32}$/i.test(id)) return BigInt(`0x${id}`).toString();
  if (ids === "decimal" && /^\d{1,39}$/.test(id)) return BigInt(id).toString(16);
  return id;
}

/** An id as it came in an answer, in that form too: without the zeros and capitals that only one of both sides may have. */
export function idOfAnswer(id: string, ids: ReceiptIds): string {
  if (ids === "hex" && /^\d{1,39}$/.test(id)) return BigInt(id).toString();
  if (ids === "decimal" && /^[0-9a-f]{1,32}$/i.test(id)) return BigInt(`0x${id}`).toString(16);
  return id;
}
