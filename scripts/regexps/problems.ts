import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findRegexps } from "./found.ts";
import { problemOf } from "./problem.ts";

/** A minute of work for all of them: what was judged once is known, until a judge changes. */
type Known = Record<string, string | null>;

/** Every regular expression of the tree that may hold a process, a line each; empty when there is none. */
export async function regexpProblems(root: string): Promise<string[]> {
  const file = join(root, "node_modules/.cache/parley/regexps.json");
  const known = read(file);
  const judges = fingerprintOf(root);
  const { found, unseen } = await findRegexps(root);
  const problems = unseen.map(
    (place) => `${place} builds a regular expression after loading, of what nobody can check here`,
  );
  const current: Known = {};
  for (const { place, source, flags } of found) {
    const key = `${judges} /${source}/${flags}`;
    current[key] ??= known[key] === undefined ? (problemOf(source, flags) ?? null) : known[key];
    if (current[key] !== null) problems.push(`${place} ${current[key]}`);
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(current));
  return problems;
}

/** Of what judges: the checker's version, and how it is asked. */
function fingerprintOf(root: string): string {
  const hash = createHash("sha256");
  for (const path of ["node_modules/recheck/package.json", "scripts/regexps/problem.ts"]) {
    hash.update(readFileSync(join(root, path)));
  }
  return hash.digest("hex").slice(0, 16);
}

function read(file: string): Known {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Known) : {};
  } catch {
    // Cut off while it was written: all are judged anew.
    return {};
  }
}
