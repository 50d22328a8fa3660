import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { endLoan, giveNumbers, lendCarrier, takeNumbersBack } from "#operations/accounts/lend-carrier.ts";
import { type client, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { threeTenants } from "#test/support/carriers/shared-account.ts";
import { receiptOf, smppGateway } from "#test/support/carriers/smpp/gateway.ts";
import { addNumber, addProfile } from "#test/support/carriers/telnyx/account.ts";
import { startTelnyx } from "#test/support/carriers/telnyx/server.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";

type Client = ReturnType<typeof client>;

const PUBLIC = "https://parley.example";
/** Toll-free: Telnyx wants local ones registered first, which is another story. */
const NUMBERS = { host: "+18005550100", ann: "+18005550101", bob: "+18005550102" };
const [CY, DI, EVE] = ["+12124440001", "+12124440002", "+12124440003"];

/** A carrier's stand-in, to which this service is reached at `url`. */
type Far = {
  env: Record<string, string>;
  credentials: Record<string, string>;
  settings: Record<string, unknown>;
  /** What a loan to this number's tenant has in the place of the owner's. */
  loan(number: string): Record<string, unknown> | undefined;
  sent(): { from: string; to: string }[];
  /** The carrier reports that a text was delivered. */
  report(from: string, to: string, url: string): Promise<void>;
  says(from: string, to: string, text: string, at: { url: string; carrier: string }): Promise<void>;
};

async function atTwilio(t: TestContext): Promise<Far> {
  const twilio = await startTwilio(t);
  for (const phone of Object.values(NUMBERS)) twilio.addNumber(phone);
  let said = 0;
  const webhook = async (url: string, path: string, fields: Record<string, string>) => {
    const all = { AccountSid: ACCOUNT_SID, ...fields };
    const { status } = await twilio.webhook(`${PUBLIC}${path}`, all, undefined, `${url}${path}`);
    assert.equal(status, 200);
  };
  return {
    env: { PARLEY_CARRIER_HOSTS: JSON.stringify({ "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url }) },
    credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN },
    settings: {},
    loan: () => undefined,
    sent: () => twilio.messages.map(({ from, to }) => ({ from: from!, to })),
    async report(from, to, url) {
      const message = twilio.messages.find((one) => one.from === from && one.to === to)!;
      const path = message.callback!.slice(PUBLIC.length);
      await webhook(url, path, { MessageSid: message.sid, MessageStatus: "delivered" });
    },
    async says(from, to, text, { url, carrier }) {
      const sid = `SM${(++said).toString(16).padStart(8, "0").padStart(32, "c")}`;
      const more = { MessageSid: sid, SmsSid: sid, NumMedia: "0", NumSegments: "1", ApiVersion: "2010-04-01" };
      await webhook(url, `/carrier/${carrier}/sms`, { From: from, To: to, Body: text, ...more });
    },
  };
}

async function atTelnyx(t: TestContext): Promise<Far> {
  const telnyx = await startTelnyx();
  t.after(() => telnyx.close());
  const profiles = new Map(Object.values(NUMBERS).map((phone) => [phone, addProfile(telnyx.account).id]));
  for (const [phone, messaging_profile_id] of profiles) addNumber(telnyx.account, phone, { messaging_profile_id });
  telnyx.behave("any", { when: "on_request" });
  const here = (url: string, address: string) => address.replace(PUBLIC, url);
  return {
    env: { PARLEY_CARRIER_HOSTS: JSON.stringify({ "api.telnyx.com": telnyx.url }) },
    credentials: { api_key: telnyx.apiKey, public_key: telnyx.publicKey },
    settings: { messaging_profile_id: profiles.get(NUMBERS.host) },
    loan: (number) => ({ messaging_profile_id: profiles.get(number) }),
    sent: () => telnyx.taken.map(({ params: { from, to } }) => ({ from: from!, to })),
    async report(from, to, url) {
      const text = telnyx.taken.find(({ params }) => params.from === from && params.to === to)!;
      const params = { ...text.params, webhook_url: here(url, text.params.webhook_url!) };
      await telnyx.release({ ...text, params }, [{ status: "delivered" }]);
      assert.equal(telnyx.sent.at(-1)!.status, 200);
    },
    async says(from, to, text, { url, carrier }) {
      const webhook = telnyx.inbound({ from, to, text });
      assert.equal(await telnyx.post({ ...webhook, url: `${url}/carrier/${carrier}/sms` }), 200);
    },
  };
}

async function atGateway(t: TestContext): Promise<Far> {
  const gateway = await smppGateway(t);
  const texts = () => gateway.submitted.map((text) => ({ from: `+${text.from}`, to: `+${text.to}`, text }));
  return {
    env: { PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1" },
    credentials: { system_id: "parley", password: "secret" },
    settings: { host: "127.0.0.1", port: gateway.port, per_second: 100, senders: Object.values(NUMBERS) },
    loan: () => undefined,
    sent: () => texts().map(({ from, to }) => ({ from, to })),
    async report(from, to) {
      const { text } = texts().find((one) => one.from === from && one.to === to)!;
      assert.equal(await gateway.deliver(receiptOf(text, { state: "DELIVRD" })), 0);
    },
    async says(from, to, text) {
      const addresses = { source_addr: from.slice(1), source_addr_ton: 1, destination_addr: to.slice(1) };
      assert.equal(await gateway.deliver({ ...addresses, dest_addr_ton: 1, short_message: text }), 0);
    },
  };
}

for (const [kind, start] of [
  ["twilio", atTwilio],
  ["telnyx", atTelnyx],
  ["smpp", atGateway],
] as const)
  test(`over ${kind} borrowers have their receipts and STOPs; a number that has moved keeps the receipts of who had it, and a STOP to it is both tenants'`, async (t) => {
    const far = await start(t);
    const env = { PARLEY_PUBLIC_URL: PUBLIC, PARLEY_LIVE_CLOCK: "moved", ...far.env };
    const service = await startParley(t, env, ["api", "worker"]);
    const { credentials, settings } = far;
    const shared = await threeTenants(t, service, { kind, credentials, settings });
    const { host, ann, bob, sql, ctx, loans, carrier_id: carrier } = shared;
    const connected = await host.post(`/v1/carriers/${carrier}/connect`, {});
    assert.equal(connected.body.carrier?.status, "connected", JSON.stringify(connected.body));
    for (const who of ["ann", "bob"] as const) {
      const own = far.loan(NUMBERS[who]);
      await lendCarrier(ctx, loans[who], own ? { settings: own } : {});
      await giveNumbers(ctx, loans[who], [NUMBERS[who]]);
    }
    const campaignOf = (them: Client, svc_sms_number: string, phones: string[]) =>
      aCampaign(them, {
        contacts: phones.map((phone_number) => ({ phone_number })),
        agent: { reply_delay_ms: 60_000 },
        campaign: { svc_sms_number },
      });
    const anns = await campaignOf(ann, NUMBERS.ann, [CY, DI, EVE]);
    await campaignOf(bob, NUMBERS.bob, [CY]);
    const from = (phone: string) => far.sent().filter((one) => one.from === phone).length;
    await until("all have left", async () => from(NUMBERS.ann) === 3 && from(NUMBERS.bob) === 1);
    const delivered = async () => {
      const { rows } = await sql.query(
        "select phone from messages where tenant_id = $1 and kind <> 'inbound' and state = 'delivered' order by phone",
        [loans.ann.tenant],
      );
      return rows.map(({ phone }) => phone).join();
    };
    await far.report(NUMBERS.ann, CY, service.url);
    await until("hers is delivered", async () => (await delivered()) === CY);
    const stopped = async (phone: string) => {
      const query = "select tenant_id from consents where phone = $1 and opted_out_at is not null order by tenant_id";
      return (await sql.query(query, [phone])).rows.map(({ tenant_id }) => tenant_id);
    };
    const here = { url: service.url, carrier };
    await far.says(CY, NUMBERS.ann, "STOP", here);
    await until("Ann has heard it", async () => (await stopped(CY)).length > 0);
    assert.deepEqual(await stopped(CY), [loans.ann.tenant], "Bob's conversation with Cy is another one");

    // Ann's number becomes Bob's, while two of her texts have no receipt.
    await sql.query("update campaigns set status = 'completed' where tenant_id = $1", [loans.ann.tenant]);
    await until("the number is the owner's again", () =>
      takeNumbersBack(ctx, loans.ann, [NUMBERS.ann]).then(
        () => true,
        () => false,
      ),
    );
    await giveNumbers(ctx, loans.bob, [NUMBERS.ann]);
    await far.report(NUMBERS.ann, DI, service.url);
    await until("it is Ann's all the same", async () => (await delivered()) === [CY, DI].join());
    await far.says(DI, NUMBERS.ann, "Stop", here);
    const both = [loans.ann.tenant, loans.bob.tenant].sort();
    await until("both have heard it", async () => (await stopped(DI)).length === 2);
    assert.deepEqual(await stopped(DI), both);
    const nobodys = "+12124440009";
    await far.says(nobodys, NUMBERS.ann, "Stop", here);
    await until("Bob has heard it", async () => (await stopped(nobodys)).length > 0);
    assert.deepEqual(await stopped(nobodys), [loans.bob.tenant], "Ann has never texted that phone");

    await endLoan(ctx, loans.ann);
    await far.report(NUMBERS.ann, EVE, service.url);
    await until("what is left of her loan is settled too", async () => (await delivered()) === [CY, DI, EVE].join());
    const thread = `/v1/sms/threads/${encodeURIComponent(`${EVE}_${anns.campaignId}`)}`;
    assert.ok(JSON.stringify((await ann.get(thread)).body).includes('"delivered"'));
    const consentOf = async (them: Client, phone: string) =>
      JSON.stringify((await them.get(`/v1/consents/${encodeURIComponent(phone)}`)).body);
    const said = "please take me off your list";
    await far.says(EVE, NUMBERS.ann, said, here);
    await until("a wish in other words is both's as well", async () => (await stopped(EVE)).length === 2);
    await until("Bob reads the words", async () => (await consentOf(bob, EVE)).includes(said));
    // They were said to Bob, who has the number.
    assert.match(await consentOf(ann, EVE), /"opt_out_source":"free_text","opt_out_quote":null/);
    const { rows: noted } = await sql.query(
      "select event, source, quote from consent_records where tenant_id = $1 and phone = any($2) order by phone",
      [loans.ann.tenant, [DI, EVE]],
    );
    const revoked = (source: string) => ({ event: "revoked", source, quote: null });
    assert.deepEqual(noted, [revoked("keyword"), revoked("free_text")], "nor is a word in what proves the wish");

    // Lent again, it is as it was: by the same name, with receipts and numbers of its own.
    const again = await lendCarrier(ctx, loans.ann, {});
    assert.equal(again.status, "connected");
    await giveNumbers(ctx, loans.ann, [NUMBERS.host]);
    await campaignOf(ann, NUMBERS.host, ["+12124440005"]);
    await until("she sends from another number", async () => from(NUMBERS.host) === 1);
  });
