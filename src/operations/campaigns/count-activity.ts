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
    let alsoFailed = false;
    const countPage = (made: AlsoCount | undefined) =>
      ctx.db.transaction(async (tx) => {
        const counted = await counting.count(tx, tenantId);
        if (counted.page && made)
          await made(ctx, tx, counted.page).catch((err) => {
            alsoFailed = true;
            throw err;
          });
        return counted.more;
      });
    try {
      const isMore = await countPage(also).catch((err) => {
        if (!alsoFailed) throw err;
        // A page that the rest can make nothing of must not hold up the counts for ever.
        ctx.log.error({ err, tenantId }, "a page of the log is counted without its numbers");
        return countPage(undefined);
      });
      if (isMore) more = true;
    } catch (err) {
      // The other tenants' events are counted all the same; these are tried again.
      ctx.log.warn({ err, tenantId }, "activity could not be counted");
    }
  }
  return more;
}
