import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startedBy } from "#test/support/processes/children.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";
import { until } from "#test/support/time/until.ts";
import type { Order } from "./batch.ts";
import { runBatch } from "./run-batch.ts";

const SOON_MS = 60_000;
const FOLDER = new URL("../support/source/folder.ts", import.meta.url).href;

/** Test files in a folder of their own, which `{folder}` in them names. */
function filesOf(...scripts: string[]): string[] {
  const folder = aFolder("batch");
  return scripts.map((script, i) => {
    const file = join(folder, `${i}.test.mjs`);
    writeFileSync(file, `import { test } from "node:test";\n${script.replaceAll("{folder}", folder)}`);
    return file;
  });
}

const runFiles = (files: string[], names?: string[]) =>
  runBatch({ files, timeoutMs: SOON_MS, ...(names && { names }) });

/** What is left of a result when times are taken away. */
const outcomes = ({ tests }: Awaited<ReturnType<typeof runBatch>>) =>
  tests.map(({ path, outcome }) => `${path.join(" > ")}: ${outcome}`);

test("files run in one process, one after another, and each test is reported with the names above it", async () => {
  const files = filesOf(
    `test("one", async (t) => { t.diagnostic(String(process.pid)); await t.test("part", () => {}); });
     test("two", { skip: "not here" }, () => {});`,
    `test("three", (t) => { t.diagnostic(String(process.pid)); throw new Error("three is wrong"); });`,
  );
  const result = await runFiles(files);
  assert.deepEqual(outcomes(result), ["one > part: passed", "one: passed", "two: skipped", "three: failed"]);
  assert.deepEqual(new Set(result.tests.flatMap(({ diagnostics }) => diagnostics)).size, 1, "one process");
  assert.deepEqual(
    result.failures.map(({ path, error }) => [path, error.split("\n")[0]]),
    [[["three"], "Error: three is wrong"]],
  );
  assert.match(result.failures[0]!.error, /at .*1\.test\.mjs:2/);
  assert.doesNotMatch(result.failures[0]!.error, /node:/, "Node's own frames are left out");
  assert.ok(result.processorMs > 0);
});

test("a test that only failed in a part is not reported twice", async () => {
  const [file] = filesOf(`test("whole", async (t) => { await t.test("part", () => { throw new Error("here"); }); });`);
  const result = await runFiles([file!]);
  assert.deepEqual(outcomes(result), ["whole > part: failed", "whole: failed"]);
  assert.deepEqual(
    result.failures.map(({ path }) => path),
    [["whole", "part"]],
  );
});

test("one test is run by its whole name, with its parts", async () => {
  const [file] = filesOf(`test("a (1)", async (t) => { await t.test("part", () => {}); }); test("a (1) b", () => {});`);
  assert.deepEqual(outcomes(await runFiles([file!], ["a (1)"])), ["a (1) > part: passed", "a (1): passed"]);
});

test("a failure shows the last lines of the processes that its test has started, and not of others'", async () => {
  const log = new URL("../support/processes/process-log.ts", import.meta.url).href;
  const [file] = filesOf(
    `import { keepLog } from "${log}";
     import { utimesSync } from "node:fs";
     test("first", () => {
       keepLog("api", 1, "of the first\\n");
       utimesSync(process.env.TEST_LOG_FOLDER + "/api 1.log", 0, 0);
     });
     test("second", () => { for (let i = 1; i <= 60; i++) keepLog("worker", 2, "line " + i + "\\n"); console.error("own words"); throw new Error("x"); });`,
  );
  const [failure, ...more] = (await runFiles([file!])).failures;
  assert.deepEqual(more, []);
  assert.equal(failure!.logs.length, 2);
  assert.match(failure!.logs[1]!, /own process:\n {2}own words$/);
  const [head, ...lines] = failure!.logs[0]!.split("\n");
  assert.equal(head, "last lines of worker 2:");
  assert.deepEqual([lines.length, lines[0], lines.at(-1)], [40, "  line 21", "  line 60"]);
});

