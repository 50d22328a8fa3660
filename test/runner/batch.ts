// One process for many test files, one after another: `batch.ts '<JSON of an Order>'`. What happens goes to the parent as messages of
// type Said. run-batch.ts starts it.
import { once } from "node:events";
import { relative } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";
import { endsWhenIdle, endWithAll, processorMs } from "./process-end.ts";

/** The options of a batch. */
export type Order = {
  /** From the root of the repository. */
  files: string[];
  /** Top-level tests by their whole names; all of them when there is none. */
  names?: string[];
  /** For each test, in milliseconds. */
  timeoutMs: number;
  /** How long the process may take to end once its tests have. */
  endMs: number;
};

/** One test, once it has ended; a test with parts after its parts. */
export type TestResult = {
  file: string;
  /** The names of the tests that it is a part of, and its own. */
  path: string[];
  outcome: "passed" | "failed" | "skipped";
  /** Why it was skipped. */
  skip?: string;
  /** What a failed one threw; absent where only a part of it failed. */
  error?: string;
  ms: number;
  /** When its top-level test began, by Date.now(); a little later at most. */
  beganAt: number;
  diagnostics: string[];
};

export type Said =
  | { kind: "begins"; file: string; name: string }
  | { kind: "ended"; test: TestResult }
  | { kind: "through"; processorMs: number };

/** An error as its reader needs it: an assertion's message has the difference already, and Node's own frames are nobody's. */
function textOf(error: unknown): string {
  const isAssertion = error instanceof Error && "code" in error && error.code === "ERR_ASSERTION";
  const text = isAssertion ? (error.stack ?? error.message) : inspect(error);
  return text.replace(/^ +at .*\bnode:.*(?:\n|$)/gm, "").trimEnd();
}

const say = (message: Said) => process.send?.(message);

/** The path of a test that an event is about: names of those that began and have not ended, by depth. */
const open: string[] = [];
let topBeganAt = Date.now();
/** Top-level tests that are known and not through. */
let waiting = 0;
/** A file may take long to load, before it says what it tests. */
let isLoaded = false;
/** Diagnostics come after the test that they are of. */
let last: TestResult | undefined;

function flush(): void {
  if (last !== undefined) say({ kind: "ended", test: last });
  last = undefined;
}

async function main(order: Order): Promise<void> {
  const stream = run({
    files: order.files,
    isolation: "none",
    timeout: order.timeoutMs,
    ...(order.names && { testNamePatterns: order.names.map((name) => new RegExp(`^${RegExp.escape(name)}$`)) }),
  });
  /** A part may be written in another file than its test, which is the one that is run. */
  let topFile = order.files[0]!;
  stream.on("test:dequeue", ({ name, nesting, file }) => {
    if (nesting > 0) return;
    topBeganAt = Date.now();
    say({ kind: "begins", file: relative(process.cwd(), file ?? ""), name });
  });
  stream.on("test:start", ({ name, nesting, file }) => {
    flush();
    if (nesting === 0) topFile = relative(process.cwd(), file ?? "");
    open.length = nesting;
    open[nesting] = name;
  });
  stream.on("test:enqueue", ({ nesting }) => {
    if (nesting > 0) return;
    isLoaded = true;
    waiting++;
  });
  stream.on("test:complete", ({ nesting }) => {
    if (nesting === 0) waiting--;
  });
  const ended = (nesting: number, name: string, rest: Omit<TestResult, "path" | "diagnostics" | "beganAt">) => {
    flush();
    // The stream may report a beginning after the fact.
    const beganAt = Math.min(topBeganAt, Date.now() - rest.ms);
    last = { ...rest, path: [...open.slice(0, nesting), name], beganAt, diagnostics: [] };
  };
  stream.on("test:pass", ({ name, nesting, skip, details }) => {
    if (details.type === "suite") return;
    const ms = details.duration_ms;
    if (skip === undefined) return ended(nesting, name, { file: topFile, outcome: "passed", ms });
    const reason = typeof skip === "string" ? skip : "";
    ended(nesting, name, { file: topFile, outcome: "skipped", skip: reason, ms });
  });
  stream.on("test:fail", ({ name, nesting, details }) => {
    const { failureType, cause } = details.error as Error & { failureType?: string };
    const error = failureType === "subtestsFailed" ? undefined : textOf(cause ?? details.error);
    ended(nesting, name, { file: topFile, outcome: "failed", ms: details.duration_ms, error });
  });
  stream.on("test:diagnostic", ({ message, file }) => {
    // The closing counts have no file.
    if (file !== undefined) last?.diagnostics.push(message);
  });
  // Node takes tests to be through when nothing keeps their process: a forgotten server would hang a whole run.
  const forgotten = endsWhenIdle(order.endMs, () => isLoaded && waiting === 0, flush);
  stream.resume();
  await once(stream, "end");
  clearInterval(forgotten);
  flush();
  say({ kind: "through", processorMs: processorMs() });
  process.disconnect?.();
}

// A run that is interrupted: what the tests have started would otherwise go on without them.
process.once("SIGTERM", () => endWithAll(143));
await main(JSON.parse(process.argv[2]!) as Order);
