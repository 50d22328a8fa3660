import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MUTANTS, type Mutant } from "./mutants.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LEFT_BEHIND = /^(node_modules|\.git|\.data|console\/dist)(\/|$)/;
/** The same for every run. */
const SIMULATION = ["test/simulation/simulate.ts", "--seeds", "40", "--from", "1"];
/** A mutant may make a test wait for what never comes. */
const SUITE_WITHIN_MS = 180_000;

const say = (line: string) => process.stdout.write(`${line}\n`);

/** A copy of the tree as it is, over the same installed packages. */
function scratchCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), "parley-mutants-"));
  cpSync(ROOT, copy, {
    recursive: true,
    filter: (from) => !LEFT_BEHIND.test(from.slice(ROOT.length)),
  });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

const succeeds = (copy: string, suite: string): boolean => {
  const isUnit = suite.startsWith("src/domain/");
  const args = suite === "simulation" ? SIMULATION : isUnit ? ["--test", suite] : ["scripts/rings.mjs", suite];
  const options = { cwd: copy, timeout: SUITE_WITHIN_MS, killSignal: "SIGTERM", stdio: "ignore" } as const;
  return spawnSync(process.execPath, args, options).status === 0;
};

/** Breaks the copy, asks each suite, and puts the file back. Which of them saw it. */
function tryOn(copy: string, { file, from, to, suites }: Mutant): string[] {
  const path = join(copy, file);
  const whole = readFileSync(path, "utf8");
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    return suites.filter((suite) => !succeeds(copy, suite));
  } finally {
    writeFileSync(path, whole);
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((id) => !MUTANTS.some((it) => it.id === id));
if (unknown !== undefined) {
  process.stderr.write(`There is no mutant ${unknown}; test/mutants/mutants.ts lists them.\n`);
  process.exit(2);
}
const mutants = MUTANTS.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
const copy = scratchCopy();
try {
  const suites = [...new Set(mutants.flatMap((it) => it.suites))];
  const red = suites.filter((suite) => !succeeds(copy, suite));
  if (red.length > 0) throw new Error(`Unbroken, these fail already: ${red.join(", ")}`);
  let survived = 0;
  for (const mutant of mutants) {
    const caughtBy = tryOn(copy, mutant);
    if (caughtBy.length === 0) survived++;
    say(
      `${caughtBy.length > 0 ? "caught  " : "SURVIVED"} ${mutant.id}: ${mutant.breaks} (${caughtBy.join(", ") || "nobody"})`,
    );
  }
  say(`${mutants.length} mutants, ${mutants.length - survived} caught, ${survived} survived`);
  process.exitCode = survived === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
