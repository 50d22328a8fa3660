import { failure, invalidField, missingScope } from "#domain/values/errors.ts";
import { isInRanges, rangesOf, readRange } from "./address-range.ts";
import { keyChecksum } from "./key-checksum.ts";
import { isCovered } from "./key-scopes.ts";

export type KeyMode = "live" | "test";

/**
 * Reads `pk_test_<id>_<secret and checksum>`. The lookup part finds the key's row; the whole text is then compared by digest. A
 * bootstrap key of the operator's own making may lack the id: its lookup is then the digest's own, by `fallback`.
 */
export function readKey(key: string, fallback: (key: string) => string): { mode: KeyMode; lookup: string } | undefined {
  const match = /^pk_(live|test)_([!-~]{1,200})$/.exec(key);
  if (!match) return undefined;
  const id = /^([0-9a-z]{26})_/.exec(match[2]!)?.[1];
  return { mode: match[1] as KeyMode, lookup: id ?? fallback(key) };
}

/** Length of a key's secret: 256 bits, beyond any guessing. */
export const SECRET_BYTES = 32;

/** The text of a key: `pk_test_<id>_<secret>`, and right behind it the checksum of all that. `lookup` is 26 lower-case characters, `secret` SECRET_BYTES random bytes. */
export function keyText(mode: KeyMode, lookup: string, secret: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...secret));
  const text = `pk_${mode}_${lookup}_${base64
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "")}`;
  return `${text}${keyChecksum(text)}`;
}

/** `allowedAddresses`: where from; undefined or null: from anywhere. */
export type KeyPowers = {
  mode: KeyMode;
  scopes: readonly string[];
  allowedAddresses?: readonly string[] | null;
};

/** 403 unless the caller may hand out a key of these powers: nobody gives away more than he has. */
export function refuseGrant(caller: KeyPowers, wanted: KeyPowers): void {
  refuseOtherMode(caller, wanted.mode);
  const beyond = wanted.scopes.find((scope) => !isCovered(caller.scopes, scope));
  if (beyond !== undefined) throw missingScope(beyond);
}

/** The modes of which a caller may know keys: a live key sees to the test keys too. */
export const knownModes = (mode: KeyMode): readonly KeyMode[] => (mode === "live" ? ["live", "test"] : ["test"]);

/** 403 when a test key reaches for a live one: who may only play must not be able to stop or start real sending. */
export function refuseOtherMode(caller: KeyPowers, mode: KeyMode): void {
  if (caller.mode === "test" && mode === "live") {
    throw failure("live_key_required", "Only a live key may make, rotate or revoke a live key");
  }
}

/**
 * Where a new key may be used from. Who is bound to addresses gives away no more than those: by default the same. Fails with a 400 that names
 * what is no address.
 */
export function allowedAddresses(
  { allowedAddresses: own }: Pick<KeyPowers, "allowedAddresses">,
  wanted: readonly string[] | null | undefined,
): readonly string[] | null {
  for (const [i, text] of (wanted ?? []).entries()) {
    if (readRange(text) === undefined) {
      throw invalidField(
        `allowed_addresses[${i}]`,
        "must be an address or a network such as 203.0.113.9 or 203.0.113.0/24",
      );
    }
  }
  if (!own) return wanted ?? null;
  if (!wanted) return own;
  const beyond = wanted.find((text) => !isInRanges(text, rangesOf(own)));
  if (beyond === undefined) return wanted;
  throw failure("address_refused", `This key may not be used from all of ${beyond}, so it cannot make a key that may`);
}

/** 403 where a key that is there may be used from more addresses than the caller: who is bound to some gets no such key's text. */
export function refuseElsewhere(
  caller: Pick<KeyPowers, "allowedAddresses">,
  key: { allowed_addresses: readonly string[] | null },
): void {
  if (caller.allowedAddresses && key.allowed_addresses === null)
    throw failure("address_refused", "This key may be used from some addresses only, and the other from anywhere");
  allowedAddresses(caller, key.allowed_addresses);
}
