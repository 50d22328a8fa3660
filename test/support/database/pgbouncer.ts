import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Owner } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { until } from "#test/support/time/until.ts";
import { lastingPort } from "./own-postgres.ts";

const PROGRAM = "/usr/sbin/pgbouncer";
/** It refuses to run as root. */
const NOBODY = 65_534;

export const isInstalled = (): boolean => existsSync(PROGRAM);

export type PgBouncer = {
  /** The database by it. */
  url: string;
  /** kill -9. */
  kill(): Promise<void>;
  /** Resolves once it takes connections. */
  start(): Promise<void>;
};

/** Debian's PgBouncer before a database, with so many sessions for all; killed when its owner ends. */
export async function startPgBouncer(
  owner: Owner,
  databaseUrl: string,
  { sessions = 20, mode = "transaction" }: { sessions?: number; mode?: "session" | "transaction" } = {},
): Promise<PgBouncer> {
  const folder = aFolder("pooler");
  const target = new URL(databaseUrl);
  const port = await lastingPort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
${target.pathname.slice(1)} = host=${target.hostname} port=${target.port} user=${target.username} password=${target.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = ${mode}
default_pool_size = ${sessions}
max_client_conn = 1000
unix_socket_dir =
ignore_startup_parameters = extra_float_digits
`,
    { mode: 0o644 },
  );
  chmodSync(folder, 0o755);
  const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  const run = () => spawn(PROGRAM, [file], { ...asUser, stdio: "ignore" });
  let child = run();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  owner.after(kill);
  const isUp = () =>
    until("PgBouncer takes connections", async () => {
      const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5_000 });
      client.on("error", () => {});
      return client
        .connect()
        .then(() => true)
        .catch(() => false)
        .finally(() => client.end().catch(() => {}));
    });
  await isUp();
  return {
    url: url.href,
    kill,
    async start() {
      child = run();
      await isUp();
    },
  };
}
