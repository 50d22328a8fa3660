// Runs the tests over one PostgreSQL for all of them, but for the integration ring: where it can, that one runs over the oldest we support.
// Started by test.mjs, on Node 24. With CI=true a skipped test is a failure.
import { existsSync, globSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { inspect } from "node:util";
import { startEmbeddedPostgres } from "../src/app/embedded-postgres.ts";
import { processorTime, stolenShare } from "../test/support/stolen-time.ts";
import { ensureConsole } from "./console.mjs";
import { startDebianPostgres } from "./debian-postgres.mjs";
import { root } from "./install.mjs";
import { deadlocksIn, makeFolder, roomForData, TEST_SERVER } from "./test-server.mjs";

const ALL = ["src/**/*.test.ts", "contract/**/*.test.ts", "test/**/*.test.ts"];

/** Processes that are killed, stopped and starved: after the others, whose time they would take. Most of theirs is waiting. */
const FAULTS = "test/faults/";
const isLong = process.env.PARLEY_TEST_FAULTS === "long";
/** Figures that are shown are of one fault at a time, but for what it does itself. */
const FAULTS_AT_ONCE = isLong ? 1 : availableParallelism() + 1;

/** Programs of others that speak and listen in real time: nothing else runs that would make them late. */
const PEERS = ["test/peers/"];
/** So do these, whose ears take more of the machine than a telephone of the peers can spare. */
const EARS = [
  "src/app/plane/plane.test.ts",
  "test/acceptance/played-calls.test.ts",
  "test/acceptance/playground-calls.test.ts",
  "test/acceptance/spoken-handset.test.ts",
];

/** Most tests wait for more than half of their time: for a database, a timer, another process. So many keep two cores busy. */
const AT_ONCE = availableParallelism() + 3;

/**
 * The console in a real browser, over its build: after the others and one by one, for a page that is late looks like one that is broken. Beside
 * it runs the integration ring: together they take the time of one.
 */
const BROWSER = "test/browser/";

/** The tests that ask a database something. The statements of all the others are asked of the newest one. */
const INTEGRATION = ["src/store/", "test/integration/"];

const DEBIAN_POSTGRES = "/usr/lib/postgresql/15/bin";
const hasOldest = existsSync(join(DEBIAN_POSTGRES, "postgres"));
const OLDEST = "the integration ring on Debian's PostgreSQL 15";

/**
 * Files of a minute and more, the longest first: each of them begins with its ring, so that none is what everybody waits for in the end. Not
 * admission.test.ts, which overloads an api of its own: that comes slowly beside these.
 */
const LONGEST = [
  "test/acceptance/bad-input-fields.test.ts",
  "test/faults/api.test.ts",
  "test/browser/every-page.test.ts",
  "test/bench.test.ts",
  "test/faults/calls.test.ts",
  "test/acceptance/isolation-matrix.test.ts",
  "test/faults/postgres.test.ts",
  "test/faults/workers.test.ts",
  "test/acceptance/bad-input-ids.test.ts",
  "test/faults/restore.test.ts",
  "test/simulation/simulation.test.ts",
  "test/integration/dialer-recovery.test.ts",
];

/** A test that takes longer hangs, and so does a file, which has to end once its tests have; `npm run faults` has its own idea of time. */
const TEST_TIMEOUT_MS = isLong ? Number.POSITIVE_INFINITY : 600_000;
const FILE_TIMEOUT_MS = isLong ? Number.POSITIVE_INFINITY : 900_000;
const FILE_END = `${new URL("file-end.mjs", import.meta.url)}?ms=${FILE_TIMEOUT_MS}`;

/** What the closing list tells of each failure; the whole of it stands where it happened. */
const FAILURE_CHARS = 2_000;

/** What the servers tell, within the folder of their data. */
const LOGS = ["embedded/postgres/server.log", "debian/server.log"];

const isCi = process.env.CI === "true";

/** As node's runner counts, in the order of its closing lines. */
const LINES = {
  tests: "tests",
  suites: "suites",
  pass: "passed",
  fail: "failed",
  cancelled: "cancelled",
  skipped: "skipped",
  todo: "todo",
};

function wantedFiles(names) {
  if (names.length === 0) return glob(ALL);
  return names.flatMap((name) => {
    const path = relative(root, name);
    if (!existsSync(join(root, path))) throw new Error(`There is no test file or folder ${name}.`);
    return statSync(join(root, path)).isDirectory() ? glob([`${path}/**/*.test.ts`]) : [path];
  });
}

const glob = (patterns) => globSync(patterns, { cwd: root }).sort();

/** The same files, the longest first. */
function longestFirst(files) {
  const longest = LONGEST.filter((file) => files.includes(file));
  return [...longest, ...files.filter((file) => !longest.includes(file))];
}

/** Runs files over one server and prints what node's runner prints. Resolves to its counts, and to what was skipped and what failed. */
async function runFiles(files, adminUrl, signal, concurrency = availableParallelism()) {
  const skipped = [];
  const failures = [];
  let counts;
  const stream = run({
    cwd: root,
    files: longestFirst(files).map((file) => join(root, file)),
    concurrency,
    timeout: TEST_TIMEOUT_MS,
    execArgv: ["--import", FILE_END],
    signal,
    // test/support/database.ts clones its databases there.
    env: { ...process.env, PARLEY_TEST_ADMIN_URL: adminUrl },
  });
  stream.on("test:pass", ({ name, file, skip }) => {
    if (skip !== undefined)
      skipped.push(`${relative(root, file ?? "")}: ${name}${typeof skip === "string" ? ` (${skip})` : ""}`);
  });
  stream.on("test:fail", ({ name, file, details }) => {
    // A test whose part failed says no more than that.
    if (details.error.failureType !== "subtestsFailed")
      failures.push(`${relative(root, file ?? "")}: ${name}\n${inspect(details.error.cause ?? details.error)}`);
  });
  stream.on("test:summary", (summary) => {
    if (summary.file === undefined) counts = summary.counts;
  });
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
  return { counts, skipped, failures };
}

async function main() {
  const names = process.argv.slice(2);
  const files = wantedFiles(names);
  if (files.length === 0) throw new Error("There are no tests there.");
  const folder = makeFolder(tmpdir());
  const data = makeFolder(roomForData());
  // A thousand processes load the same files: what node makes of them is kept, which halves what each costs to start.
  process.env.NODE_COMPILE_CACHE ??= join(folder, "compiled");
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => interrupted.abort());

  const results = [];
  let deadlocks = [];
  const began = processorTime();
  try {
    const server = await startEmbeddedPostgres({
      dataDir: join(data, "embedded"),
      systemDir: join(folder, "system"),
      log: console.error,
      serverSettings: TEST_SERVER,
    });
    try {
      const [peers, ears, browser, faults, integration] = [
        PEERS,
        EARS,
        [BROWSER],
        [FAULTS],
        hasOldest ? INTEGRATION : [],
      ].map((prefixes) => files.filter((file) => prefixes.some((prefix) => file.startsWith(prefix))));
      const apart = [peers, ears, browser, faults, integration].flat();
      const others = files.filter((file) => !apart.includes(file));
      if (others.length > 0) results.push(await runFiles(others, server.adminUrl, interrupted.signal, AT_ONCE));
      for (const [inRealTime, atOnce] of [
        [peers, availableParallelism()],
        // Ears that are late are ears that are used elsewhere: one at a time.
        [ears, 1],
      ])
        if (inRealTime.length > 0 && !interrupted.signal.aborted)
          results.push(await runFiles(inRealTime, server.adminUrl, interrupted.signal, atOnce));
      const inBrowser = async () => {
        if (browser.length === 0 || interrupted.signal.aborted) return;
        if (!ensureConsole()) throw new Error("The console has to be built for the tests of it.");
        results.push(await runFiles(browser, server.adminUrl, interrupted.signal, 1));
      };
      const onOldest = async () => {
        if (integration.length === 0 || interrupted.signal.aborted) return;
        results.push(await onDebian(integration, data, interrupted.signal));
      };
      await Promise.all([inBrowser(), onOldest()]);
      if (names.length === 0 && !hasOldest) results.push(withoutOldest());
      if (faults.length > 0 && !interrupted.signal.aborted)
        results.push(await runFiles(faults, server.adminUrl, interrupted.signal, FAULTS_AT_ONCE));
    } finally {
      await server.stop();
    }
  } finally {
    deadlocks = LOGS.flatMap((log) => deadlocksIn(join(data, log)));
    for (const it of [folder, data]) rmSync(it, { recursive: true, force: true });
  }
  // What a run's length says depends on it.
  const share = stolenShare(began, processorTime());
  if (results.length > 1)
    console.log(`\nThe host gave ${Math.round(share * 100)} % of the processors' time to others.`);
  // Each cost a second, and a request that meets five in a row is lost. Some tests make one on purpose.
  if (deadlocks.length > 0) console.log(`\nDeadlocks: ${deadlocks.length}\n${deadlocks.join("\n\n")}`);
  conclude(results, interrupted.signal.aborted);
}

