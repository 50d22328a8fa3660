import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import type { LiveTenantId } from "#domain/accounts/modes.ts";
import type { CarrierAccount, OpenCarrier, WebhookEvents } from "#ports/carrier-account.ts";
import type { DoubtedText, OutgoingText, SendOutcome } from "#ports/sms-carrier.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio, type TwilioStandIn } from "#test/support/carriers/twilio/stand-in.ts";
import { twilioDriver } from "./driver.ts";

const signal = new AbortController().signal;
const SENDER = "+12125550100";
const PUBLIC = "https://parley.example";
const URLS = { base: `${PUBLIC}/carrier/car_1` };
const ACCOUNT: CarrierAccount = {
  id: randomUUID(),
  tenantId: randomUUID() as LiveTenantId,
  carrier: "car_1",
  kind: "twilio",
  credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN },
  settings: {},
  revision: 1,
};

type Opened = { twilio: TwilioStandIn; carrier: OpenCarrier; sms: NonNullable<OpenCarrier["sms"]> };

async function opened(
  t: TestContext,
  account: Partial<CarrierAccount> = {},
  publicUrl: string | undefined = PUBLIC,
  now = () => new Date(),
): Promise<Opened> {
  const twilio = await startTwilio(t, { now });
  const carrier = twilioDriver({ hosts: () => twilio.url, publicUrl }).open({ ...ACCOUNT, ...account });
  t.after(() => void carrier.close());
  return { twilio, carrier, sms: carrier.sms! };
}

const aText = (to: string, text = "Hello", more: Partial<OutgoingText> = {}): OutgoingText => ({
  ref: randomUUID(),
  to,
  text,
  purpose: "start",
  campaign: "spring",
  step: 0,
  zones: [],
  validUntil: null,
  ...more,
});

const send = ({ sms }: Opened, texts: OutgoingText[], until = signal): Promise<SendOutcome[]> =>
  sms.send({ tenantId: ACCOUNT.tenantId, sender: SENDER, now: new Date(), texts, mayLeave: () => true }, until);

const doubted = ({ ref, to, text }: OutgoingText, more: Partial<DoubtedText> = {}): DoubtedText => ({
  ref,
  sender: SENDER,
  to,
  text,
  at: new Date(),
  otherIds: [],
  ...more,
});

test("a batch goes by one request each, with the reference in the callback's address, its end as validity, and the answers in order", async (t) => {
  const open = await opened(t);
  const texts = Array.from({ length: 60 }, (_, i) => aText(`+1212444${1_000 + i}`, `Hi ${i}, “5 € & more”`));
  texts[7]!.validUntil = new Date(Date.now() + 90_500);
  texts[8]!.validUntil = new Date(Date.now() + 86_400_000);
  const outcomes = await send(open, texts);
  for (const [i, { ref, to, text }] of texts.entries()) {
    const message = open.twilio.messages.find((one) => one.to === to)!;
    assert.deepEqual(outcomes[i], { outcome: "accepted", carrierId: message.sid });
    assert.deepEqual([message.body, message.from], [text, SENDER]);
    assert.equal(message.callback, `${PUBLIC}/carrier/car_1/status/${ref}`);
  }
  const validity = (i: number) =>
    open.twilio.requests.find(({ form }) => form.get("To") === texts[i]!.to)!.form.get("ValidityPeriod");
  assert.deepEqual([validity(6), validity(7), validity(8)], [null, "90", null]);
});

