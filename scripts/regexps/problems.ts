import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findRegexps } from "./found.ts";
import { judgeAll } from "./judged.ts";
import { UNCHECKED } from "./problem.ts";

/** Minutes of work for all of them: what was judged once is known, until a judge changes. */
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
  // Those of other trees over the same packages stay, too: a mutant changes one and leaves the rest.
  const judged: Known = Object.fromEntries(Object.entries(known).filter(([key]) => key.startsWith(judges)));
  const keyOf = ({ source, flags }: { source: string; flags: string }) => `${judges} /${source}/${flags}`;
  const unknown = new Map(
    found.filter((regexp) => judged[keyOf(regexp)] === undefined).map((one) => [keyOf(one), one]),
  );
  const fresh = new Map([...(await judgeAll([...unknown.values()]))].map(([one, problem]) => [keyOf(one), problem]));
  for (const regexp of found) {
    const key = keyOf(regexp);
    const problem = judged[key] === undefined ? fresh.get(key)! : judged[key];
    if (problem !== null) problems.push(`${regexp.place} ${problem}`);
    // What a busy machine had no time for is no judgement.
    if (!problem?.startsWith(UNCHECKED)) judged[key] = problem;
  }
  // At once: several trees read and write it at one time.
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(judged));
  renameSync(`${file}.${process.pid}`, file);
  return problems;
}

/** Of what judges: the checker's version, and how it is called. */
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
    // Not ours, or broken: all are judged anew.
    return {};
  }
}
