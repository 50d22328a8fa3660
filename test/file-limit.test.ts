import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "#test/support/source.ts";

/** Runs a script with the limit, as the rings run a test file. */
function run(script: string, limitMs: number): { status: number | null; stderr: string } {
  const limit = `${pathToFileURL(`${root}/scripts/file-limit.mjs`)}?ms=${limitMs}`;
  const { status, stderr } = spawnSync(process.execPath, ["--import", limit, "--eval", script], { encoding: "utf8" });
  return { status, stderr };
}

test("a test file that something keeps from ending is ended, and what keeps it is named", () => {
  const { status, stderr } = run("require('node:net').createServer().listen(0, '127.0.0.1')", 300);
  assert.equal(status, 1);
  assert.match(stderr, /has not ended after 300 ms/);
  assert.match(stderr, /"type":"tcp".*"ip4":"127\.0\.0\.1"/);
});

test("one that ends is not kept by its limit", () => {
  assert.deepEqual(run("", 600_000), { status: 0, stderr: "" });
});