function withoutOldest() {
  const test = `${OLDEST} (${DEBIAN_POSTGRES}/postgres is missing)`;
  console.log(`\n﹣ ${OLDEST} # SKIP ${DEBIAN_POSTGRES}/postgres is missing`);
  return { counts: { tests: 1, skipped: 1 }, skipped: [test], failures: [] };
}

async function onDebian(files, folder, signal) {
  console.log(`\n${OLDEST}:`);
  const server = await startDebianPostgres(DEBIAN_POSTGRES, join(folder, "debian"));
  try {
    return await runFiles(files, server.adminUrl, signal);
  } finally {
    await server.stop();
  }
}

function conclude(results, wasInterrupted) {
  const total = (name) => results.reduce((sum, { counts }) => sum + (counts?.[name] ?? 0), 0);
  if (results.length > 1) {
    console.log("\nall rings together:");
    for (const [line, name] of Object.entries(LINES)) console.log(`ℹ ${line} ${total(name)}`);
  }
  // Again, since a log of which only the end was kept has to tell it too.
  const failures = results.flatMap((result) => result.failures);
  if (results.length > 1 && failures.length > 0)
    console.log(`\nwhat failed:\n${failures.map((it) => it.slice(0, FAILURE_CHARS)).join("\n\n")}`);
  const skipped = results.flatMap((result) => result.skipped);
  if (isCi && skipped.length > 0)
    console.log(`\nCI lets nothing be skipped:\n${skipped.map((test) => `  ${test}`).join("\n")}`);
  const failed =
    wasInterrupted || results.some(({ counts }) => counts === undefined) || total("failed") + total("cancelled") > 0;
  process.exitCode = failed || (isCi && skipped.length > 0) ? 1 : 0;
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
