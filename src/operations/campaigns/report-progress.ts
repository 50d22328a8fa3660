import { firstIdOf } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as campaignProgress from "#store/campaigns/progress.ts";

/** A change is visible once it is committed: one whose transaction took longer than this is reported with the next. */
const COUNTED_WITHIN_MS = 60_000;

/** Reports the progress of running campaigns whose counts have changed. Any number of processes may run it. */
export async function reportProgress(ctx: Context): Promise<void> {
  const realNow = ctx.now();
  // Ids of changes begin with the real time at which they were made.
  const since = firstIdOf(new Date(realNow.getTime() - COUNTED_WITHIN_MS));
  for (const { tenant_id, ids } of await campaignProgress.moving(ctx.db, realNow, since))
    await campaignProgress.report(ctx.db, tenant_id, ids, realNow);
}
