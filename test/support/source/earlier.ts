import { execFile } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { aFolder } from "./folder.ts";
import { root } from "./source.ts";

const run = promisify(execFile);

/**
 * The tree of an earlier commit of this repository, with the packages that are installed now; removed when the tests' process exits. Undefined
 * where the commit is not there: in a shallow clone, or in an archive.
 */
export async function earlierCheckout(commit: string): Promise<string | undefined> {
  const isThere = await run("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const folder = aFolder("earlier");
  const archive = join(folder, ".tar");
  await run("git", ["archive", `--output=${archive}`, "--format=tar", commit], { cwd: root });
  await run("tar", ["-xf", archive, "-C", folder]);
  rmSync(archive);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}
