import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { BOOTSTRAP_KEY, client, type Parley } from "#test/support/api/parley.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";
import { processEnv } from "./process-env.ts";

/** A service as `npm start` starts it, with the link that it printed. */
export type ConsoleProcess = Omit<Parley, "config" | "stopAll"> & { setupLink: string; said: string[] };

/** Two slow cores may be shared by nine. */
const START_WITHIN_MS = 90_000;

/** Starts `parley start` on a database of the test's own; stopped when the test ends. */
export async function startConsole(
  t: TestContext,
  { roles = "api,worker", env = {} }: { roles?: string; env?: Record<string, string> } = {},
): Promise<ConsoleProcess> {
  const { url: databaseUrl, drop } = await createDatabase();
  const dataDir = aFolder("console");
  const child = spawn(process.execPath, [join(root, "bin/parley.ts"), "start"], {
    env: processEnv({
      DATABASE_URL: databaseUrl,
      PORT: "0",
      PARLEY_ROLES: roles,
      PARLEY_DATA_DIR: dataDir,
      PARLEY_BOOTSTRAP_API_KEY: BOOTSTRAP_KEY,
      PARLEY_LOG_LEVEL: "warn",
      PARLEY_FIRST_HOUR_TEXTS: "0",
      PARLEY_SWEEP_INTERVAL_MS: "500",
      PARLEY_CALL_GRACE_MS: "0",
      PARLEY_RATE_LIMIT: "0",
      PARLEY_OVERLOAD_MS: "0",
      PARLEY_AUTH_FAILURE_LIMIT: "0",
      ...env,
    }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const patience = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await ended;
      clearTimeout(patience);
    }
    await drop();
  });
  const said: string[] = [];
  const { url, setupLink } = await new Promise<{ url: string; setupLink: string }>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`it did not start: ${said.join("")}`)), START_WITHIN_MS);
    child.on("exit", (code) => reject(new Error(`it ended with ${code}: ${said.join("")}`)));
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said.push(text);
        const [, address] = /is ready: (\S+)/.exec(said.join("")) ?? [];
        const [link] = /http\S+\/console\/setup#token=\S+/.exec(said.join("")) ?? [];
        if (address === undefined || link === undefined) return;
        clearTimeout(late);
        resolve({ url: address, setupLink: link });
      });
    }
  });
  return { ...client(url, BOOTSTRAP_KEY), databaseUrl, setupLink, said };
}
