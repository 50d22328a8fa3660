import { isDeepStrictEqual } from "node:util";
import { wire } from "#app/context.ts";
import type { Context } from "#operations/context.ts";
import { numberEvents } from "#operations/number-events.ts";
import { pollBrands } from "#operations/read-brands.ts";
import { pollTenDlcCampaigns } from "#operations/read-ten-dlc-campaigns.ts";
import { finishCampaigns, ringDue, tidy } from "#operations/sweep.ts";
import { tellProgress } from "#operations/tell-progress.ts";
import { quiet } from "./handset.ts";
import { type Parley, until } from "./parley.ts";

/** A campaign's counts are told once a second at most. */
const TOLD_EVERY_MS = 1_000;

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
  await ringDue(ctx);
  await finishCampaigns(ctx);
  await tellProgress({ ...ctx, now: () => new Date(Date.now() + TOLD_EVERY_MS) });
  await tidy(ctx);
  while (await numberEvents(ctx));
}