test("each refusal is said as what follows from it", async (t) => {
  const open = await opened(t);
  const cases: [number, SendOutcome][] = [
    [21610, { outcome: "rejected", code: "21610", optedOut: true }],
    [21614, { outcome: "rejected", code: "21614" }],
    [99999, { outcome: "rejected", code: "99999" }],
    [21606, { outcome: "barred", because: "carrier_sender_refused", code: "21606" }],
    [21611, { outcome: "not_sent", code: "21611", retryAfterMs: 60_000 }],
    [20005, { outcome: "barred", because: "carrier_account_suspended", code: "20005" }],
    [30002, { outcome: "barred", because: "carrier_account_suspended", code: "30002" }],
    [20003, { outcome: "barred", because: "carrier_key_refused", code: "20003" }],
    [20404, { outcome: "barred", because: "carrier_key_refused", code: "20404" }],
  ];
  for (const [code, outcome] of cases) {
    open.twilio.behave("+12124440001", code);
    assert.deepEqual(await send(open, [aText("+12124440001")]), [outcome], String(code));
  }
  assert.equal(open.twilio.messages.length, 0);
});

test("after a 429 the account rests: that text and those that come are not sent, and none is tried", async (t) => {
  const open = await opened(t);
  open.twilio.behave("+12124440001", "429");
  const [outcome] = await send(open, [aText("+12124440001")]);
  assert.deepEqual(outcome, { outcome: "not_sent", code: "429", retryAfterMs: 3_000 });
  const [next] = await send(open, [aText("+12124440002")]);
  assert.equal(next!.outcome, "not_sent");
  assert.equal(open.twilio.requests.length, 1);
});

test("nothing leaves that may not, and what nobody listens to is certainly not sent", async (t) => {
  const open = await opened(t);
  const text = aText("+12124440001");
  const batch = { tenantId: ACCOUNT.tenantId, sender: SENDER, now: new Date(), texts: [text] };
  assert.deepEqual(await open.sms.send({ ...batch, mayLeave: () => false }, signal), [
    { outcome: "not_sent", code: "held_up", retryAfterMs: 0 },
  ]);
  const nowhere = twilioDriver({ hosts: () => "http://127.0.0.1:1", publicUrl: PUBLIC }).open(ACCOUNT);
  t.after(() => void nowhere.close());
  const [outcome] = await nowhere.sms!.send({ ...batch, mayLeave: () => true }, signal);
  assert.deepEqual([outcome!.outcome, open.twilio.requests.length], ["not_sent", 0]);
});

test("what fails after the request has left is uncertain, and the look-up says which of these Twilio has", async (t) => {
  const open = await opened(t);
  const taken = (["500_after", "reset_after", "malformed", "silent_after"] as const).map((behaviour, i) => {
    const to = `+1212444000${i}`;
    open.twilio.behave(to, behaviour);
    return aText(to, `Taken ${i}`);
  });
  const lost = (["500", "silent"] as const).map((behaviour, i) => {
    const to = `+1212444100${i}`;
    open.twilio.behave(to, behaviour);
    return aText(to, "Never taken");
  });
  const deadline = new AbortController();
  const sending = send(open, [...taken, ...lost], deadline.signal);
  while (open.twilio.requests.length < 6) await new Promise(setImmediate);
  deadline.abort();
  for (const outcome of await sending) assert.equal(outcome.outcome, "uncertain");
  const found = await open.sms.lookUp(
    ACCOUNT.tenantId,
    [...taken, ...lost].map((text) => doubted(text)),
    signal,
  );
  assert.deepEqual(
    [...found].sort(),
    taken
      .map(({ ref, to }) => [ref, { carrierId: open.twilio.messages.find((one) => one.to === to)!.sid }] as const)
      .sort(),
  );
});

test("a text that waits in Twilio's queue and has no date yet is found all the same, and on a later page too", async (t) => {
  const open = await opened(t);
  const to = "+12124440001";
  open.twilio.behave(to, "queued");
  const text = aText(to, "The one");
  const [outcome] = await send(open, [text]);
  const others = await send(
    open,
    Array.from({ length: 150 }, (_, i) => aText(to, `Other ${i}`)),
  );
  const otherIds = others.map((one) => (one as { carrierId: string }).carrierId);
  const found = await open.sms.lookUp(ACCOUNT.tenantId, [doubted(text, { otherIds })], signal);
  assert.deepEqual(found.get(text.ref), { carrierId: (outcome as { carrierId: string }).carrierId });
});

