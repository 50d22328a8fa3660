import assert from "node:assert/strict";
import { test } from "node:test";
import type { SipRequest } from "#adapters/sip-messages/message.ts";
import type { RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import { parseMessage } from "#adapters/sip-messages/parse-message.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import { digitOf, keyInfo, withKeys } from "./in-call.ts";

function aRequest(method: string, headers: readonly string[], body = ""): SipRequest {
  const text = [
    `${method} sip:a@192.0.2.1 SIP/2.0`,
    "Via: SIP/2.0/UDP 192.0.2.2;branch=z9hG4bK1",
    "From: <sip:b@192.0.2.2>;tag=1",
    "To: <sip:a@192.0.2.1>;tag=2",
    "Call-ID: c",
    `CSeq: 2 ${method}`,
    "Max-Forwards: 70",
    ...headers,
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
  const parsed = parseMessage(Buffer.from(text), false);
  assert.ok("kind" in parsed && parsed.kind === "request");
  return parsed;
}

const remote = { codec: "PCMU", payloadType: 0 } as RemoteMedia;
const withEvents: RemoteMedia = { ...remote, dtmfPayloadType: 101 };
const trunk = (dtmf?: Trunk["dtmf"]) => (dtmf === undefined ? {} : { dtmf }) as Trunk;

test("keys go by INFO where a trunk says so, or takes INFO and knows no events", () => {
  const allows = aRequest("INVITE", ["Allow: INVITE, ACK, BYE, INFO"]);
  const refuses = aRequest("INVITE", ["Allow: INVITE, ACK, BYE"]);
  assert.equal(withKeys(remote, trunk(), allows).dtmfByInfo, true);
  assert.equal(withKeys(remote, trunk("auto"), allows).dtmfByInfo, true);
  assert.equal(withKeys(remote, trunk(), refuses).dtmfByInfo, undefined);
  assert.equal(withKeys(withEvents, trunk(), allows).dtmfByInfo, undefined);
  assert.equal(withKeys(remote, trunk("rtp"), allows).dtmfByInfo, undefined);
  assert.equal(withKeys(withEvents, trunk("info"), refuses).dtmfByInfo, true);
});

test("each key that is sent by INFO is read again", () => {
  for (const key of "0123456789*#ABCD") {
    const { headers, body } = keyInfo(key);
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    assert.equal(digitOf(aRequest("INFO", lines, body)), key);
  }
});
