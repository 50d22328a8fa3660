import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import Telnyx from "telnyx";
import type { WebhookRequest } from "#ports/carrier-account.ts";
import { isSigned, publicKeyOf } from "./signature.ts";
import { readWebhook } from "./webhooks.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const PUBLIC = publicKey.export({ format: "der", type: "spki" }).subarray(12).toString("base64");
const key = publicKeyOf(PUBLIC)!;
const NOW = new Date("2026-11-25T12:00:00.400Z");
const REF = "01930000-0000-7000-8000-00000000abcd";
const OTHER_REF = "01930000-0000-7000-8000-00000000dcba";
const account = { key, carrier: "carrier_x" };

const signed = (body: string | Uint8Array, at = NOW): Record<string, string> => {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const bytes = Buffer.concat([Buffer.from(`${timestamp}|`), Buffer.from(body)]);
  return {
    "telnyx-timestamp": timestamp,
    "telnyx-signature-ed25519": sign(null, bytes, privateKey).toString("base64"),
  };
};

function request(body: unknown, more: Partial<WebhookRequest> = {}): WebhookRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const path = more.path ?? `status/${REF}`;
  const url = `https://parley.example/carrier/carrier_x/${path}`;
  return { path, url, headers: signed(text), body: Buffer.from(text), now: NOW, ...more };
}

const event = (type: string, payload: object) => ({ data: { event_type: type, payload } });
const finalized = (status: string, more: object = {}) =>
  event("message.finalized", {
    id: "m-1",
    direction: "outbound",
    to: [{ phone_number: "+12125550111", status }],
    ...more,
  });

test("our signature check agrees with Telnyx's own package on any body, key, time and damage", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: NOW });
  const oracle = new Telnyx({ apiKey: "KEY", publicKey: PUBLIC });
  const agrees = async (body: string, headers: Record<string, string>): Promise<boolean> => {
    const theirs = await oracle.webhooks.unwrap(body, { headers }).then(
      () => true,
      () => false,
    );
    assert.equal(
      isSigned({ headers, body: Buffer.from(body), now: NOW }, key),
      theirs,
      JSON.stringify({ body, headers }),
    );
    return theirs;
  };
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.json({ maxDepth: 3 }),
      fc.integer({ min: -400, max: 400 }),
      fc.constantFrom(
        "none",
        "none",
        "body",
        "time",
        "time_form",
        "signature",
        "signature_form",
        "missing",
        "other_case",
      ),
      fc.nat(),
      fc.string({ maxLength: 12, unit: "binary" }),
      async (body, skewSeconds, damage, at, junk) => {
        const headers = signed(body, new Date(NOW.getTime() + skewSeconds * 1000));
        let sent = body;
        const signature = headers["telnyx-signature-ed25519"]!;
        if (damage === "body") sent = `${body.slice(0, at % body.length)} ${body.slice(at % body.length)}`;
        if (damage === "time") headers["telnyx-timestamp"] = String(Number(headers["telnyx-timestamp"]) + 1);
        if (damage === "time_form") headers["telnyx-timestamp"] += junk || " ";
        if (damage === "signature") {
          const bytes = Buffer.from(signature, "base64");
          bytes[at % 64]! ^= 1 << (at % 8);
          headers["telnyx-signature-ed25519"] = bytes.toString("base64");
        }
        if (damage === "signature_form") headers["telnyx-signature-ed25519"] = signature.slice(0, at % 88) + junk;
        if (damage === "missing") delete headers[at % 2 ? "telnyx-timestamp" : "telnyx-signature-ed25519"];
        if (damage === "other_case") headers["telnyx-signature-ed25519"] = signature.toLowerCase();
        seen[(await agrees(sent, headers)) ? "taken" : "refused"]++;
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(seen.taken > 20 && seen.refused > 20, JSON.stringify(seen));
  for (const skewSeconds of [-301, -300, -299, 299, 300, 301]) {
    const at = new Date(NOW.getTime() + skewSeconds * 1000);
    assert.equal(await agrees("{}", signed("{}", at)), Math.abs(skewSeconds) <= 300, String(skewSeconds));
  }
});

test("a public key is 32 bytes of base64, and nothing else is one", () => {
  assert.ok(publicKeyOf(` ${PUBLIC}\n`));
  for (const text of [
    "",
    "x",
    PUBLIC.slice(4),
    `${PUBLIC}AAAA`,
    PUBLIC.replace("=", ""),
    PUBLIC.replaceAll("=", "*"),
  ]) {
    assert.equal(publicKeyOf(text), undefined, text);
  }
});

test("a webhook that is not signed, or not over this very body, is none", () => {
  const body = finalized("delivered");
  assert.ok(readWebhook(request(body), account));
  assert.equal(readWebhook(request(body, { headers: {} }), account), undefined);
  // What a proxy does that parses a body and writes it again.
  const again = Buffer.from(JSON.stringify(body, null, 1));
  assert.equal(readWebhook(request(body, { body: again }), account), undefined);
  const old = signed(JSON.stringify(body), new Date(NOW.getTime() - 301_000));
  assert.equal(readWebhook(request(body, { headers: old }), account), undefined);
});

test("each state of a text becomes a receipt, and a state that says nothing new becomes none", () => {
  const statuses = {
    sent: "sent",
    delivery_unconfirmed: "sent",
    delivered: "delivered",
    read: "delivered",
    delivery_failed: "undelivered",
    expired: "failed",
    sending_failed: "failed",
    queued: undefined,
    sending: undefined,
    gone_to_lunch: undefined,
    constructor: undefined,
  };
  for (const [status, ours] of Object.entries(statuses)) {
    const events = readWebhook(request(finalized(status)), account)!;
    assert.deepEqual(
      events.receipts.map((receipt) => receipt.status),
      ours ? [ours] : [],
      status,
    );
    assert.equal(events.answer.status, 200);
  }
});

