import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "#test/support/source/source.ts";

const STATE = join(root, "node_modules/.cache/parley/long-tests.json");

/** Which rings of the long tests were green, for the tree as it was. */
type State = { tree: string; seed: string; green: string[] };

/** What a run that was cut off has shown already; undefined where the tree has changed since, or nothing is kept. */
export function readState(): State | undefined {
  if (!existsSync(STATE)) return undefined;
  const state = JSON.parse(readFileSync(STATE, "utf8")) as State;
  return state.tree === treeHash() ? state : undefined;
}

export function saveState(seed: string, green: string[]): void {
  mkdirSync(dirname(STATE), { recursive: true });
  writeFileSync(STATE, JSON.stringify({ tree: treeHash(), seed, green } satisfies State));
}

export const forgetState = (): void => rmSync(STATE, { force: true });

/** The commit, with what is not committed. */
function treeHash(): string {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout ?? "";
  const others = git("ls-files", "--others", "--exclude-standard").split("\n").filter(Boolean);
  const hash = createHash("sha256").update(git("rev-parse", "HEAD")).update(git("diff", "HEAD"));
  for (const path of others) hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}
