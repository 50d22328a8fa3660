import type { Context } from "#operations/context.ts";
import * as counting from "#store/campaigns/activity-counting.ts";

/**
 * Counts what has happened since it was last counted, tenant by tenant; true when there is more. Any number of processes may run it, and any of
 * them may die: a tenant's events are counted by one at a time, and a page of them in one transaction.
 */
export async function countActivity(ctx: Context): Promise<boolean> {
  let more = false;
  for (const tenantId of await counting.uncounted(ctx.db)) {
    try {
      if (await ctx.db.transaction((tx) => counting.count(tx, tenantId))) more = true;
    } catch (err) {
      // The other tenants' events are counted all the same; these are tried again.
      ctx.log.warn({ err, tenantId }, "activity could not be counted");
    }
  }
  return more;
}
