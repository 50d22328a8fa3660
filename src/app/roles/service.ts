import { fork } from "node:child_process";
import type { Server } from "node:net";
import { hostname } from "node:os";
import { wire } from "#app/context.ts";
import { startEmbeddedPostgres } from "#app/embedded-postgres/start.ts";
import { uuidSource } from "#app/process/ids.ts";
import { RELEASE, VERSION } from "#app/process/release.ts";
import { type Config, ConfigError, inheritedEnv } from "#app/settings/config.ts";
import { sealingKeys } from "#app/settings/sealing.ts";
import { fingerprint } from "#app/settings/secret-key.ts";
import { isSetupNeeded, setupToken } from "#operations/accounts/sign-in.ts";
import { auditService } from "#operations/system/audit-service.ts";
import { missingKey } from "#operations/system/rotate-secrets.ts";
import * as cluster from "#store/database/cluster.ts";
import { openDb } from "#store/database/db.ts";
import { migrate } from "#store/database/migrate.ts";
import { mustFitPooler } from "#store/database/pooler.ts";
import { replicaFit } from "#store/database/replica-fit.ts";
import { type Api, startApi } from "./api.ts";
import { bootstrap, type FirstKey } from "./keys.ts";
import { startMedia } from "./media.ts";
import { supervise } from "./supervise.ts";
import { startWorker } from "./worker.ts";

/** A worker that dies at once would otherwise be started as fast as the machine can. */
const RESTART_AFTER_MS = 500;
/** Longest wait for a child to finish its work, besides the calls that a media node lets go on. */
const STOP_WITHIN_MS = 30_000;

/** `sessionUrl`: where sessions are one's own, as those of `url` need not be. */
export type Database = { url: string; sessionUrl: string; stop(): Promise<void> };

/** The configured database, or the embedded one, whatever its schema. */
export async function openServer(config: Config, log: (line: string) => void): Promise<Database> {
  const { databaseUrl: url, databaseSessionUrl } = config;
  if (url === undefined) {
    const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
    return { ...embedded, sessionUrl: embedded.url };
  }
  await mustFitPooler(url, databaseSessionUrl);
  return { url, sessionUrl: databaseSessionUrl ?? url, stop: async () => {} };
}

/** The same, migrated, and the one that this process's secret key belongs to. */
export async function openDatabase(config: Config, log: (line: string) => void): Promise<Database> {
  const database = await openServer(config, log);
  try {
    const migrations = await migrate(database.sessionUrl, { release: VERSION });
    await mustFitKey(config, database.sessionUrl);
    if (migrations.length > 0) await noteInAll(database.sessionUrl, "migrate", { release: RELEASE, migrations });
  } catch (error) {
    await database.stop();
    throw error;
  }
  return database;
}

/** An entry of the system's in the audit log of every tenant. */
async function noteInAll(url: string, operation: string, after: Record<string, unknown>): Promise<void> {
  const db = openDb({ url, poolSize: 1, applicationName: "parley boot" });
  const [now, newId] = [() => new Date(), uuidSource()];
  try {
    const note = { object: { kind: "node", id: hostname() }, after };
    await auditService({ db, now, newId }, { operation, actor: "system", by: null }, note);
  } finally {
    await db.close();
  }
}

/** That a node has started is in the audit log. Nothing waits for it: tenants may be many. */
export function noteStart({ roles }: Pick<Config, "roles">, url: string, log: (line: string) => void): void {
  noteInAll(url, "startNode", { release: RELEASE, roles }).catch((error: Error) =>
    log(`The audit log does not say that this node has started: ${error.message}`),
  );
}

/** Under another key an API key is unknown, and so is a person who was erased with an opt-out: he would be texted again. */
async function mustFitKey(config: Config, url: string): Promise<void> {
  const db = openDb({ url, poolSize: 1, applicationName: "parley boot" });
  try {
    if (await cluster.isHashedBy(db, fingerprint(config))) {
      const missing = await missingKey({ db, sealingKeys: sealingKeys(config) });
      if (missing !== undefined) throw new ConfigError([missing]);
      return;
    }
    const here = config.secretKey === undefined ? `${config.dataDir}/secret-key` : "PARLEY_SECRET_KEY";
    throw new ConfigError([
      `${here} is not the secret key that this database was made with: set PARLEY_SECRET_KEY to that one, on every machine`,
    ]);
  } finally {
    await db.close();
  }
}

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
