import type { ProcessorTime } from "#test/support/processes/stolen-time.ts";
import { busySeconds, processorTime, stolenShare } from "#test/support/processes/stolen-time.ts";
import { nameOf } from "./pieces.ts";
import { closingFailures, countsOf, say, tableText } from "./report.ts";
import type { Run } from "./run.ts";
import { MOST_FLAKY, noteFlaky, reasonOf, titleOf, unitsOf } from "./second-try.ts";

const MINUTE_MS = 60_000;

/** Says what a run has come to. Whether it is green. */
export function conclude(run: Run, began: ProcessorTime): boolean {
  const { seed } = run.options;
  const isCi = process.env.CI === "true";
  const tests = run.ended.flatMap(({ result }) => result.tests);
  const skipped = [
    ...tests
      .filter(({ outcome }) => outcome === "skipped")
      .map(({ file, path, skip }) => `${file}: ${path.join(" > ")} (${skip})`),
    ...run.missing,
  ];
  const flakyUnits = new Set(run.flaky);
  const red = unitsOf(run.failures).filter((unit) => !flakyUnits.has(unit));

  say(`\n${tableText(run.ended)}`);
  const now = processorTime();
  const minutes = (now.atMs - began.atMs) / MINUTE_MS;
  say(
    `\n${minutes.toFixed(1)} minutes, ${busySeconds(began, now).toFixed(0)} s of the machine's processors; ` +
      `the host gave ${(stolenShare(began, now) * 100).toFixed(0)} % of their time to others`,
  );
  // Each cost a second, and a request that meets five in a row is lost. Some tests make one on purpose.
  if (run.deadlocks.length > 0) say(`\nDeadlocks: ${run.deadlocks.length}\n${run.deadlocks.join("\n\n")}`);
  if (run.left.length > 0)
    say(`\nNot reached: ${run.left.map((piece) => `${piece.ring.name}: ${nameOf(piece)}`).join(" · ")}`);
  if (skipped.length > 0)
    say(`\n${isCi ? "CI lets nothing be skipped" : "Skipped"}:\n${skipped.map((name) => `  ${name}`).join("\n")}`);
  // Where files are run by name it stands right above.
  if (red.length > 0 && !run.isNamed) say(`\nWhat failed:\n${closingFailures(red, seed)}`);
  if (run.flaky.length > 0) {
    noteFlaky(run.flaky, seed, new Date());
    say("");
    for (const failure of run.flaky) say(`FLAKY: ${titleOf(failure)}: ${reasonOf(failure)}`);
    say("Each failed and then passed by itself; test/flaky.md has it now, to be mended.");
    if (run.flaky.length > MOST_FLAKY)
      say(`More than ${MOST_FLAKY} in one run: something is wrong with the tests, or with this machine.`);
  }
  if (run.wasInterrupted) say("\nInterrupted.");
  const counts = countsOf(tests);
  say(
    `\n${counts.passed} passed, ${red.length === 0 ? 0 : counts.failed} failed, ${counts.skipped + run.missing.length} skipped`,
  );
  return (
    !run.wasInterrupted &&
    tests.length > 0 &&
    red.length === 0 &&
    run.flaky.length <= MOST_FLAKY &&
    !(isCi && skipped.length > 0)
  );
}
