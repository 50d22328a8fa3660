import { type LostLinks, lostOf } from "#domain/values/chain.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { ReadJournals } from "#ports/journal.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as chain from "#store/database/chain.ts";

/** As the entry of a tenant's log has it: of the log's own chain, and of the other mode's, which has no log. */
export async function lostOfBoth(
  { db }: Pick<Context, "db">,
  tenantId: Uuid,
  lost: ReadonlyMap<Uuid, LostLinks>,
): Promise<{ lost_links?: LostLinks; lost_links_of_other_mode?: LostLinks }> {
  const [own, other] = [lost.get(tenantId), lost.get(await tenants.otherMode(db, tenantId))];
  return { ...(own && { lost_links: own }), ...(other && { lost_links_of_other_mode: other }) };
}

const HEADS_AT_ONCE = 1_000;

/**
 * Which links of the tenants' hash chains a restore has lost: journals have heads of chains that the database does not have, or has otherwise. Nothing of
 * tenants whose chains are as the journals say.
 */
export async function lostLinks({ db }: Pick<Context, "db">, read: ReadJournals): Promise<Map<Uuid, LostLinks>> {
  const recorded = new Map<Uuid, Map<string, { seq: number; hash: string }>>();
  for await (const entry of read({ since: undefined, unreadable: () => {} })) {
    if (entry.kind !== "chain_head") continue;
    const { tenantId, seq, hash } = entry;
    const heads = recorded.get(tenantId) ?? new Map();
    recorded.set(tenantId, heads.set(`${seq} ${hash}`, { seq, hash }));
  }
  const lost = new Map<Uuid, LostLinks>();
  for (const [tenantId, heads] of recorded) {
    const all = [...heads.values()];
    const gone: { seq: number; hash: string }[] = [];
    for (let from = 0; from < all.length; from += HEADS_AT_ONCE) {
      const some = all.slice(from, from + HEADS_AT_ONCE);
      const there = await chain.hashesAt(
        db,
        tenantId,
        some.map(({ seq }) => seq),
      );
      gone.push(...some.filter(({ seq, hash }) => there.get(seq) !== hash));
    }
    const links = lostOf(gone);
    if (links) lost.set(tenantId, links);
  }
  return lost;
}
