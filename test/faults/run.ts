// npm run faults [-- F05 TEXTS ...] [--seed 7] [--kills 500] [--minutes 25] [--texts 100000] [--rate 200] [--lost 0.03] [--short]:
// the faults of this folder at full length. Without names all of them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "#test/support/source/source.ts";

const NUMBERS = ["seed", "kills", "minutes", "texts", "rate", "lost"] as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...(Object.fromEntries(NUMBERS.map((name) => [name, { type: "string" }])) as Record<
      (typeof NUMBERS)[number],
      { type: "string" }
    >),
    short: { type: "boolean" },
  },
});
for (const name of NUMBERS) {
  const value = values[name];
  if (value === undefined) continue;
  if (Number.isNaN(Number(value))) {
    console.error(`--${name} must be a number`);
    process.exit(1);
  }
  process.env[`PARLEY_TEST_${name.toUpperCase()}`] = value;
}
if (!values.short) process.env.PARLEY_TEST_FAULTS = "long";

/** The files that have faults of these names; without names all of them. */
function filesWith(names: readonly string[]): string[] {
  if (names.length === 0) return ["test/faults"];
  process.env.PARLEY_TEST_ONLY = names.join(",");
  const all = readdirSync(join(root, "test/faults"))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join("test/faults", name))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const missing = names.find((name) => !all.some(({ text }) => text.includes(`"${name}"`)));
  if (missing !== undefined) {
    console.error(`There is no fault ${missing}; test/faults/README.md lists them.`);
    process.exit(1);
  }
  return all.filter(({ text }) => names.some((name) => text.includes(`"${name}"`))).map(({ file }) => file);
}

process.argv.splice(2, process.argv.length, ...filesWith(positionals));
await import("#test/runner/run.ts");
