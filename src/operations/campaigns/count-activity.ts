import type { Context } from "#operations/context.ts";
import * as counting from "#store/campaigns/activity-counting.ts";
import type { Tx } from "#store/database/db.ts";

/** What else is made of a page of the log, in the transaction that counts it. */
export type AlsoCount = (ctx: Context, tx: Tx, page: counting.CountedPage) => Promise<void>;

/**
 * Counts what has happened since it was last counted, tenant by tenant; true when there is more. Any number of processes may run it, and any of
 * them may die: a tenant's events are counted by one at a time, and a page of them in one transaction.
 */
export async function countActivity(ctx: Context, also: AlsoCount): Promise<boolean> {
  let more = false;
  for (const tenantId of await counting.uncounted(ctx.db)) {
    try {
      const isMore = await ctx.db.transaction(async (tx) => {
        const counted = await counting.count(tx, tenantId);
        if (counted.page) await also(ctx, tx, counted.page);
        return counted.more;
      });
      if (isMore) more = true;
    } catch (err) {
      // The other tenants' events are counted all the same; these are tried again.
      ctx.log.warn({ err, tenantId }, "activity could not be counted");
    }
  }
  return more;
}
