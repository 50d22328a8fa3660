import assert from "node:assert/strict";
import { test } from "node:test";
// Twilio's own package signs.
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { twilioAccount } from "./account.ts";
import { readWebhook } from "./webhooks.ts";

const account = twilioAccount({
  carrier: "car_1",
  credentials: { account_sid: `AC${"a1".repeat(16)}`, auth_token: "token-of-it" },
  settings: {},
} as never);

function read(fields: Record<string, string>) {
  const url = "https://parley.example/carrier/car_1/sms";
  const headers = {
    "x-twilio-signature": getExpectedTwilioSignature(account.authToken, url, fields),
    "content-type": "application/x-www-form-urlencoded",
  };
  const body = Buffer.from(new URLSearchParams(fields).toString());
  return readWebhook(account, { path: "sms", url, headers, body, now: new Date() })!.inbound[0]!;
}

test("what cannot be stored is left out of a text, and refused in its id and phones", () => {
  const fields = { MessageSid: `SM${"1".repeat(32)}`, From: "+12124440001", To: "+12125550100", Body: "a\0b" };
  assert.equal(read(fields).text, "ab");
  for (const name of ["MessageSid", "From", "To"] as const)
    assert.throws(() => read({ ...fields, [name]: `${fields[name]}\0` }), { code: "invalid_request" }, name);
});
