import assert from "node:assert/strict";
import { test } from "node:test";
import { latencySummary } from "./latency.ts";

test("each stage is summed up over the turns that passed it, by values that were measured", () => {
  const turns = [400, 100, 300, 200].map((totalMs, i) => ({
    atMs: i * 1_000,
    totalMs,
    ...(i < 2 ? { modelMs: totalMs / 2 } : {}),
  }));
  const { e2e, llm, ...others } = latencySummary(turns);
  assert.deepEqual(e2e, {
    p50: 200,
    p90: 400,
    p95: 400,
    p99: 400,
    min: 100,
    max: 400,
    num: 4,
    values: [400, 100, 300, 200],
  });
  assert.deepEqual([llm?.num, llm?.p50, llm?.max], [2, 50, 200]);
  assert.deepEqual(others, {}, "no turn passed the others");
});

test("a call in which the agent answered nothing has no latency", () => assert.deepEqual(latencySummary([]), {}));