test("a text is found also by a clock that is half an hour ahead of Twilio's", async (t) => {
  const open = await opened(t, {}, PUBLIC, () => new Date(Date.now() - 1_800_000));
  open.twilio.behave("+12124440001", "500_after");
  const text = aText("+12124440001");
  const [outcome] = await send(open, [text]);
  assert.equal(outcome!.outcome, "uncertain");
  const found = await open.sms.lookUp(ACCOUNT.tenantId, [doubted(text)], signal);
  assert.deepEqual(found.get(text.ref), { carrierId: open.twilio.messages[0]!.sid });
});

test("a text is found also by a clock that is hours ahead, and by one that is days ahead nothing is taken for never sent", async (t) => {
  const open = await opened(t);
  const aheadBy = (hours: number) => ({ at: new Date(Date.now() + hours * 3_600_000) });
  open.twilio.behave("+12124440001", "500_after");
  const text = aText("+12124440001");
  await send(open, [text]);
  const { sid } = open.twilio.messages[0]!;
  const lookUp = (hours: number) => open.sms.lookUp(ACCOUNT.tenantId, [doubted(text, aheadBy(hours))], signal);
  assert.deepEqual((await lookUp(14)).get(text.ref), { carrierId: sid });
  assert.deepEqual((await lookUp(49)).get(text.ref), { unsure: true });
  const lost = aText("+12124440002");
  assert.deepEqual(await open.sms.lookUp(ACCOUNT.tenantId, [doubted(lost, aheadBy(0.5))], signal), new Map());
});

test("a look-up that cannot be made throws, so that nothing is taken for never sent", async (t) => {
  const { twilio, sms } = await opened(t, { credentials: { account_sid: ACCOUNT_SID, auth_token: "revoked-token" } });
  await assert.rejects(
    sms.lookUp(ACCOUNT.tenantId, [doubted(aText("+12124440001"))], signal),
    /Twilio refuses the account/,
  );
  assert.equal(twilio.messages.length, 0);
});

test("an answer without its list is no empty list: no text counts as never taken, and no number as gone", async (t) => {
  const server = createServer((_, response) => response.end('{"status":"maintenance"}')).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const carrier = twilioDriver({ hosts: () => url, publicUrl: PUBLIC }).open(ACCOUNT);
  t.after(() => {
    void carrier.close();
    server.closeAllConnections();
    server.close();
  });
  const unreadable = { name: "CarrierProblem", code: "invalid_answer" };
  const asked = carrier.sms!.lookUp(ACCOUNT.tenantId, [doubted(aText("+12124440001"))], signal);
  await assert.rejects(asked, unreadable);
  await assert.rejects(carrier.numbers(signal), unreadable);
});

/** Where Twilio reaches us: hands each request to the driver, and answers as it says. */
async function anEdge(t: TestContext, carrier: () => OpenCarrier) {
  const events: WebhookEvents[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const read = carrier().readWebhook!({
      path: request.url!.replace("/carrier/car_1/", ""),
      url: `http://${request.headers.host}${request.url}`,
      headers: request.headers as Record<string, string>,
      body,
      now: new Date(),
    });
    if (read) events.push(read);
    const { status, type, body: text } = read?.answer ?? { status: 403, type: "text/plain", body: "" };
    response.writeHead(status, { "content-type": type }).end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, events };
}

