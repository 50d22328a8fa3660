import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { migrate } from "#store/database/migrate.ts";
import { distribute } from "#store/distribution/distribute.ts";
import { root } from "#test/support/source/source.ts";
import { until } from "#test/support/time/until.ts";

/** A superuser on the coordinator of a Citus cluster whose servers he reaches. Where it is set, tests have their databases there. */
export const CITUS_URL = process.env.PARLEY_TEST_CITUS_URL;

const DISTRIBUTION = join(root, "src/store/distribution");
const TEMPLATE_LOCK = 7_275_397;
/** A server that was killed reads its log again first. */
const BACK_WITHIN_MS = 120_000;

type Address = { host: string; port: number };

const at = ({ host, port }: Address, database: string): string => {
  const url = new URL(CITUS_URL!);
  url.hostname = host;
  url.port = String(port);
  url.pathname = `/${database}`;
  return url.href;
};

async function on<T extends pg.QueryResultRow>(url: string, ...texts: string[]): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    let rows: T[] = [];
    for (const text of texts) rows = (await client.query<T>(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

const APP_ROLE = "do $$ begin create role parley_app login; exception when duplicate_object then null; end $$";

/** All servers of the cluster, the coordinator first. */
const servers = (): Promise<Address[]> =>
  on<Address>(
    CITUS_URL!,
    "select nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' order by groupid",
  );

const maintenance = (server: Address): string => at(server, "postgres");

/** Runs statements one after another on a server, as the tests' superuser; answers with the rows of the last. */
export const onServer = (server: Address, database: string, ...texts: string[]): Promise<pg.QueryResultRow[]> =>
  on(at(server, database), ...texts);

/** How many servers there are beside the coordinator. */
export const workersThere = async (): Promise<number> => (await servers()).length - 1;

/**
 * An empty database on every server, of which the first is the coordinator, or on the coordinator and so many others. Answers with its address there, for its
 * owner.
 */
export async function emptyCluster(
  name: string,
  owner?: string,
  others?: number,
): Promise<{ url: string; drop(): Promise<void> }> {
  const all = (await servers()).slice(0, others === undefined ? undefined : 1 + others);
  const [coordinator, ...workers] = all;
  for (const server of all) {
    await on(maintenance(server), `create database ${name}${owner ? ` owner ${owner}` : ""}`);
    await on(at(server, name), "create extension citus", "create extension if not exists pg_trgm");
    // Where another database had fewer of the servers, the role is on those alone.
    if (others !== undefined) await on(maintenance(server), APP_ROLE);
  }
  const url = at(coordinator!, name);
  await on(
    url,
    `select citus_set_coordinator_host('${coordinator!.host}', ${coordinator!.port})`,
    ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  );
  const asOwner = new URL(url);
  if (owner) asOwner.username = owner;
  return { url: asOwner.href, drop: () => drop(all, name) };
}

/** A role on every server that may make databases its own, and roles; with the password of the tests' superuser, if he has one. */
export async function makeOwner(): Promise<{ owner: string; drop(): Promise<void> }> {
  const owner = `owner_${randomUUID().replaceAll("-", "")}`;
  const { password } = new URL(CITUS_URL!);
  await on(
    CITUS_URL!,
    `create role ${owner} login createrole${password ? ` password '${decodeURIComponent(password)}'` : ""}`,
  );
  return { owner, drop: async () => void (await on(CITUS_URL!, `drop role if exists ${owner}`)) };
}

async function drop(all: readonly Address[], name: string): Promise<void> {
  await Promise.all(all.map((server) => on(maintenance(server), `drop database if exists ${name} with (force)`)));
}

/** A copy, on every server, of a database that is migrated and distributed. The first test of the cluster makes it. */
export async function cloneCluster(migrated: string): Promise<{ url: string; drop(): Promise<void> }> {
  const template = `${migrated}_${howDistributed()}`;
  const all = await servers();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const holder = new pg.Client({ connectionString: CITUS_URL! });
  await holder.connect();
  try {
    await holder.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    const { rowCount } = await holder.query("select from pg_database where datname = $1 and not datallowconn", [
      template,
    ]);
    if (rowCount === 0) await makeTemplate(all, template);
    await Promise.all(
      all.map((server) => on(maintenance(server), `create database ${name} template ${template} strategy file_copy`)),
    );
  } finally {
    await holder.end();
  }
  const url = at(all[0]!, name);
  await on(url, `update cluster set id = '${randomUUID()}'`);
  return { url, drop: () => drop(all, name) };
}

/** Of what says how a database is distributed: a tree in which it was changed has another template. */
function howDistributed(): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(DISTRIBUTION).sort())
    if (name.endsWith(".ts")) hash.update(readFileSync(join(DISTRIBUTION, name)));
  return hash.digest("hex").slice(0, 8);
}

