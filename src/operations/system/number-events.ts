import type { Context } from "#operations/context.ts";
import * as eventNumbers from "#store/system/event-numbers.ts";

/**
 * Numbers the committed events of every tenant, tenant by tenant; true when there are more. Any number of processes may run it, and any of them may
 * die: a tenant's events are numbered by one at a time, in one transaction.
 */
export async function numberEvents(ctx: Context): Promise<boolean> {
  let more = false;
  for (const tenantId of await eventNumbers.unnumbered(ctx.db)) {
    if (await ctx.db.transaction((tx) => eventNumbers.number(tx, tenantId, ctx.now()))) more = true;
  }
  return more;
}
