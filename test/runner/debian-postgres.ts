// A throw-away PostgreSQL from the system's packages, for the tests that must hold on the oldest version we support.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "#app/embedded-postgres/process.ts";
import { freePort } from "#app/embedded-postgres/server.ts";

/** Nothing of it is kept: it never waits for the disk. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // As the newest: five processes of tests have pools of their own.
  max_connections: "400",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  jit: "off",
};

/** Starts one over the new folder. Its binaries are those in `bin`; as root it runs as Debian's user `postgres`. */
export async function startDebianPostgres(
  bin: string,
  folder: string,
): Promise<{ adminUrl: string; stop(): Promise<void> }> {
  const account = process.getuid?.() === 0 ? await postgresUser() : undefined;
  const data = join(folder, "data");
  const password = randomBytes(24).toString("base64url");
  const passwordFile = join(folder, "password");
  mkdirSync(data, { recursive: true, mode: 0o711 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) for (const path of [data, passwordFile]) chownSync(path, account.uid, account.gid);

  const options = [
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
    "--no-sync",
  ];
  const made = await run(join(bin, "initdb"), [`--pgdata=${data}`, ...options], account);
  if (made.code !== 0) throw new Error(`Debian's PostgreSQL could not be set up: ${made.output}`);
  rmSync(passwordFile);

  const port = await freePort(0);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = join(folder, "server.log");
  const output = openSync(log, "a");
  // Its own session: Ctrl-C ends the tests first, then we end it.
  const child = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), ...settings], {
    ...account,
    cwd: "/",
    detached: true,
    stdio: ["ignore", output, output],
  });
  const ended = once(child, "exit");
  while (!readFileSync(log, "utf8").includes("ready to accept connections")) {
    if (child.exitCode !== null) throw new Error(`Debian's PostgreSQL did not start: ${readFileSync(log, "utf8")}`);
    await sleep(10);
  }
  return {
    adminUrl: `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`,
    async stop() {
      child.kill("SIGINT");
      await ended;
    },
  };
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all([run("id", ["-u", "postgres"]), run("id", ["-g", "postgres"])]);
  if (uid.code !== 0 || gid.code !== 0)
    throw new Error("Debian's user postgres is missing, though its server is there.");
  return { uid: Number(uid.output), gid: Number(gid.output) };
}
