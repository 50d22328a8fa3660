import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { createCluster, readSecrets, savePort } from "#app/embedded-postgres/cluster.ts";
import { makeLock } from "#app/embedded-postgres/lock.ts";
import { findPlace, type Place } from "#app/embedded-postgres/place.ts";
import { isAlive } from "#app/embedded-postgres/process.ts";
import { freePort, launch, readPidFile, shutDown } from "#app/embedded-postgres/server.ts";
import { addressesOf, serves } from "#app/embedded-postgres/sessions.ts";
import { childrenOf } from "#test/support/processes/children.ts";
import type { Owner } from "#test/support/processes/processes.ts";

/** A server of one test's own, to be killed, stopped and starved. It syncs to disk, as the real one does. */
export type OwnPostgres = {
  /** Where it lives, for a server that is to follow it. */
  place: Place;
  /** The service's role and database; the same before and after a restart. */
  url: string;
  /** The same database for the cluster's superuser, whom no row security keeps from looking. */
  adminUrl: string;
  /** kill -9 of the server and every process of it. */
  kill(): Promise<void>;
  /** As `pg_ctl stop -m fast` does: sessions are ended, everything is on disk. */
  stop(): Promise<void>;
  /** Resolves once it takes connections. No-op when it runs. */
  start(): Promise<void>;
  isUp(): boolean;
  /** Takes all the space that its disk has left, and gives it back. Only with `diskMb`. */
  fillDisk(): void;
  freeDisk(): void;
};

const START_WITHIN_MS = 90_000;

/** Starts one. With `diskMb` its data is on a disk of that size, a tmpfs; undefined where none may be mounted. */
export async function startOwnPostgres(t: Owner, diskMb?: number): Promise<OwnPostgres | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "parley-faults-"));
  chmodSync(folder, 0o711);
  if (diskMb !== undefined) {
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${diskMb}m,mode=711`, "tmpfs", folder]);
    if (mounted.status !== 0) {
      rmSync(folder, { recursive: true, force: true });
      return undefined;
    }
  }
  const place = await findPlace(join(folder, "data"), join(folder, "system"), () => {});
  await createCluster(place);
  return serverAt(t, place, {
    isNew: true,
    remove() {
      if (diskMb !== undefined) spawnSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

type Files = { isNew: boolean; remove(): void };

/** Starts the cluster that is at a place; it is killed, and its files are removed, when the test ends. */
export async function serverAt(t: Owner, place: Place, files: Files): Promise<OwnPostgres> {
  await makeLock(place.folder, place.account);
  await savePort(place.folder, await lastingPort());
  const secrets = await readSecrets(place);
  let port = 0;
  let { isNew } = files;
  const pid = () => readPidFile(place.folder)?.pid;

  const start = async () => {
    const end = performance.now() + START_WITHIN_MS;
    let said = "its folder is held by another process, or it takes no sessions yet";
    for (;;) {
      // Processes of a killed server may live on for a moment and hold its memory.
      const running = await launch(place, () => {}).catch((error: Error) => {
        said = error.message;
      });
      const ready = running ?? readPidFile(place.folder);
      if (ready?.ready && ready.pid !== undefined && isAlive(ready.pid)) {
        if (port !== 0 && ready.port !== port)
          throw new Error("somebody has taken the port of the test's own PostgreSQL");
        port = ready.port;
        // A server that recovers beside much else answers late.
        const version = await serves(addressesOf(port, secrets), secrets, isNew).catch((error: Error) => {
          said = error.message;
        });
        if (version !== undefined) break;
      }
      if (performance.now() > end) throw new Error(`the test's own PostgreSQL does not start: ${said}`);
      await pause(50);
    }
    isNew = false;
  };
  const kill = async () => {
    const server = pid();
    if (server === undefined || !isAlive(server)) return;
    // A process that it forks while its children are counted would outlive it, wait for a lock of the dead, and hold the folder.
    process.kill(server, "SIGSTOP");
    const all = [server, ...childrenOf(server)];
    for (const one of all) if (isAlive(one)) process.kill(one, "SIGKILL");
    while (all.some(isAlive)) await pause(5);
  };
  const stop = async () => {
    const server = pid();
    if (server !== undefined && isAlive(server)) await shutDown(place.folder, server, 10_000);
  };
  const ballast = join(dirname(dirname(place.folder)), "ballast");
  const freeDisk = () => rmSync(ballast, { force: true });
  t.after(async () => {
    freeDisk();
    await kill();
    files.remove();
  });
  await start();
  const { url, adminUrl: postgres } = addressesOf(port, secrets);
  const adminUrl = postgres.replace("/postgres?", "/parley?");
  return {
    place,
    url,
    adminUrl,
    kill,
    stop,
    start,
    isUp: () => {
      const server = pid();
      return server !== undefined && isAlive(server);
    },
    fillDisk() {
      const piece = Buffer.alloc(1024 * 1024);
      for (let size = piece.length; size >= 4096; size /= 2) {
        try {
          for (;;) writeFileSync(ballast, piece.subarray(0, size), { flag: "a" });
        } catch {
          // Full, for pieces of this size.
        }
      }
    },
    freeDisk,
  };
}

/** A free one below those that systems give to outgoing connections: while the server is down none of these takes it. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if ((await freePort(port)) === port) return port;
  }
}

/** Runs statements as the cluster's superuser, one session for all of them. */
export async function asAdmin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
