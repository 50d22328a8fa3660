import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "#test/support/source/source.ts";
import type { Order, Said, TestResult } from "./batch.ts";
import { endLeftovers } from "./leftovers.ts";
import { logsSince } from "./process-logs.ts";

export type BatchSettings = {
  files: string[];
  /** Top-level tests by their names; all when there is none. */
  names?: string[];
  env?: Readonly<Record<string, string>>;
  /** Another copy of the tree. */
  cwd?: string;
  /** For one test. */
  timeoutMs: number;
  /** How long the process may take to end once its tests have; and processes that it has left to others. */
  endMs?: number;
  leftoversMs?: number;
  signal?: AbortSignal;
  onTest?(test: TestResult): void;
  /** What the process writes, as it comes. */
  onOutput?(text: string): void;
};

export type Failure = {
  /** Absent where the process failed, and no test of it. */
  path?: string[];
  files: string[];
  error: string;
  /** The last lines of the processes that it started. */
  logs: string[];
};

export type BatchResult = {
  tests: TestResult[];
  failures: Failure[];
  ms: number;
  /** Of the process and of all that it has started and seen end. */
  processorMs: number;
  /** What it wrote, to stdout and stderr. */
  output: string;
};

/** A process whose tests are through ends within this time, or is said not to. */
const END_MS = 30_000;
/** The time that a process may take to end after its test. */
const LEFTOVERS_MS = 10_000;
/** So long after a test's own limit the process is taken to hang. */
const HANG_MS = 60_000;
/** Times of files and of messages differ by less. */
const CLOCK_MS = 1_000;
/** Output is kept for a failure's sake. */
const OUTPUT_CHARS = 200_000;

/** Runs test files in one process, one after another. Resolves when it has ended, and with it all that it has started. */
export async function runBatch(settings: BatchSettings): Promise<BatchResult> {
  const { files, cwd = root, timeoutMs, signal } = settings;
  const id = randomUUID();
  const logFolder = join(tmpdir(), `parley-test-logs-${id}`);
  mkdirSync(logFolder);
  const order: Order = {
    files,
    timeoutMs,
    endMs: settings.endMs ?? END_MS,
    ...(settings.names && { names: settings.names }),
  };
  const result: BatchResult = { tests: [], failures: [], ms: 0, processorMs: 0, output: "" };
  const begin = performance.now();
  const child = fork(join(cwd, "test/runner/batch.ts"), [JSON.stringify(order)], {
    cwd,
    // Of its own group: Ctrl-C reaches the runner, which ends the tests in order.
    detached: true,
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...settings.env, TEST_BATCH: id, TEST_LOG_FOLDER: logFolder },
  });
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => {
      result.output = (result.output + text).slice(-OUTPUT_CHARS);
      settings.onOutput?.(text);
    });

  let current: { file: string; name: string } | undefined;
  let lastBegan = Date.now();
  let isThrough = false;
  let lastHeard = performance.now();
  const receive = (said: Said) => {
    lastHeard = performance.now();
    if (said.kind === "begins") {
      current = said;
      lastBegan = Date.now();
    } else if (said.kind === "through") {
      isThrough = true;
      result.processorMs = said.processorMs;
    } else {
      const { test } = said;
      result.tests.push(test);
      if (test.error !== undefined)
        result.failures.push({
          path: test.path,
          files: [test.file],
          error: test.error,
          logs: [...logsSince(logFolder, test.beganAt - CLOCK_MS), ...ownLines(result.output)],
        });
      settings.onTest?.(test);
    }
  };
  // Once what was written before the message has been read, too.
  child.on("message", (said: Said) => setImmediate(receive, said));
  const abort = () => child.kill("SIGTERM");
  signal?.addEventListener("abort", abort);
  const watch = setInterval(() => {
    if (performance.now() - lastHeard > timeoutMs + HANG_MS) child.kill("SIGKILL");
  }, 1_000);
  // When its output has come, too.
  const [code, by] = await once(child, "close");
  await new Promise(setImmediate);
  clearInterval(watch);
  signal?.removeEventListener("abort", abort);
  result.ms = performance.now() - begin;

  const whole = (error: string) =>
    result.failures.push({
      files,
      error: `${error}\n${tail(result.output)}`,
      logs: logsSince(logFolder, lastBegan - CLOCK_MS),
    });
  const at = current ? `${current.file}: ${current.name}` : "the loading of its files";
  if (!signal?.aborted) {
    if (!isThrough) whole(`The process of these files ended with ${by ?? code}, last in ${at}.`);
    else if (code !== 0 && !result.tests.some(({ outcome }) => outcome === "failed"))
      whole(`The process of these files ended with ${by ?? code}, though no test failed.`);
  }
  const left = await endLeftovers(id, settings.leftoversMs ?? LEFTOVERS_MS);
  if (left.length > 0) whole(`These files left processes behind, which are ended now:\n  ${left.join("\n  ")}`);
  rmSync(logFolder, { recursive: true, force: true });
  return result;
}

const LINES = 40;

/** What was written by services that a test starts in its own process, by the test and by those before it. */
const ownLines = (text: string): string[] =>
  text === "" ? [] : [`last lines of the tests' own process:\n${tail(text).replace(/^/gm, "  ")}`];

const tail = (text: string): string => text.trimEnd().split("\n").slice(-LINES).join("\n");
