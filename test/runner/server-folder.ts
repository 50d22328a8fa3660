// Where the tests' servers keep their data, and their settings: it is all thrown away.
import { accessSync, chmodSync, constants, existsSync, mkdtempSync, readFileSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** What the tests' embedded server is started with, beside what it always is. */
export const TEST_SERVER: Readonly<Record<string, string>> = {
  // Three faults at once have some twenty processes, each with pools of its own: with none left an api answers 503.
  max_connections: "600",
  // Its data is thrown away in any case: it may skip the syncing, which is half of a test's time, and have a longer log.
  fsync: "off",
  full_page_writes: "off",
  wal_compression: "off",
  // It may lie in memory.
  max_wal_size: "2GB",
  // Who waited for whom in a deadlock, with their statements; there is nobody's data in it.
  log_error_verbosity: "default",
};

const DEADLOCK = /ERROR: {2}deadlock detected.*\n.*DETAIL: {2}(.*\n(?:\t.*\n)*)/g;

/** What the log of a server reports of its deadlocks; nothing where there is no log. */
export function deadlocksIn(file: string): string[] {
  if (!existsSync(file)) return [];
  return [...readFileSync(file, "utf8").matchAll(DEADLOCK)].map(([, detail]) => detail!.trimEnd());
}

/**
 * A clone is 650 files, made and removed again: on a disk that is a fifth of what the integration ring takes. So the servers' data is in
 * memory, where there is some to spare.
 */
const MEMORY = "/dev/shm";
const TMPFS = 0x01021994;
const TO_SPARE_BYTES = 8 * 2 ** 30;

/** The folder for the servers' data. */
export function roomForData(): string {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    if (type === TMPFS && Math.min(bavail * bsize, freemem()) > TO_SPARE_BYTES) return MEMORY;
  } catch {
    // There is none, or it is not ours.
  }
  return tmpdir();
}

/** A new one. As root the servers run as other users, who must get through. */
export function makeFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, "parley-test-"));
  chmodSync(folder, 0o711);
  return folder;
}
