import { wire } from "#app/context.ts";
import { finishCampaigns } from "#operations/sending/sweep.ts";
import type { Parley } from "#test/support/api/parley.ts";

/** What a worker's sweep would do half a second of real time later, by which the story's clock is days on. */
export async function sweep({ config, databaseUrl }: Pick<Parley, "config" | "databaseUrl">): Promise<void> {
  const { ctx, close } = wire(config, databaseUrl, "story");
  try {
    await finishCampaigns(ctx);
  } finally {
    await close();
  }
}
