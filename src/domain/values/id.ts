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

/** The least UUIDv7 of a time. */
export function firstIdOf(at: Date): Uuid {
  const hex = at.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Stands where a row belongs to nothing (a text from a stranger has no campaign). Never a real row's id. */
export const NO_ID: Uuid = "00000000-0000-0000-0000-000000000000";

const HEX = "0123456789abcdef";
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const NO_VALUE = 255;
/** Values by character code. */
const HEX_VALUES = valuesOf(HEX);
const VALUES = valuesOf(ALPHABET);

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(128).fill(NO_VALUE);
  for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value;
  return values;
}

/** The public form of a row's id: `org_01jd...`, 26 characters after the prefix. */
export function publicId(kind: IdKind, uuid: Uuid): string {
  return `${ID_PREFIXES[kind]}_${base32(uuid)}`;
}

/** 128 bits as 26 Crockford characters, lower case. Keeps the order of UUIDv7s. */
export function base32(uuid: Uuid): string {
  let text = "";
  // Two bits in front make 130 of them, which are 26 times five.
  let bits = 2;
  let rest = 0;
  for (let i = 0; i < uuid.length; i++) {
    const value = HEX_VALUES[uuid.charCodeAt(i)] ?? NO_VALUE;
    if (value === NO_VALUE) continue;
    rest = (rest << 4) | value;
    bits += 4;
    if (bits < 5) continue;
    bits -= 5;
    text += ALPHABET[rest >> bits];
    rest &= (1 << bits) - 1;
  }
  return text;
}

/** The uuid behind a public id, or undefined when it is not one of this kind. */
export function parseId(kind: IdKind, text: string): Uuid | undefined {
  const prefix = `${ID_PREFIXES[kind]}_`;
  if (!text.startsWith(prefix) || text.length !== prefix.length + 26) return undefined;
  let hex = "";
  let bits = 0;
  let rest = 0;
  for (let i = prefix.length; i < text.length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? NO_VALUE;
    // The first has three of the 128 bits.
    if (value === NO_VALUE || (i === prefix.length && value > 7)) return undefined;
    rest = (rest << 5) | value;
    bits += i === prefix.length ? 3 : 5;
    while (bits >= 4) {
      bits -= 4;
      hex += HEX[rest >> bits];
      rest &= (1 << bits) - 1;
    }
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** As parseId, but a malformed or foreign-kind id is the same 404 as a missing row: `what` names the thing. */
export function requireId(kind: IdKind, text: string, what: string): Uuid {
  const uuid = parseId(kind, text);
  if (uuid === undefined) throw notFound(what);
  return uuid;
}
