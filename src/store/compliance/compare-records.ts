import type { ChainFault, ChainLink } from "#domain/values/chain.ts";
import type { Uuid } from "#domain/values/id.ts";
import { head } from "#store/database/chain.ts";
import type { Tx } from "#store/database/db.ts";
import { linkedRecords, RECORD_KINDS } from "./chained-consents.ts";

/** What comparing a tenant's consents and erasures with their links came to. */
export type ComparedRecords = {
  /** What is wrong with the record that a link stands for. Undefined also where it is linked since. */
  faultOf(link: Pick<ChainLink, "seq" | "kind" | "ref">): ChainFault | undefined;
  /** A record that is in no chain and does not wait to be, in words. */
  lost: string | undefined;
};

/** Reads all of them once: a bit for each link is kept, and what is wrong. */
export async function compareRecords(tx: Tx, tenantId: Uuid): Promise<ComparedRecords> {
  const last = (await head(tx, tenantId))?.seq ?? 0;
  const seen = new Uint8Array(Math.floor(last / 8) + 1);
  const changed = new Set<number>();
  let lost: string | undefined;
  for await (const { kind, ref, digest, link, waits } of linkedRecords(tx, tenantId)) {
    // From before consents were chained.
    if (!link && digest === null) continue;
    if (!link) {
      if (!waits) lost ??= `the ${kind} ${ref} is in no chain`;
      continue;
    }
    if (link.seq > last) continue;
    seen[link.seq >> 3]! |= 1 << (link.seq & 7);
    if (!digest?.equals(link.digest)) changed.add(link.seq);
  }
  const isSeen = (seq: number): boolean => (seen[seq >> 3]! & (1 << (seq & 7))) !== 0;
  return {
    faultOf({ seq, kind, ref }) {
      if (seq > last || !(RECORD_KINDS as readonly string[]).includes(kind)) return undefined;
      if (changed.has(seq)) return { seq, what: `its ${kind} ${ref} was changed` };
      return isSeen(seq) ? undefined : { seq, what: `its ${kind} ${ref} is missing` };
    },
    lost,
  };
}
