import { fork } from "node:child_process";
import type { Server } from "node:net";
import { wire } from "#app/context.ts";
import { type Config, ConfigError, inheritedEnv } from "#app/settings/config.ts";
import { isSetupNeeded, setupToken } from "#operations/accounts/sign-in.ts";
import { replicaFit } from "#store/database/replica-fit.ts";
import { type Api, startApi } from "./api.ts";
import { noteStart, openDatabase } from "./database.ts";
import { bootstrap, type FirstKey } from "./keys.ts";
import { startMedia } from "./media.ts";
import { supervise } from "./supervise.ts";
import { startWorker } from "./worker.ts";

/** A worker that dies at once would otherwise be started as fast as the machine can. */
const RESTART_AFTER_MS = 500;
/** Longest wait for a child to finish its work, besides the calls that a media node lets go on. */
const STOP_WITHIN_MS = 30_000;

/** Fails where DATABASE_REPLICA_URL cannot be the database's replica. One that is away is none of that: the database answers in its place. */
async function mustFitReplica(config: Config, log: (line: string) => void) {
  const { databaseUrl, databaseSessionUrl, databaseReplicaUrl: url } = config;
  if (databaseUrl === undefined || url === undefined) return;
  const { wrong, away } = await replicaFit(databaseSessionUrl ?? databaseUrl, url);
  if (wrong !== undefined) throw new ConfigError([`DATABASE_REPLICA_URL ${wrong}`]);
  if (away !== undefined) log(`The read replica is away, and the database answers in its place: ${away}`);
}

export type Service = {
  url: string | undefined;
  apiKey: FirstKey | undefined;
  /** The token of the setup link, while nobody can sign in to the console. */
  setupToken: string | undefined;
  stop(): Promise<void>;
};

/**
 * Starts the configured roles on the configured or embedded database. Beside another role worker and media are processes of their
 * own, so that a campaign at full speed, the calls and the API each have a core; they are started again when they die.
 */
export async function startService(config: Config, log: (line: string) => void, held?: Server): Promise<Service> {
  if (config.roles.includes("api")) await mustFitReplica(config, log);
  const database = await openDatabase(config, log);
  const boot = wire({ ...config, databasePool: 1 }, database.url, "boot");
  const apiKey = await bootstrap(boot.ctx, config);
  const token = (await isSetupNeeded(boot.ctx)) ? await setupToken(boot.ctx) : undefined;
  await boot.close();
  const alone = config.roles.length === 1;
  const parts = await Promise.all(
    (["worker", "media"] as const)
      .filter((role) => config.roles.includes(role))
      .map((role) => (alone ? START[role](config, database.url) : supervised(role, config, database.url, log))),
  );
  const stopParts = () => Promise.all(parts.map((part) => part.stop()));
  let api: Api | undefined;
  try {
    api = config.roles.includes("api") ? await startApi(config, database.url, held) : undefined;
  } catch (error) {
    await stopParts();
    await database.stop();
    throw error;
  }
  noteStart(config, database.sessionUrl, log);
  return {
    url: api?.url,
    apiKey,
    setupToken: token,
    async stop() {
      await api?.stop();
      await stopParts();
      await database.stop();
    },
  };
}

const START = { worker: startWorker, media: startMedia } as const;

const supervised = (role: keyof typeof START, config: Config, databaseUrl: string, log: (line: string) => void) =>
  supervise(
    role === "media" ? "media node" : role,
    // The parent owns the address and the bootstrap; the child is given the database only.
    () =>
      fork(new URL("../../../bin/parley.ts", import.meta.url), [role], {
        env: inheritedEnv({ DATABASE_URL: databaseUrl }),
      }),
    { restartAfterMs: RESTART_AFTER_MS, stopWithinMs: STOP_WITHIN_MS + config.callGraceMs, log },
  );
