import assert from "node:assert/strict";
import { test } from "node:test";
import { abandonmentCounts, abandonsTooMany, isAbandoned, ringMs } from "./abandonment.ts";
import type { CallReport, Utterance } from "./report.ts";

const said = (role: Utterance["role"], startMs: number, endMs = startMs + 500): Utterance => ({
  role,
  text: "x",
  startMs,
  endMs,
  words: [],
});
const report = (utterances: Utterance[], more: Partial<CallReport> = {}): CallReport => ({
  status: "ended",
  reason: "user_hangup",
  dialedAt: "2026-03-02T17:00:00.000Z",
  endedAt: "2026-03-02T17:01:00.000Z",
  durationMs: 60_000,
  inVoicemail: false,
  voicemailLeft: false,
  utterances,
  latencies: [],
  requests: {},
  usage: { voiceCharacters: 0, speechToTextMs: 0, inputTokens: 0, outputTokens: 0 },
  ...more,
});

test("a call is abandoned when the agent's first word comes more than two seconds after the contact's greeting", () => {
  const hello = said("contact", 400, 1_000);
  assert.equal(isAbandoned(report([hello, said("agent", 3_000)])), false);
  assert.equal(isAbandoned(report([hello, said("agent", 3_001)])), true);
  // The person spoke twice before the agent answered: the wait began with the first utterance.
  assert.equal(isAbandoned(report([hello, said("contact", 2_500, 3_200), said("agent", 4_000)])), true);
});

test("where the contact says nothing before it the two seconds run from the answer", () => {
  assert.equal(isAbandoned(report([said("agent", 2_000)])), false);
  assert.equal(isAbandoned(report([said("agent", 2_001)])), true);
  assert.equal(isAbandoned(report([said("agent", 1_500), said("contact", 3_000)])), false);
  assert.equal(isAbandoned(report([said("agent", 2_500), said("contact", 3_000)])), true);
});

test("without a word of ours it is abandoned, unless the contact hung up before it had to wait", () => {
  assert.equal(isAbandoned(report([])), true);
  assert.equal(isAbandoned(report([], { durationMs: 2_000 })), false);
  assert.equal(isAbandoned(report([said("contact", 100, 1_000)], { durationMs: 3_000 })), false);
  assert.equal(isAbandoned(report([said("contact", 100, 1_000)], { durationMs: 3_001 })), true);
});

test("nobody is abandoned who is no person, and nobody knows of a call that was lost", () => {
  const late = [said("agent", 9_000)];
  for (const answerer of ["voicemail", "full_mailbox", "ivr", "call_screening"] as const)
    assert.equal(isAbandoned(report(late, { answerer })), false);
  assert.equal(isAbandoned(report(late, { inVoicemail: true })), false);
  assert.equal(isAbandoned(report(late, { status: "error" })), false);
  assert.equal(isAbandoned(report([], { status: "not_connected", durationMs: 0 })), false);
  assert.equal(isAbandoned(report(late, { answerer: "human" })), true);
});

test("calls are counted by the day of their end, and only those that a person answered", () => {
  assert.deepEqual(abandonmentCounts(report([said("agent", 0)])), ["calls_answered_2026-03-02"]);
  assert.deepEqual(abandonmentCounts(report([])), ["calls_answered_2026-03-02", "calls_abandoned_2026-03-02"]);
  assert.deepEqual(abandonmentCounts(report([], { inVoicemail: true })), []);
});

test("more than 3 % of the last 30 days are too many, but for a single call", () => {
  const now = new Date("2026-03-31T12:00:00.000Z");
  const on = (day: string, answered: number, abandoned: number) => ({
    [`calls_answered_${day}`]: answered,
    [`calls_abandoned_${day}`]: abandoned,
  });
  assert.equal(abandonsTooMany({}, now), false);
  assert.equal(abandonsTooMany(on("2026-03-31", 1, 1), now), false);
  assert.equal(abandonsTooMany(on("2026-03-31", 66, 2), now), true);
  assert.equal(abandonsTooMany(on("2026-03-31", 67, 2), now), false);
  assert.equal(abandonsTooMany({ ...on("2026-03-30", 33, 1), ...on("2026-03-31", 33, 1) }, now), true);
  // The 2nd is the thirtieth day, the 1st is past it.
  assert.equal(abandonsTooMany(on("2026-03-02", 10, 5), now), true);
  assert.equal(abandonsTooMany(on("2026-03-01", 10, 5), now), false);
  // Of old, a campaign's whole life without days.
  assert.equal(abandonsTooMany({ calls_answered: 10, calls_abandoned: 5 }, now), false);
});

test("a call rings for 15 seconds at least", () => {
  assert.deepEqual([5_000, 14_999, 15_000, 30_000].map(ringMs), [15_000, 15_000, 15_000, 30_000]);
});
