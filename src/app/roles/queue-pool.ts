import type pg from "pg";
import type { Config } from "#app/settings/config.ts";
import { openPool } from "#store/database/connections.ts";

/** Beside the one that the queue listens on. */
const SESSIONS = 2;

/**
 * Opens pools for the queue. Where sessions are shared it listens on one of its own, for which it asks by a callback; each of its other statements is a
 * transaction by itself, and may have any.
 */
export const queuePools =
  (config: Config, url: string, applicationName: string) =>
  (poolSize: number): pg.Pool => {
    const { databaseSessionUrl } = config;
    if (databaseSessionUrl === undefined) return openPool({ url, poolSize, applicationName });
    const pool = openPool({ url, sharesSessions: true, poolSize, applicationName });
    const own = openPool({ url: databaseSessionUrl, poolSize: SESSIONS, applicationName });
    // A lost connection is the queue's to notice and replace; without a listener the error would end the process.
    own.on("connect", (client) => client.on("error", () => {}));
    const [connect, end] = [pool.connect.bind(pool), pool.end.bind(pool)];
    type Done = Parameters<typeof own.connect>[0];
    return Object.assign(pool, {
      connect: (done?: Done) => (done === undefined ? connect() : own.connect(done)),
      end: async () => void (await Promise.all([end(), own.end()])),
    });
  };
