import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactRequests } from "./report.ts";
import { nextInSilence, receptionOf, settlePromise, takeAction } from "./rules.ts";

test("a silence is asked about after 10 s, as often as is allowed, and then ends the call", () => {
  const silence = { quietSinceMs: 5_000, countsFromMs: 5_000, reminders: 0 };
  const agent = { end_call_after_silence_ms: 30_000 };
  assert.deepEqual(nextInSilence(silence, agent, 2), { kind: "remind", atMs: 15_000 });
  assert.deepEqual(nextInSilence({ ...silence, quietSinceMs: 17_000, reminders: 1 }, agent, 2), {
    kind: "remind",
    atMs: 27_000,
  });
  assert.deepEqual(nextInSilence({ ...silence, reminders: 2 }, agent, 2), { kind: "end", atMs: 35_000 });
});

test("where a reminder and the end are due at once, the call ends", () => {
  const silence = { quietSinceMs: 5_000, countsFromMs: 5_000, reminders: 0 };
  assert.deepEqual(nextInSilence(silence, { end_call_after_silence_ms: 10_000 }, 2), { kind: "end", atMs: 15_000 });
  const reminded = { quietSinceMs: 12_000, countsFromMs: 0, reminders: 1 };
  assert.deepEqual(nextInSilence(reminded, { end_call_after_silence_ms: 11_000 }, 2), { kind: "end", atMs: 11_000 });
});

test("machines are hung up on or get a message, unless the agent does not look for them", () => {
  const looks = { detect_voicemail: true };
  assert.equal(receptionOf("voicemail", looks, "Please call us back."), "leave_message");
  assert.equal(receptionOf("voicemail", looks, undefined), "voicemail_reached");
  assert.equal(receptionOf("full_mailbox", looks, "Please call us back."), "voicemail_reached");
  assert.equal(receptionOf("ivr", looks, undefined), "ivr_reached");
  for (const answerer of ["human", "call_screening", "unknown"] as const)
    assert.equal(receptionOf(answerer, looks, ""), "talk");
  for (const answerer of ["voicemail", "full_mailbox", "ivr"] as const)
    assert.equal(receptionOf(answerer, { detect_voicemail: false }, ""), "talk");
});

test("a promised callback counts once it was heard, and else leaves what the contact asked for", () => {
  const quote = "We'll call you back. Goodbye.";
  const asked = { at: "2026-03-03T20:00:00.000Z", quote: "later" };
  const promised = { at: "2026-03-02T17:30:00.000Z", quote };
  const settled = (played: string, isWhole = false, requests: ContactRequests = {}) => {
    takeAction(requests, { kind: "callback", ...promised, isPromise: true });
    settlePromise(requests, played, isWhole);
    return requests;
  };
  assert.deepEqual(settled(""), {});
  assert.deepEqual(settled("Sorry. We'll call"), {});
  assert.deepEqual(settled("", false, { callback: asked }), { callback: asked });
  assert.deepEqual(settled("Sorry. We'll call you back."), { callback: promised });
  assert.deepEqual(settled("We will call you back. Goodbye.", true), { callback: promised }, "as a voice spells it");
  assert.deepEqual(settled("We'll call you back. Good", false, { callback: asked }), { callback: promised });
});

test("of two opt-outs the first one's words are kept, of two callbacks the last; an ending is given back", () => {
  const requests: ContactRequests = {};
  assert.equal(takeAction(requests, { kind: "opt_out", quote: "stop" }), undefined);
  assert.equal(takeAction(requests, { kind: "opt_out", quote: "stop it" }), undefined);
  takeAction(requests, { kind: "callback", at: "2026-03-03T20:00:00.000Z", quote: "later" });
  takeAction(requests, { kind: "callback", at: "2026-03-04T20:00:00.000Z", quote: "Wednesday" });
  takeAction(requests, { kind: "dtmf", digits: "1" });
  const expected = { optOut: { quote: "stop" }, callback: { at: "2026-03-04T20:00:00.000Z", quote: "Wednesday" } };
  assert.deepEqual(requests, expected);
  assert.deepEqual(takeAction(requests, { kind: "goodbye" }), { kind: "goodbye" });
  const transfer = { kind: "transfer", to: "+12125550199" } as const;
  assert.deepEqual(takeAction(requests, transfer), transfer);
  assert.deepEqual(requests, expected, "only a transfer that went through is a wish fulfilled");
});
