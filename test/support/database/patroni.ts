import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { until } from "#test/support/api/parley.ts";
import { childrenOf } from "#test/support/processes/children.ts";
import { readText } from "#test/support/source/source.ts";
import { asAdmin, lastingPort } from "./own-postgres.ts";
import { type Proxy as Network, startProxy } from "./tcp-proxy.ts";

/** Debian's packages, by what of them has to be there. */
const PROGRAMS = {
  patroni: "/usr/bin/patroni",
  "etcd-server": "/usr/bin/etcd",
  haproxy: "/usr/sbin/haproxy",
  pgbouncer: "/usr/sbin/pgbouncer",
  "postgresql-15": "/usr/lib/postgresql/15/bin/postgres",
};
/** PostgreSQL and PgBouncer refuse to run as root. */
const NOBODY = 65_534;
const PASSWORD = "of-a-test";
const UP_WITHIN_MS = 120_000;

/** One machine of the database: Patroni, and the PostgreSQL that it keeps. */
export type Member = {
  name: string;
  /** Its PostgreSQL, past everything that stands before it, for a superuser. */
  adminUrl: string;
  /** kill -9 of Patroni and of PostgreSQL with all its processes: the machine is lost. */
  lose(): Promise<void>;
  /** What its copies come by; the service does not. */
  network: Network;
};

/** PostgreSQL on several machines, all of them this one: deploy/patroni with other addresses. */
export type DatabaseCluster = {
  /** By PgBouncer and HAProxy: what the service is given. */
  url: string;
  /** By HAProxy: the primary, whichever that is, for a superuser. */
  adminUrl: string;
  members: readonly Member[];
  /** The one that takes writes, by Patroni's word; undefined while none does. */
  primary(): Promise<Member | undefined>;
};

/** Which of the packages that it takes are not installed. */
export const missingPackages = (): string[] =>
  Object.entries(PROGRAMS)
    .filter(([, file]) => !existsSync(file))
    .map(([name]) => name);

