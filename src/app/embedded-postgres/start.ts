import { setTimeout as sleep } from "node:timers/promises";
import { createCluster, hasCluster, readSecrets } from "./cluster.ts";
import { makeLock } from "./lock.ts";
import { findPlace, type Place } from "./place.ts";
import { findRunning, launch, logFile, type Running, shutDown } from "./server.ts";
import { type Addresses, addressesOf, serves } from "./sessions.ts";
import { joinUsers, leaveUsers, openToUsers } from "./users.ts";

export type EmbeddedPostgres = {
  /** The service's own role, owner of its database and of nothing else. */
  readonly url: string;
  /** The cluster's superuser, in the database `postgres`: for tests that clone databases, and for repairs. */
  readonly adminUrl: string;
  /** Such as "18.4". */
  readonly version: string;
  /** Stops the server, unless another process uses it. Safe to repeat; bounded by 35 s. */
  stop(): Promise<void>;
};

export type EmbeddedPostgresSettings = {
  dataDir: string;
  /** Gets one line for each unusual event. */
  log: (line: string) => void;
  /** Where root keeps what its system user could not reach elsewhere. */
  systemDir?: string;
  /** PostgreSQL's own, over those of server-settings.ts. Only of a server that is started here. */
  serverSettings?: Readonly<Record<string, string>>;
};

/** Sessions end within milliseconds; a checkpoint of 256 MB onto a slow disk is what takes time. */
const STOP_PATIENCE_MS = 30_000;

/** Longest wait for a server that another process is starting or stopping, or for a killed one's last processes. */
const TURN_PATIENCE_MS = 120_000;

/** A server that closes is no longer "ready" milliseconds later: one that still is was left so by a killed process. */
const ADOPT_AFTER_MS = 2_000;

/**
 * Starts the PostgreSQL that lives in a data directory, making it first where there is none (some 0.9 s, later
 * starts 0.1 s). A server that is running already, started by another process or left by a killed one, is used
 * as it is. Throws one sentence with the way out when it cannot be had.
 */
export async function startEmbeddedPostgres(settings: EmbeddedPostgresSettings): Promise<EmbeddedPostgres> {
  const { dataDir, log, systemDir = "/var/lib/parley", serverSettings } = settings;
  const place = await findPlace(dataDir, systemDir, log);
  const isNew = !hasCluster(place);
  if (isNew) {
    await createCluster(place);
    log(`created an embedded PostgreSQL ${place.binaries.version} in ${place.folder}`);
  }
  await makeLock(place.folder, place.account);
  const secrets = await readSecrets(place);

  const begin = performance.now();
  const use: Use = { place, serverSettings };
  try {
    for (; performance.now() - begin < TURN_PATIENCE_MS; await sleep(20)) {
      const server = await takeTurn(use, performance.now() - begin > ADOPT_AFTER_MS, log);
      if (server === undefined) continue;
      const addresses = addressesOf(server.port, secrets);
      const version = await serves(addresses, secrets, isNew);
      if (version !== undefined) return handle(use, addresses, version);
    }
  } catch (error) {
    await release(use);
    throw error;
  }
  await release(use);
  throw new Error(
    `The PostgreSQL in ${place.folder} runs but takes no connections here: ${logFile(place.folder)} may say why.`,
  );
}

/** Our use of a server: `user` is our entry among its users, `pid` its process, once there are such. */
type Use = {
  readonly place: Place;
  readonly serverSettings: Readonly<Record<string, string>> | undefined;
  user?: string;
  pid?: number;
};

/** One try to be a user of a ready server, starting it when there is none. Undefined: not yet. */
async function takeTurn(use: Use, adopt: boolean, log: (line: string) => void): Promise<Running | undefined> {
  const { place } = use;
  const running = await findRunning(place, log);
  if (running && !running.ready) return undefined;
  if (!running || adopt) await openToUsers(place.folder);
  use.user ??= await joinUsers(place.folder);
  if (use.user === undefined) return undefined;
  const server = running ?? (await launch(place, log, use.serverSettings));
  use.pid = server?.pid;
  return server;
}

async function release(use: Use): Promise<void> {
  const { place, user, pid } = use;
  if (user === undefined || !(await leaveUsers(place.folder, user)) || pid === undefined) return;
  if (await shutDown(place.folder, pid, STOP_PATIENCE_MS)) return;
  throw new Error(`The embedded PostgreSQL (process ${pid}) does not stop; ${logFile(place.folder)} may say why.`);
}

function handle(use: Use, addresses: Addresses, version: string): EmbeddedPostgres {
  let stopping: Promise<void> | undefined;
  return {
    ...addresses,
    version,
    stop: () => {
      stopping ??= release(use);
      return stopping;
    },
  };
}