async function makeTemplate(all: readonly Address[], template: string): Promise<void> {
  // Half made by a run that was cut off.
  await drop(all, template);
  const { url } = await emptyCluster(template);
  await migrate(url);
  await distribute(
    url,
    () => {},
    () => performance.now(),
  );
  // What Citus keeps at work in every database would be in the way of a copy. The coordinator's last: it is what counts as made.
  for (const server of all.toReversed()) {
    await on(
      maintenance(server),
      `alter database ${template} allow_connections false`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${template}'`,
    );
  }
}

export type ClusterServer = {
  /** Ends all its processes at once, as a machine that loses its power does. */
  kill(): Promise<void>;
  /** Starts it again as it was started; safe to repeat. */
  start(): Promise<void>;
  /** Its processes go on being there, and do nothing. */
  pause(): Promise<void>;
  resume(): Promise<void>;
};

/** The server of the cluster that has a port, by its processes: it has to be on this machine. Whoever stops it brings it back. */
export async function clusterServer(port: number): Promise<ClusterServer> {
  const server = (await servers()).find((one) => one.port === port)!;
  // What is acknowledged is on the disk, as it is where nobody says otherwise.
  await on(maintenance(server), "alter system set synchronous_commit = on", "select pg_reload_conf()");
  const pidOf = async (): Promise<number> => {
    const [row] = await on<{ pid: string }>(
      maintenance(server),
      "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid",
    );
    return Number(row!.pid);
  };
  let pid = await pidOf();
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  const env = Object.fromEntries(
    environment.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const { uid, gid } = statSync(`/proc/${pid}`);
  const cwd = readlinkSync(`/proc/${pid}/cwd`);
  const all = () => [pid, ...childrenOf(pid)];
  const send = (signal: NodeJS.Signals, to: readonly number[]) => {
    for (const one of to) {
      try {
        process.kill(one, signal);
      } catch {
        // Gone meanwhile.
      }
    }
  };
  let isRunning = true;
  const controls: ClusterServer = {
    async kill() {
      isRunning = false;
      send("SIGKILL", all());
      await until("the server is gone", async () => !existsSync(`/proc/${pid}`) || isZombie(pid));
    },
    async start() {
      if (isRunning) return;
      const run = () => spawn(command[0]!, command.slice(1), { cwd, env, uid, gid, detached: true, stdio: "ignore" });
      let child = run();
      await until(
        "the server is back",
        async () => {
          // It refuses to run beside processes of before, which are only about to find out that they are alone.
          if (child.exitCode !== null) child = run();
          return on(maintenance(server), "select 1").then(
            () => true,
            () => false,
          );
        },
        BACK_WITHIN_MS,
      );
      child.unref();
      isRunning = true;
      pid = await pidOf();
    },
    pause: async () => send("SIGSTOP", all()),
    resume: async () => send("SIGCONT", all()),
  };
  return controls;
}

const statOf = (pid: number | string): string[] =>
  readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
const isZombie = (pid: number): boolean => statOf(pid)[0] === "Z";

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d{1,10}$/.test(name))
    .filter((name) => {
      try {
        return statOf(name)[1] === String(parent);
      } catch {
        return false;
      }
    })
    .map(Number);
}
