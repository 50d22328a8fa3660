import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

/** A program of the machine, not one of our packages. */
const outside = (program: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
/** What a user types `npm start` with: the machine's own Node, which may be older than ours; ours if there is none. */
const outerNode = outside("node") ?? process.execPath;
const outerNpm = outside("npm");

/** On a machine that is busy it takes seconds; whoever is left behind stays for ever. */
const HANGS_MS = 120_000;

/** Stands for the CLI: says how it was called, and ends with 7 on a signal. */
const CLI = `
  process.on("SIGTERM", () => process.exit(7));
  const major: number = Number.parseInt(process.versions.node, 10);
  console.log(JSON.stringify({ args: process.argv.slice(1), major }));
  if (process.argv.includes("--stay")) setInterval(() => {}, 1000);
  else process.exitCode = 3;`;

/** Stands for npm: notes how it was called and installs this very Node, or leaves that to the package's script, and a package of development. */
const npm = (runsScripts: boolean) => `#!/bin/sh
echo "$* onnxruntime=$ONNXRUNTIME_NODE_INSTALL path=$PATH" >> npm-calls
[ "$1" != ci ] || rm -rf node_modules
case "$*" in *--omit=dev*) ;; *) mkdir -p node_modules/a-tool ;; esac
[ "$1" = ci ] || exit 0
mkdir -p node_modules/node node_modules/.bin
cat > node_modules/node/installArchSpecificPackage.js <<'END'
const { mkdirSync, symlinkSync } = require("node:fs");
mkdirSync("bin", { recursive: true });
symlinkSync(${JSON.stringify(realpathSync(process.execPath))}, "bin/node");
END
${runsScripts ? `(cd node_modules/node && ${JSON.stringify(outerNode)} installArchSpecificPackage.js)` : ""}
touch node_modules/.package-lock.json
`;

const MANIFEST = { type: "module", devDependencies: { "a-tool": "1.0.0" } };

/** A clone as git leaves it: no node_modules. */
function freshClone(runsScripts = true): string {
  const folder = aFolder("clone");
  cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
  for (const name of ["bin", "programs"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "bin", "parley.ts"), CLI);
  writeFileSync(join(folder, "package.json"), JSON.stringify(MANIFEST));
  writeFileSync(join(folder, "package-lock.json"), "{}");
  writeFileSync(join(folder, "programs", "npm"), npm(runsScripts));
  chmodSync(join(folder, "programs", "npm"), 0o755);
  return folder;
}

const start = (folder: string, ...args: string[]): ChildProcess => startScript(folder, "start.mjs", ...args);

function startScript(folder: string, script: string, ...args: string[]): ChildProcess {
  const path = [join(folder, "node_modules", ".bin"), join(folder, "programs"), "/usr/bin", "/bin"].join(delimiter);
  return spawn(outerNode, [join(folder, "scripts", script), ...args], {
    env: { PATH: path },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function finish(child: ChildProcess): Promise<{ said: string; code: number | null }> {
  let said = "";
  child.stdout!.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { said, code };
}

/** Until it says something; fails where it ends before. */
async function begun(child: ChildProcess): Promise<void> {
  const ended = once(child, "close").then(() => assert.fail("it ended without a word"));
  await Promise.race([once(child.stdout!, "data"), ended]);
  ended.catch(() => {});
}

const npmCalls = (folder: string): string[] => readFileSync(join(folder, "npm-calls"), "utf8").trimEnd().split("\n");

test("a fresh clone installs the locked packages and starts on their Node, with the arguments and the exit code", async () => {
  const folder = freshClone();

  const { said, code } = await finish(start(folder, "--roles", "api"));

  assert.deepEqual(JSON.parse(said), {
    args: [join(folder, "bin", "parley.ts"), "start", "--roles", "api"],
    major: 24,
  });
  assert.equal(code, 3);
  const [call, ...more] = npmCalls(folder);
  assert.match(call!, /^ci --omit=dev .*onnxruntime=skip path=/);
  assert.ok(
    !call!.includes(join(folder, "node_modules")),
    "npm runs on the machine's Node, not on the one it replaces",
  );
  assert.deepEqual(more, []);
});

test("npm run build installs what the service needs, without what tests do, and starts nothing", async () => {
  const folder = freshClone();
  assert.deepEqual(await finish(startScript(folder, "console.mjs")), { said: "", code: 0 });
  const calls = npmCalls(folder);
  assert.match(calls.join("\n"), /^ci --omit=dev .*$/, "once");
});

/** Stands for Vite: notes that it was called, and writes a page to the given place. */
const VITE = `
  const { appendFileSync, mkdirSync, writeFileSync } = require("node:fs");
  const folder = process.argv[process.argv.indexOf("--outDir") + 1];
  appendFileSync("../vite-calls", "build\\n");
  if (process.env.BREAK) process.exit(1);
  mkdirSync(folder);
  writeFileSync(folder + "/index.html", "built");`;

test("the console is built when a source is newer than its build, and kept when that fails", async () => {
  const folder = freshClone();
  await finish(start(folder));
  const vite = join(folder, "node_modules", "vite", "bin");
  const source = join(folder, "console", "src", "main.tsx");
  mkdirSync(vite, { recursive: true });
  mkdirSync(join(folder, "console", "src"), { recursive: true });
  writeFileSync(join(vite, "vite.js"), VITE);
  for (const path of [source, join(folder, "console", "vite.config.ts")]) writeFileSync(path, "");
  const builds = () => readFileSync(join(folder, "vite-calls"), "utf8").trim().split("\n").length;
  const touch = () => utimesSync(source, new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));

  await finish(start(folder));
  await finish(start(folder));
  assert.equal(builds(), 1);

  touch();
  writeFileSync(join(vite, "vite.js"), `process.env.BREAK = "1"; ${VITE}`);
  const { code } = await finish(start(folder));
  assert.equal(builds(), 2);
  assert.equal(code, 3, "the service starts all the same");
  assert.equal(readFileSync(join(folder, "console", "dist", "index.html"), "utf8"), "built");
});

test("it installs again only when the lockfile is newer than what is installed", async () => {
  const folder = freshClone();
  await finish(start(folder));
  await finish(start(folder));
  assert.equal(npmCalls(folder).length, 1);

  const later = new Date(Date.now() + 60_000);
  utimesSync(join(folder, "package-lock.json"), later, later);
  await finish(start(folder));

  assert.equal(npmCalls(folder).length, 2);
});

test("what only tests need is added by the first script that is not the service's, and then stays", async () => {
  const folder = freshClone();
  const command = join("bin", "parley.ts");
  const calls = () => npmCalls(folder).map((call) => call.split(" --no-audit")[0]);
  await finish(start(folder));
  const { said } = await finish(startScript(folder, "run.mjs", command));
  assert.equal((JSON.parse(said) as { major: number }).major, 24);
  assert.deepEqual(
    calls(),
    ["ci --omit=dev", "install --no-save"],
    "nothing is removed from under a service that runs",
  );

  await finish(startScript(folder, "run.mjs", command));
  await finish(start(folder));
  assert.equal(calls().length, 2);

  const later = new Date(Date.now() + 60_000);
  utimesSync(join(folder, "package-lock.json"), later, later);
  await finish(start(folder));
  assert.deepEqual(calls().slice(2), ["ci"]);
});

test("where npm runs no install scripts, Node is fetched all the same", async () => {
  const folder = freshClone(false);

  const { said } = await finish(start(folder));

  assert.equal((JSON.parse(said) as { major: number }).major, 24);
  assert.ok(existsSync(join(folder, "node_modules", ".bin", "node")));
});

test("a signal reaches the service, whose exit code is ours", async (t) => {
  const child = start(freshClone(), "--stay");
  t.after(() => child.kill("SIGKILL"));
  await begun(child);

  child.kill("SIGTERM");

  assert.deepEqual(await once(child, "exit"), [7, null]);
});

test("on a signal npm itself stops the service, and leaves none behind", {
  skip: outerNpm ? false : "npm is not installed beside the machine's Node",
}, async (t) => {
  const folder = freshClone();
  await finish(start(folder));
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...MANIFEST, scripts }));
  const child = spawn(outerNpm!, ["start", "--silent", "--", "--stay"], {
    cwd: folder,
    // In a group of its own, all of which is ended with the test.
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => kill(-child.pid!));
  await begun(child);

  child.kill("SIGTERM");

  // Once nobody holds the other end: whoever was left behind would, until the test is ended.
  const [code] = await once(child, "close", { signal: AbortSignal.timeout(HANGS_MS) });
  assert.equal(code, 7);
});

/** With all of its group; it may be gone. */
function kill(group: number): void {
  try {
    process.kill(group, "SIGKILL");
  } catch {}
}

test("an install that fails ends the start with 1", async () => {
  const folder = freshClone();
  writeFileSync(join(folder, "programs", "npm"), "#!/bin/sh\nexit 9\n");

  const { code, said } = await finish(start(folder));

  assert.equal(code, 1);
  assert.equal(said, "");
});
