import { createHash } from "node:crypto";
import type { Uuid } from "./id.ts";

// A hash chain: each link's hash covers the one before it, so that nobody can change, remove or move one without all that follow being wrong.

/** What is linked: a record of some kind by its id, and the digest of what it says. */
export type Chained = { kind: string; ref: Uuid; digest: Buffer };

/** A chain's end. */
export type ChainHead = { seq: number; hash: Buffer };

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The head of a tenant's empty chain. */
export const emptyChain = (tenantId: Uuid): ChainHead => ({ seq: 0, hash: sha256(`parley chain ${tenantId}`) });

/** The chain's end with one more link. */
export const linked = (head: ChainHead, { kind, ref, digest }: Chained): ChainHead => ({
  seq: head.seq + 1,
  hash: sha256(head.hash, `${head.seq + 1} ${kind} ${ref} `, digest),
});
