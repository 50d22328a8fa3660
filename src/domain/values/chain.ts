import { createHash } from "node:crypto";
import type { Uuid } from "./id.ts";

// A hash chain: each link's hash covers the one before it, so that nobody can change, remove or move one without all that follow being wrong.

/** What is linked: a record of some kind by its id, and the digest of what it says. */
export type Chained = { kind: string; ref: Uuid; digest: Buffer };

/** A chain's end. */
export type ChainHead = { seq: number; hash: Buffer };

/** An end that was written down elsewhere, and when. */
export type RecordedHead = ChainHead & { at?: Date };

/** Links that there were before a restore, from the first to the last that was recorded, with its hash as hex. */
export type LostLinks = { from: number; to: number; hash: string };

/** A restore that set a chain back, as the chain itself says: heads of these links that were written down before `at` are those that were lost. */
export type Restore = LostLinks & { at: Date };

/** What heads say of links that were lost; undefined where there are none. */
export function lostOf(heads: readonly { seq: number; hash: string }[]): LostLinks | undefined {
  if (heads.length === 0) return undefined;
  const [first, last] = [
    heads.reduce((a, b) => (b.seq < a.seq ? b : a)),
    heads.reduce((a, b) => (b.seq > a.seq ? b : a)),
  ];
  return { from: first.seq, to: last.seq, hash: last.hash };
}

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
 * judged. `recorded` are heads that were written down elsewhere: a chain that is shorter, or another, is not the one that it was, unless one of
 * `restores` says that these links were lost. Both are asked for at the end too.
 */
export function followChain(
  tenantId: Uuid,
  recorded: () => readonly RecordedHead[] = () => [],
  restores: () => readonly Restore[] = () => [],
) {
  let head = emptyChain(tenantId);
  const known = Map.groupBy(recorded(), ({ seq }) => seq);
  const others: RecordedHead[] = [];
  const isLost = ({ seq, at }: RecordedHead) =>
    at !== undefined && restores().some((restore) => seq >= restore.from && seq <= restore.to && at <= restore.at);
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
      // Whether that is a restore's doing the chain says later.
      others.push(...(known.get(seq) ?? []).filter(({ hash }) => !hash.equals(head.hash)));
      return undefined;
    },
    end(): ChainFault | undefined {
      const heads = recorded();
      others.push(...heads.filter(({ seq, hash }) => seq === head.seq && !hash.equals(head.hash)));
      const other = others.filter((each) => !isLost(each)).sort((a, b) => a.seq - b.seq)[0];
      if (other)
        return { seq: other.seq, what: "its hash is not the one that was recorded: the chain was written anew" };
      const last = heads.filter((each) => !isLost(each)).reduce((most, { seq }) => Math.max(most, seq), 0);
      if (last <= head.seq) return undefined;
      return { seq: head.seq + 1, what: `the chain ends at ${head.seq}, and ${last} links were recorded` };
    },
    head: (): ChainHead => head,
  };
}
