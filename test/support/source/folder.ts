import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/** A process that was ended together with this one may write for a moment longer. */
const TRIES = 5;

/**
 * A new folder of these tests' own, below the system's folder for temporary files. It is removed when their process exits, and not by a
 * hook: hooks run in the order in which they are registered, so what a later one ends may still write into the folder.
 */
export function aFolder(name: string): string {
  if (made.length === 0) process.once("exit", removeAll);
  const folder = mkdtempSync(join(tmpdir(), `parley-${name}-`));
  made.push(folder);
  return folder;
}

function removeAll(): void {
  for (const folder of made) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: TRIES });
    } catch (error) {
      // The others are removed all the same.
      console.error(`A folder of the tests is left: ${(error as Error).message}`);
    }
  }
}
