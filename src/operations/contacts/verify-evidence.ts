import { type PackVerdict, verifyPack } from "#domain/contacts/evidence-verdict.ts";
import { readZip, type ZipBytes } from "./read-zip.ts";

/** Checks an archive, without a database. `key` is the fingerprint of the key that it has to be signed with. Throws one sentence where it is no archive. */
export async function verifyEvidence(zip: ZipBytes, key: string | undefined): Promise<PackVerdict> {
  return verifyPack(await readZip(zip), key);
}
