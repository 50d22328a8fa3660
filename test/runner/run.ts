// Runs tests by rings (rings.ts) and reports what each took: `npm test`, `npm run test:long`. Started by scripts/test.mjs, on Node 24. With
// CI=true a skipped test is a failure.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { processorTime } from "#test/support/processes/stolen-time.ts";
import { root } from "#test/support/source/source.ts";
import { conclude } from "./conclude.ts";
import { type Durations, readDurations } from "./durations.ts";
import { forgetState, readState, saveState } from "./long-state.ts";
import { type Options, readOptions } from "./options.ts";
import { type Batch, batchesOf, drawnShare, namedPieces, type Piece, piecesOf } from "./pieces.ts";
import { batchText, failureText, say, testText } from "./report.ts";
import { OVER_CLUSTER_AT_ONCE, RINGS, type Ring, STAGE_AT_ONCE } from "./rings.ts";
import { type Failed, MOST_TRIED_AGAIN, titleOf, tryAgain, unitsOf } from "./second-try.ts";
import { OLDEST, type Servers, startServers } from "./servers.ts";
import { type Ended, runStage } from "./stage.ts";
import { watch } from "./watch.ts";

/** For one test; `npm run faults` has its own idea of time. */
const TEST_TIMEOUT_MS = process.env.PARLEY_TEST_FAULTS === "long" ? 2_000_000_000 : 600_000;
const MINUTE_MS = 60_000;

/** What a run has come to so far. */
export type Run = {
  options: Options;
  /** Files that somebody names are run to be looked at: each test is shown, and a failure is not tried again. */
  isNamed: boolean;
  ended: Ended[];
  failures: Failed[];
  /** Of these, what passed when it was run by itself. */
  flaky: Failed[];
  /** What could not be run here, beside what tests say themselves. */
  missing: string[];
  /** For what there was no time. */
  left: Piece[];
  deadlocks: string[];
  wasInterrupted: boolean;
};

function wantedPieces({ command, wanted, share }: Options, durations: Durations): { pieces: Piece[]; left: Piece[] } {
  if (command !== "long") return { pieces: wanted.length === 0 ? piecesOf(command) : namedPieces(wanted), left: [] };
  const long = RINGS.filter((ring) => ring.command === "long").map(({ name }) => name);
  const unknown = wanted.find((name) => !long.includes(name));
  if (unknown !== undefined) throw new Error(`There is no ring ${unknown}; there are ${long.join(", ")}.`);
  const pieces = piecesOf("long").filter(({ ring }) => wanted.length === 0 || wanted.includes(ring.name));
  return share ? drawnShare(pieces, durations, share) : { pieces, left: [] };
}

/** What the tests of a ring find in their environment. */
function environment({ seed, command, wanted }: Options, servers: Servers): (ring: Ring) => Record<string, string> {
  const isWhole = command !== "test" || wanted.length > 0;
  return (ring) => ({
    PARLEY_TEST_SEED: seed,
    PARLEY_TEST_EXTENT: isWhole ? "whole" : "sample",
    // test/support/database/database.ts clones its databases there.
    PARLEY_TEST_ADMIN_URL: (ring.oldest && servers.oldest) || servers.newest,
  });
}

const atOnceOf = ({ command }: Options): number => (command === "citus" ? OVER_CLUSTER_AT_ONCE : STAGE_AT_ONCE);

function batchesFor(pieces: readonly Piece[], durations: Durations, options: Options): Batch[] {
  const rings = new Set(pieces.map(({ ring }) => ring));
  return [...rings].flatMap((ring) => {
    const own = pieces.filter((piece) => piece.ring === ring);
    return batchesOf(own, durations, options.seed, ring.atOnce ?? atOnceOf(options));
  });
}

