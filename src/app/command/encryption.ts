import { Readable } from "node:stream";
import { Decrypter, Encrypter } from "age-encryption";

/** By what a backup is encrypted: a pass-phrase, or the public keys of all who may open it (`age1...`). */
export type Lock = { passphrase: string } | { recipients: readonly string[] };
/** What opens one: its pass-phrase, or a private key (`AGE-SECRET-KEY-1...`). */
export type Opener = { passphrase: string } | { identities: readonly string[] };

const HEADER = "age-encryption.org/v1\n";

/** Whether a file begins as one of the age format (https://age-encryption.org/v1). */
export const isEncrypted = (begin: Uint8Array): boolean => Buffer.from(begin).toString("latin1").startsWith(HEADER);
export const HEADER_BYTES = HEADER.length;

/** Throws one sentence for a public key that is none. */
function encrypter(lock: Lock): Encrypter {
  const all = new Encrypter();
  if ("passphrase" in lock) all.setPassphrase(lock.passphrase);
  else
    for (const recipient of lock.recipients) {
      try {
        all.addRecipient(recipient);
      } catch {
        throw new Error(`${recipient} is no public key of age: it begins with age1`);
      }
    }
  return all;
}

/** Encrypts as it comes: no more of it is in memory than a piece of 64 KiB. */
export async function* encrypted(plain: Readable, lock: Lock): AsyncGenerator<Uint8Array> {
  const stream = Readable.toWeb(plain) as ReadableStream<Uint8Array>;
  yield* await encrypter(lock).encrypt(stream);
}

/** The plain bytes of an encrypted file. Throws one sentence where the pass-phrase or key does not open it; a file that was cut off ends in an error. */
export async function* decrypted(sealed: Readable, opener: Opener): AsyncGenerator<Uint8Array> {
  const opening = new Decrypter();
  if ("passphrase" in opener) opening.addPassphrase(opener.passphrase);
  else
    for (const identity of opener.identities) {
      try {
        opening.addIdentity(identity);
      } catch {
        throw new Error("what was given is no private key of age: it begins with AGE-SECRET-KEY-1");
      }
    }
  let plain: ReadableStream<Uint8Array>;
  try {
    plain = await opening.decrypt(Readable.toWeb(sealed) as ReadableStream<Uint8Array>);
  } catch (error) {
    throw new WrongOpener(
      /no identity matched/i.test((error as Error).message)
        ? `the ${"passphrase" in opener ? "pass-phrase" : "private key"} is not the one that this backup was encrypted for`
        : `the backup is encrypted, and its head is damaged (${(error as Error).message})`,
    );
  }
  yield* plain;
}

/** Not the right pass-phrase or key: nothing was read. */
export class WrongOpener extends Error {}
