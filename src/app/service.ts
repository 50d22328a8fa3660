import { type ChildProcess, fork } from "node:child_process";
import { migrate } from "#store/migrate.ts";
import { refuseSharedSessions } from "#store/pooler.ts";
import { type Api, startApi } from "./api.ts";
import { type Config, inheritedEnv } from "./config.ts";
import { wire } from "./context.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { bootstrap } from "./keys.ts";
import { type Part, startWorker } from "./worker.ts";

/** A worker that dies at once would otherwise be started as fast as the machine can. */
const RESTART_AFTER_MS = 500;
/** Longest wait for a worker to finish what it has in hand. */
const STOP_WITHIN_MS = 30_000;

export type Database = { url: string; stop(): Promise<void> };

/** The configured database, or the embedded one, whatever its schema. */
export async function openServer(config: Config, log: (line: string) => void): Promise<Database> {
  const database = config.databaseUrl
    ? { url: config.databaseUrl, stop: async () => {} }
    : await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  if (config.databaseUrl) await refuseSharedSessions(config.databaseUrl);
  return database;
}

/** The same, migrated. */
export async function openDatabase(config: Config, log: (line: string) => void): Promise<Database> {
  const database = await openServer(config, log);
  await migrate(database.url);
  return database;
}

export type Service = { url: string | undefined; apiKey: string | undefined; stop(): Promise<void> };

/**
 * Starts the configured roles on the configured or embedded database. With both roles the worker is a process of its
 * own, so that a campaign at full speed and the API each have a core; it is started again when it dies.
 */
export async function startService(config: Config, log: (line: string) => void): Promise<Service> {
  const database = await openDatabase(config, log);
  const boot = wire({ ...config, databasePool: 1 }, database.url, "boot");
  const apiKey = await bootstrap(boot.ctx, config);
  await boot.close();
  const both = config.roles.includes("api") && config.roles.includes("worker");
  const worker = both
    ? superviseWorker(database.url, log)
    : config.roles.includes("worker")
      ? await startWorker(config, database.url)
      : undefined;
  let api: Api | undefined;
  try {
    api = config.roles.includes("api") ? await startApi(config, database.url) : undefined;
  } catch (error) {
    await worker?.stop();
    await database.stop();
    throw error;
  }
  return {
    url: api?.url,
    apiKey,
    async stop() {
      await api?.stop();
      await worker?.stop();
      await database.stop();
    },
  };
}

function superviseWorker(databaseUrl: string, log: (line: string) => void): Part {
  let stopping = false;
  let child: ChildProcess;
  let restart: NodeJS.Timeout | undefined;
  const start = () => {
    // The parent owns the address and the bootstrap; the worker is told of the database only.
    child = fork(new URL("../../bin/parley.ts", import.meta.url), ["worker"], {
      env: inheritedEnv({ DATABASE_URL: databaseUrl }),
    });
    child.on("exit", (code, signal) => {
      if (stopping) return;
      log(`the worker ended (${signal ?? code}); starting another`);
      restart = setTimeout(start, RESTART_AFTER_MS);
    });
  };
  // When we end at once, so does it: nobody would stop it any more.
  process.once("exit", () => child.kill("SIGKILL"));
  start();
  return {
    async stop() {
      stopping = true;
      clearTimeout(restart);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      const patience = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
      await ended;
      clearTimeout(patience);
    },
  };
}
