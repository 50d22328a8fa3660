import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import type { Uuid } from "#domain/values/id.ts";

// The form of an evidence pack: docs/evidence.md. Lists are lines of JSON; every line's digest is in one file, every file's in another, and that is signed.

export const PACK_FORM = "parley evidence 1";
/** Digests of all other files, as sha256sum writes them. */
export const SUMS = "SHA256SUMS";
/** Ed25519 over the bytes of that file: 64 bytes. */
export const SIGNATURE = "SHA256SUMS.sig";
/** Digests of the lines of all lists: `<sha256>  <file>:<line>`. */
export const LINE_SUMS = "LINES.sha256";
export const PUBLIC_KEY = "public-key.pem";
/** Whose it is, and the ends of the chains. */
export const ABOUT = "contact.json";
export const LISTS = {
  consents: "consents.ndjson",
  decisions: "decisions.ndjson",
  texts: "texts.ndjson",
  calls: "calls.ndjson",
  optOuts: "opt-outs.ndjson",
  lists: "lists.ndjson",
  screening: "screening.ndjson",
  erasures: "erasures.ndjson",
  audit: "audit.ndjson",
  chain: "chain.ndjson",
} as const;

export const sumLine = (digest: string, name: string): string => `${digest}  ${name}\n`;
const SUM_LINE = /^([0-9a-f]{64}) {2}(\S{1,300})$/;

/** Names with their digests; undefined where a line is none. */
export function readSums(text: string): [name: string, digest: string][] | undefined {
  const found = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => SUM_LINE.exec(line));
  if (found.some((each) => each === null)) return undefined;
  return found.map((each) => [each![2]!, each![1]!]);
}

export const sha256Hex = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** SHA-256 of the key in DER: `openssl pkey -pubin -in public-key.pem -outform DER | sha256sum`. */
export const fingerprintOf = (key: KeyObject): string =>
  sha256Hex(
    createPublicKey(key.export({ type: "spki", format: "pem" }) as string).export({ type: "spki", format: "der" }),
  );

/** A link as a pack has it: `chain` is the mode's or the account's id, `before` the hash of the link before it. */
export type PackedLink = {
  chain: Uuid;
  seq: number;
  kind: string;
  ref: Uuid;
  digest: string;
  before: string;
  hash: string;
};

/** A file of an archive. Of a recording there are no bytes. */
export type PackedFile = { sha256: string; bytes: Buffer | undefined };

export const README = "README.txt";

export const README_TEXT = `This archive has what is on record about one contact: consents and their proofs, decisions, texts, calls, opt-outs,
lists, erasures, changes. index.html shows it; the .ndjson files have all of it, a line of JSON for each entry.

To check that nothing was changed, on any machine:

  parley evidence verify FILE.zip --key FINGERPRINT

or by hand, in the folder of the unpacked archive:

  openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
  sha256sum -c SHA256SUMS
  openssl pkey -pubin -in public-key.pem -outform DER | sha256sum

The last line has to be the fingerprint that whoever made the archive names elsewhere: GET /v1/evidence/key, or parley doctor.
LINES.sha256 has the digest of each line of each list. chain.ndjson has the links of hash chains: each covers the one before it.
`;