async function runAll(options: Options, durations: Durations, signal: AbortSignal): Promise<Run> {
  const run: Run = {
    options,
    isNamed: options.command !== "long" && options.wanted.length > 0,
    ended: [],
    failures: [],
    flaky: [],
    missing: [],
    left: [],
    deadlocks: [],
    wasInterrupted: false,
  };
  if (options.command === "citus" && !process.env.PARLEY_TEST_CITUS_URL)
    throw new Error(
      "PARLEY_TEST_CITUS_URL is not set: it leads a superuser to a cluster's coordinator (docs/citus.md).",
    );
  const { pieces: all, left } = wantedPieces(options, durations);
  run.left.push(...left);
  const green = options.resume ? (readState()?.green ?? []) : [];
  if (options.resume)
    say(green.length > 0 ? `Green already, for this tree: ${green.join(", ")}.` : "Nothing is kept of this tree.");
  const pieces = all.filter(({ ring }) => !green.includes(ring.name));
  const wantsOldest = pieces.some(({ ring }) => ring.oldest);
  const servers = await startServers(wantsOldest);
  try {
    if (wantsOldest && servers.oldest === undefined && options.wanted.length === 0)
      run.missing.push(`the integration ring on Debian's PostgreSQL 15: ${OLDEST}/postgres is missing`);
    await runStages(run, pieces, green, { servers, durations, signal });
    if (!signal.aborted) await tryFailuresAgain(run, environment(options, servers), signal);
  } finally {
    run.deadlocks = await servers.stop();
    run.wasInterrupted = signal.aborted;
    durations.save(options.keepDurations);
  }
  return run;
}

type Means = { servers: Servers; durations: Durations; signal: AbortSignal };

async function runStages(
  run: Run,
  pieces: Piece[],
  green: string[],
  { servers, durations, signal }: Means,
): Promise<void> {
  const { options, isNamed } = run;
  const { seed, share, names } = options;
  const deadlineMs = share && performance.now() + share.minutes * MINUTE_MS;
  for (const stage of [...new Set(pieces.map(({ ring }) => ring.stage))].sort((a, b) => a - b)) {
    if (signal.aborted) return;
    const own = pieces.filter(({ ring }) => ring.stage === stage);
    if (own.some(({ file }) => file.startsWith("test/browser/"))) buildConsole();
    const left = await runStage(batchesFor(own, durations, options), {
      environmentOf: environment(options, servers),
      atOnce: atOnceOf(options),
      ...(names && { names }),
      ...(deadlineMs !== undefined && { deadlineMs }),
      timeoutMs: TEST_TIMEOUT_MS,
      durations,
      signal,
      ...(isNamed && { onTest: (test) => say(testText(test)), onOutput: (text) => void process.stdout.write(text) }),
      onEnd(ended) {
        const { ring, pieces: its } = ended.batch;
        const failed = ended.result.failures.map((failure): Failed => ({ ...failure, ring, only: its[0]!.only }));
        run.ended.push(ended);
        run.failures.push(...failed);
        if (!isNamed) say(batchText(ended, failed, seed));
        else for (const failure of failed) say(failureText(failure, seed));
      },
    });
    run.left.push(...left);
    const red = new Set(run.failures.map(({ ring }) => ring.name));
    green.push(...new Set(own.map(({ ring }) => ring.name).filter((name) => !red.has(name))));
    if (isWholeLong(options) && !signal.aborted) saveState(seed, green);
  }
}

/** The tests of the console are of its build. */
function buildConsole(): void {
  const { status } = spawnSync(process.execPath, [join(root, "scripts/console.mjs")], { stdio: "inherit" });
  if (status !== 0) throw new Error("The console has to be built for the tests of it.");
}

const isWholeLong = ({ command, wanted, share }: Options): boolean =>
  command === "long" && wanted.length === 0 && !share;

async function tryFailuresAgain(
  run: Run,
  environmentOf: (ring: Ring) => Record<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const units = unitsOf(run.failures);
  if (units.length === 0 || units.length > MOST_TRIED_AGAIN || run.isNamed) return;
  say(`\nOnce more, one by one: ${units.map(titleOf).join(" · ")}`);
  for (const { failed, passed, result } of await tryAgain(units, environmentOf, TEST_TIMEOUT_MS, signal)) {
    if (passed) run.flaky.push(failed);
    else for (const failure of result.failures) say(failureText({ ...failed, ...failure }, run.options.seed));
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.watch) return watch(options);
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.abort());
  const began = processorTime();
  say(`seed ${options.seed}`);
  const run = await runAll(options, readDurations(), interrupted.signal);
  const isGreen = conclude(run, began);
  if (isGreen && isWholeLong(options)) forgetState();
  process.exitCode = isGreen ? 0 : 1;
}

await main().catch((error) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
