import { type PackVerdict, verifyPack } from "#domain/contacts/evidence-verdict.ts";
import { readZip } from "./zip.ts";

/** Checks an archive, without a database. `key` is the fingerprint of the key that it has to be signed with. Throws one sentence where it is no archive. */
export async function verifyEvidence(chunks: AsyncIterable<Uint8Array>, key: string | undefined): Promise<PackVerdict> {
  return verifyPack(await readZip(chunks), key);
}
