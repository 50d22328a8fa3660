import assert from "node:assert/strict";
import { test } from "node:test";
import { disconnectionOf } from "./outcome.ts";

test("a 603 is the callee's no, unless it says that a carrier's analytics have blocked the call", () => {
  assert.equal(disconnectionOf(603, "Decline"), "user_declined");
  assert.equal(disconnectionOf(603, "Network Blocked"), "marked_as_spam");
  const reason = 'Decline; Q.850;cause=21;location=LN;text="v=analytics1;url=https://example.com"';
  assert.equal(disconnectionOf(603, reason), "marked_as_spam");
  assert.equal(disconnectionOf(607), "marked_as_spam");
  assert.equal(disconnectionOf(608), "marked_as_spam");
  assert.equal(disconnectionOf(486, "Network Blocked"), "dial_busy");
});
