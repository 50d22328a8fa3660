import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Config, readConfig } from "#app/settings/config.ts";
import { BOOTSTRAP_KEY, client, until } from "#test/support/api/parley.ts";
import { type Created, createDatabase } from "#test/support/database/database.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import type { Bench } from "./suite.ts";

const STOP_WITHIN_MS = 30_000;
/** What every way to start it gives Node: test/deploy.test.ts holds them together. */
const NODE_OPTIONS = ["--max-semi-space-size=8"];
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "1048576" };

/** A service in processes of its own, on a database of its own, as in production. */
export type Service = ReturnType<typeof client> & {
  /** What its roles were started with. */
  config: Config;
  databaseUrl: string;
  /** A connection to look into the database, and for baselines. */
  sql: pg.Client;
  apiPid: number;
  startWorker(): Promise<void>;
  /** Its process id. */
  startMedia(): Promise<number>;
  stopApi(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts the api on a fresh database, which it drops in the end. The worker is the suite's to start. */
export async function startService(
  bench: Bench,
  env: Record<string, string> = {},
  database?: Created,
): Promise<Service> {
  const { url: databaseUrl, drop } = database ?? (await createDatabase());
  const settings = {
    DATABASE_URL: databaseUrl,
    HOST: "127.0.0.1",
    PORT: "0",
    PARLEY_DATA_DIR: join(bench.folder, "data"),
    PARLEY_BOOTSTRAP_API_KEY: BOOTSTRAP_KEY,
    PARLEY_LOG_LEVEL: "error",
    PARLEY_FIRST_HOUR_TEXTS: "0",
    PARLEY_RATE_LIMIT: "0",
    PARLEY_AUTH_FAILURE_LIMIT: "0",
    PARLEY_OVERLOAD_MS: "0",
    PARLEY_SIMULATOR_CALLS: "text",
    ...env,
  };
  const api = await startRole("api", settings, bench);
  const url = await readyLine(api);
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  const others: ChildProcess[] = [];
  const startOther = async (role: "worker" | "media") => {
    const child = await startRole(role, settings, bench);
    others.push(child);
    await until(`the ${role} has joined`, async () => {
      const { rows } = await sql.query("select from nodes where $1 = any(roles) and lost_at is null", [role]);
      return rows.length > 0;
    });
    return child.pid!;
  };
  return {
    ...client(url, BOOTSTRAP_KEY),
    config: readConfig(settings),
    databaseUrl,
    sql,
    apiPid: api.pid!,
    async startWorker() {
      await startOther("worker");
    },
    startMedia: () => startOther("media"),
    stopApi: () => end(api),
    async stop() {
      await sql.end();
      for (const other of others) await end(other);
      await end(api);
      await drop();
    },
  };
}

async function startRole(role: "api" | "worker" | "media", settings: Record<string, string>, bench: Bench) {
  const profiling = bench.profile ? ["--cpu-prof", "--cpu-prof-dir", bench.profile] : [];
  const child = spawn(
    process.execPath,
    [...NODE_OPTIONS, ...profiling, join(import.meta.dirname, "../bin/parley.ts"), role],
    {
      env: { ...processEnv(settings), ...ALLOCATOR },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(child, "spawn");
  process.once("exit", () => child.kill("SIGKILL"));
  return child;
}

/** The address that a server says it is ready at. Its output is read on: who writes to a closed pipe dies. */
export function readyLine(api: ChildProcess): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    api.stdout!.on("data", (chunk) => {
      said += chunk;
      const ready = /ready: (\S+)/.exec(said);
      if (ready) resolve(ready[1]!);
    });
    api.stdout!.once("end", () => reject(new Error(`the api ended before it was ready: ${said}`)));
  });
}

/** What a process holds in memory. */
export function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1];
  return Number(kilobytes) / 1024;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await ended;
  clearTimeout(patience);
}
