import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { basename, delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseId } from "#domain/values/id.ts";
import { anOwner } from "#test/support/accounts/owner.ts";
import { client } from "#test/support/api/parley.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";
import { until } from "#test/support/time/until.ts";

/** What a user types `npm start` with; ours if there is none. */
const outerNode =
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .find((path) => existsSync(path)) ?? process.execPath;

const forRoot = { skip: process.getuid?.() === 0 ? false : "only root has another user to go on as" };

/** As much of this checkout as runs, where every user can read it. Packages are linked, since there is a gigabyte of them. */
function readableTree(): string {
  const base = aFolder("as-root");
  chmodSync(base, 0o755);
  const tree = join(base, "parley");
  mkdirSync(tree);
  for (const name of ["bin", "src", "contract", "data", "scripts", "console/dist", "package.json"])
    if (existsSync(join(root, name))) cpSync(join(root, name), join(tree, name), { recursive: true });
  execFileSync("chmod", ["-R", "u+rwX,go+rX,go-w", tree]);
  const linked = spawnSync("cp", ["-al", join(root, "node_modules"), tree]);
  if (linked.status !== 0) execFileSync("cp", ["-a", join(root, "node_modules"), tree]);
  return tree;
}

async function freeLowPort(): Promise<number> {
  for (let port = 1023; port > 600; port--) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error("no port of root's is free");
}

type Service = { child: ChildProcess; said: string[]; dataDir: string; env: NodeJS.ProcessEnv; tree: string };

function service(t: TestContext, tree: string, env: Record<string, string>): Service {
  const dataDir = join(tree, "..", "data");
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PARLEY_|DATABASE_URL)/.test(name)));
  const all = { ...own, PARLEY_DATA_DIR: dataDir, PARLEY_LOG_LEVEL: "error", PARLEY_SIMULATOR_CALLS: "text", ...env };
  // As npm start does: the machine's own Node may be older, and then waits for the locked one.
  const child = spawn(outerNode, [join(tree, "scripts/run.mjs"), "bin/parley.ts", "start"], {
    cwd: tree,
    env: all,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => said.push(text));
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    }
  });
  return { child, said, dataDir, env: all, tree };
}

async function ready(said: string[]): Promise<void> {
  await until("it is ready", async () => /Parley is ready/.test(said.join("")), 180_000).catch(() => {
    assert.fail(`it is not ready: ${said.join("")}`);
  });
}

type Running = { pid: string; name: string; uids: string[]; groups: string };

/** Every process that has the folder in its command line: whoever started it. */
function processesOf(folder: string): Running[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        if (!command.includes(folder)) return [];
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        const [uids, groups] = ["Uid", "Groups"].map(
          (name) => new RegExp(`^${name}:[ \t]*(.*)$`, "m").exec(status)![1]!,
        );
        return [{ pid, name: command.slice(0, 120), uids: uids!.trim().split(/\s+/), groups: groups!.trim() }];
      } catch {
        return [];
      }
    });
}

