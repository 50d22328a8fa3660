import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startedBy } from "#test/support/children.ts";
import { until } from "#test/support/parley.ts";
import { root } from "#test/support/source.ts";

/** The arguments of a process as the rings run a test file. */
function aFile(t: TestContext, script: string, limitMs: number): string[] {
  const folder = mkdtempSync(join(tmpdir(), "parley-file-end-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "some.test.mjs");
  writeFileSync(file, script);
  return ["--import", `${pathToFileURL(`${root}/scripts/file-end.mjs`)}?ms=${limitMs}`, file];
}

test("a test file that something keeps from ending is ended, and what keeps it is named", (t) => {
  const script = `import { createServer } from "node:net"; createServer().listen(0, "127.0.0.1");`;
  const { status, stderr } = spawnSync(process.execPath, aFile(t, script, 300), { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /has not ended after 300 ms/);
  assert.match(stderr, /"type":"tcp".*"ip4":"127\.0\.0\.1"/);
});

test("one that ends is not kept by its limit", (t) => {
  const { status, stderr } = spawnSync(process.execPath, aFile(t, "", 600_000), { encoding: "utf8" });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
});

test("a test file that is told to end, as when a run is interrupted, leaves nothing behind that it started", async (t) => {
  // What it starts starts something itself.
  const sleeper = `require("node:child_process").spawn("sleep", ["60"])`;
  const script = `import { spawn } from "node:child_process"; spawn(process.execPath, ["--eval", ${JSON.stringify(sleeper)}]);`;
  const file = spawn(process.execPath, aFile(t, script, Number.POSITIVE_INFINITY), { stdio: "ignore" });
  t.after(() => file.kill("SIGKILL"));
  const exit = once(file, "exit");
  await until("it has started both", async () => startedBy(file.pid!).length === 2);
  const started = startedBy(file.pid!);
  file.kill("SIGTERM");
  assert.deepEqual(await exit, [143, null]);
  await until("both are gone", async () => !started.some(isAlive));
});

/** Linux only. One that has ended may be there still, as long as nobody has asked for its end. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
