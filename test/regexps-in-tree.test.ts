import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { root } from "#test/support/source/source.ts";

test("every regular expression that other people's text meets is linear", () => {
  // As `npm run lint` asks it, in a process in which no module is loaded yet.
  const { status, stderr } = spawnSync(process.execPath, ["scripts/check-regexps.ts"], { cwd: root, encoding: "utf8" });
  assert.equal(status, 0, stderr);
});
