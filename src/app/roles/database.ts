import { hostname } from "node:os";
import { startEmbeddedPostgres } from "#app/embedded-postgres/start.ts";
import { uuidSource } from "#app/process/ids.ts";
import { RELEASE, VERSION } from "#app/process/release.ts";
import { type Config, ConfigError } from "#app/settings/config.ts";
import { sealingKeys } from "#app/settings/sealing.ts";
import { fingerprint } from "#app/settings/secret-key.ts";
import { auditService } from "#operations/system/audit-service.ts";
import { missingKey } from "#operations/system/rotate-secrets.ts";
import * as cluster from "#store/database/cluster.ts";
import { openDb } from "#store/database/db.ts";
import { migrate } from "#store/database/migrate.ts";
import { mustFitPooler } from "#store/database/pooler.ts";

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
