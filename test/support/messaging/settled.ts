import { isDeepStrictEqual } from "node:util";
import { wire } from "#app/context.ts";
import { countActivity } from "#operations/campaigns/count-activity.ts";
import { reportProgress } from "#operations/campaigns/report-progress.ts";
import type { Context } from "#operations/context.ts";
import { judgeNumbers } from "#operations/numbers/judge-numbers.ts";
import { pollBrands } from "#operations/registration/read-brands.ts";
import { pollTenDlcCampaigns } from "#operations/registration/read-ten-dlc-campaigns.ts";
import { enqueueDue, finishCampaigns, tidy } from "#operations/sending/sweep.ts";
import { numberEvents } from "#operations/system/number-events.ts";
import { uncounted } from "#store/campaigns/activity-counting.ts";
import { type Parley, until } from "#test/support/api/parley.ts";
import { quiet } from "./handset.ts";

/** A campaign's counts are reported once a second at most. */
const REPORTED_EVERY_MS = 1_000;

/**
 * Waits until nothing is left to do, and returns the rows as they are then. What a worker's next sweep would write is written here, by sweeping as it
 * does, however late its own sweeps are: rows that are the same before and after a sweep with nothing due are changed by no later one.
 */
export async function settled<Rows>(
  { config, databaseUrl }: Pick<Parley, "config" | "databaseUrl">,
  rows: () => Promise<Rows>,
): Promise<Rows> {
  const { ctx, close } = wire(config, databaseUrl, "test");
  try {
    return (
      await until("nothing moves any more", async () => {
        await quiet({ databaseUrl });
        const before = await rows();
        await sweep(ctx);
        await quiet({ databaseUrl });
        const after = await rows();
        return isDeepStrictEqual(before, after) && { after };
      })
    ).after;
  } finally {
    await close();
  }
}

async function sweep(ctx: Context): Promise<void> {
  await pollBrands(ctx);
  await pollTenDlcCampaigns(ctx);
  await enqueueDue(ctx);
  await finishCampaigns(ctx);
  await reportProgress({ ...ctx, now: () => new Date(Date.now() + REPORTED_EVERY_MS) });
  await tidy(ctx);
  while (await numberEvents(ctx));
  // A worker may be counting some of them just now.
  await until("every event is counted", async () => {
    while (await countActivity(ctx, judgeNumbers));
    return (await uncounted(ctx.db)).length === 0;
  });
}
