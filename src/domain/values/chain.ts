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

/** A link as it is stored or exported. */
export type ChainLink = Chained & { seq: number; hash: Buffer };

/** What is wrong with a chain, and from which link on. */
export type ChainFault = { seq: number; what: string };

/**
 * Follows a chain from its first link to its last, in order. `next` answers with what is wrong, once: after the first fault nothing that follows can be
 * judged. `recorded` are heads that were written down elsewhere: a chain that is shorter, or another, is not the one that it was.
 */
export function followChain(tenantId: Uuid, recorded: () => readonly ChainHead[] = () => []) {
  let head = emptyChain(tenantId);
  const known = new Map(recorded().map(({ seq, hash }) => [seq, hash]));
  return {
    next(link: ChainLink): ChainFault | undefined {
      const seq = head.seq + 1;
      if (link.seq !== seq) {
        const missing = link.seq > seq ? `link ${seq} is missing` : `link ${link.seq} stands where ${seq} belongs`;
        return { seq, what: missing };
      }
      head = linked(head, link);
      if (!head.hash.equals(link.hash))
        return { seq, what: "its hash is not that of what stands there: it was changed" };
      const written = known.get(seq);
      if (written && !written.equals(head.hash))
        return { seq, what: "its hash is not the one that was recorded: the chain was written anew" };
      return undefined;
    },
    end(): ChainFault | undefined {
      const heads = recorded();
      const other = heads.find(({ seq, hash }) => seq === head.seq && !hash.equals(head.hash));
      if (other)
        return { seq: other.seq, what: "its hash is not the one that was recorded: the chain was written anew" };
      const last = heads.reduce((most, { seq }) => Math.max(most, seq), 0);
      if (last <= head.seq) return undefined;
      return { seq: head.seq + 1, what: `the chain ends at ${head.seq}, and ${last} links were recorded` };
    },
    head: (): ChainHead => head,
  };
}
