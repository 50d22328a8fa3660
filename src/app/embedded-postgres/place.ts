import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, realpath, rename, rmdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { ownerOf, SYSTEM_USER, systemAccount } from "./account.ts";
import { type Binaries, canRun, copyBinaries, findBinaries } from "./binaries.ts";
import { lockState } from "./lock.ts";
import { type Account, run } from "./process.ts";

/** Where a cluster lives (`folder` holds `cluster/` and what belongs to it), who runs it, and with what. */
export type Place = { readonly folder: string; readonly account: Account; readonly binaries: Binaries };

type Log = (line: string) => void;

/**
 * Finds or makes the place of a data directory's cluster: its folder `postgres`. As root it belongs to a system
 * user, and when that user cannot get there (a checkout under /root), `postgres` is a link to a folder under
 * `systemDir`. Throws one sentence that says what to do when neither works.
 */
export async function findPlace(dataDir: string, systemDir: string, log: Log): Promise<Place> {
  const made = await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  // Traversable, not listable: as root another user's server must get through to its own folder in it.
  if (made !== undefined && isRoot) await chmod(dataDir, 0o711);
  const own = join(await realpath(dataDir), "postgres");
  const binaries = await findBinaries();
  return isRoot ? rootPlace(own, systemDir, binaries, log) : userPlace(own, binaries);
}

async function userPlace(own: string, binaries: Binaries): Promise<Place> {
  await mkdir(own, { recursive: true, mode: 0o700 });
  const folder = await realpath(own);
  await mustBeOurs(folder);
  if (await canRun(binaries, undefined)) return { folder, account: undefined, binaries };
  const copy = await copyBinaries(binaries, folder);
  if (await canRun(copy, undefined)) return { folder, account: undefined, binaries: copy };
  throw new Error(
    `PostgreSQL's programs in ${binaries.root} do not run here (${await whyNot(copy)}): set DATABASE_URL.`,
  );
}

async function rootPlace(own: string, systemDir: string, binaries: Binaries, log: Log): Promise<Place> {
  const account = (await ownerOf(own)) ?? (await systemAccount(log));
  const folder = await rootFolder(own, systemDir, account, log);
  if (await canRun(binaries, account)) return { folder, account, binaries };

  await makeTraversable(systemDir);
  const copy = await copyBinaries(binaries, systemDir);
  if (await canRun(copy, account)) return { folder, account, binaries: copy };
  throw new Error(
    `PostgreSQL cannot be run as the user "${SYSTEM_USER}" (${await whyNot(copy, account)}): start Parley as an ordinary user, or set DATABASE_URL.`,
  );
}

/** Two users taking turns would each leave files that the other cannot read, here and elsewhere in the data directory. */
async function mustBeOurs(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  if (uid === process.getuid?.()) return;
  throw new Error(`${folder} belongs to another user (id ${uid}): start Parley as that user.`);
}

async function rootFolder(own: string, systemDir: string, account: Account, log: Log): Promise<string> {
  const entry = await lstat(own).catch(() => undefined);
  if (entry?.isSymbolicLink()) {
    return realpath(own).catch(() => {
      throw new Error(
        `${own} points to a database that is gone: bring it back, or remove the link to start with a new one.`,
      );
    });
  }
  await makeTraversable(own);
  await mustBeOurs(own);
  if (await canEnter(own, account)) return own;
  if (await stat(join(own, "cluster")).catch(() => undefined)) {
    throw new Error(
      `The user that owns the database in ${own} cannot get there: let others traverse the folders above (chmod o+x).`,
    );
  }

  const folder = join(systemDir, createHash("sha256").update(own).digest("hex").slice(0, 16));
  await makeTraversable(systemDir);
  await setAside(folder, log);
  await makeTraversable(folder);
  if (!(await canEnter(folder, account))) {
    throw new Error(
      `The user "${SYSTEM_USER}" can reach neither ${own} nor ${folder}: name a folder that it can in PARLEY_DATA_DIR, start Parley as an ordinary user, or set DATABASE_URL.`,
    );
  }
  await rmdir(own);
  await symlink(folder, own);
  log(`the user "${SYSTEM_USER}" cannot reach ${own}: the database lives in ${folder}`);
  return folder;
}

/** A database whose data directory was deleted: the delete meant "start anew", but nothing of it is thrown away. */
async function setAside(folder: string, log: Log): Promise<void> {
  if (!(await stat(folder).catch(() => undefined))) return;
  if ((await lockState(folder)) === "held") {
    throw new Error(
      `The database in ${folder} still runs, but its data directory was deleted: stop the other Parley first.`,
    );
  }
  const aside = `${folder}.${new Date().toISOString().replaceAll(":", "")}`;
  await rename(folder, aside);
  log(`found the database of a deleted data directory: kept it as ${aside}`);
}

/** Root's own folder, which the server's user may pass through but not change: root follows no path of that user's. */
async function makeTraversable(folder: string): Promise<void> {
  if (await stat(folder).catch(() => undefined)) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Whatever the umask is.
  await chmod(folder, 0o711);
}

/** Tried as that user: modes, ACLs, mounts and sandboxes all count. */
async function canEnter(folder: string, account: Account): Promise<boolean> {
  const probe = await run("/bin/sh", ["-c", 'cd "$1"', "sh", folder], account);
  return probe.code === 0;
}

async function whyNot(binaries: Binaries, account?: Account): Promise<string> {
  const { output } = await run(join(binaries.root, "bin", "postgres"), ["--version"], account);
  return output.split("\n")[0] || "killed";
}