test("a receipt carries Telnyx's id, its code, and the contact's STOP", () => {
  const errors = [{ code: "40300", title: "Blocked due to STOP message" }, { code: "40001" }];
  assert.deepEqual(readWebhook(request(finalized("sending_failed", { errors })), account)!.receipts, [
    { ref: REF, status: "failed", carrierId: "m-1", errorCode: "40300", optedOut: true },
  ]);
  assert.deepEqual(readWebhook(request(finalized("delivery_failed")), account)!.receipts, [
    { ref: REF, status: "undelivered", carrierId: "m-1", errorCode: "delivery_failed" },
  ]);
  // A warning on a text that has arrived is no failure.
  assert.deepEqual(readWebhook(request(finalized("delivered", { errors })), account)!.receipts, [
    { ref: REF, status: "delivered", carrierId: "m-1" },
  ]);
});

test("the reference in the signed body is believed before the one in the address, which is not signed", () => {
  const refOf = (webhook_url: unknown, path: string) =>
    readWebhook(request(finalized("delivered", { webhook_url }), { path }), account)!.receipts[0]?.ref;
  const url = `https://parley.example/carrier/carrier_x/status/${REF}`;
  assert.equal(refOf(url, `status/${REF}`), REF);
  assert.equal(refOf(url, `status/${OTHER_REF}`), REF);
  assert.equal(refOf(url, "sms"), REF, "by the profile's address, since ours was not reached");
  assert.equal(refOf(null, `status/${REF}`), REF);
  assert.equal(refOf("not a url", "sms"), undefined);
  assert.equal(refOf(null, "status/1"), undefined);
});

test("a text that came in is read with its media and Telnyx's keyword", () => {
  const payload = {
    id: "in-1",
    direction: "inbound",
    from: { phone_number: "+12125550111" },
    to: [
      { phone_number: "+12125550199", status: "delivered" },
      { phone_number: "+12125550100", status: "webhook_delivered" },
    ],
    text: "Look",
    received_at: "2026-11-25T11:59:58.123+00:00",
    media: [
      { url: "https://media.example/1.png", content_type: "image/png" },
      { url: 5 },
      null,
      { url: "https://x.example/" },
    ],
  };
  const inboundOf = (more: object) =>
    readWebhook(request(event("message.received", { ...payload, ...more }), { path: "sms" }), account)!.inbound[0]!;
  assert.deepEqual(inboundOf({}), {
    carrier: "carrier_x",
    carrierId: "in-1",
    from: "+12125550111",
    to: "+12125550100",
    text: "Look",
    sentAt: new Date("2026-11-25T11:59:58.123Z"),
    media: [
      { url: "https://media.example/1.png", contentType: "image/png" },
      { url: "https://x.example/", contentType: null },
    ],
  });
  const stop = inboundOf({ text: "Stop all", autoresponse_type: "STOP", media: [] });
  assert.deepEqual([stop.keyword, stop.isAnswered, stop.media], ["stop", true, undefined]);
  assert.equal(inboundOf({ autoresponse_type: "toString" }).keyword, undefined);
  assert.equal(inboundOf({ to: "+12125550100" }).to, "+12125550100");
  assert.equal(inboundOf({ text: null }).text, "");
  assert.deepEqual(inboundOf({ received_at: "soon" }).sentAt, NOW);
});

test("what cannot be stored is left out of a text, and refused in its id and phones", () => {
  const payload = { id: "in-1", from: { phone_number: "+12125550111" }, to: "+12125550100", text: "a\0b\ud800c" };
  const read = (more: object) =>
    readWebhook(request(event("message.received", { ...payload, ...more }), { path: "sms" }), account)!.inbound[0]!;
  assert.equal(read({}).text, "ab\ufffdc");
  assert.deepEqual(read({ media: [{ url: "https://x.example/\0", content_type: "a\0" }] }).media, [
    { url: "https://x.example/", contentType: "a" },
  ]);
  assert.throws(() => read({ id: "x".repeat(101) }), /more than 100 characters/);
  for (const wrong of ["x\0", "x\ud800"]) {
    for (const more of [{ id: wrong }, { from: { phone_number: wrong } }, { to: wrong }])
      assert.throws(() => read(more), { code: "invalid_request" }, JSON.stringify(more));
    const receipt = request(finalized("delivered", { id: wrong }));
    assert.throws(() => readWebhook(receipt, account), { code: "invalid_request" });
  }
});

test("events of other kinds are taken and leave nothing, and a signed body that is no event is refused with 400", () => {
  for (const type of ["number_order.complete", "10dlc.campaign.update", "call.initiated", "", "message.sent"]) {
    const { receipts, inbound } = readWebhook(request(event(type, {})), account)!;
    assert.deepEqual([receipts, inbound], [[], []], type);
  }
  const refused = (body: string | object) =>
    assert.throws(() => readWebhook(request(body), account), { code: "invalid_request" }, JSON.stringify(body));
  for (const body of ["", "{", "null", "1", "[]", '"x"', "{}", '{"data":null}', '{"data":[}']) refused(body);
  refused(event("message.received", { id: "in-1", from: { phone_number: "+12125550111" }, to: [] }));
  refused(event("message.received", { id: 1, from: null, to: [null] }));
  const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
  const headers = signed(bytes);
  assert.throws(() => readWebhook(request("", { body: bytes, headers }), account), { code: "invalid_request" });
});
