import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";
import pg from "pg";
import type { Parley } from "#test/support/api/parley.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";
import { processEnv } from "./process-env.ts";
import { keepLog } from "./process-log.ts";

/** What workers have written, to stdout and stderr. */
export type Workers = { complaints: string[] };

/** Starts `count` workers as processes of their own on the test's database. Killed when the test ends. */
export function startWorkers(
  t: TestContext,
  api: Pick<Parley, "databaseUrl">,
  count: number,
  env: Record<string, string> = {},
): Workers {
  const complaints: string[] = [];
  // What is kept beside a database belongs to it: a folder that another had would raise the restore fence.
  const dataDir = aFolder("workers");
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, [join(root, "bin/parley.ts"), "worker"], {
      env: processEnv({
        DATABASE_URL: api.databaseUrl,
        PARLEY_DATA_DIR: dataDir,
        PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef",
        PARLEY_LOG_LEVEL: "error",
        PARLEY_FIRST_HOUR_TEXTS: "0",
        PARLEY_SWEEP_INTERVAL_MS: "500",
        ...env,
      }),
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  for (const { pid, stdout, stderr } of workers) {
    for (const stream of [stdout, stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        complaints.push(text);
        keepLog("worker", pid, text);
      });
  }
  t.after(() => Promise.all(workers.map(kill)));
  return { complaints };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** A connection of the test's own to its database, to look where no API does. Closed when the test ends. */
export async function openClient(t: TestContext, databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // The database is dropped under it when the test ends first.
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}
