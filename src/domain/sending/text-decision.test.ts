import assert from "node:assert/strict";
import { test } from "node:test";
import { type DueText, decideText, validUntil } from "./text-decision.ts";

const NOW = new Date("2026-06-01T15:00:00Z");
const ALLOWED = { outcome: "allowed", until: null } as const;

const aText = (text: Partial<DueText>): DueText => ({
  kind: "reply",
  step: 1000,
  text: "You are unsubscribed.",
  phone: "+12125550123",
  createdAt: NOW,
  fields: null,
  firstSentAt: NOW,
  recipientState: "delivered",
  ...text,
});

const ago = (ms: number) => new Date(NOW.getTime() - ms);

test("an opt-out is confirmed within five minutes, to the millisecond, or not at all", () => {
  const inTime = decideText(aText({ kind: "confirmation", createdAt: ago(300_000) }), ALLOWED, undefined, null, NOW);
  assert.equal(inTime.go, true);

  const late = decideText(aText({ kind: "confirmation", createdAt: ago(300_001) }), ALLOWED, undefined, null, NOW);
  assert.deepEqual(late, {
    go: false,
    state: "expired",
    dueAt: null,
    rule: "confirmation_too_late",
    reason: "The confirmation would have come more than five minutes late.",
  });
});

test("a confirmation is good for its five minutes, outreach for as long as the gate says, an answer for ever", () => {
  const until = new Date("2026-06-01T21:00:00Z");
  const inWindow = { outcome: "allowed", until } as const;
  const asked = aText({ kind: "confirmation", createdAt: ago(60_000) });
  assert.deepEqual(validUntil(asked, ALLOWED), new Date("2026-06-01T15:04:00Z"));
  assert.equal(validUntil(aText({ kind: "start" }), inWindow), until);
  assert.equal(validUntil(aText({}), ALLOWED), null);
});

test("an answer is sent however old it is", () => {
  assert.equal(decideText(aText({ createdAt: ago(86_400_000) }), ALLOWED, undefined, null, NOW).go, true);
});
