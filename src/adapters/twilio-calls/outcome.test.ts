import assert from "node:assert/strict";
import { test } from "node:test";
import { isFinal, mayBeLater, refusalOf, unansweredReason } from "./outcome.ts";
import { connectTwiml, rejectTwiml, streamUrl, transferTwiml } from "./twiml.ts";

test("each end of a call that nobody answered has its reason", () => {
  assert.equal(unansweredReason("busy", 486), "dial_busy");
  assert.equal(unansweredReason("busy", undefined), "dial_busy");
  assert.equal(unansweredReason("busy", 603), "user_declined");
  assert.equal(unansweredReason("busy", 608), "marked_as_spam");
  assert.equal(unansweredReason("no-answer", 487), "dial_no_answer");
  assert.equal(unansweredReason("failed", 404), "invalid_destination");
  assert.equal(unansweredReason("failed", 403), "telephony_provider_permission_denied");
  assert.equal(unansweredReason("failed", undefined), "dial_failed");
  assert.deepEqual(["ringing", "in-progress", "completed", "canceled"].map(isFinal), [false, false, true, true]);
});

test("a refused create says why, also by a code that is not in the table", () => {
  assert.equal(refusalOf("21211").reason, "invalid_destination");
  assert.equal(refusalOf("21215").reason, "telephony_provider_permission_denied");
  assert.deepEqual(refusalOf("29999"), { words: "Refused by the carrier (29999)", reason: "dial_failed" });
  assert.equal(refusalOf("toString").reason, "dial_failed");
  assert.deepEqual(["20429", "10004", "21211"].map(mayBeLater), [true, true, false]);
});

test("TwiML takes any text as text", () => {
  assert.equal(
    connectTwiml(streamUrl("https://parley.example/carrier/carrier_1"), `a"<b>&'`),
    '<Response><Connect><Stream url="wss://parley.example/carrier/carrier_1/stream"><Parameter name="ticket" value="a&quot;&lt;b&gt;&amp;&apos;"/></Stream></Connect></Response>',
  );
  assert.equal(rejectTwiml("busy"), '<Response><Reject reason="busy"/></Response>');
  assert.equal(
    transferTwiml("+1<2", "+13"),
    '<Response><Dial callerId="+13"><Number>+1&lt;2</Number></Dial></Response>',
  );
});
