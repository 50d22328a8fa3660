import { createHash } from "node:crypto";
import type { Readable } from "node:stream";

/** In hexadecimal digits. `md5` is what stores that know no other digest call an ETag. */
export type Digests = { bytes: number; sha256: string; md5: string };

export async function digestsOf(stream: Readable): Promise<Digests> {
  const [sha256, md5] = [createHash("sha256"), createHash("md5")];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length;
    sha256.update(chunk as Buffer);
    md5.update(chunk as Buffer);
  }
  return { bytes, sha256: sha256.digest("hex"), md5: md5.digest("hex") };
}
