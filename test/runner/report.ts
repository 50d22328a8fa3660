import type { TestResult } from "./batch.ts";
import type { Ring } from "./rings.ts";
import type { Failed } from "./second-try.ts";
import { titleOf } from "./second-try.ts";
import type { Ended } from "./stage.ts";

/** What the closing list has of each failure; the whole of it stands where it happened. */
const FAILURE_CHARS = 2_000;
const MINUTE_MS = 60_000;

export const say = (text = ""): void => void process.stdout.write(`${text}\n`);

const indented = (text: string, by: string): string => text.replace(/^/gm, by);

/** `npm test` with the words that run this failure again. */
export function commandOf({ files, path, only }: Failed, seed: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const name = path === undefined ? "" : ` --name ${quoted(path[0]!)}`;
  return `${only === undefined ? "" : `PARLEY_TEST_ONLY=${only} `}npm test -- ${files.join(" ")}${name} --seed ${seed}`;
}

/** A failure with all that its reader needs. */
export function failureText(failure: Failed, seed: string): string {
  return [
    `✖ ${titleOf(failure)}`,
    indented(failure.error, "    "),
    ...failure.logs.map((log) => indented(log, "    ")),
    `    seed ${seed}; again: ${commandOf(failure, seed)}`,
  ].join("\n");
}

/** The lines of a batch that has ended: a line for each file, what its tests said, and its failures. */
export function batchText({ batch, result }: Ended, failed: readonly Failed[], seed: string): string {
  const lines: string[] = [];
  for (const { file, only } of batch.pieces) {
    const tests = result.tests.filter((test) => test.file === file);
    const isRed = tests.some(({ outcome }) => outcome === "failed") || tests.length === 0;
    const ms = tests.filter(({ path }) => path.length === 1).reduce((sum, test) => sum + test.ms, 0);
    const skipped = tests.filter(({ outcome }) => outcome === "skipped");
    const counts = `${tests.length} tests, ${(ms / 1000).toFixed(1)} s`;
    lines.push(`${isRed ? "✖" : "✔"} ${batch.ring.name}: ${file}${only === undefined ? "" : ` ${only}`} (${counts})`);
    for (const test of skipped) lines.push(`  ﹣ ${test.path.join(" > ")} # SKIP ${test.skip}`);
    for (const test of tests) for (const text of test.diagnostics) lines.push(`  ℹ ${text}`);
  }
  return [...lines, ...failed.map((failure) => failureText(failure, seed))].join("\n");
}

/** One test of a run of named files. */
export function testText({ path, outcome, ms, skip, diagnostics }: TestResult): string {
  const mark = { passed: "✔", failed: "✖", skipped: "﹣" }[outcome];
  const line = `${"  ".repeat(path.length - 1)}${mark} ${path.at(-1)} (${ms.toFixed(1)} ms)${skip === undefined ? "" : ` # SKIP ${skip}`}`;
  return [line, ...diagnostics.map((text) => `${"  ".repeat(path.length)}ℹ ${text}`)].join("\n");
}

export type Counts = { passed: number; failed: number; skipped: number };

export function countsOf(tests: readonly TestResult[]): Counts {
  const of = (outcome: TestResult["outcome"]) => tests.filter((test) => test.outcome === outcome).length;
  return { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
}

/** What each ring took beside its budget. */
export function tableText(all: readonly Ended[]): string {
  const rings = [...new Set(all.map(({ batch }) => batch.ring))];
  const rows = rings.map((ring) =>
    rowOf(
      ring,
      all.filter(({ batch }) => batch.ring === ring),
    ),
  );
  const head = ["ring", "files", "tests", "failed", "skipped", "minutes", "processor min", "budget"];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  ");
  return [head, ...rows].map(line).join("\n");
}

function rowOf(ring: Ring, ended: readonly Ended[]): string[] {
  const tests = ended.flatMap(({ result }) => result.tests);
  const counts = countsOf(tests);
  const began = Math.min(...ended.map(({ beganMs }) => beganMs));
  const end = Math.max(...ended.map(({ beganMs, result }) => beganMs + result.ms));
  const processor = ended.reduce((sum, { result }) => sum + result.processorMs, 0) / MINUTE_MS;
  const files = new Set(ended.flatMap(({ batch }) => batch.pieces.map(({ file }) => file))).size;
  const minutes = (end - began) / MINUTE_MS;
  const over = processor > ring.budget ? `${ring.budget} (over)` : String(ring.budget);
  const numbers = [files, tests.length, counts.failed, counts.skipped].map(String);
  return [ring.name, ...numbers, minutes.toFixed(1), processor.toFixed(1), over];
}

/** Failures again at the end: a log of which only the end was kept has them too. */
export const closingFailures = (failed: readonly Failed[], seed: string): string =>
  failed.map((failure) => failureText({ ...failure, logs: [] }, seed).slice(0, FAILURE_CHARS)).join("\n\n");
