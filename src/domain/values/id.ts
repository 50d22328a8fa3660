import { notFound } from "./errors.ts";

/** What each public id starts with. The text after it is the row's UUIDv7 in Crockford base32. */
export const ID_PREFIXES = {
  organization: "org",
  user: "usr",
  agent: "agt",
  voiceAgent: "vagt",
  voiceLlm: "llm",
  contact: "lead",
  list: "list",
  message: "msg",
  import: "imp",
  apiKey: "key",
  tenant: "tnt",
  ban: "ban",
  call: "call",
  session: "ses",
  note: "note",
  carrier: "carrier",
  media: "media",
  factor: "factor",
  identityProvider: "idp",
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** A UUID in its canonical lower-case text form: how ids travel inside the program and the database. */
export type Uuid = string;

/** When a UUIDv7 was made, by the clock of who made it. */
export const timeOfId = (uuid: Uuid): Date => new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16));

/** Stands where a row belongs to nothing (a text from a stranger has no campaign). Never a real row's id. */
export const NO_ID: Uuid = "00000000-0000-0000-0000-000000000000";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const VALUES = new Map([...ALPHABET].map((char, value) => [char, BigInt(value)]));

/** The public form of a row's id: `org_01jd...`, 26 characters after the prefix. */
export function publicId(kind: IdKind, uuid: Uuid): string {
  return `${ID_PREFIXES[kind]}_${base32(uuid)}`;
}

/** 128 bits as 26 Crockford characters, lower case. Keeps the order of UUIDv7s. */
export function base32(uuid: Uuid): string {
  let rest = BigInt(`0x${uuid.replaceAll("-", "")}`);
  let text = "";
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}

/** The uuid behind a public id, or undefined when it is not one of this kind. */
export function parseId(kind: IdKind, text: string): Uuid | undefined {
  const prefix = `${ID_PREFIXES[kind]}_`;
  if (!text.startsWith(prefix) || text.length !== prefix.length + 26) return undefined;
  let bits = 0n;
  for (const char of text.slice(prefix.length)) {
    const value = VALUES.get(char);
    if (value === undefined) return undefined;
    bits = (bits << 5n) | value;
  }
  if (bits >> 128n) return undefined;
  const hex = bits.toString(16).padStart(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** As parseId, but a malformed or foreign-kind id is the same 404 as a missing row: `what` names the thing. */
export function requireId(kind: IdKind, text: string, what: string): Uuid {
  const uuid = parseId(kind, text);
  if (uuid === undefined) throw notFound(what);
  return uuid;
}
