import type { TestContext } from "node:test";
import pg from "pg";
import { wire } from "#app/context.ts";
import { createKey, createTenant } from "#app/roles/keys.ts";
import { readConfig } from "#app/settings/config.ts";
import { BOOTSTRAP_KEY, client as clientOf, until } from "#test/support/api/parley.ts";
import { createDatabase, emptyDatabase } from "#test/support/database/database.ts";
import {
  COMMON_ENV,
  type Owner,
  runCommand,
  type ServiceProcess,
  startProcess,
} from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { installWatch } from "./watch.ts";

export type Client = ReturnType<typeof clientOf>;
/** A worker, and its place in the register of nodes: another one after it had lost that. */
export type Worker = ServiceProcess & { nodeId(): string };

/** What was acknowledged to the harness by answers with 2xx: all of it has to be there in the end. */
export type Acknowledged = {
  /** Campaigns by id, with the phones that they were posted with. */
  campaigns: Map<string, readonly string[]>;
  /** Handsets' texts by the carrier's id; `other`: to the other tenant. */
  texts: Map<string, { phone: string; text: string; other?: true }>;
  /** Campaigns that the run paused or deleted: why some of their recipients got nothing. */
  stopped: Map<string, "pause" | "delete">;
  /** Phones that said in a call that they want no more, which no text shows. */
  saidInCalls: Set<string>;
};

/** The service as processes of their own, over a database of the test's own. */
export type World = {
  t: TestContext;
  databaseUrl: string;
  /** What all of its processes keep beside the database. */
  dataDir: string;
  /** The test's own session, past every proxy; another is opened when the server has ended it. */
  sql<T extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<T[]>;
  api: Client;
  apiProcess: ServiceProcess;
  /** Another tenant's client: its canary must be nowhere else. */
  other: Client;
  workers: Worker[];
  acknowledged: Acknowledged;
  /** Aborted when the test is over, however it ended: nothing is to be asked for any more. */
  ending: AbortSignal;
  /** Resolves once it has taken its place. `checkout`: of another release. */
  startWorker(env?: Record<string, string>, checkout?: string): Promise<Worker>;
  /** A media node, once it has taken its place. It is none of `workers`. */
  startMedia(env?: Record<string, string>, checkout?: string): Promise<Worker>;
  /** kill -9, and another in its place. */
  replaceWorker(worker: Worker, env?: Record<string, string>): Promise<Worker>;
  startApi(env?: Record<string, string>, checkout?: string): Promise<ServiceProcess>;
};

export type WorldSettings = {
  /** How many workers there are from the start. */
  workers: number;
  env?: Record<string, string>;
  /** A migrated or empty database; one of the test's own by default. */
  databaseUrl?: string;
  /** Where the processes find it, when that is not the same: a proxy. */
  reachedBy?: string;
  /** Of another release, which makes the database and starts all of the first processes. */
  checkout?: string;
};

/** Several start at one time, beside other tests. */
const NODE_WITHIN_MS = 120_000;
/** As a worker's log says, again each time that it takes another. */
const PLACE = /"node":"[0-9a-f-]{36}"/g;

export async function startWorld(t: TestContext, settings: WorldSettings): Promise<World> {
  const ending = new AbortController();
  // Closed in reverse: the database is dropped when no process uses it any more.
  const closing: (() => unknown)[] = [];
  const owner: Owner = { after: (close) => closing.unshift(close) };
  t.after(async () => {
    ending.abort();
    for (const close of closing) await close();
  });
  let databaseUrl = settings.databaseUrl;
  if (databaseUrl === undefined) {
    if (settings.checkout === undefined) {
      const { url, drop } = await createDatabase();
      owner.after(drop);
      databaseUrl = url;
    } else databaseUrl = await emptyDatabase(owner);
  }
  const sql = sessionOf(owner, databaseUrl);
  // What is kept beside a database belongs to it: a folder that another had would raise the restore fence.
  const dataDir = aFolder("world");
  const env = { DATABASE_URL: settings.reachedBy ?? databaseUrl, PARLEY_DATA_DIR: dataDir, ...settings.env };
  const startApi: World["startApi"] = (more = {}, checkout = settings.checkout) =>
    startProcess(owner, "api", { ...env, ...more }, checkout);
  const workers: Worker[] = [];
  const startNode = async (
    role: "worker" | "media",
    more: Record<string, string>,
    checkout = settings.checkout,
  ): Promise<Worker> => {
    const started = await startProcess(owner, role, { ...env, ...more, PARLEY_LOG_LEVEL: "info" }, checkout);
    const said = () => started.said.join("");
    await until(
      `a ${role} has its place`,
      async () => {
        if (started.ended() !== undefined) throw new Error(`the ${role} ended: ${said().slice(-2_000)}`);
        return said().match(PLACE) !== null;
      },
      NODE_WITHIN_MS,
    );
    return { ...started, nodeId: () => said().match(PLACE)!.at(-1)!.slice(8, -1) };
  };
  const startWorker: World["startWorker"] = async (more = {}, checkout) => {
    const worker = await startNode("worker", more, checkout);
    workers.push(worker);
    return worker;
  };
  const replaceWorker: World["replaceWorker"] = async (worker, more) => {
    workers.splice(workers.indexOf(worker), 1);
    await worker.kill();
    return startWorker(more);
  };
  // Together, as they are on a machine that boots.
  const [apiProcess] = await Promise.all([
    startApi(),
    ...Array.from({ length: settings.workers }, () => startWorker()),
  ]);
  await installWatch(sql);
  return {
    t,
    databaseUrl,
    dataDir,
    sql,
    api: clientOf(apiProcess.url!, BOOTSTRAP_KEY),
    apiProcess,
    other: clientOf(apiProcess.url!, await keyOfAnotherTenant(databaseUrl, dataDir, settings.checkout)),
    workers,
    ending: ending.signal,
    acknowledged: { campaigns: new Map(), texts: new Map(), stopped: new Map(), saidInCalls: new Set() },
    startWorker,
    startMedia: (more = {}, checkout) => startNode("media", more, checkout),
    replaceWorker,
    startApi,
  };
}

async function keyOfAnotherTenant(databaseUrl: string, dataDir: string, checkout?: string): Promise<string> {
  const env = { DATABASE_URL: databaseUrl, PARLEY_DATA_DIR: dataDir };
  if (checkout !== undefined) {
    // Another release's schema is for its own program to write to.
    const tenant = (await runCommand(["tenant", "create", "Another"], env, checkout)).trim();
    return (await runCommand(["key", "create", "--tenant", tenant], env, checkout)).trim();
  }
  const config = readConfig({ ...COMMON_ENV, ...env });
  const { ctx, close } = wire(config, databaseUrl, "harness");
  try {
    return await createKey(ctx, await createTenant(ctx, "Another"), "test", "All");
  } finally {
    await close();
  }
}

/** One session that is opened anew when its server was killed under it; a query that met that fails. */
function sessionOf(t: Owner, url: string): World["sql"] {
  let session: Promise<pg.Client> | undefined;
  const open = async () => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      application_name: "harness",
    });
    const lose = () => {
      session = undefined;
    };
    client.on("error", lose);
    client.on("end", lose);
    await client.connect();
    return client;
  };
  t.after(async () => {
    await (await session?.catch(() => undefined))?.end().catch(() => {});
  });
  return async <T extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) => {
    session ??= open();
    const mine = session;
    const client = await mine.catch((error: Error) => {
      if (session === mine) session = undefined;
      throw error;
    });
    return (await client.query<T>(text, [...values])).rows;
  };
}