test("receipts come under our reference, twice and out of order, with their errors; a wrong signature is no receipt", async (t) => {
  let carrier!: OpenCarrier;
  const edge = await anEdge(t, () => carrier);
  const open = await opened(t, {}, edge.url);
  carrier = open.carrier;
  const text = aText("+12124440001");
  await send(open, [text]);
  const [message] = open.twilio.messages;
  for (const status of ["delivered", "sent", "sent", "queued", "a_new_one"])
    assert.equal((await open.twilio.report(message!, status)).status, 200);
  await open.twilio.report(message!, "undelivered", { ErrorCode: "30003", ANewField: "é" });
  await open.twilio.report(message!, "failed", { ErrorCode: "21610" });
  const receipt = { ref: text.ref, carrierId: message!.sid };
  assert.deepEqual(
    edge.events.flatMap(({ receipts }) => receipts),
    [
      { ...receipt, status: "delivered" },
      { ...receipt, status: "sent" },
      { ...receipt, status: "sent" },
      { ...receipt, status: "undelivered", errorCode: "30003" },
      { ...receipt, status: "failed", errorCode: "21610", optedOut: true },
    ],
  );
  assert.equal((await open.twilio.webhook(message!.callback!, { MessageStatus: "sent" }, "another token")).status, 403);
});

test("a text comes in as it was written, a keyword that Twilio has answered is marked, a picture alone has no words", async (t) => {
  let carrier!: OpenCarrier;
  const edge = await anEdge(t, () => carrier);
  const open = await opened(t, {}, edge.url);
  carrier = open.carrier;
  const url = `${edge.url}/carrier/car_1/sms`;
  const fields = { From: "+12124440001", To: SENDER, AccountSid: ACCOUNT_SID, NumMedia: "0" };
  const sid = (last: number) => `SM${String(last).padStart(32, "0")}`;
  await open.twilio.webhook(url, { ...fields, MessageSid: sid(1), Body: "Señor 😀 & co=1\n+" });
  await open.twilio.webhook(url, { ...fields, MessageSid: sid(2), Body: "Stop", OptOutType: "STOP" });
  await open.twilio.webhook(url, {
    ...fields,
    MessageSid: sid(3),
    NumMedia: "1",
    MediaUrl0: "https://api.twilio.com/x",
  });
  await open.twilio.webhook(url, { ...fields, From: "whatsapp:+12124440001", MessageSid: sid(4), Body: "Hi" });
  const text = { carrier: "car_1", from: fields.From, to: SENDER };
  assert.deepEqual(
    edge.events.flatMap(({ inbound }) => inbound).map(({ sentAt: _, ...one }) => one),
    [
      { ...text, carrierId: sid(1), text: "Señor 😀 & co=1\n+" },
      { ...text, carrierId: sid(2), text: "Stop", keyword: "stop", isAnswered: true },
      { ...text, carrierId: sid(3), text: "", media: [{ url: "https://api.twilio.com/x", contentType: null }] },
    ],
  );
  assert.equal(edge.events[0]!.answer.body, "<Response/>");
});

test("numbers are read page by page with what they can", async (t) => {
  const { twilio, carrier } = await opened(t);
  for (let i = 0; i < 1_203; i++)
    twilio.addNumber(`+1212555${String(i).padStart(4, "0")}`, {
      capabilities: { sms: i % 2 === 0, mms: false, voice: true },
    });
  const numbers = await carrier.numbers(signal);
  assert.equal(new Set(numbers.map(({ phone }) => phone)).size, 1_203);
  assert.deepEqual(numbers[1]!.capabilities, { sms: false, mms: false, voice: true });
});

