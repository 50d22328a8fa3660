import { NO_ID } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { JournalEntry } from "#ports/journal.ts";
import * as chain from "#store/database/chain.ts";

type HeadEntry = Extract<JournalEntry, { kind: "chain_head" }>;

/**
 * Links what tenants have committed to their hash chains, tenant by tenant; true when there is more. Any number of processes may run it, and any of them
 * may die: one at a time links a tenant's, in one transaction.
 */
export async function chainRecords(ctx: Context): Promise<boolean> {
  let more = false;
  for (const tenantId of await chain.waiting(ctx.db)) {
    try {
      if (await ctx.db.transaction((tx) => chain.link(tx, tenantId, ctx.now()))) more = true;
    } catch (err) {
      // Somebody has changed this chain in the database, or the database is away: no other tenant waits for it.
      ctx.log.error({ err, tenantId }, "records do not join their hash chain");
    }
  }
  return more;
}

/** Where all chains end, some at a time: to be written down once a day where no restore and no trimmed journal takes it away. */
export async function* chainHeads(ctx: Context): AsyncGenerator<HeadEntry[]> {
  const at = ctx.now().toISOString();
  for (let after = NO_ID; ; ) {
    const page = await chain.heads(ctx.db, after);
    if (page.length === 0) return;
    after = page.at(-1)!.tenant_id;
    yield page.map(({ tenant_id: tenantId, seq, hash }) => {
      const head = { kind: "chain_head", at, tenantId, seq, hash: hash.toString("hex") } as const;
      ctx.log.info(head, "the audit log ends here today");
      return head;
    });
  }
}

/** Writes down in the journal how far the chains have come that have grown: who has the database alone cannot shorten one unseen. */
export async function journalChains(ctx: Context): Promise<void> {
  for (const { tenant_id: tenantId, seq, hash } of await chain.moved(ctx.db)) {
    await ctx.journal.append({
      kind: "chain_head",
      at: ctx.now().toISOString(),
      tenantId,
      seq,
      hash: hash.toString("hex"),
    });
    await chain.journaled(ctx.db, tenantId, seq);
  }
}
