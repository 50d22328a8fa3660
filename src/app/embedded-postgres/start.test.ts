import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import pg from "pg";
import { aFolder } from "#test/support/source/folder.ts";
import { canRun, copyBinaries, findBinaries, program } from "./binaries.ts";
import { isAlive } from "./process.ts";
import { freePort } from "./server.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./start.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const isRoot = process.getuid?.() === 0;
const forRoot = { skip: isRoot ? false : "only root has to hand the server to another user" };

/** Every test's folders: others can traverse it, so that as root the server's user gets to its cluster. */
const base = aFolder("postgres");
chmodSync(base, 0o711);

/** Most tests share one cluster, since making one takes most of a second; each leaves it stopped. */
const dataDir = join(base, "shared");
const data = join(dataDir, "postgres", "cluster", "data");
const pidFile = join(data, "postmaster.pid");
const serverPid = () => Number.parseInt(readFileSync(pidFile, "utf8"), 10);

async function start(t: TestContext, log: string[] = [], folder = dataDir): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    systemDir: join(base, "system"),
    log: (line) => log.push(line),
  });
  t.after(() => server.stop());
  return server;
}

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** Another process that starts the server, says its address, and lives until it is killed. */
async function startElsewhere(
  t: TestContext,
  folder = dataDir,
  uid?: number,
  checkout = root,
): Promise<{ child: ChildProcess; said: string }> {
  const source = `
    import { startEmbeddedPostgres } from ${JSON.stringify(pathToFileURL(join(checkout, "src/app/embedded-postgres/start.ts")).href)};
    startEmbeddedPostgres({ dataDir: ${JSON.stringify(folder)}, log() {} }).then(
      ({ url }) => console.log(url), (error) => console.log(error.message));
    setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "--eval", source];
  const node = join(checkout, "node_modules/node/bin/node");
  const child = spawn(existsSync(node) ? node : process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    ...(uid && { uid, gid: uid }),
    cwd: "/",
  });
  t.after(() => child.kill("SIGKILL"));
  const [said] = (await once(child.stdout!, "data")) as [Buffer];
  return { child, said: said.toString().trim() };
}

/** The checkout again, where everyone can get to: by links where the disk is the same, which takes no time. */
function copyOfCheckout(): string {
  const copy = join(base, "checkout");
  mkdirSync(copy);
  const parts = ["src", "package.json", "node_modules"].map((name) => join(root, name));
  const linked = spawnSync("cp", ["-al", ...parts, copy]);
  if (linked.status !== 0) assert.equal(spawnSync("cp", ["-a", ...parts, copy]).status, 0);
  return copy;
}

/** Takes a server's port until the test ends; returns whether another process had it already. */
async function squat(t: TestContext, { url }: EmbeddedPostgres): Promise<"free" | "taken"> {
  const squatter = createServer().listen(Number(new URL(url).port), "127.0.0.1");
  t.after(() => squatter.close());
  return once(squatter, "listening").then(
    () => "free",
    ({ code }) => (code === "EADDRINUSE" ? "taken" : assert.fail(code)),
  );
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

test("the first start makes a cluster that survives a power cut, with a role that owns its database and no more", async (t) => {
  const log: string[] = [];
  const server = await start(t, log);

  assert.match(server.version, /^18\.\d+/);
  assert.equal(log.filter((line) => line.startsWith("created an embedded PostgreSQL")).length, 1);
  assert.equal(await ask(server.url, "select current_user || ' ' || current_database()"), "parley parley");
  assert.equal(
    await ask(
      server.url,
      "select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls from pg_roles where rolname = 'parley'",
    ),
    false,
  );
  await ask(server.url, "create table kept (id int primary key)");
  await ask(server.url, "create schema of_its_own");
  await assert.rejects(ask(server.url, "create database another"), { code: "42501" });
  assert.equal(await ask(server.adminUrl, "select usesuper from pg_user where usename = current_user"), true);
  for (const name of ["fsync", "full_page_writes", "synchronous_commit", "data_checksums"]) {
    assert.equal(await ask(server.url, `show ${name}`), "on", name);
  }
  assert.equal(await ask(server.url, "show server_encoding"), "UTF8");
  assert.equal(await ask(server.url, "select upper('é') || ('Z' < 'a' collate \"default\")"), "Étrue");
});

test("nobody else on the machine gets in: loopback, a password for everyone, and files for their owner alone", async (t) => {
  const server = await start(t);

  assert.equal(await ask(server.adminUrl, "show listen_addresses"), "127.0.0.1");
  assert.equal(
    await ask(server.adminUrl, "select count(*)::int from pg_hba_file_rules where auth_method <> 'scram-sha-256'"),
    0,
  );
  const guessed = new URL(server.url);
  guessed.password = "parley";
  await assert.rejects(ask(guessed.href, "select 1"), { code: "28P01" });
  assert.equal(statSync(data).mode & 0o777, 0o700);
  for (const path of ["cluster/secrets.json", "server.log", "lock"]) {
    assert.equal(statSync(join(dataDir, "postgres", path)).mode & 0o777, 0o600, path);
  }
});

test("a restart finds the same data at the same address", async (t) => {
  const first = await start(t);
  await first.stop();
  assert.equal(existsSync(pidFile), false);

  const second = await start(t);

  // Unless another program of this machine was given the port in between.
  if (second.url !== first.url) assert.equal(await squat(t, first), "taken");
  assert.equal(await ask(second.url, "select count(*)::int from kept"), 0);
});

test("when its port was taken meanwhile the server comes up on another", async (t) => {
  const first = await start(t);
  await first.stop();
  await squat(t, first);

  const second = await start(t);

  assert.notEqual(new URL(second.url).port, new URL(first.url).port);
  assert.equal(await ask(second.url, "select 1"), 1);
});

test("a command next to the service shares its server, and the last to leave stops it", async (t) => {
  const service = await start(t);
  const command = await start(t);
  assert.equal(command.url, service.url);

  await service.stop();
  assert.equal(await ask(command.url, "select 1"), 1);
  await command.stop();
  assert.equal(existsSync(pidFile), false);
});

test("starters at the same moment end up with one server, also over a data directory that is still empty", async (t) => {
  for (const folder of [dataDir, join(base, "raced")]) {
    const servers = await Promise.all([1, 2, 3].map(() => start(t, [], folder)));

    assert.equal(new Set(servers.map(({ url }) => url)).size, 1);
    assert.deepEqual(
      readdirSync(join(folder, "postgres")).filter((name) => name.startsWith("new-")),
      [],
    );
    await Promise.all(servers.map((server) => server.stop()));
  }
});

test("a server whose parent was killed is found, used and stopped by the next", async (t) => {
  const { child, said } = await startElsewhere(t);
  const pid = serverPid();
  await kill(child);
  assert.equal(await ask(said, "select 1"), 1);

  const server = await start(t);

  assert.equal(server.url, said);
  assert.equal(serverPid(), pid);
  await server.stop();
  assert.equal(isAlive(pid), false);
});

test("a server that was killed itself leaves its data and no hindrance", async (t) => {
  const first = await start(t);
  await ask(first.url, "insert into kept values (1)");
  process.kill(serverPid(), "SIGKILL");

  const second = await start(t);

  assert.equal(await ask(second.url, "select id from kept"), 1);
});

test("a stale postmaster.pid is removed though a process with its pid lives", async (t) => {
  const first = await start(t);
  const contents = readFileSync(pidFile, "utf8").split("\n");
  await first.stop();
  const other = spawn("sleep", ["60"]);
  t.after(() => other.kill());
  writeFileSync(pidFile, [other.pid, ...contents.slice(1)].join("\n"));

  const log: string[] = [];
  const second = await start(t, log);

  assert.deepEqual(log, [`removed the postmaster.pid of a server that is gone (process ${other.pid})`]);
  assert.equal(await ask(second.url, "select 1"), 1);
});

test("the postmaster.pid of a live server is kept, even of one that was started by hand and holds no lock", async (t) => {
  await (await start(t)).stop();
  const { uid, gid } = statSync(data);
  const found = await findBinaries();
  // The checkout may be where the server's user cannot get to.
  const reachable = await canRun(found, isRoot ? { uid, gid } : undefined);
  const postgres = program(reachable ? found : await copyBinaries(found, base), "postgres");
  const port = await freePort(0);
  const args = ["-D", data, "-p", String(port), "-c", "unix_socket_directories="];
  const byHand = spawn(postgres, args, { cwd: "/", ...(isRoot && { uid, gid }), stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => byHand.kill("SIGINT"));
  for await (const chunk of byHand.stderr!) if (String(chunk).includes("ready to accept")) break;

  const server = await start(t);

  assert.equal(serverPid(), byHand.pid);
  assert.equal(new URL(server.url).port, String(port));
});

test("a data directory of another major version is refused, with the way out", async (t) => {
  const folder = join(base, "old");
  mkdirSync(join(folder, "postgres", "cluster", "data"), { recursive: true });
  writeFileSync(join(folder, "postgres", "cluster", "data", "PG_VERSION"), "17\n");

  await assert.rejects(start(t, [], folder), /written by PostgreSQL 17, this Parley carries 18: .*PARLEY_DATA_DIR/);
  assert.deepEqual(readdirSync(join(folder, "postgres", "cluster", "data")), ["PG_VERSION"]);
});

test(
  "as root, a folder that others cannot reach is served from the system's folder, under one line of the log",
  forRoot,
  async (t) => {
    const closed = join(base, "closed");
    mkdirSync(closed, { mode: 0o700 });
    const folder = join(closed, ".data");
    const log: string[] = [];
    const server = await start(t, log, folder);
    await ask(server.url, "create table kept (id int)");
    await server.stop();

    assert.ok(lstatSync(join(folder, "postgres")).isSymbolicLink());
    assert.equal(log.filter((line) => /cannot reach .*: the database lives in /.test(line)).length, 1);
    assert.equal(statSync(closed).mode & 0o777, 0o700);
    const again: string[] = [];
    const second = await start(t, again, folder);
    assert.equal(await ask(second.url, "select count(*)::int from kept"), 0);
    assert.deepEqual(again, []);
    await second.stop();

    rmSync(folder, { recursive: true });
    const anew: string[] = [];
    const third = await start(t, anew, folder);
    await assert.rejects(ask(third.url, "select 1 from kept"), { code: "42P01" });
    const kept = anew.find((line) => line.startsWith("found the database of a deleted data directory: kept it as "));
    assert.ok(kept && existsSync(join(kept.split(" as ")[1]!, "cluster", "data")));
  },
);

test("as root, when neither folder can be reached the error says what to do", forRoot, async () => {
  const closed = join(base, "all-closed");
  mkdirSync(closed, { mode: 0o700 });

  await assert.rejects(
    startEmbeddedPostgres({ dataDir: join(closed, ".data"), systemDir: join(closed, "system"), log: () => {} }),
    /can reach neither .*PARLEY_DATA_DIR, start Parley as an ordinary user, or set DATABASE_URL\.$/,
  );
  assert.equal(existsSync(join(closed, "system", "cluster")), false);
});

test("an ordinary user runs the server as itself, and another user's data directory is refused", forRoot, async (t) => {
  const nobody = 65_534;
  const reachable = await canRun(await findBinaries(), { uid: nobody, gid: nobody });
  const checkout = reachable ? root : copyOfCheckout();
  const folder = join(base, "user");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const own = join(folder, ".data");

  const { child, said } = await startElsewhere(t, own, nobody, checkout);
  assert.equal(await ask(said, "select 1"), 1);
  assert.equal(statSync(join(own, "postgres", "cluster", "data")).uid, nobody);
  await assert.rejects(start(t, [], own), /belongs to another user \(id 65534\): start Parley as that user\.$/);

  const pid = Number.parseInt(readFileSync(join(own, "postgres", "cluster", "data", "postmaster.pid"), "utf8"), 10);
  await kill(child);
  process.kill(pid, "SIGINT");
  while (isAlive(pid)) await new Promise(setImmediate);
});