/** Starts two members, etcd, HAProxy and PgBouncer; ends them with its owner. `isSynchronous`: as Patroni's `synchronous_mode`. */
export async function startDatabaseCluster(owner: TestContext, isSynchronous: boolean): Promise<DatabaseCluster> {
  const folder = mkdtempSync(join(tmpdir(), "parley-patroni-"));
  const running = new Set<ChildProcess>();
  const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (asUser.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o755);
  const said: string[] = [];
  const start = (program: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess => {
    const child = spawn(program, args, {
      ...asUser,
      cwd: folder,
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: folder, LANG: "C.UTF-8", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding("utf8").on("data", (text: string) => said.push(text));
    running.add(child);
    child.once("exit", () => running.delete(child));
    return child;
  };
  const up = (what: string, isUp: () => Promise<boolean>) =>
    until(what, isUp, UP_WITHIN_MS).catch((error: Error) => {
      const unusual = said
        .join("")
        .split("\n")
        .filter((line) => !line.includes("INFO: no action"));
      throw new Error(`${error.message}: ${unusual.join("\n").slice(-3_000)}`);
    });
  const members: (Member & { rest: number; port: number })[] = [];
  owner.after(async () => {
    for (const member of members) await member.lose();
    for (const child of [...running].reverse()) await endAll(child.pid!);
    rmSync(folder, { recursive: true, force: true });
  });
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o644 });
    return file;
  };

  const [store, peer, entry, copies, pooled] = [await port(), await port(), await port(), await port(), await port()];
  const etcd = `http://127.0.0.1:${store}`;
  start(PROGRAMS["etcd-server"], [
    ...["--name", "etcd-1", "--data-dir", join(folder, "etcd"), "--listen-client-urls", etcd],
    ...["--advertise-client-urls", etcd, "--listen-peer-urls", `http://127.0.0.1:${peer}`],
    ...["--initial-advertise-peer-urls", `http://127.0.0.1:${peer}`],
    ...["--initial-cluster", `etcd-1=http://127.0.0.1:${peer}`, "--logger", "zap", "--log-level", "error"],
  ]);
  const config = write(
    "patroni.yml",
    readText("deploy/patroni/patroni.yml")
      .replace(
        "synchronous_mode: true",
        // Else one that is behind by this much is never promoted.
        isSynchronous ? "synchronous_mode: true" : "synchronous_mode: false\n    maximum_lag_on_failover: 1000000000",
      )
      // Debian's folder for sockets is the user postgres's.
      .replace("  pg_hba:", `  parameters: { unix_socket_directories: "." }\n  pg_hba:`)
      .replaceAll("samenet", "127.0.0.1/32"),
  );
  for (const name of ["database-1", "database-2"]) {
    const [rest, database] = [await port(), await port()];
    const network = await startProxy(owner, { host: "127.0.0.1", port: database });
    const data = join(folder, name);
    mkdirSync(data, { mode: 0o700 });
    if (asUser.uid !== undefined) chownSync(data, NOBODY, NOBODY);
    const patroni = start(PROGRAMS.patroni, [config], {
      PATRONI_NAME: name,
      PATRONI_ETCD3_HOSTS: `127.0.0.1:${store}`,
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${rest}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${rest}`,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${database}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: new URL(network.url("http://it")).host,
      PATRONI_POSTGRESQL_DATA_DIR: data,
      PATRONI_POSTGRESQL_PGPASS: join(folder, `${name}.pgpass`),
      PATRONI_SUPERUSER_PASSWORD: PASSWORD,
      PATRONI_REPLICATION_PASSWORD: PASSWORD,
      PATRONI_REWIND_PASSWORD: PASSWORD,
    });
    // No child of Patroni's: it outlives that.
    const postmaster = () => {
      const file = join(data, "postmaster.pid");
      return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined;
    };
    const member = {
      ...{ name, rest, port: database, network },
      adminUrl: `postgres://postgres:${PASSWORD}@127.0.0.1:${database}/parley?sslmode=disable`,
      async lose() {
        // Patroni first: it would start another, or hand its lease over.
        await endAll(patroni.pid!);
        const server = postmaster();
        if (server !== undefined) await endAll(server);
      },
    };
    members.push(member);
    // One after the other: the first is the primary, and the second its copy.
    await up(`${name} runs`, () => isOk(rest, name === "database-1" ? "/primary" : "/replica"));
  }
  const [first] = members;
  await asAdmin(first!.adminUrl.replace("/parley?", "/postgres?"), async (client) => {
    await client.query(`create role parley login password '${PASSWORD}'`);
    await client.query("create role parley_app nologin");
    await client.query("grant parley_app to parley");
    // What PgBouncer cannot pass on: docs/deployment.md.
    await client.query("alter role parley set idle_in_transaction_session_timeout = '15s'");
    await client.query("alter role parley set statement_timeout = '595s'");
    await client.query("create database parley owner parley");
  });
  if (isSynchronous) await up("the copy is a synchronous one", () => isOk(members[1]!.rest, "/synchronous"));

  const haproxy = haproxyHere({ primary: entry, copies }, members);
  start(PROGRAMS.haproxy, ["-db", "-f", write("haproxy.cfg", haproxy)]);
  const users = write("userlist.txt", `"parley" "${PASSWORD}"\n`);
  start(PROGRAMS.pgbouncer, [
    write(
      "pgbouncer.ini",
      `${readText("deploy/patroni/pgbouncer.ini")
        .replace("port=5432", `port=${entry}`)
        .replace("listen_port = 6432", `listen_port = ${pooled}`)
        .replace("/etc/pgbouncer/userlist.txt", users)}\nunix_socket_dir =\n`,
    ),
  ]);
  const url = `postgres://parley:${PASSWORD}@127.0.0.1:${pooled}/parley?sslmode=disable`;
  const adminUrl = `postgres://postgres:${PASSWORD}@127.0.0.1:${entry}/parley?sslmode=disable`;
  // Until it has looked HAProxy takes every machine for the primary, one after another.
  await up("sessions lead to the primary", async () => {
    for (const one of [adminUrl, adminUrl, adminUrl, url]) if (!(await takesSessions(one))) return false;
    return true;
  });
  return {
    url,
    adminUrl,
    members,
    async primary() {
      for (const member of members) if (await isOk(member.rest, "/primary")) return member;
      return undefined;
    },
  };
}

/** deploy/patroni's HAProxy with the addresses of members on this machine. It does not start where one cannot be looked up. */
export function haproxyHere(
  listens: { primary: number; copies: number },
  members: readonly { name: string; port: number; rest: number }[],
): string {
  let config = readText("deploy/patroni/haproxy.cfg")
    .replace("bind :5432", `bind 127.0.0.1:${listens.primary}`)
    .replace("bind :5433", `bind 127.0.0.1:${listens.copies}`);
  for (const { name, rest, port } of members)
    config = config.replaceAll(`${name}.internal:5432 check port 8008`, `127.0.0.1:${port} check port ${rest}`);
  return config;
}

const taken = new Set<number>();
/** None twice: what listens on it may not have begun to. */
async function port(): Promise<number> {
  for (;;) {
    const free = await lastingPort();
    if (taken.has(free)) continue;
    taken.add(free);
    return free;
  }
}

async function isOk(rest: number, path: string): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${rest}${path}`).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => {});
  return answer?.status === 200;
}

async function takesSessions(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  const isPrimary = await client
    .connect()
    .then(() => client.query<{ stands_in: boolean }>("select pg_is_in_recovery() as stands_in"))
    .then(
      ({ rows }) => !rows[0]!.stands_in,
      () => false,
    );
  await client.end().catch(() => {});
  return isPrimary;
}

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};

/** kill -9 of a process and of its children, and of theirs. */
async function endAll(pid: number): Promise<void> {
  const all = [pid];
  // A process that it forks while its children are counted would outlive it.
  if (isThere(pid)) process.kill(pid, "SIGSTOP");
  for (const one of all) all.push(...childrenOf(one));
  for (const one of all) if (isThere(one)) process.kill(one, "SIGKILL");
  while (all.some(isThere)) await pause(5);
}
