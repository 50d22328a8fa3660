import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Of package.json. */
export const VERSION: string = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string })
  .version;

/** An archive has its commit in the file COMMIT (.gitattributes); in a checkout git's own files say it, since git need not be installed. */
export function commitOf(folder: string): string | null {
  const archived = commitIn(read(folder, "COMMIT"));
  if (archived !== null) return archived;
  const head = read(folder, ".git/HEAD");
  const ref = /^ref: (\S+)$/m.exec(head)?.[1];
  if (ref === undefined) return commitIn(head);
  const packed = read(folder, ".git/packed-refs")
    .split("\n")
    .find((line) => line.endsWith(` ${ref}`));
  return commitIn(read(folder, `.git/${ref}`)) ?? commitIn(packed ?? "");
}

function commitIn(text: string): string | null {
  return /^[0-9a-f]{40}\b/.exec(text)?.[0] ?? null;
}

function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), "utf8");
  } catch {
    // Not there: an archive has no .git, and a work tree's .git is a file.
    return "";
  }
}

/** Of the archive that was installed, or of the checkout; null where neither says one. 40 hex digits. */
export const COMMIT: string | null = commitOf(ROOT);

/** `parley --version`. */
export const RELEASE = COMMIT === null ? VERSION : `${VERSION} (${COMMIT.slice(0, 12)})`;
