import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "#app/settings/config.ts";
import { client, type Parley } from "#test/support/api/parley.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";
import { processEnv } from "./process-env.ts";
import { keepLog } from "./process-log.ts";

/** An api that is a process of its own, so that its memory and its event loop are its alone. */
export type ApiProcess = Omit<Parley, "stopAll"> & {
  /** Resident memory in bytes. Linux only, elsewhere 0. */
  residentBytes(): number;
  /** What it has written to stderr and, from `error` up, to its log. */
  complaints: string[];
  /** The link by which the console is set up, once it is printed. */
  setupLink(): string | undefined;
  child: ChildProcess;
  stop(): Promise<void>;
};

const SECRET_KEY = "0123456789abcdef0123456789abcdef";
const BOOTSTRAP_KEY = "pk_test_bootstrap_0123456789abcdef0123456789abcdef";
/** Two slow cores may be shared by nine. */
const START_WITHIN_MS = 60_000;

/** Starts `parley api` on a database of its own. Stopped, and its database dropped, when the test ends. */
export async function startApiProcess(t: TestContext, env: Record<string, string> = {}): Promise<ApiProcess> {
  const api = await openApiProcess(env);
  t.after(() => api.stop());
  return api;
}

/** As startApiProcess, for what is no test: the caller stops it. */
export async function openApiProcess(env: Record<string, string> = {}): Promise<ApiProcess> {
  const { url: databaseUrl, drop } = await createDatabase();
  // What is kept beside a database belongs to it: processes that shared the tree's folder would be in each other's way.
  const dataDir = aFolder("api");
  const settings = {
    DATABASE_URL: databaseUrl,
    PORT: "0",
    PARLEY_DATA_DIR: dataDir,
    PARLEY_SECRET_KEY: SECRET_KEY,
    PARLEY_BOOTSTRAP_API_KEY: BOOTSTRAP_KEY,
    PARLEY_LOG_LEVEL: "error",
    PARLEY_FIRST_HOUR_TEXTS: "0",
    PARLEY_RATE_LIMIT: "0",
    PARLEY_AUTH_FAILURE_LIMIT: "0",
    PARLEY_OVERLOAD_MS: "0",
    ...env,
  };
  const child = spawn(process.execPath, [join(root, "bin/parley.ts"), "api"], {
    env: processEnv(settings),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const complaints: string[] = [];
  let setupLink: string | undefined;
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => keepLog("api", child.pid, text));
  child.stderr!.on("data", (text: string) => complaints.push(text));
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the api did not start: ${complaints.join("")}`)), START_WITHIN_MS);
    child.on("exit", (code) => reject(new Error(`the api ended with ${code}: ${complaints.join("")}`)));
    child.stdout!.on("data", (text: string) => {
      const [, address] = /is ready: (\S+)/.exec(text) ?? [];
      const [, link] = /Set up the console, once: (\S+)/.exec(text) ?? [];
      setupLink ??= link;
      if (address === undefined && link === undefined) complaints.push(text);
      if (address !== undefined) {
        clearTimeout(late);
        resolve(address);
      }
    });
  });
  const config = readConfig(settings);
  return {
    ...client(url, BOOTSTRAP_KEY),
    databaseUrl,
    config,
    complaints,
    setupLink: () => setupLink,
    child,
    residentBytes: () => residentBytes(child.pid!),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        // Which lines it ran it writes down only where it ends in order.
        child.kill(process.env.NODE_V8_COVERAGE ? "SIGTERM" : "SIGKILL");
        await ended;
      }
      await drop();
    },
  };
}

function residentBytes(pid: number): number {
  if (process.platform !== "linux") return 0;
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return Number(kilobytes) * 1024;
}
