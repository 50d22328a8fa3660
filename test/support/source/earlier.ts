import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Owner } from "#test/support/processes/processes.ts";
import { root } from "./source.ts";

const run = promisify(execFile);

/**
 * The tree of an earlier commit of this repository, with the packages that are installed now; removed when its owner ends. Undefined where
 * the commit is not there: in a shallow clone, or in an archive.
 */
export async function earlierCheckout(owner: Owner, commit: string): Promise<string | undefined> {
  const isThere = await run("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "parley-earlier-"));
  owner.after(() => rmSync(folder, { recursive: true, force: true }));
  const archive = join(folder, ".tar");
  await run("git", ["archive", `--output=${archive}`, "--format=tar", commit], { cwd: root });
  await run("tar", ["-xf", archive, "-C", folder]);
  rmSync(archive);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}
