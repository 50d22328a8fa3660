import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_REDIAL, type EndedCall, failuresInARow, nextCall, recipientAfter } from "./redial.ts";

const ENDED_AT = "2026-03-02T15:00:00.000Z";
const AN_HOUR_LATER = new Date("2026-03-02T16:00:00.000Z");
const CALLBACK_AT = "2026-03-03T09:00:00.000Z";

const unanswered = {
  status: "not_connected",
  reason: "dial_no_answer",
  inVoicemail: false,
  requests: {},
  endedAt: ENDED_AT,
} as const;
const wantsCallback = { ...unanswered, requests: { callback: { at: CALLBACK_AT } } } as Parameters<typeof nextCall>[1];
const first: EndedCall = {
  isErased: false,
  isStopped: false,
  isRestored: false,
  n: 1,
  campaign: { isDeleted: false, redial: DEFAULT_REDIAL, endsAt: null },
};

test("who does not answer is called again after the campaign's delay, up to its number of calls", () => {
  assert.deepEqual(nextCall(first, unanswered), { purpose: "redial", at: AN_HOUR_LATER });
  assert.equal(nextCall({ ...first, n: DEFAULT_REDIAL.max_attempts }, unanswered), undefined);
});

test("a callback that the contact asked for comes instead of a redial, and also outside of a campaign", () => {
  const callback = { purpose: "callback", at: new Date(CALLBACK_AT) };
  assert.deepEqual(nextCall(first, wantsCallback), callback);
  assert.deepEqual(nextCall({ ...first, n: undefined }, wantsCallback), callback);
  assert.deepEqual(nextCall({ ...first, isStopped: true }, wantsCallback), callback);
});

for (const [why, call] of Object.entries({
  "of a contact that was erased": { ...first, isErased: true },
  "of a deleted campaign": { ...first, campaign: { ...first.campaign, isDeleted: true } },
})) {
  test(`nothing follows a call ${why}`, () => {
    assert.equal(nextCall(call, unanswered), undefined);
    assert.equal(nextCall(call, wantsCallback), undefined);
  });
}

for (const [why, call] of Object.entries({
  "that was stopped": { ...first, isStopped: true },
  "that was lost with a restore": { ...first, isRestored: true },
  "that is of no voice campaign": { ...first, n: undefined },
  "after whose delay the campaign is over": { ...first, campaign: { ...first.campaign, endsAt: AN_HOUR_LATER } },
})) {
  test(`no redial follows a call ${why}`, () => assert.equal(nextCall(call, unanswered), undefined));
}

test("nothing follows a call in which the contact opted out", () => {
  const optedOut = { ...wantsCallback, requests: { ...wantsCallback.requests, optOut: { quote: "stop" } } };
  assert.equal(nextCall(first, optedOut), undefined);
});

test("who answered and was not talked with has a reason, and is called again no more than who was", () => {
  const call = { voicemailLeft: false, again: false, optedOut: false };
  assert.deepEqual(recipientAfter("connected", { ...call, untalked: null }), { state: "completed", reason: null });
  assert.deepEqual(recipientAfter("connected", { ...call, untalked: "nothing_said" }), {
    state: "completed",
    reason: "nothing_said",
  });
});

test("only failures of the provider since the last other end count as failures in a row", () => {
  assert.deepEqual(failuresInARow(["dial_failed", "dial_failed"]), { inARow: 2, isReset: false });
  assert.deepEqual(failuresInARow(["dial_failed", "user_hangup", "dial_failed"]), { inARow: 1, isReset: true });
  assert.deepEqual(failuresInARow(["dial_failed", "dial_busy"]), { inARow: 0, isReset: true });
});
