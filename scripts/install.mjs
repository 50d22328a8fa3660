// What a fresh clone needs before anything of ours can run. Plain JavaScript for any Node >= 20, no dependencies.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const modules = join(root, "node_modules");

/** The Node of the lockfile. Its package links it here from `.bin`, which npm puts first on the PATH. */
export const lockedNode = join(modules, "node", "bin", "node");

/** From this version on TypeScript's types are stripped and everything that we use is there. */
const NODE_MAJOR = 24;

/**
 * Installs the locked dependencies when there are none or the lockfile is newer: the service's and the console's, and with `tools` also what tests and
 * checks need, a third of all. Takes a millisecond otherwise.
 */
export function ensureInstalled({ tools = true } = {}) {
  const isOld = modifiedAt(join(modules, ".package-lock.json")) < modifiedAt(join(root, "package-lock.json"));
  const lacksTools = !hasTools();
  if (isOld) {
    // npm would empty the folder that the link points to, which is somebody else's.
    if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
      console.error("node_modules is a link to an older installation: install where it points to, or remove the link.");
      process.exit(1);
    }
    console.error("Installing the dependencies (npm ci) ...");
    npm(["ci", ...(lacksTools && !tools ? ["--omit=dev"] : [])]);
  } else if (lacksTools && tools) {
    console.error("Installing what tests and checks need (npm install) ...");
    // `npm ci` would begin with the removal of all packages, from under a service that runs.
    npm(["install", "--no-save"]);
  }
  if (!existsSync(lockedNode)) fetchNode();
}

/** Whether the packages of development are here, too. */
function hasTools() {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.keys(devDependencies).every((name) => existsSync(join(modules, name)));
}

/** Only errors are shown: some packages warn that they want a newer Node than npm runs on here, but run on the locked one. */
function npm(args) {
  const all = [...args, "--no-audit", "--no-fund", "--loglevel=error"];
  orExit(spawnSync("npm", all, { cwd: root, env: installEnv(), stdio: "inherit" }), `npm ${args[0]}`);
}

/** npm runs no install scripts here: that of the package `node`, which fetches its binary, is the only one needed. */
function fetchNode() {
  console.error(`Fetching Node ${NODE_MAJOR} ...`);
  const script = "installArchSpecificPackage.js";
  const options = { cwd: join(modules, "node"), env: installEnv(), stdio: "inherit" };
  orExit(spawnSync(process.execPath, [script], options), "the installation of the package node");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  rmSync(join(modules, ".bin", "node"), { force: true });
  symlinkSync(join("..", "node", "bin", "node"), join(modules, ".bin", "node"));
}

function orExit(result, what) {
  if (result.status === 0) return;
  console.error(`${what} failed: ${result.error?.message ?? `it ended with ${result.signal ?? result.status}`}`);
  process.exit(1);
}

/**
 * npm itself must not run on the Node that it is about to replace: our own `.bin` leaves the PATH. onnxruntime-node
 * would download GPU libraries that nothing here uses.
 */
function installEnv() {
  const path = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(modules));
  return { ...process.env, PATH: path.join(delimiter), ONNXRUNTIME_NODE_INSTALL: "skip" };
}

function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Runs a script of ours on Node 24, as if it had been started itself: in this process when it is one (then it costs
 * nothing), else in a child that gets our signals and gives us its exit code.
 */
export async function runOnLockedNode(script, args) {
  if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR) {
    process.argv = [process.execPath, script, ...args];
    await import(pathToFileURL(script).href);
    return;
  }
  const path = [join(modules, ".bin"), process.env.PATH ?? ""].join(delimiter);
  const child = spawn(lockedNode, [...process.execArgv, script, ...args], {
    stdio: "inherit",
    env: { ...process.env, PATH: path },
  });
  becomeAsChild(child.pid);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal's Ctrl-C has reached the child already: twice would mean "now, at once".
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on("error", (error) => {
    console.error(`Node ${NODE_MAJOR} cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The service that root starts goes on as another user: so do we, who only wait for it. Its status says as whom. */
function becomeAsChild(pid) {
  if (process.getuid?.() !== 0) return;
  const looking = setInterval(() => {
    const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
    const idOf = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    const [uid, gid] = [idOf("Uid"), idOf("Gid")];
    if (uid === 0) return;
    clearInterval(looking);
    process.setgroups([gid]);
    process.setgid(gid);
    process.setuid(uid);
  }, 200);
  looking.unref();
}
