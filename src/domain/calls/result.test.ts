import assert from "node:assert/strict";
import { test } from "node:test";
import { callResult } from "./result.ts";

const answered = {
  status: "ended",
  reason: "user_hangup",
  answerer: "human",
  inVoicemail: false,
  durationMs: 9_000,
  hasContactSpoken: true,
} as const;
const unanswered = {
  ...answered,
  status: "not_connected",
  answerer: null,
  durationMs: 0,
  hasContactSpoken: false,
} as const;

test("a call in which the contact said nothing is no talk", () => {
  assert.equal(callResult(answered), "talked");
  assert.equal(callResult({ ...answered, hasContactSpoken: false }), "nothing_said");
  assert.equal(callResult({ ...answered, hasContactSpoken: undefined }), "connected");
});

test("a machine that answered is named, whatever it said", () => {
  for (const answerer of ["full_mailbox", "ivr", "call_screening"] as const) {
    assert.equal(callResult({ ...answered, answerer }), answerer);
  }
  assert.equal(callResult({ ...answered, answerer: "unknown", inVoicemail: true }), "voicemail");
});

test("a call that nobody answered has the reason, and one that goes on has no result yet", () => {
  assert.equal(callResult({ ...unanswered, reason: "dial_no_answer" }), "no_answer");
  assert.equal(callResult({ ...unanswered, reason: "dial_busy" }), "busy");
  assert.equal(callResult({ ...unanswered, reason: "user_declined" }), "declined");
  assert.equal(callResult({ ...unanswered, reason: null }), "failed");
  assert.equal(callResult({ ...answered, status: "ongoing", reason: null }), null);
});
