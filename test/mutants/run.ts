// npm run mutants [-- id ...]: each promise broken on purpose, and which tests see it.
import { MUTANTS } from "./mutants.ts";

const wanted = process.argv.slice(2);
const unknown = wanted.find((id) => !MUTANTS.some((mutant) => mutant.id === id));
if (unknown !== undefined) {
  console.error(`There is no mutant ${unknown}; test/mutants/mutants.ts lists them.`);
  process.exit(2);
}
if (wanted.length > 0) process.env.PARLEY_TEST_ONLY = wanted.join(",");
process.argv.splice(2, process.argv.length, "test/mutants/caught.test.ts");
await import("#test/runner/run.ts");
