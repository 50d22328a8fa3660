import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
// Twilio's own package: what it signs we take, and what it refuses we refuse.
import * as twilio from "twilio/lib/webhooks/webhooks.js";
import { isSigned } from "./signature.ts";

type Fields = Record<string, string | string[]>;

const FORM = "application/x-www-form-urlencoded; charset=utf-8";

function bodyOf(fields: Fields): Buffer {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) form.append(name, one);
  return Buffer.from(form.toString());
}

const word = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.toWellFormed());
const fields = fc.dictionary(
  word.filter((name) => name !== "__proto__"),
  fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 4 })),
  { maxKeys: 6, noNullPrototype: true },
);
const url = fc
  .record({
    scheme: fc.constantFrom("http", "https"),
    port: fc.constantFrom("", ":443", ":80", ":8443"),
    path: fc.array(
      fc.stringMatching(/^[a-z0-9'()~.-]{1,8}$/).filter((part) => !/^\.+$/.test(part)),
      { maxLength: 3 },
    ),
    query: fc.constantFrom("", "?", "?a=1", "?name=O'Brien&x=%20y", "?q=(a)+b~c", "?a=1&a=2"),
  })
  .map(({ scheme, port, path, query }) => `${scheme}://parley.example${port}/${path.join("/")}${query}`);

test("the vector of Twilio's documentation", () => {
  const given = {
    CallSid: "CA1234567890ABCDE",
    Caller: "+12349013030",
    Digits: "1234",
    From: "+12349013030",
    To: "+18005551212",
  };
  const signature = "0/KCTR6DLpKmkAf8muzZqo1nDgQ=";
  const at = "https://mycompany.com/myapp.php?foo=1&bar=2";
  assert.ok(isSigned("12345", { signature, url: at, body: bodyOf(given), type: FORM }));
  assert.ok(!isSigned("12346", { signature, url: at, body: bodyOf(given), type: FORM }));
  assert.ok(!isSigned("12345", { signature: undefined, url: at, body: bodyOf(given), type: FORM }));
  assert.ok(!isSigned("12345", { signature, url: "no address", body: bodyOf(given), type: FORM }));
});

test("what Twilio's package signs is taken, at the same address, with a port and without", () => {
  fc.assert(
    fc.property(url, fields, (at, given) => {
      const signature = twilio.getExpectedTwilioSignature("token", at, given);
      const ours = isSigned("token", { signature, url: at, body: bodyOf(given), type: FORM });
      assert.equal(ours, twilio.validateRequest("token", signature, at, given));
      assert.ok(!isSigned("another", { signature, url: at, body: bodyOf(given), type: FORM }));
      const without = at.replace(/:(?:443|80|8443)\//, "/");
      const signed = twilio.getExpectedTwilioSignature("token", without, given);
      assert.ok(isSigned("token", { signature: signed, url: at, body: bodyOf(given), type: FORM }));
    }),
  );
});

test("what was changed on the way is taken where Twilio's package takes it, and nowhere else", () => {
  fc.assert(
    fc.property(url, url, fields, fields, (signedAt, at, signed, given) => {
      const signature = twilio.getExpectedTwilioSignature("token", signedAt, signed);
      assert.equal(
        isSigned("token", { signature, url: at, body: bodyOf(given), type: FORM }),
        twilio.validateRequest("token", signature, at, given),
      );
    }),
  );
});

test("a body that is no form is signed by its hash in the address", () => {
  fc.assert(
    fc.property(word, word, (text, other) => {
      const at = `https://parley.example/carrier/c/sms?bodySHA256=${twilio.getExpectedBodyHash(text)}`;
      const signature = twilio.getExpectedTwilioSignature("token", at, {});
      for (const body of [text, other])
        assert.equal(
          isSigned("token", { signature, url: at, body: Buffer.from(body), type: "application/json" }),
          twilio.validateRequestWithBody("token", signature, at, body),
        );
    }),
  );
});

test("a body that is no form, and whose hash is not in the address, is covered by no signature and refused", () => {
  const at = "https://parley.example/carrier/c/sms";
  const signature = twilio.getExpectedTwilioSignature("token", at, {});
  const isTaken = (body: string, type: string) =>
    isSigned("token", { signature, url: at, body: Buffer.from(body), type });
  for (const type of ["text/plain", "application/json", ""]) assert.ok(!isTaken("From=%2B1212&Body=STOP", type), type);
  for (const type of ["", FORM]) assert.ok(isTaken("", type), "nothing to cover");
});

test("a form with more fields than Twilio sends is refused before it is read, and the most it may have is read in one pass", () => {
  const at = "https://parley.example/carrier/c/sms";
  const isTaken = (count: number) => {
    const given = Object.fromEntries(Array.from({ length: count }, (_, i) => [`Field${i}`, `${i}`]));
    const signature = twilio.getExpectedTwilioSignature("token", at, given);
    return isSigned("token", { signature, url: at, body: bodyOf(given), type: FORM });
  };
  assert.deepEqual([500, 501, 20_000].map(isTaken), [true, false, false]);
});
