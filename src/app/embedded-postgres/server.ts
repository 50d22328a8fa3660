import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { open, readlink, realpath, rename, stat, unlink } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { program } from "./binaries.ts";
import { dataFolder, lastPort, savePort } from "./cluster.ts";
import { HELD_EXIT_CODE, lockAnd, lockState } from "./lock.ts";
import type { Place } from "./place.ts";
import { CHILD_ENV, isAlive, readOrUndefined, run } from "./process.ts";
import { SERVER_SETTINGS } from "./server-settings.ts";

/** What postmaster.pid says. `pid` is undefined while a server that holds the lock has not written it yet. */
export type Running = { readonly pid: number | undefined; readonly port: number; readonly ready: boolean };

/** The server writes and removes this file within a millisecond or two of the change it reports. */
const POLL_MS = 4;

/** One log of this size is kept beside the current one; a server without errors writes a few lines a start. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Where it says why, when it does not start. */
export const logFile = (folder: string): string => join(folder, "server.log");

const pidFile = (folder: string): string => join(dataFolder(folder), "postmaster.pid");

/**
 * The live server of this very data directory, if there is one. A postmaster.pid is proven stale, and removed,
 * when no process holds the server's lock and its pid is free or another program's; PostgreSQL itself would take
 * any process with that pid, say after a restart of the machine, for a server and refuse to start.
 */
export async function findRunning(place: Place, log: (line: string) => void): Promise<Running | undefined> {
  const state = await lockState(place.folder);
  const found = readPidFile(place.folder);
  if (state === "held") return found ?? { pid: undefined, port: 0, ready: false };
  if (found?.pid === undefined) return undefined;
  if (isAlive(found.pid) && (await isServerOf(found.pid, dataFolder(place.folder)))) return found;
  await unlink(pidFile(place.folder));
  log(`removed the postmaster.pid of a server that is gone (process ${found.pid})`);
  return undefined;
}

export function readPidFile(folder: string): Running | undefined {
  const lines = readOrUndefined(pidFile(folder))?.split("\n");
  if (!lines?.[0]) return undefined;
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0), ready: lines[7]?.trim() === "ready" };
}

/** A server's working directory is its data directory. What we may not look at counts as one: never a live one. */
async function isServerOf(pid: number, data: string): Promise<boolean> {
  if (process.platform !== "linux") {
    return (await run("ps", ["-o", "command=", "-p", String(pid)])).output.includes("postgres");
  }
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(data));
  } catch {
    return readOrUndefined(`/proc/${pid}/comm`)?.trim() === "postgres";
  }
}

/**
 * Starts the server and waits until it takes connections, however long a recovery takes. Undefined when another
 * starter was quicker. It is a session of its own: Ctrl-C in the terminal reaches us alone, and we stop it when
 * all work is done.
 */
export async function launch(
  place: Place,
  log: (line: string) => void,
  more: Readonly<Record<string, string>> = {},
): Promise<Running | undefined> {
  const { folder, account } = place;
  const port = await freePort(lastPort(folder));
  const server = [program(place.binaries, "postgres"), "-D", dataFolder(folder), "-p", String(port), ...settings(more)];
  const locked = (await lockState(folder)) === "unknown" ? [] : ["flock", ...lockAnd(folder)];
  const [command, ...args] = [...locked, ...server] as [string, ...string[]];

  const output = await openLog(folder);
  const begin = (await output.stat()).size;
  const child = spawn(command, args, {
    ...account,
    cwd: "/",
    env: CHILD_ENV,
    detached: true,
    stdio: ["ignore", output.fd, output.fd],
  });
  child.unref();
  let ended: string | undefined;
  child.on("error", (error) => {
    ended = error.message;
  });
  child.on("exit", (code, signal) => {
    ended = code === HELD_EXIT_CODE ? "held" : `it ended with ${signal ?? code}`;
  });
  await output.close();

  for (let waited = 0; ; waited += POLL_MS) {
    if (ended !== undefined) break;
    const found = readPidFile(folder);
    if (found?.ready && found.pid === child.pid) {
      await savePort(folder, found.port);
      return found;
    }
    if (waited > 0 && waited % 10_000 === 0) log("the embedded PostgreSQL is still recovering from a crash");
    await sleep(POLL_MS);
  }
  const said = (readOrUndefined(logFile(folder)) ?? "").slice(begin).trim();
  // Another holds the lock, the pid file (where there is no flock) or, since we looked, the port: look again.
  if (ended === "held" || /postmaster\.pid|Address already in use/.test(said)) return undefined;
  throw new Error(`The embedded PostgreSQL did not start, ${ended}; ${logFile(folder)} says: ${said}`);
}

const settings = (more: Readonly<Record<string, string>>): string[] =>
  Object.entries({ ...SERVER_SETTINGS, ...more }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

async function openLog(folder: string) {
  const path = logFile(folder);
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > MAX_LOG_BYTES) await rename(path, `${path}.old`);
  return open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
}

/** The wanted port if it is free, else any that is. */
export function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", (error) => (wanted === 0 ? reject(error) : resolve(freePort(0))));
    probe.listen(wanted, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/**
 * A fast shutdown: sessions end, everything is on disk, the next start needs no recovery. A server that has not
 * ended after `patienceMs` is shut down immediately, which costs that recovery and no data. True when it is gone.
 */
export async function shutDown(folder: string, pid: number, patienceMs: number): Promise<boolean> {
  if (readPidFile(folder)?.pid !== pid) return true;
  // Not one that another container has under that pid.
  if (!(await isServerOf(pid, dataFolder(folder)))) return !isAlive(pid);
  signal(pid, "SIGINT");
  if (await isGone(pid, patienceMs)) return true;
  signal(pid, "SIGQUIT");
  return isGone(pid, 5_000);
}

async function isGone(pid: number, patienceMs: number): Promise<boolean> {
  for (const end = performance.now() + patienceMs; isAlive(pid); await sleep(POLL_MS)) {
    if (performance.now() > end) return false;
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
