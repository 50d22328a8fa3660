import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Whose files ours are to be. */
export type Owner = { readonly uid: number; readonly gid: number };

/** What we keep in a data directory: nothing else in it is touched. A draft has a dot and more behind the name. */
const OURS =
  /^(postgres|secret-key|sealing-keys|first-api-key|mark\.json|audit-heads\.ndjson|journal|uploads|recordings|open-recordings|unknown-sends\.csv|\.narrowed)(\.|$)/;

/** Written once all of a data directory was gone through: files made since have their modes from the start. */
const NARROWED = ".narrowed";

/** Where root keeps what its system user could not reach elsewhere. */
export const SYSTEM_DIR = "/var/lib/parley";

/** PostgreSQL keeps the modes of these itself, and does not start when others may read them. */
const POSTGRES_DATA = join("postgres", "cluster", "data");

export const isOurs = (name: string): boolean => OURS.test(name);

/** What is in a data directory that is not ours; undefined: the directory is not there yet. */
export function othersIn(dataDir: string): string[] | undefined {
  try {
    return readdirSync(dataDir).filter((name) => !isOurs(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Makes the data directory, or takes from others what an earlier release let them read: files become 0600 and folders 0700. With `owner` all of it is
 * given to that user. `traversable` folders (by their paths below the data directory) keep that others may pass through. Goes through every file
 * the first time, and when the directory itself is wider than it should be or another's. A volume that is root's, and ours by its group alone, is left as
 * wide as it was mounted: only its owner may change that. Answers with how much there was to change.
 */
export function keepPrivate(
  dataDir: string,
  { owner, traversable = [] }: { owner?: Owner | undefined; traversable?: readonly string[] } = {},
): { narrowed: number; given: number } {
  const count = { narrowed: 0, given: 0 };
  const made = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const wanted = (below: string) => (traversable.includes(below) ? 0o711 : 0o700);
  const mayChange = ({ uid }: Stats) => process.getuid?.() === 0 || uid === process.getuid?.();
  const isTooWide = (found: Stats, below: string) => (found.mode & 0o777 & ~wanted(below)) !== 0 && mayChange(found);
  const isRight = (path: string, below: string) => {
    const found = lstatSync(path);
    return !isTooWide(found, below) && (owner === undefined || found.uid === owner.uid);
  };
  const entries = readdirSync(dataDir);
  if (made === undefined && entries.includes(NARROWED) && isRight(dataDir, "")) return count;

  const change = (path: string, below: string): void => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return;
    if (!found.isSymbolicLink() && isTooWide(found, below)) {
      chmodSync(path, found.mode & 0o777 & wanted(below));
      count.narrowed++;
    }
    // The server does not run as root, and what it has stays its own.
    if (owner && found.uid !== owner.uid && !(owner.uid === 0 && below === POSTGRES_DATA)) {
      lchownSync(path, owner.uid, owner.gid);
      count.given++;
    }
    if (found.isSymbolicLink()) {
      // The database of a directory that its user could not reach lies in a folder of root's: still all of it ours.
      const target = below === "postgres" ? realpathSync(path) : "";
      if (dirname(target) === SYSTEM_DIR) change(target, below);
    } else if (found.isDirectory() && below !== POSTGRES_DATA) {
      for (const name of readdirSync(path)) change(join(path, name), join(below, name));
    }
  };
  for (const name of entries) if (isOurs(name)) change(join(dataDir, name), name);
  // No link that somebody has put there is followed.
  if (!entries.includes(NARROWED)) writeOnce(join(dataDir, NARROWED));
  change(join(dataDir, NARROWED), NARROWED);
  // The directory itself last, so that one that was cut off is begun anew; it belongs to others too where there are files of others in it.
  if (entries.every(isOurs)) {
    const found = lstatSync(dataDir);
    if (made === undefined && isTooWide(found, "")) count.narrowed++;
    if (mayChange(found)) chmodSync(dataDir, wanted(""));
    if (owner && found.uid !== owner.uid) lchownSync(dataDir, owner.uid, owner.gid);
  }
  return count;
}

/** Of several processes that start at the same time over one directory, one writes it. */
function writeOnce(path: string): void {
  try {
    writeFileSync(path, "", { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
