import { readFileSync } from "node:fs";
import { httpApp } from "#http/app.ts";
import * as ready from "#store/ready.ts";
import { bulkRunner } from "./bulk.ts";
import type { Config } from "./config.ts";
import { wire } from "./context.ts";
import type { Part } from "./worker.ts";

export const VERSION = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** Times between this process and the database that are further apart than this make windows and leases wrong. */
const MAX_SKEW_MS = 1_000;

export type Api = Part & { url: string };

/** Starts the api role: HTTP on the configured address, port 0 for any free one. */
export async function startApi(config: Config, databaseUrl: string): Promise<Api> {
  const { ctx, close } = wire(config, databaseUrl, "api");
  let draining = false;
  const bulk = bulkRunner(ctx, config, databaseUrl);
  const health = {
    draining: () => draining,
    async ready() {
      const { database, migrations, skewMs } = await ready.check(ctx.db, () => ctx.now());
      const clock = skewMs !== null && Math.abs(skewMs) > MAX_SKEW_MS ? `${skewMs} ms away from the database's` : null;
      return { process: draining ? "draining" : null, database, migrations, clock };
    },
  };
  const app = await httpApp(ctx, health, bulk.run, {
    poweredBy: config.poweredBy,
    baseUrl: config.baseUrl,
    version: VERSION,
    requestsPerSecond: config.rateLimit,
  });
  const address = await app.listen({ host: config.host, port: config.port });
  return {
    url: config.baseUrl ?? address,
    async stop() {
      draining = true;
      await app.close();
      await bulk.stop();
      await close();
    },
  };
}
