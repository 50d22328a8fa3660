import { createPublicKey, type KeyObject, verify } from "node:crypto";

/** What stands before the 32 bytes of an Ed25519 key in its DER form (RFC 8410). */
const DER_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Telnyx's own package has the same: seconds, either way, so that what was caught once cannot be sent again later. */
const TOLERANCE_SECONDS = 300;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Padded base64 of so many bytes; undefined for anything else, since Buffer would read what it can of it. */
function bytesOf(text: string, length: number): Buffer | undefined {
  if (text.length % 4 !== 0 || text.length > 200 || !BASE64.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === length ? bytes : undefined;
}

/** An account's public key, base64 as the portal shows it; undefined when it is none. */
export function publicKeyOf(text: string): KeyObject | undefined {
  const bytes = bytesOf(text.trim(), KEY_BYTES);
  return bytes && createPublicKey({ key: Buffer.concat([DER_PREFIX, bytes]), format: "der", type: "spki" });
}

export type Signed = {
  headers: Readonly<Record<string, string | undefined>>;
  /** As it came: a body that was parsed and written again has another signature. */
  body: Uint8Array;
  now: Date;
};

/** Whether Telnyx has signed the body, and lately. The address is not signed. */
export function isSigned({ headers, body, now }: Signed, key: KeyObject): boolean {
  const timestamp = headers["telnyx-timestamp"] ?? "";
  if (!/^\d{1,15}$/.test(timestamp)) return false;
  if (Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const signature = bytesOf(headers["telnyx-signature-ed25519"] ?? "", SIGNATURE_BYTES);
  return signature !== undefined && verify(null, Buffer.concat([Buffer.from(`${timestamp}|`), body]), key, signature);
}