test("set-up shows what it will change, leaves a foreign webhook unless it is to be replaced, and is safe to repeat", async (t) => {
  const { twilio, carrier } = await opened(t);
  twilio.addNumber("+12125550100");
  twilio.addNumber("+12125550101", { sms_url: "https://user:secret@other.example/sms?key=secret" });
  twilio.addNumber("+12125550102", { sms_url: "https://demo.twilio.com/welcome/sms/reply/" });
  twilio.addNumber("+12125550103", { sms_application_sid: `AP${"c".repeat(32)}` });
  twilio.addNumber("+12125550104", { sms_url: `${PUBLIC}/carrier/car_2/sms` });
  const wanted = `${URLS.base}/sms`;
  const { changes, missing } = await carrier.preview(URLS, signal);
  assert.deepEqual(
    changes.map(({ foreign }) => foreign),
    [false, true, false, true, true],
  );
  assert.equal(changes[1]!.from, "https://other.example/sms");
  assert.ok(!JSON.stringify(await carrier.check(URLS, {}, signal)).includes("secret"));
  assert.deepEqual(missing, []);
  assert.equal(
    twilio.requests.every(({ method }) => method === "GET"),
    true,
  );
  const applied = await carrier.apply(URLS, { replace: false }, signal);
  assert.equal(applied.changes.length, 2);
  assert.equal(applied.missing.length, 3);
  assert.ok(!JSON.stringify(applied).includes("secret"));
  assert.deepEqual(
    twilio.numbers.map((number) => number.sms_url),
    [wanted, "https://user:secret@other.example/sms?key=secret", wanted, "", `${PUBLIC}/carrier/car_2/sms`],
  );
  assert.equal((await carrier.apply(URLS, { replace: true }, signal)).changes.length, 3);
  assert.deepEqual(
    twilio.numbers.map((number) => [number.sms_url, number.sms_application_sid]),
    Array(5).fill([wanted, ""]),
  );
  assert.deepEqual(await carrier.preview(URLS, signal), { changes: [], missing: [] });
});

test("with a messaging service its webhook is set too, and its texts name it", async (t) => {
  const service = `MG${"b2".repeat(16)}`;
  const open = await opened(t, { settings: { messaging_service_sid: service } });
  open.twilio.addNumber(SENDER, { sms_url: `${URLS.base}/sms` });
  await open.carrier.apply(URLS, { replace: false }, signal);
  assert.equal(open.twilio.service.inbound_request_url, `${URLS.base}/sms`);
  await send(open, [aText("+12124440001")]);
  assert.equal(open.twilio.requests.at(-1)!.form.get("MessagingServiceSid"), service);
});

test("what is missing is said: no public address, no number, no registration", async (t) => {
  const { twilio, carrier } = await opened(t);
  assert.match((await carrier.preview({ base: undefined }, signal)).missing.join(" "), /PARLEY_PUBLIC_URL.*no number/);
  twilio.addNumber("+12125550100");
  twilio.addNumber("+18335550100");
  twilio.campaignStatus = "IN_PROGRESS";
  assert.match((await carrier.preview(URLS, signal)).missing.join(" "), /10DLC.*: \+12125550100\.$/);
});

test("the doctor says each thing by itself, and only the key where the key is refused", async (t) => {
  const { twilio, carrier } = await opened(t);
  twilio.addNumber("+12125550100", { sms_url: `${URLS.base}/sms` });
  assert.deepEqual(
    (await carrier.check(URLS, {}, signal)).filter(({ ok }) => !ok),
    [],
  );
  twilio.account = { ...twilio.account, status: "suspended" };
  twilio.numbers[0]!.sms_url = "https://other.example/";
  twilio.campaignStatus = "FAILED";
  const wrong = (await carrier.check({ base: undefined }, {}, signal)).filter(({ ok }) => !ok);
  assert.deepEqual(
    wrong.map(({ name, account }) => [name, account]),
    [
      ["account", "suspended"],
      ["public address", undefined],
      ["10DLC registration", undefined],
    ],
  );
  twilio.account = { ...twilio.account, status: "active", type: "Trial" };
  const trial = (await carrier.check(URLS, {}, signal)).find(({ name }) => name === "account")!;
  assert.deepEqual([trial.ok, trial.account], [false, undefined], "a trial account sends");
  const refused = await opened(t, { credentials: { account_sid: ACCOUNT_SID, auth_token: "revoked-token" } });
  const checks = await refused.carrier.check(URLS, {}, signal);
  assert.deepEqual(
    checks.map(({ name, ok, account }) => [name, ok, account]),
    [["credentials", false, "refused"]],
  );
});