test("started by root the service goes on as another user, whose files nobody else can read", forRoot, async (t) => {
  const tree = readableTree();
  const base = join(tree, "..");
  // As an earlier release left it.
  mkdirSync(join(base, "data", "journal"), { recursive: true, mode: 0o755 });
  writeFileSync(join(base, "data", "journal", "2020-01-01.worker.ndjson"), "", { mode: 0o644 });
  chmodSync(join(base, "data"), 0o755);
  const port = await freeLowPort();
  const { child, said, dataDir, env } = service(t, tree, { PORT: String(port) });
  await ready(said);

  const text = said.join("");
  assert.match(text, /Started by root, Parley goes on as the user "parley" \(id \d+\), who owns /);
  assert.match(text, /\d+ files and folders of .* could be read by others: they can no more\./);
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200, "on a port that root alone may take");
  await until(
    "worker and media node run",
    async () => processesOf(base).filter(({ name }) => /parley\.ts (worker|media)/.test(name)).length === 2,
    60_000,
  );
  const isRoots = ({ uids, groups }: Running) => uids.includes("0") || groups.split(" ").includes("0");
  await until("who waits for it has followed", async () => !processesOf(base).some(isRoots), 20_000).catch(() => {});
  const running = processesOf(base);
  for (const { pid, name, uids, groups } of running)
    t.diagnostic(`${pid} uid ${uids.join(" ")} groups ${groups}: ${name.replaceAll(base, "...")}`);
  assert.ok(running.length >= 4, "the service, its children and PostgreSQL");
  assert.deepEqual(running.filter(isRoots), []);

  const command = (...args: string[]) =>
    spawnSync(join(tree, "node_modules/node/bin/node"), [join(tree, "bin/parley.ts"), ...args], {
      env,
      encoding: "utf8",
    });
  const tenant = command("tenant", "create", "Second");
  assert.equal(tenant.status, 0, tenant.stderr);
  assert.match(tenant.stdout, /^tnt_/);
  const roots = aFolder("roots-own");
  const backup = command("backup", join(roots, "backup.gz"));
  assert.equal(backup.status, 0, backup.stderr);
  assert.match(backup.stdout, /backup\.gz: \d+ rows of \d+ tables\./);
  const kept = statSync(join(roots, "backup.gz"));
  assert.deepEqual(
    [kept.uid, kept.mode & 0o777, readdirSync(roots).length],
    [0, 0o600, 1],
    "in a folder of root's own",
  );
  await t.test("a command reads root's own files, and names those that it cannot", () => {
    const file = (name: string, text: string) => {
      writeFileSync(join(roots, name), text, { mode: 0o600 });
      return join(roots, name);
    };
    const succeeds = (...args: string[]): string => {
      const { status, stdout, stderr } = command(...args);
      assert.equal(status, 0, `${args.join(" ")}: ${stderr}`);
      return stdout;
    };
    const id = /tnt_\w+/.exec(tenant.stdout)![0];
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const list = file("list.txt", "212,5556001\n");
    assert.match(succeeds("dnc", "import", list, "--tenant", id, "--date", yesterday), /1 numbers added/);
    const missing = command("dnc", "import", join(roots, "none.txt"), "--tenant", id, "--date", yesterday);
    assert.equal(missing.stderr, `${join(roots, "none.txt")} is not there\n`);

    const log = file("audit.ndjson", succeeds("audit", "export", "--tenant", id));
    assert.match(readFileSync(log, "utf8"), /"operation":"parley tenant create"/);
    assert.match(readFileSync(log, "utf8"), /"userAgent":"root on /);
    assert.match(succeeds("audit", "verify", log), /is whole/);
    const journal = join(roots, "journal");
    mkdirSync(journal);
    const head = {
      kind: "chain_head",
      at: new Date().toISOString(),
      tenantId: parseId("tenant", id),
      seq: 999,
      hash: "00",
    };
    writeFileSync(join(journal, `${yesterday}.worker.ndjson`), `${JSON.stringify(head)}\n`, { mode: 0o600 });
    assert.match(command("audit", "verify", "--tenant", id, "--journal", journal).stdout, /999 links were recorded/);
    const lift = command("fence", "lift", "--journal", journal);
    assert.equal(
      lift.stderr,
      `${journal} cannot be read by the user that Parley works as: put a copy where that user can read it\n`,
    );

    const fresh = {
      PARLEY_DATA_DIR: join(base, "restored"),
      PARLEY_SECRET_KEY: readFileSync(join(dataDir, "secret-key"), "utf8").trim(),
    };
    const restored = spawnSync(
      join(tree, "node_modules/node/bin/node"),
      [join(tree, "bin/parley.ts"), "restore", join(roots, "backup.gz")],
      {
        env: { ...env, ...fresh },
        encoding: "utf8",
      },
    );
    assert.equal(restored.status, 0, restored.stderr);
    rmSync(join(base, "restored"), { recursive: true });
    rmSync(list);
    rmSync(log);
    rmSync(journal, { recursive: true });
  });
  await t.test("evidence is written into a folder of root's own, whole or not at all", async () => {
    const id = /tnt_\w+/.exec(tenant.stdout)![0];
    const { stdout: key, stderr } = command("key", "create", "--tenant", id);
    assert.match(key, /^pk_test_/, stderr);
    const api = client(`http://127.0.0.1:${port}`, key.trim());
    const contacts = [{ phone_number: "+12125550101" }];
    const list = { list_name: "All", ...(await anOwner(api)), contacts };
    const lead = (await api.post("/v1/contacts/lists", list)).body.leads[0].unique_id;
    const inRoots = { env, encoding: "utf8", cwd: roots } as const;
    const evidence = (...args: string[]) =>
      spawnSync(
        join(tree, "node_modules/node/bin/node"),
        [join(tree, "bin/parley.ts"), "evidence", ...args, "--tenant", id, "--test"],
        inRoots,
      );
    for (const [file, args] of [
      [join(roots, "of-ann.zip"), [lead, "--out", join(roots, "of-ann.zip")]],
      [`evidence-${lead}.zip`, ["(212) 555-0101"]],
    ] as const) {
      const made = evidence(...args);
      assert.deepEqual([made.status, made.stdout], [0, `${file}\n`], made.stderr);
      const written = join(roots, basename(file));
      const { uid, mode } = statSync(written);
      assert.deepEqual([uid, mode & 0o777], [0, 0o600]);
      assert.match(command("evidence", "verify", written).stdout, /is whole: \d+ files/);
      rmSync(written);
    }
    const none = evidence("+12125550102", "--out", join(roots, "none.zip"));
    assert.deepEqual([none.status, none.stderr], [1, "No contact of this tenant has the number +12125550102\n"]);
    assert.deepEqual(readdirSync(roots), ["backup.gz"]);
  });
  const nobody = spawnSync(process.execPath, [join(tree, "bin/parley.ts"), "tenant", "create", "Third"], {
    env: { ...env, PARLEY_USER: "nobody-of-this-machine" },
    encoding: "utf8",
  });
  assert.equal(nobody.status, 78);
  assert.match(nobody.stderr, /PARLEY_USER names nobody-of-this-machine, whom this machine does not have/);
  const { uid } = statSync(dataDir);
  assert.notEqual(uid, 0);
  const find = (...args: string[]) => execFileSync("find", [dataDir, ...args], { encoding: "utf8" });
  t.diagnostic(
    `${find().split("\n").length - 1} files and folders; readable by others: ${find("-perm", "/077", "!", "-type", "l").length}`,
  );
  assert.equal(find("-perm", "/077", "!", "-type", "l"), "", "nothing for others");
  assert.equal(find("!", "-uid", String(uid)), "", "nothing of another's");

  const ended = once(child, "exit");
  child.kill("SIGTERM");
  assert.deepEqual((await ended)[0], 0);
  assert.deepEqual(processesOf(base), [], "nothing is left");
});

test(
  "where another user could not read the service's own files it stays root, and says why and what to do",
  forRoot,
  async (t) => {
    const tree = readableTree();
    chmodSync(join(tree, ".."), 0o700);
    const { child, said, dataDir } = service(t, tree, { PORT: "0" });
    await ready(said);

    assert.match(
      said.join(""),
      /Parley goes on as root: the user "parley" cannot read its files in .*\. Put Parley where that user can, such as \/opt\/parley, or start it as an ordinary user\./,
    );
    assert.equal(
      execFileSync("find", ["-L", dataDir, "-perm", "/066"], { encoding: "utf8" }),
      "",
      "nothing to be read by others",
    );
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    assert.deepEqual((await ended)[0], 0);
  },
);
