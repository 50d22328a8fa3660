import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aFolder } from "#test/support/source/folder.ts";
import { RINGS } from "./rings.ts";
import { runBatch } from "./run-batch.ts";
import { type Failed, tryAgain, unitsOf } from "./second-try.ts";

const ring = RINGS[0]!;
const SOON_MS = 60_000;

test("what failed is tried again by itself: what passes then is flaky, what fails again is red", async () => {
  const folder = aFolder("second-try");
  const file = join(folder, "some.test.mjs");
  writeFileSync(
    file,
    `import { test } from "node:test";
     import { existsSync, writeFileSync } from "node:fs";
     test("flaky", async (t) => {
       await t.test("part", () => {
         if (existsSync("${folder}/tried")) return;
         writeFileSync("${folder}/tried", "");
         throw new Error("the first time");
       });
     });
     test("broken", () => { throw new Error("each time"); });`,
  );
  const { failures } = await runBatch({ files: [file], timeoutMs: SOON_MS });
  const units = unitsOf(failures.map((failure): Failed => ({ ...failure, ring })));
  const tried = await tryAgain(units, () => ({}), SOON_MS, new AbortController().signal);
  assert.deepEqual(
    tried.map(({ failed, passed }) => [failed.path, passed]),
    [
      [["flaky", "part"], true],
      [["broken"], false],
    ],
  );
  assert.deepEqual(
    tried[0]!.result.tests.map(({ path }) => path[0]),
    ["flaky", "flaky"],
    "by itself",
  );
});

test("two parts of one test are one second try", () => {
  const failed = (path: string[]): Failed => ({ ring, files: ["a.test.ts"], path, error: "", logs: [] });
  const units = unitsOf([failed(["a", "b"]), failed(["a", "c"]), failed(["d"])]);
  assert.deepEqual(
    units.map(({ path }) => path),
    [["a", "b"], ["d"]],
  );
});
