import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { startedBy } from "#test/support/processes/children.ts";

/**
 * A browser is on its user's machine, and waits for no core that the service computes on: moves this process, what it has started and the database to
 * all cores but the last, and returns a program that starts the browser on that one. On one core, or where `taskset` (util-linux) is missing, the
 * browser's own program.
 *
 * @param folder where the program is written
 * @param sql a connection to the database, as its superuser
 */
export async function onItsOwnCore(browser: string, folder: string, sql: pg.Client): Promise<string> {
  const last = availableParallelism() - 1;
  if (last === 0 || spawnSync("taskset", ["-V"]).error !== undefined) return browser;
  const { rows } = await sql.query("show data_directory");
  const [postmaster] = readFileSync(join(rows[0].data_directory, "postmaster.pid"), "utf8").split("\n");
  for (const first of [process.pid, Number(postmaster)]) {
    for (const pid of [first, ...startedBy(first)]) spawnSync("taskset", ["-acp", `0-${last - 1}`, String(pid)]);
  }
  const path = join(folder, "browser");
  writeFileSync(path, `#!/bin/sh\nexec taskset -c ${last} ${browser} "$@"\n`, { mode: 0o755 });
  return path;
}
