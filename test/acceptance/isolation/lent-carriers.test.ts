import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { commandContext } from "#app/command/entries.ts";
import { endLoan, giveNumbers, lendCarrier, listLoans, takeNumbersBack } from "#operations/accounts/lend-carrier.ts";
import { type client, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { threeTenants } from "#test/support/carriers/shared-account.ts";
import { ACCOUNT_SID, AUTH_TOKEN, type Sent, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";

type Client = ReturnType<typeof client>;

const PUBLIC = "https://parley.example";

const CONTACT = "+12124440001";
const NUMBERS = { host: "+12125550100", ann: "+12125550101", bob: "+12125550102" };
const CREDENTIALS = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };

/** A tenant who has an account with Twilio's stand-in, and two who were lent it, each with one of its numbers. It is a working day's noon. */
async function lentTwilio(t: TestContext) {
  const twilio = await startTwilio(t);
  for (const phone of Object.values(NUMBERS)) twilio.addNumber(phone);
  const hosts = { "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url };
  const service = await startParley(
    t,
    {
      PARLEY_PUBLIC_URL: PUBLIC,
      PARLEY_CARRIER_HOSTS: JSON.stringify(hosts),
      PARLEY_LIVE_CLOCK: "moved",
    },
    ["api", "worker"],
  );
  const { host, ann, bob, sql, ctx, loans, account, carrier_id } = await threeTenants(t, service, {
    kind: "twilio",
    credentials: CREDENTIALS,
  });
  assert.equal((await host.post(`/v1/carriers/${carrier_id}/connect`, {})).status, 200);
  const command = () => commandContext(ctx, { name: "parley carrier", by: "a test" }).ctx;
  await lendCarrier(command(), loans.ann, { name: "Texts", limits: { texts_per_day: 100 } });
  await lendCarrier(command(), loans.bob, {});
  await giveNumbers(command(), loans.ann, [NUMBERS.ann]);
  await giveNumbers(command(), loans.bob, [NUMBERS.bob]);
  const logged = async (them: Client) => (await them.get("/v1/audit?actor=command")).body.entries;
  assert.deepEqual(
    [(await logged(host)).length, (await logged(ann)).map((entry: { object_id: string }) => entry.object_id)],
    [4, [carrier_id, carrier_id]],
    "what is lent is in the logs of both",
  );
  /** A webhook as it comes to this service, signed for the address that Twilio knows. */
  const webhook = (path: string, fields: Record<string, string>) =>
    twilio.webhook(`${PUBLIC}${path}`, { AccountSid: ACCOUNT_SID, ...fields }, undefined, `${service.url}${path}`);
  const report = (message: Sent, MessageStatus: string, path = message.callback!.slice(PUBLIC.length)) =>
    webhook(path, { MessageSid: message.sid, MessageStatus });
  return { twilio, host, ann, bob, sql, ctx, loans, account, carrier_id, webhook, report };
}

test("two tenants share an account: each has its number, its receipts, its replies and its STOPs, and sees nothing of the other's or the account's", async (t) => {
  const { twilio, host, ann, bob, sql, ctx, loans, account, carrier_id, webhook, report } = await lentTwilio(t);
  const seenBy = async (them: Client) => (await them.get("/v1/carriers")).body.carriers[0];
  const [annsCarrier, bobsCarrier] = [await seenBy(ann), await seenBy(bob)];
  assert.deepEqual(
    [annsCarrier.name, annsCarrier.status, annsCarrier.shared, annsCarrier.numbers_count, annsCarrier.webhook_url],
    ["Texts", "connected", { texts_per_second: null, texts_per_day: 100, calls_at_once: null }, 1, null],
  );
  assert.deepEqual([annsCarrier.settings, (await seenBy(host)).shared], [{}, null]);
  const everything = async (them: Client) =>
    JSON.stringify([await them.get("/v1/carriers"), await them.get(`/v1/carriers/${annsCarrier.carrier_id}`)]);
  for (const secret of [ACCOUNT_SID, AUTH_TOKEN, carrier_id, NUMBERS.bob, bobsCarrier.carrier_id])
    assert.ok(!(await everything(ann)).includes(secret), secret);

  // What is the owner's to do is refused, and another tenant's loan is like none that ever was.
  const path = `/v1/carriers/${annsCarrier.carrier_id}`;
  for (const refused of [
    await ann.post(`${path}/connect`, {}),
    await ann.post(`${path}/check`, {}),
    await ann.post(`${path}/rotate`, { credentials: CREDENTIALS }),
    await ann.patch(path, { settings: {} }),
    await ann.delete(path),
    await ann.delete(`/v1/voice/phone-numbers/${encodeURIComponent(NUMBERS.ann)}`),
  ])
    assert.equal(refused.status, 409, JSON.stringify(refused.body));
  assert.equal((await bob.get(path)).status, 404);
  assert.equal((await host.delete(`/v1/carriers/${carrier_id}`)).status, 409, "while it is lent");
  await assert.rejects(giveNumbers(ctx, loans.bob, [NUMBERS.ann]), { code: "conflict" });
  const notTheirs = { svc_sms_number: NUMBERS.bob };
  await assert.rejects(aCampaign(ann, { contacts: [{ phone_number: CONTACT }], campaign: notTheirs }), /no carrier/);

  // Both text the same phone, each from its own number.
  const campaignOf = (them: Client, svc_sms_number: string) =>
    aCampaign(them, {
      contacts: [{ phone_number: CONTACT, first_name: "Cy" }],
      agent: { reply_delay_ms: 0 },
      campaign: { svc_sms_number },
    });
  const made = { ann: await campaignOf(ann, NUMBERS.ann), bob: await campaignOf(bob, NUMBERS.bob) };
  const from = (phone: string) => twilio.messages.filter((message) => message.from === phone);
  await until("both texts are at Twilio", async () => from(NUMBERS.ann).length + from(NUMBERS.bob).length === 2);
  const threadOf = async (them: Client, { campaignId }: { campaignId: string }) =>
    JSON.stringify((await them.get(`/v1/sms/threads/${encodeURIComponent(`${CONTACT}_${campaignId}`)}`)).body);
  assert.equal((await report(from(NUMBERS.ann)[0]!, "delivered")).status, 200);
  await until("Ann's is delivered", async () => (await threadOf(ann, made.ann)).includes('"delivered"'));
  assert.ok(!(await threadOf(bob, made.bob)).includes('"delivered"'));
  // Bob's receipt at Ann's address is none of hers, and not taken for his either.
  const bobs = from(NUMBERS.bob)[0]!;
  const misled = bobs.callback!.slice(PUBLIC.length).replace(bobsCarrier.carrier_id, annsCarrier.carrier_id);
  assert.equal((await report(bobs, "delivered", misled)).status, 200);
  const { rows: receipts } = await sql.query(
    "select count(*)::int as n from messages where state = 'delivered' and tenant_id = $1",
    [loans.bob.tenant],
  );
  assert.deepEqual(receipts, [{ n: 0 }]);

  // A text to a number comes to the account's one address, and to the number's tenant.
  const says = (to: string, text: string, sid: string) =>
    webhook(`/carrier/${carrier_id}/sms`, {
      ...{ ApiVersion: "2010-04-01", From: CONTACT, To: to, Body: text },
      ...{ MessageSid: `SM${sid.repeat(32)}`, SmsSid: `SM${sid.repeat(32)}`, NumMedia: "0", NumSegments: "1" },
    });
  assert.equal((await says(NUMBERS.ann, "STOP", "c")).status, 200);
  await until("the STOP is confirmed from Ann's number", async () => from(NUMBERS.ann).length === 2);
  assert.equal((await says(NUMBERS.bob, "Yes, please", "d")).status, 200);
  await until("Bob's agent answers", async () => from(NUMBERS.bob).length === 2);
  const { rows: stopped } = await sql.query("select tenant_id from consents where opted_out_at is not null");
  assert.deepEqual(stopped, [{ tenant_id: loans.ann.tenant }]);
  assert.ok(!(await threadOf(ann, made.ann)).includes("Yes, please"));
  const { rows: texts } = await sql.query("select tenant_id, text from inbound_texts order by text");
  assert.deepEqual(
    texts.map(({ tenant_id }) => tenant_id),
    [loans.ann.tenant, loans.bob.tenant],
  );

  assert.deepEqual((await listLoans(ctx, account)).map(({ numbers }) => numbers[0]).sort(), [NUMBERS.ann, NUMBERS.bob]);
  // It may be over with the STOP by now.
  await sql.query("update campaigns set status = 'paused' where tenant_id = $1", [loans.ann.tenant]);
  await assert.rejects(takeNumbersBack(ctx, loans.ann, [NUMBERS.ann]), { code: "conflict", message: /campaign/ });
});

test("a number that another tenant has by now sends nothing more of the one who had it", async (t) => {
  const { twilio, ann, sql, ctx, loans } = await lentTwilio(t);
  const { campaignId } = await aCampaign(ann, {
    contacts: [{ phone_number: CONTACT }],
    campaign: { svc_sms_number: NUMBERS.ann },
  });
  const sent = () => twilio.messages.filter(({ from }) => from === NUMBERS.ann).length;
  await until("it has left", async () => sent() === 1);
  await sql.query("update campaigns set status = 'completed' where tenant_id = $1", [loans.ann.tenant]);
  await until("the number is the owner's again", () =>
    takeNumbersBack(ctx, loans.ann, [NUMBERS.ann]).then(
      () => true,
      () => false,
    ),
  );
  await giveNumbers(ctx, loans.bob, [NUMBERS.ann]);
  const thread = `/v1/sms/threads/${encodeURIComponent(`${CONTACT}_${campaignId}`)}`;
  const written = await ann.post(`${thread}/messages`, { text: "Are you still looking?" });
  assert.equal(written.status, 202, JSON.stringify(written.body));
  await until("it is refused", async () => JSON.stringify((await ann.get(thread)).body).includes("carrier_removed"));
  assert.equal(sent(), 1);
});

test("an account that the carrier bars pauses the campaigns of all who have it, with the reason, until its owner has repaired it", async (t) => {
  const { twilio, host, ann, bob, carrier_id } = await lentTwilio(t);
  const contacts = (n: number) => Array.from({ length: n }, (_, i) => ({ phone_number: `+1212444${1000 + i}` }));
  const campaign = (phone: string) => ({ campaign: { svc_sms_number: phone }, agent: { reply_delay_ms: 60_000 } });
  twilio.authToken = "f".repeat(32);
  // The account is barred by Ann's first text, with which Bob could begin no campaign any more.
  const { promise: begun, resolve: bothHaveBegun } = Promise.withResolvers<void>();
  void twilio.hold(/^POST .*\/Messages\.json$/, begun);
  const made = await aCampaign(ann, { contacts: contacts(1), ...campaign(NUMBERS.ann) });
  const bobs = await aCampaign(bob, { contacts: contacts(2), ...campaign(NUMBERS.bob) });
  bothHaveBegun();
  const shown = async (them: Client, { campaignId }: { campaignId: string }) =>
    (await them.get(`/v1/campaigns/${campaignId}`)).body;
  await until("both are paused", async () =>
    [await shown(ann, made), await shown(bob, bobs)].every((one) =>
      JSON.stringify(one).includes("carrier_key_refused"),
    ),
  );
  for (const them of [host, ann, bob]) {
    const [one] = (await them.get("/v1/carriers")).body.carriers;
    assert.equal(one.status, "problem", JSON.stringify(one));
  }
  const resume = () => ann.post(`/v1/campaigns/${made.campaignId}/resume`, {});
  assert.equal((await resume()).status, 409);
  twilio.authToken = AUTH_TOKEN;
  assert.equal((await host.post(`/v1/carriers/${carrier_id}/check`, {})).status, 200);
  const resumed = await resume();
  assert.equal(resumed.status, 200, JSON.stringify(resumed.body));
  assert.ok(!JSON.stringify(await shown(ann, made)).includes("carrier_key_refused"));
  assert.ok(JSON.stringify(await shown(bob, bobs)).includes("carrier_key_refused"), "Bob's waits for Bob");
});

test("a tenant sends no more by a shared account than its limits, and nothing once the loan has ended", async (t) => {
  const { twilio, host, ann, sql, ctx, loans, carrier_id } = await lentTwilio(t);
  await lendCarrier(ctx, loans.ann, { limits: { texts_per_day: 2 } });
  const contacts = Array.from({ length: 5 }, (_, i) => ({ phone_number: `+1212444${1000 + i}` }));
  const { campaignId } = await aCampaign(ann, { contacts, campaign: { svc_sms_number: NUMBERS.ann } });
  const sent = () => twilio.messages.filter(({ from }) => from === NUMBERS.ann).length;
  await until("two have left", async () => sent() === 2);
  const used = async () => (await sql.query("select texts from lent_carrier_uses")).rows;
  assert.deepEqual(await used(), [{ texts: 2 }]);
  await lendCarrier(ctx, loans.ann, { limits: { texts_per_day: 4, texts_per_second: 50 } });
  await until("two more have left", async () => sent() === 4);
  await lendCarrier(ctx, loans.ann, { limits: { texts_per_day: null } });
  await until("all have left", async () => sent() === 5);
  await assert.rejects(endLoan(ctx, loans.ann), { code: "conflict" });
  await ann.delete(`/v1/campaigns/${campaignId}`);
  await until("the loan has ended", () =>
    endLoan(ctx, loans.ann).then(
      () => true,
      () => false,
    ),
  );
  assert.deepEqual((await ann.get("/v1/carriers")).body.carriers, []);
  assert.equal((await host.get(`/v1/carriers/${carrier_id}`)).body.carrier.numbers_count, 2);
});
