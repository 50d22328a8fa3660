import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { AUTH_TOKEN, type Behaviour } from "#test/support/carriers/twilio/stand-in.ts";
import { impatient, type Live, liveCampaign } from "./live.ts";
import { seeded } from "./load.ts";
import { options, scenario, size } from "./scenario.ts";

/** A batch is given up after 30 s; a short run waits less, on the same path. */
const PATIENCE_MS = options.long ? 30_000 : 400;

/** Nothing leaves by a process that finds the vendor so, and all leave once by another. */
async function unreachable(t: TestContext, contacts: number, url: string) {
  const live = await liveCampaign(t, contacts);
  await live.drain(live.another({ "api.twilio.com": url, "messaging.twilio.com": url }));
  assert.deepEqual(await live.states(), { scheduled: contacts });
  assert.equal(live.twilio.messages.length, 0);
  const [status, waits] = await live.campaign();
  await live.settle();
  assert.deepEqual(await live.states(), { accepted: contacts });
  await live.assertOnce();
  return { status, waits };
}

/** A server that answers a TLS greeting with the beginning of its own, and hangs up. */
async function truncatedTls(t: TestContext): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.from("160303007a02000076030387", "hex")));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The account's carrier refuses everything from the middle of the campaign on, for a while. */
async function refusedFromTheMiddle(live: Live, behaviour: Behaviour) {
  const half = Math.floor(live.phones.length / 2);
  for (const to of live.phones.slice(half)) live.twilio.behave(to, behaviour);
  await live.drain();
  const before = live.twilio.messages.length;
  const paused = await live.campaign();
  await live.drain();
  assert.equal(live.twilio.messages.length, before, "nothing is tried again by itself");
  return { before, paused };
}

async function repaired({ twilio, phones, owner, campaignId, settle, assertOnce, states }: Live): Promise<void> {
  for (const to of phones) twilio.behave(to, "queued");
  const resumed = await owner.post(`/v1/campaigns/${campaignId}/resume`);
  assert.equal(resumed.status, 200, JSON.stringify(resumed.body));
  await settle();
  assert.deepEqual(await states(), { accepted: phones.length });
  await assertOnce();
}

