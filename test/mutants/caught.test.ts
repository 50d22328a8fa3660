import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runBatch } from "#test/runner/run-batch.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";
import type { Mutant } from "./mutant.ts";
import { MUTANTS } from "./mutants.ts";

const LEFT_BEHIND = /^(node_modules|\.git|\.data|console\/dist)(\/|$)/;
/** The same for every run. */
const SIMULATION = ["test/simulation/simulate.ts", "--seeds", "40", "--from", "1"];
/** A mutant may make a test wait for what never comes. */
const SUITE_WITHIN_MS = 300_000;

/** Chosen by `npm run mutants -- id ...` and by the ring, which gives each a process of its own. */
const only = process.env.PARLEY_TEST_ONLY?.split(",");

test("promises that are broken on purpose", { timeout: 20 * SUITE_WITHIN_MS }, async (t) => {
  // A copy of the tree as it is, over the same installed packages.
  const copy = aFolder("mutants");
  cpSync(root, copy, { recursive: true, filter: (from) => !LEFT_BEHIND.test(from.slice(root.length + 1)) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

  for (const mutant of MUTANTS.filter(({ id }) => only?.includes(id) ?? true)) {
    await t.test(`${mutant.id}: a test sees that ${mutant.breaks}`, async (t) => {
      const suite = await firstToFail(copy, mutant);
      assert.ok(suite !== undefined, `it survived ${mutant.suites.join(", ")}`);
      assert.ok(await isGreenUnbroken(copy, suite), `${suite} fails without the mutant, too`);
      t.diagnostic(`caught by ${suite}`);
    });
  }
});

/** Breaks the copy, asks one suite after another, and puts the file back. The first that sees it. */
async function firstToFail(copy: string, { file, from, to, suites }: Mutant): Promise<string | undefined> {
  const path = join(copy, file);
  const whole = readFileSync(path, "utf8");
  const broken = whole.replace(from, () => to);
  writeFileSync(path, broken);
  try {
    for (const suite of suites) if (!(await succeeds(copy, suite))) return suite;
    return undefined;
  } finally {
    writeFileSync(path, whole);
  }
}

async function succeeds(copy: string, suite: string): Promise<boolean> {
  if (suite === "simulation") return simulationSucceeds(copy);
  const { tests, failures } = await runBatch({ files: [suite], cwd: copy, timeoutMs: SUITE_WITHIN_MS });
  return tests.length > 0 && failures.length === 0;
}

async function simulationSucceeds(copy: string): Promise<boolean> {
  const signal = AbortSignal.timeout(SUITE_WITHIN_MS);
  const child = spawn(process.execPath, SIMULATION, { cwd: copy, stdio: "ignore", killSignal: "SIGTERM", signal });
  child.on("error", () => {});
  const [code] = await once(child, "exit");
  return code === 0;
}

/** Whether a suite passes without any mutant: one that fails anyway catches nothing. Asked once in a run, by whichever process comes first. */
async function isGreenUnbroken(copy: string, suite: string): Promise<boolean> {
  const folder = process.env.TEST_RUN_FOLDER ?? copy;
  const mark = join(folder, `unbroken-${suite.replaceAll("/", "_")}`);
  if (existsSync(mark)) return true;
  const isGreen = await succeeds(copy, suite);
  if (isGreen) writeFileSync(mark, "");
  return isGreen;
}
