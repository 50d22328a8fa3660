import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { SEED } from "#test/support/source/draw.ts";
import { fuzzer, lineOf } from "./fuzz.ts";

/** Enough for every operation some times over, however fast the machine is; the long run is `npm run fuzz`. */
const CASES = 2_000;

test("some thousand random requests break none of the checks", async (t) => {
  const api = await startApiProcess(t);
  const seed = Number(SEED);
  const fuzz = await fuzzer(api);
  const report = await fuzz(seed, { cases: CASES });
  t.diagnostic(`seed ${seed}: ${report.requests} requests, ${JSON.stringify(report.statuses)}`);
  assert.deepEqual(report.findings.map(lineOf), [], "npm run fuzz -- --seconds 0 --seed <the case's> sends it again");
  assert.deepEqual(report.distinct5xx, []);
  assert.deepEqual(api.complaints, []);
});
