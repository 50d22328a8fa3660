import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendOutcome } from "#ports/sms-carrier.ts";
import type { Behavior } from "#test/support/carriers/telnyx/behavior.ts";
import { aBatch, anAccount, aText, NUMBER, open, TENANT, URLS } from "#test/support/carriers/telnyx/opened.ts";

const signal = new AbortController().signal;
const phone = (i: number): string => `+1212555${String(1_000 + i)}`;

test("a text goes out with our reference in the address of its webhooks, unchanged", async (t) => {
  const { server, opened, profile } = await anAccount(t);
  const texts = [aText(phone(0), "Ça va? 🙂 “quoted” €"), aText(phone(1), "a".repeat(400))];
  const outcomes = await opened.sms!.send(aBatch(texts), signal);
  assert.deepEqual(
    outcomes,
    server.taken.map(({ id }) => ({ outcome: "accepted", carrierId: id })),
  );
  assert.deepEqual(
    server.creates.toSorted((a, b) => (a.to < b.to ? -1 : 1)),
    texts.map(({ to, text, ref }) => ({ from: NUMBER, to, text, webhook_url: `${URLS.base}/status/${ref}` })),
  );
  const withProfile = open(server, { messaging_profile_id: profile.id });
  t.after(() => withProfile.close());
  await withProfile.sms!.send(aBatch([aText(phone(2))]), signal);
  assert.equal(server.creates.at(-1)!.messaging_profile_id, profile.id);
});

test("without a public address texts go out, and nothing is expected to be reported", async (t) => {
  const { server } = await anAccount(t);
  const opened = open(server, {}, null);
  t.after(() => opened.close());
  assert.equal(opened.sms!.capabilities.callbackCarriesRef, false);
  await opened.sms!.send(aBatch([aText(phone(0))]), signal);
  assert.equal(server.creates[0]!.webhook_url, undefined);
});

const CASES: [what: string, create: Behavior["create"], outcome: SendOutcome, taken: boolean][] = [
  [
    "STOP",
    { kind: "refuse", status: 400, code: "40300", title: "Blocked due to STOP message" },
    { outcome: "rejected", code: "40300", optedOut: true },
    false,
  ],
  [
    "a key that is refused",
    { kind: "refuse", status: 401, code: "10009" },
    { outcome: "barred", because: "carrier_key_refused", code: "10009" },
    false,
  ],
  [
    "a key that may not",
    { kind: "refuse", status: 403, code: "10010" },
    { outcome: "barred", because: "carrier_key_refused", code: "10010" },
    false,
  ],
  [
    "no funds",
    { kind: "refuse", status: 403, code: "20100" },
    { outcome: "barred", because: "carrier_account_suspended", code: "20100" },
    false,
  ],
  [
    "a sender off its profile",
    { kind: "refuse", status: 400, code: "40305" },
    { outcome: "barred", because: "carrier_sender_refused", code: "40305" },
    false,
  ],
  ["a landline", { kind: "refuse", status: 400, code: "40001" }, { outcome: "rejected", code: "40001" }, false],
  ["an unknown code", { kind: "refuse", status: 422, code: "49999" }, { outcome: "rejected", code: "49999" }, false],
  [
    "a full queue",
    { kind: "refuse", status: 400, code: "40318" },
    { outcome: "not_sent", code: "40318", retryAfterMs: 5_000 },
    false,
  ],
  [
    "429",
    { kind: "refuse", status: 429, code: "10011", retryAfter: "7" },
    { outcome: "not_sent", code: "429", retryAfterMs: 7_000 },
    false,
  ],
  ["a 500 after it was taken", { kind: "lose", how: "500" }, { outcome: "uncertain", code: "10007" }, true],
  ["a 500 before that", { kind: "fail", how: "500" }, { outcome: "uncertain", code: "10007" }, false],
  ["a reset after it was taken", { kind: "lose", how: "reset" }, { outcome: "uncertain", code: "ECONNRESET" }, true],
  ["a 503 without a code", { kind: "refuse", status: 503, code: "" }, { outcome: "uncertain", code: "503" }, false],
  ["a redirect", { kind: "refuse", status: 302, code: "" }, { outcome: "uncertain", code: "302" }, false],
  ["half JSON", { kind: "malformed", body: '{"data":' }, { outcome: "uncertain", code: "malformed_answer" }, true],
  ["no id", { kind: "malformed", body: '{"data":{}}' }, { outcome: "uncertain", code: "malformed_answer" }, true],
  [
    "a message that has failed in the answer",
    {
      kind: "malformed",
      body: '{"data":{"id":"m","to":[{"status":"sending_failed"}],"errors":[{"code":"40310","title":"Invalid to"}]}}',
    },
    { outcome: "rejected", code: "40310" },
    true,
  ],
];

test("what each answer means for the text: what is certain and what is not", async (t) => {
  for (const [what, create, outcome, isTaken] of CASES) {
    const { server, opened } = await anAccount(t);
    server.behave("any", { create, reports: [] });
    assert.deepEqual(await opened.sms!.send(aBatch([aText(phone(0))]), signal), [outcome], what);
    assert.equal(server.taken.length, isTaken ? 1 : 0, what);
  }
});

test("an answer that does not come in time leaves the text uncertain, and one that was not begun is not sent", async (t) => {
  const { server, opened } = await anAccount(t);
  server.behave("any", { create: { kind: "lose", how: "silence" }, reports: [] });
  const controller = new AbortController();
  const asked = opened.sms!.send(aBatch([aText(phone(0))]), controller.signal);
  while (server.taken.length === 0) await new Promise(setImmediate);
  controller.abort();
  assert.deepEqual(await asked, [{ outcome: "uncertain", code: "aborted" }]);
  const late = aBatch([aText(phone(1))], { mayLeave: () => false });
  assert.deepEqual(await opened.sms!.send(late, signal), [{ outcome: "not_sent", code: "held_up", retryAfterMs: 0 }]);
  assert.equal(server.creates.length, 1);
});

test("a server that is not there is certainly not sent to", async (t) => {
  const { server, opened } = await anAccount(t);
  await server.close();
  const [outcome] = await opened.sms!.send(aBatch([aText(phone(0))]), signal);
  assert.equal(outcome!.outcome, "not_sent");
});

test("once the key is refused, the rest of the batch is not tried", async (t) => {
  const { server, opened } = await anAccount(t);
  server.changeKey("KEYanother");
  const outcomes = await opened.sms!.send(aBatch(Array.from({ length: 60 }, (_, i) => aText(phone(i)))), signal);
  assert.deepEqual([...new Set(outcomes.map(({ outcome }) => outcome))], ["barred"]);
  assert.equal(server.creates.length, 0);
});

test("a sender is a number in E.164, a short code, or a name", async (t) => {
  const { opened } = await anAccount(t);
  const may = (sender: string) => opened.sms!.mayUseSender(TENANT, sender);
  for (const sender of [NUMBER, "+442071234567", "12345", "262966", "Parley", "Shop 24"]) {
    assert.equal(await may(sender), true, sender);
  }
  for (const sender of ["", "+", "12125550100", "1234", "+0123456789", "TwelveLetters", "a\nb", "555-0100"]) {
    assert.equal(await may(sender), false, sender);
  }
});
