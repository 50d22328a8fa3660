import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { workingNoon } from "#domain/compliance/holiday.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { drain, phone, states } from "#test/support/messaging/sending.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const PUBLIC = "https://parley.example";

/** A tenant in live mode whose sender is on a Twilio account, with a campaign of so many contacts, all by one clock that is ahead. */
async function aLiveSending(t: TestContext, contacts: number) {
  let aheadMs = workingNoon(new Date()).getTime() - Date.now();
  const now = () => new Date(Date.now() + aheadMs);
  const twilio = await startTwilio(t, { now });
  const hosts = JSON.stringify({ "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url });
  const api = await startParley(t, { PARLEY_CARRIER_HOSTS: hosts, PARLEY_PUBLIC_URL: PUBLIC }, ["api"]);
  const live = await anotherTenant(api, "live");
  twilio.addNumber(SENDER);
  const credentials = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
  const made = await live.post("/v1/carriers", { name: "Ours", kind: "twilio", credentials });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const carrierId = made.body.carrier.carrier_id as string;
  const connected = await live.post(`/v1/carriers/${carrierId}/connect`, {});
  assert.equal(connected.status, 200, JSON.stringify(connected.body));
  const people = Array.from({ length: contacts }, (_, i) => ({ phone_number: phone(i), first_name: `N${i}` }));
  await aCampaign(live, { contacts: people });
  const client = await openClient(t, api.databaseUrl);
  const { rows } = await client.query("select tenant_id, lane_id from campaigns");
  const tenantId = rows[0].tenant_id as Uuid;
  const { ctx: wired, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const ctx: Context = { ...wired, now };
  await client.query("update messages set due_at = $1 where due_at is not null", [now()]);
  const pass = (ms: number) => {
    aheadMs += ms;
  };
  return {
    twilio,
    live,
    ctx,
    client,
    carrierId,
    lane: { tenantId, laneId: rows[0].lane_id as Uuid },
    connected,
    pass,
  };
}

test("a tenant's texts leave by its own account, once each, and what an interrupted answer leaves open is settled by Twilio's list", async (t) => {
  const { twilio, live, ctx, client, carrierId, lane, connected, pass } = await aLiveSending(t, 12);
  assert.deepEqual(
    connected.body.changes.map(({ to }: { to: string }) => to),
    [`${PUBLIC}/carrier/${carrierId}/sms`],
  );
  assert.equal(twilio.numbers[0]!.sms_url, `${PUBLIC}/carrier/${carrierId}/sms`);
  for (const i of [0, 1, 2]) twilio.behave(phone(i), "reset_after");
  twilio.behave(phone(3), "500", "queued");
  twilio.behave(phone(4), 21610);
  await drain(ctx, lane);
  assert.deepEqual(await states(client, "attempts"), { accepted: 7, rejected: 1, uncertain: 4 });
  pass(61_000);
  await recoverAttempts(ctx, new AbortController().signal);
  assert.deepEqual(await states(client, "attempts"), { accepted: 10, not_sent: 1, rejected: 1 });
  await drain(ctx, lane);
  assert.deepEqual(await states(client, "attempts"), { accepted: 11, not_sent: 1, rejected: 1 });
  assert.deepEqual(new Set(twilio.messages.map(({ to }) => to)).size, 11);
  assert.equal(twilio.messages.length, 11);
  assert.ok(twilio.messages.every(({ callback }) => callback!.startsWith(`${PUBLIC}/carrier/${carrierId}/status/`)));
  const { callback, sid } = twilio.messages[0]!;
  const fields = { MessageSid: sid, MessageStatus: "delivered", AccountSid: ACCOUNT_SID };
  const post = (url: string, them: Record<string, string>, token = AUTH_TOKEN) =>
    twilio.webhook(url, them, token, url.replace(PUBLIC, live.url)).then(({ status }) => status);
  assert.deepEqual(
    [await post(callback!, fields), await post(callback!, fields), await post(callback!, fields, "another")],
    [200, 200, 403],
  );
  assert.equal((await states(client, "messages")).delivered, 1);
  const others = { account_sid: `AC${"9".repeat(32)}`, auth_token: "9".repeat(32) };
  const second = await live.post("/v1/carriers", { name: "Another", kind: "twilio", credentials: others });
  const theirs = twilio.messages[1]!.callback!.replace(carrierId, second.body.carrier.carrier_id);
  assert.notEqual(theirs, twilio.messages[1]!.callback);
  const said = { ...fields, MessageSid: twilio.messages[1]!.sid, AccountSid: others.account_sid };
  assert.equal(await post(theirs, said, others.auth_token), 200);
  assert.equal((await states(client, "messages")).delivered, 1, "an account says nothing of another's texts");
  const stop = { MessageSid: `SM${"f".repeat(32)}`, From: phone(5), To: SENDER, Body: "STOP", OptOutType: "STOP" };
  const inbound = `${PUBLIC}/carrier/${carrierId}/sms`;
  assert.deepEqual([await post(inbound, stop), await post(inbound, stop)], [200, 200]);
  const leave = { MessageSid: `SM${"e".repeat(32)}`, From: phone(6), To: SENDER, Body: "LEAVE", OptOutType: "STOP" };
  assert.equal(await post(inbound, leave), 200);
  const out = await client.query(
    "select phone from consents where phone = any($1) and opted_out_at is not null order by phone",
    [[phone(5), phone(6), phone(7)]],
  );
  assert.deepEqual(
    out.rows.map((row) => row.phone),
    [phone(5), phone(6)],
    "also by a word of the messaging service's own list",
  );
  await drain(ctx, lane);
  assert.equal(twilio.messages.length, 11, "Twilio has answered the STOP itself");
  const { checks, carrier } = (await live.post(`/v1/carriers/${carrierId}/check`, {})).body;
  assert.deepEqual(
    checks.filter(({ ok }: { ok: boolean }) => !ok),
    [],
  );
  assert.deepEqual([carrier.status, carrier.numbers_count], ["connected", 1]);
});

test("a key that Twilio refuses puts the account in trouble: nothing more is tried, and nothing is lost", async (t) => {
  const { twilio, live, ctx, client, carrierId, lane } = await aLiveSending(t, 5);
  for (let i = 0; i < 5; i++) twilio.behave(phone(i), 20003);
  await drain(ctx, lane);
  assert.equal((await live.get(`/v1/carriers/${carrierId}`)).body.carrier.status, "problem");
  assert.deepEqual(await states(client, "messages"), { scheduled: 5 });
  assert.equal(twilio.messages.length, 0);
});
