import type { Uuid } from "#domain/values/id.ts";

/**
 * The domain that passkeys count for and the one address whose pages may use them: of `pagesUrl`, by which people reach the console. Without it they work on this machine alone,
 * at localhost and the port that is listened at: `listening` is where the request came in, never what its Host header says.
 */
export function passkeySite(pagesUrl: string | undefined, listening: string): { rpId: string; origin: string } {
  if (pagesUrl !== undefined) {
    const { hostname, origin } = new URL(pagesUrl);
    return { rpId: hostname, origin };
  }
  const port = URL.canParse(listening) ? new URL(listening).port : "";
  return { rpId: "localhost", origin: port === "" ? "http://localhost" : `http://localhost:${port}` };
}

const HEX_DIGITS = 32;

/** What a passkey says of its user: 32 bytes without a name in them. By them a sign-in that begins with the passkey finds the tenant. */
export const handleOf = (accountId: Uuid, userId: Uuid): Buffer =>
  Buffer.from((accountId + userId).replaceAll("-", ""), "hex");

/** Whose a passkey says it is; undefined for what no handle of ours says. */
export function ofHandle(handle: string): { accountId: Uuid; userId: Uuid } | undefined {
  const hex = Buffer.from(handle, "base64url").toString("hex");
  if (hex.length !== 2 * HEX_DIGITS) return undefined;
  return { accountId: uuidOf(hex.slice(0, HEX_DIGITS)), userId: uuidOf(hex.slice(HEX_DIGITS)) };
}

const uuidOf = (hex: string): Uuid =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
