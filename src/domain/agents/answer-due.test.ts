import assert from "node:assert/strict";
import { test } from "node:test";
import { planAnswer } from "./answer-due.ts";

const NOW = new Date("2026-11-24T10:00:00Z");

test("an answer is due after the agent's delay, and at once where the agent has none", () => {
  assert.deepEqual(planAnswer({ reply_delay_ms: 4_000 }, NOW).reply_due_at, new Date("2026-11-24T10:00:04Z"));
  assert.deepEqual(planAnswer({}, NOW).reply_due_at, NOW);
});

test("the answer to a new text has not failed yet, and waits for no person", () => {
  const { reply_due_at: _, ...rest } = planAnswer({}, NOW);
  assert.deepEqual(rest, { answer_failures: 0, answer_failing_since: null, person_wanted_at: null });
});