test("a process that dies under a test is a failure that names the test", async () => {
  const [file] = filesOf(
    `test("fine", () => {}); test("deadly", () => { console.error("last words"); process.exit(3); });`,
  );
  const { failures } = await runFiles([file!]);
  assert.match(failures[0]!.error, /ended with 3, last in .*0\.test\.mjs: deadly[\s\S]*last words/);
});

test("a file that something keeps from ending is ended, and what keeps it is named", async () => {
  const [file] = filesOf(
    `import { createServer } from "node:net"; createServer().listen(0, "127.0.0.1"); test("fine", () => {});`,
  );
  const { failures } = await runBatch({ files: [file!], timeoutMs: SOON_MS, endMs: 300 });
  assert.match(failures[0]!.error, /has not ended after 300 ms/);
  assert.match(failures[0]!.error, /"type":"tcp".*"ip4":"127\.0\.0\.1"/);
});

test("a file may take longer to load than its process may take to end", async () => {
  const [file] = filesOf(`await new Promise((resolve) => setTimeout(resolve, 1_500)); test("loaded", () => {});`);
  const { tests, failures } = await runBatch({ files: [file!], timeoutMs: SOON_MS, endMs: 300 });
  assert.deepEqual([tests.map(({ outcome }) => outcome), failures], [["passed"], []]);
});

test("a process that a test leaves behind is named and ended", { skip: process.platform !== "linux" }, async () => {
  const [file] = filesOf(
    `import { spawn } from "node:child_process";
     import { writeFileSync } from "node:fs";
     test("leaves one", () => {
       const child = spawn("sleep", ["600"], { stdio: "ignore", detached: true });
       child.unref();
       writeFileSync("{folder}/pid", String(child.pid));
     });`,
  );
  const { failures } = await runBatch({ files: [file!], timeoutMs: SOON_MS, leftoversMs: 0 });
  assert.match(failures[0]!.error, /left processes behind[\s\S]*sleep 600/);
  const pid = Number(readFileSync(file!.replace("0.test.mjs", "pid"), "utf8"));
  await until("it has gone", async () => !isAlive(pid));
});

test("a test's temporary folder is removed once its process exits, whatever a hook has still written there", async () => {
  const [file] = filesOf(
    `import { writeFileSync } from "node:fs";
     import { aFolder } from "${FOLDER}";
     test("writes late", (t) => {
       const made = aFolder("late");
       writeFileSync("{folder}/made", made);
       t.after(() => writeFileSync(made + "/late", ""));
     });`,
  );
  assert.deepEqual((await runFiles([file!])).failures, []);
  const made = readFileSync(file!.replace("0.test.mjs", "made"), "utf8");
  assert.match(made, /parley-late-\w{6}$/);
  assert.equal(existsSync(made), false);
});

test("a batch that is ended, as when a run is interrupted, leaves nothing behind that it started", async (t) => {
  // What it starts starts something itself.
  const sleeper = `require("node:child_process").spawn("sleep", ["60"])`;
  const [file] = filesOf(
    `import { spawn } from "node:child_process";
     import { writeFileSync } from "node:fs";
     import { aFolder } from "${FOLDER}";
     writeFileSync("{folder}/made", aFolder("late"));
     test("starts", () => new Promise(() => { spawn(process.execPath, ["--eval", ${JSON.stringify(sleeper)}]); setInterval(() => {}, 1000); }));`,
  );
  const order: Order = { files: [file!], timeoutMs: SOON_MS, endMs: SOON_MS };
  const batch = spawn(process.execPath, [join(root, "test/runner/batch.ts"), JSON.stringify(order)], {
    stdio: "ignore",
  });
  t.after(() => batch.kill("SIGKILL"));
  const exit = once(batch, "exit");
  await until("it has started both", async () => startedBy(batch.pid!).length >= 2);
  const started = startedBy(batch.pid!);
  batch.kill("SIGTERM");
  assert.deepEqual(await exit, [143, null]);
  await until("both are gone", async () => !started.some(isAlive));
  assert.equal(existsSync(readFileSync(file!.replace("0.test.mjs", "made"), "utf8")), false);
});

/** Linux only. One that has ended may be there still, as long as nobody has asked for its end. */
function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
