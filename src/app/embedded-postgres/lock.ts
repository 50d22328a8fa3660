import { chmod, chown, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Account, run } from "./process.ts";

/**
 * The server holds a kernel lock on this file for as long as any of its processes lives. Unlike a pid it cannot
 * be mistaken: it is gone at once with a killed process, is seen from every container on the volume, and a
 * program that happens to have the same pid after a restart does not have it.
 */
const lockFile = (folder: string): string => join(folder, "lock");

/** Makes the file, for the server's user alone: whoever can open it could hold the lock. */
export async function makeLock(folder: string, account: Account): Promise<void> {
  await writeFile(lockFile(folder), "", { flag: "a", mode: 0o600 });
  await chmod(lockFile(folder), 0o600);
  if (account) await chown(lockFile(folder), account.uid, account.gid);
}

/** What `flock` ends with when another holds the lock; no program that it runs for us ends so. */
export const HELD_EXIT_CODE = 75;

/** util-linux's flock turns into the program that it starts, which so inherits the lock with all its children. */
export const lockAnd = (folder: string): readonly string[] => [
  "--nonblock",
  "--no-fork",
  "--conflict-exit-code",
  String(HELD_EXIT_CODE),
  lockFile(folder),
];

/** "unknown": there is no (such) flock here, as on macOS; then the pid has to do. */
export async function lockState(folder: string): Promise<"held" | "free" | "unknown"> {
  const { code } = await run("flock", [...lockAnd(folder), "true"]);
  if (code === HELD_EXIT_CODE) return "held";
  return code === 0 ? "free" : "unknown";
}