const CAN = { capabilities: { sms: true, mms: true, voice: true } };

test("what Twilio does not find is that thing alone; only where it is the account itself is the account refused", async (t) => {
  const { twilio, carrier } = await opened(t);
  twilio.addNumber(SENDER);
  const asks: [RegExp, () => Promise<unknown>][] = [
    [/IncomingPhoneNumbers\.json/, () => carrier.inventory!.find!(ACCOUNT.tenantId, SENDER, signal)],
    [/AvailablePhoneNumbers/, () => carrier.inventory!.search({ areaCode: "212", limit: 1 } as never, signal)],
  ];
  for (const [fits, ask] of asks) {
    twilio.next(fits, 20404);
    await assert.rejects(ask(), (error: { code: string; account?: string }) => {
      assert.deepEqual([error.code, error.account], ["20404", undefined], String(fits));
      return true;
    });
  }
  twilio.next(/PhoneNumbers\/%2B1/, 20404);
  assert.equal((await carrier.lookup!.look("+12124440001", signal)).lineType, "unknown");
  twilio.next(/Accounts\/\w+\.json/, 20404);
  const [credentials, ...rest] = await carrier.check(URLS, {}, signal);
  assert.deepEqual(
    [credentials!.name, credentials!.ok, credentials!.account, rest.length],
    ["credentials", false, "refused", 0],
  );
});

test("numbers are searched, bought once and given back once", async (t) => {
  const { twilio, carrier } = await opened(t);
  const inventory = carrier.inventory!;
  twilio.stock = ["+12125550111", "+12125550112", "+18335550111"];
  assert.deepEqual(await inventory.search({ areaCode: "212", limit: 1 }, signal), ["+12125550111"]);
  assert.deepEqual(await inventory.search({ areaCode: "833", contains: "55", limit: 5 }, signal), ["+18335550111"]);
  assert.deepEqual(await inventory.purchase(ACCOUNT.tenantId, "+12125550111", signal), CAN);
  assert.deepEqual(await inventory.purchase(ACCOUNT.tenantId, "+12125550111", signal), CAN);
  assert.equal(await inventory.purchase(ACCOUNT.tenantId, "+12125550199", signal), undefined);
  assert.deepEqual(
    twilio.numbers.map((number) => [number.phone_number, number.sms_url]),
    [["+12125550111", `${URLS.base}/sms`]],
  );
  await inventory.release(ACCOUNT.tenantId, "+12125550111", signal);
  await inventory.release(ACCOUNT.tenantId, "+12125550111", signal);
  assert.equal(twilio.numbers.length, 0);
});

test("a number that is refused since it is the account's own meanwhile is kept", async (t) => {
  const { twilio, carrier } = await opened(t);
  const listing = Promise.withResolvers<void>();
  const held = twilio.hold(/^GET .*IncomingPhoneNumbers\.json$/, listing.promise);
  const asked = carrier.inventory!.purchase(ACCOUNT.tenantId, "+12125550111", signal);
  await held;
  twilio.addNumber("+12125550111");
  listing.resolve();
  assert.deepEqual(await asked, CAN);
});

test("credentials and settings are refused by their form, each field by name", () => {
  const driver = twilioDriver({ hosts: () => "", publicUrl: undefined });
  assert.deepEqual(driver.problems(ACCOUNT), []);
  const wrong = driver.problems({
    credentials: { account_sid: "AC1", auth_token: "", api_key_sid: "SK1" },
    settings: { messaging_service_sid: "MG", region: "IE 1", edge: 1 },
  });
  assert.deepEqual(
    wrong.map(({ field }) => field),
    [
      "credentials.account_sid",
      "credentials.auth_token",
      "credentials.api_key_sid",
      "credentials.api_key_secret",
      "settings.messaging_service_sid",
      "settings.region",
      "settings.edge",
    ],
  );
});
