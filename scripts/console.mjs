// npm run build: the console's build, made when there is none or a source is newer. Plain JavaScript for any Node >= 20, no dependencies.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, lockedNode, root } from "./install.mjs";

const folder = join(root, "console");
const built = join(folder, "dist");

/** What the build is made of. */
const OWN = ["src", "public", "build", "index.html", "vite.config.ts", "package.json"];
const SOURCES = [...OWN, "../contract/accounts/roles.ts", "../package-lock.json"];

/**
 * Builds the console where it has to be built: some seconds; else it takes a few milliseconds. Returns false when that
 * failed: the service runs without it, and says so to who asks for it.
 */
export function ensureConsole() {
  if (!existsSync(join(folder, "vite.config.ts")) || isFresh()) return true;
  console.error("Building the console ...");
  const begun = new Date();
  // Beside the build that is there and may be in use, and in its place in one step.
  const made = `${built}-${process.pid}`;
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  const args = [vite, "build", "--configLoader", "native", "--logLevel", "warn", "--outDir", made];
  const { status, error } = spawnSync(lockedNode, args, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) {
    console.error(`The console could not be built: ${error?.message ?? `vite ended with ${status}`}`);
    rmSync(made, { recursive: true, force: true });
    return false;
  }
  // What was edited meanwhile is newer than the build.
  utimesSync(join(made, "index.html"), begun, begun);
  const old = `${made}-old`;
  if (existsSync(built)) renameSync(built, old);
  renameSync(made, built);
  rmSync(old, { recursive: true, force: true });
  return true;
}

function isFresh() {
  const page = statSync(join(built, "index.html"), { throwIfNoEntry: false });
  return page !== undefined && SOURCES.every((name) => newest(join(folder, name)) <= page.mtimeMs);
}

/** When anything below a path was last changed; a folder's own time says what was removed. */
function newest(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), found.mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled({ tools: false });
  process.exitCode = ensureConsole() ? 0 : 1;
}
