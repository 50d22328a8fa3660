import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { MIGRATION_LOCK } from "#store/database/migrate.ts";
import { until } from "#test/support/api/parley.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

/** How a process learns, while it starts, that it is to end. */
const WAYS = {
  "whose parent goes": (child: ChildProcess) => child.disconnect(),
  "that gets a SIGTERM": (child: ChildProcess) => child.kill("SIGTERM"),
};

for (const [role, [which, end]] of ["worker", "media", "api"].flatMap((role) =>
  Object.entries(WAYS).map((way) => [role, way] as const),
)) {
  test(`a ${role} ${which} while it starts ends in order`, async (t) => {
    const databaseUrl = await cloneDatabase(t);
    const client = await openClient(t, databaseUrl);
    const dataDir = aFolder("orphan");
    // Whoever has it holds up every process that starts.
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const child = fork(join(root, "bin/parley.ts"), [role], {
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: processEnv({
        DATABASE_URL: databaseUrl,
        PARLEY_DATA_DIR: dataDir,
        PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef",
        PORT: "0",
        PARLEY_LOG_LEVEL: "error",
        PARLEY_SIMULATOR_CALLS: "text",
      }),
    });
    const ended = once(child, "exit");
    t.after(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    });
    await until("it waits for the lock", async () => (await waitingForLocks(client)) > 0);
    end(child);
    await client.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
    await until("it has ended", async () => child.exitCode !== null || child.signalCode !== null);
    assert.equal(child.exitCode, 0);
  });
}