test("a live account's carrier misbehaves", async (t) => {
  const texts = size(options.texts, 24, 400);
  const random = seeded(options.seed);

  await scenario(t, "L01", "it takes a text and answers after nobody waits any more", async (t) => {
    const live = await liveCampaign(t, texts);
    live.twilio.lateMs = PATIENCE_MS + 1_000;
    const late = live.phones.filter((_, i) => i % 4 === 0);
    for (const to of late) live.twilio.behave(to, "late");
    await live.drain(impatient(live.ctx, PATIENCE_MS));
    await live.settle();
    assert.deepEqual(await live.states(), { accepted: texts });
    await live.assertOnce();
    return {
      tried: { texts, late: late.length, patienceMs: PATIENCE_MS },
      found: { atPhones: live.twilio.messages.length, twice: 0, lost: 0 },
      says: `${late.length} of ${texts} answers came too late: each phone has its text once.`,
    };
  });

  await scenario(t, "L02", "its name is not found", async (t) => {
    const found = await unreachable(t, texts, "https://nowhere.invalid");
    return {
      tried: { texts },
      found,
      says: `no phone got a text while the name was not found, and each got one after.`,
    };
  });

  await scenario(t, "L03", "its TLS ends in the middle of the handshake", async (t) => {
    const found = await unreachable(t, texts, await truncatedTls(t));
    return { tried: { texts }, found, says: `no phone got a text over a broken handshake, and each got one after.` };
  });

  await scenario(t, "L04", "its answers are no JSON", async (t) => {
    const live = await liveCampaign(t, texts);
    for (const to of live.phones) if (random() < 0.5) live.twilio.behave(to, "malformed");
    await live.drain();
    const { accepted = 0 } = await live.states();
    await live.settle();
    assert.deepEqual(await live.states(), { accepted: texts });
    await live.assertOnce();
    return {
      tried: { texts, malformed: texts - accepted },
      found: { atPhones: live.twilio.messages.length, twice: 0, lost: 0 },
      says: `${texts - accepted} of ${texts} answers could not be read: each phone has its text once.`,
    };
  });

  await scenario(t, "L05", "the credentials are revoked in mid-campaign, and repaired", async (t) => {
    const live = await liveCampaign(t, texts);
    const { before, paused } = await refusedFromTheMiddle(live, 20003);
    assert.deepEqual(paused, ["paused", "carrier_key_refused"]);
    live.twilio.authToken = "fedcba9876543210fedcba9876543210";
    const early = await live.owner.post(`/v1/campaigns/${live.campaignId}/resume`);
    assert.equal(early.status, 409, "not before the account is repaired");
    const credentials = { account_sid: String(live.twilio.account.sid), auth_token: live.twilio.authToken };
    const rotated = await live.owner.post(`/v1/carriers/${live.carrierId}/rotate`, { credentials });
    assert.equal(rotated.body.carrier?.status, "connected", JSON.stringify(rotated.body));
    await repaired(live);
    return {
      tried: { texts, before },
      found: { atPhones: live.twilio.messages.length, twice: 0, lost: 0 },
      says: `the key was revoked after ${before} of ${texts} texts: the campaign paused with the reason, and after the repair each phone has its text once.`,
    };
  });

  await scenario(t, "L06", "the account is suspended in mid-campaign", async (t) => {
    const live = await liveCampaign(t, texts);
    live.twilio.account.status = "suspended";
    const { before, paused } = await refusedFromTheMiddle(live, 20005);
    assert.deepEqual(paused, ["paused", "carrier_account_suspended"]);
    const check = async () => (await live.owner.post(`/v1/carriers/${live.carrierId}/check`, {})).body.carrier.status;
    assert.equal(await check(), "suspended");
    assert.equal((await live.owner.post(`/v1/campaigns/${live.campaignId}/resume`)).status, 409);
    live.twilio.account.status = "active";
    assert.equal(await check(), "connected");
    await repaired(live);
    return {
      tried: { texts, before },
      found: { atPhones: live.twilio.messages.length, twice: 0, lost: 0 },
      says: `suspended after ${before} of ${texts} texts: nothing more until a check found it active, and then each phone has its text once.`,
    };
  });

  await scenario(t, "L07", "the sender is taken from the account in mid-campaign", async (t) => {
    const live = await liveCampaign(t, texts);
    const { before, paused } = await refusedFromTheMiddle(live, 21606);
    assert.deepEqual(paused, ["paused", "carrier_sender_refused"]);
    const { body } = await live.owner.get(`/v1/carriers/${live.carrierId}`);
    assert.equal(body.carrier.status, "connected", "the account's other numbers go on");
    await repaired(live);
    return {
      tried: { texts, before },
      found: { atPhones: live.twilio.messages.length, twice: 0, lost: 0 },
      says: `the number was gone after ${before} of ${texts} texts: its campaign paused, and with the number back each phone has its text once.`,
    };
  });

  await scenario(t, "L08", "its callbacks are replayed and come in any order", async (t) => {
    const live = await liveCampaign(t, texts);
    await live.drain();
    const sent = live.twilio.messages.map((message, i) => ({
      message,
      last: i % 2 === 0 ? "delivered" : "undelivered",
    }));
    const calls = sent.flatMap(({ message, last }) =>
      ["sent", last, "sent", last].map((status) => ({ message, status, chance: random() })),
    );
    for (const { message, status } of calls.sort((a, b) => a.chance - b.chance)) {
      const more: Record<string, string> = status === "undelivered" ? { ErrorCode: "30003" } : {};
      assert.equal((await live.twilio.report(message, status, more)).status, 200);
    }
    const delivered = Math.ceil(texts / 2);
    assert.deepEqual(await live.states(), { delivered, undelivered: texts - delivered });
    await live.settle();
    await live.assertOnce();
    return {
      tried: { texts, callbacks: calls.length },
      found: { delivered, undelivered: texts - delivered, twice: 0 },
      says: `${calls.length} callbacks in any order, each twice: every text ended as its phone has it, and no phone got another.`,
    };
  });

  await scenario(t, "L09", "a callback comes before the create's answer, and a forged one", async (t) => {
    const live = await liveCampaign(t, texts);
    for (const to of live.phones) live.twilio.behave(to, "report_first");
    await live.drain();
    assert.deepEqual(await live.states(), { delivered: texts });
    const { callback, sid } = live.twilio.messages[0]!;
    const fields = { MessageSid: sid, MessageStatus: "failed", AccountSid: String(live.twilio.account.sid) };
    const forged = await live.twilio.webhook(callback!, fields, AUTH_TOKEN.replace("0", "f"));
    assert.equal(forged.status, 403);
    await live.settle();
    assert.deepEqual(await live.states(), { delivered: texts });
    await live.assertOnce();
    return {
      tried: { texts },
      found: { delivered: texts, twice: 0 },
      says: `${texts} deliveries were reported before their texts were answered: all stand as delivered, no phone got another.`,
    };
  });
});
