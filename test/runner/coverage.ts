// npm run coverage [-- files or folders | -- fuzz [--seconds N]]: the tests (or the fuzzer), and which lines of src they ran. Every process
// that ends in order is counted, those of the service too; what is killed on purpose takes its counts along.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "#test/support/source/source.ts";

/** What runs, by its first word; anything else is files for the tests. */
const PROGRAMS: Readonly<Record<string, string>> = { fuzz: join(root, "test/fuzz/run.ts") };

const [first = "", ...rest] = process.argv.slice(2);
const program = PROGRAMS[first];
const counts = mkdtempSync(join(tmpdir(), "parley-coverage-"));
try {
  const args = program ? [program, ...rest] : [join(root, "test/runner/run.ts"), ...process.argv.slice(2)];
  // Of functions that come from a compile cache the counts are coarse.
  const env = { ...process.env, NODE_V8_COVERAGE: counts, NODE_DISABLE_COMPILE_CACHE: "1" };
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env });
  const report = ["report", "--temp-directory", counts, "--merge-async", "--all", "--src", "src", "--extension", ".ts"];
  const only = ["--include", "src/**", "--exclude", "**/*.test.ts", "--reporter", "text", "--reporter", "text-summary"];
  spawnSync(join(root, "node_modules/.bin/c8"), [...report, ...only], { cwd: root, stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(counts, { recursive: true, force: true });
}
