import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { pollBrands } from "#operations/registration/read-brands.ts";
import { pollTenDlcCampaigns } from "#operations/registration/read-ten-dlc-campaigns.ts";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { addNumber, addProfile } from "#test/support/carriers/telnyx/account.ts";
import { startTelnyx } from "#test/support/carriers/telnyx/server.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";

const BRAND = {
  ...{ entityType: "PRIVATE_PROFIT", companyName: "Acme Inc.", displayName: "Acme", ein: "12-3456789" },
  ...{ country: "US", email: "ops@acme.example", vertical: "RETAIL" },
};
const OFFERS = {
  ...{ useCase: "MARKETING", description: "Offers", messageFlow: "Customers tick a box on a form." },
  ...{ sample1: "Hi", sample2: "Offer" },
};
const SENDER = "+12125550100";

const code = ({ status, body }: Answer) => [status, body.code];

/** A live tenant whose service reaches Twilio and Telnyx at stand-ins. */
async function aTenant(t: TestContext) {
  const twilio = await startTwilio(t);
  const telnyx = await startTelnyx();
  t.after(() => telnyx.close());
  const hosts = {
    "api.twilio.com": twilio.url,
    "messaging.twilio.com": twilio.url,
    "trusthub.twilio.com": twilio.url,
    "api.telnyx.com": telnyx.url,
  };
  const api = await startParley(t, { PARLEY_CARRIER_HOSTS: JSON.stringify(hosts) }, ["api"]);
  const live = await anotherTenant(api, "live");
  const add = async (account: object) => {
    const { body } = await live.post("/v1/carriers", account);
    const { carrier_id } = body.carrier;
    const connected = await live.post(`/v1/carriers/${carrier_id}/connect`, {});
    assert.equal(connected.status, 200, JSON.stringify(connected.body));
    return String(carrier_id);
  };
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  return {
    ...{ twilio, telnyx, api, live },
    addTwilio: () => {
      twilio.addNumber(SENDER);
      const credentials = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
      return add({ kind: "twilio", name: "Main", credentials });
    },
    addTelnyx: () => {
      addNumber(telnyx.account, "+12125550199", { messaging_profile_id: addProfile(telnyx.account).id });
      const credentials = { api_key: telnyx.apiKey, public_key: telnyx.publicKey };
      return add({ kind: "telnyx", name: "Second", credentials });
    },
    /** What a worker's sweep does, at a later time. */
    async poll(minutes: number) {
      const later = { ...ctx, now: () => new Date(Date.now() + minutes * 60_000) };
      await pollBrands(later);
      await pollTenDlcCampaigns(later);
    },
    listed: async (what: "brand" | "campaign") =>
      ((await live.get(`/v1/10dlc/${what}`)).body[`${what}s`] as { status: string }[]).map(({ status }) => status),
  };
}

test("without an account no live brand is registered, with a sentence; a test key's is the simulated registry's", async (t) => {
  const { live, api, telnyx, twilio, addTelnyx } = await aTenant(t);
  const refused = await live.post("/v1/10dlc/brand", BRAND);
  assert.deepEqual(code(refused), [409, "conflict"]);
  assert.match(refused.body.error, /connect an account with Twilio or Telnyx/);
  assert.equal((await live.get("/v1/10dlc/brand")).body.count, 0);
  const carrier_id = await addTelnyx();
  const simulated = await api.post("/v1/10dlc/brand", BRAND);
  assert.deepEqual([simulated.status, simulated.body.carrier_id], [201, null]);
  assert.deepEqual(wrongFields(await api.post("/v1/10dlc/brand", { ...BRAND, carrier_id })), ["carrier_id"]);
  assert.deepEqual([telnyx.account.brands.length, twilio.requests.length], [0, 0]);
});

test("a brand and a campaign go through Telnyx: PENDING, then what its registry says, by poll or as soon as it calls", async (t) => {
  const { live, telnyx, addTelnyx, poll, listed } = await aTenant(t);
  const carrier_id = await addTelnyx();
  const made = await live.post("/v1/10dlc/brand", BRAND);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { brandId } = made.body;
  const [brand] = telnyx.account.brands;
  assert.deepEqual([brandId, made.body.status, made.body.carrier_id], [brand!.brandId, "PENDING", carrier_id]);
  assert.deepEqual(code(await live.post("/v1/10dlc/campaign", { brandId, ...OFFERS })), [409, "conflict"]);
  Object.assign(brand!, { status: "REGISTRATION_FAILED", failureReasons: "The EIN is not known." });
  await poll(0);
  const rejected = (await live.get(`/v1/10dlc/brand/${brandId}`)).body;
  assert.deepEqual([rejected.status, rejected.reasons], ["REJECTED", ["The EIN is not known."]]);
  const again = await live.post(`/v1/10dlc/brand/${brandId}/resubmit`, { ein: "98-7654321" });
  assert.deepEqual([again.status, again.body.status, brand!.ein], [200, "PENDING", "98-7654321"]);
  Object.assign(brand!, { status: "OK", identityStatus: "VERIFIED" });
  telnyx.account.scores.set(brandId, 80);
  const active = (await live.get(`/v1/10dlc/brand/${brandId}`)).body;
  assert.deepEqual([active.status, active.identityStatus, active.score], ["ACTIVE", "VERIFIED", 80]);

  const campaign = await live.post("/v1/10dlc/campaign", { brandId, ...OFFERS });
  assert.equal(campaign.status, 201, JSON.stringify(campaign.body));
  const path = `/v1/10dlc/campaign/${campaign.body.campaignId}`;
  const numbers = { phone_numbers: ["+12125550199"] };
  assert.deepEqual(code(await live.post(`${path}/phone-numbers`, numbers)), [409, "conflict"]);
  await poll(2);
  assert.deepEqual(await listed("campaign"), ["PENDING"]);
  telnyx.account.campaigns[0]!.campaignStatus = "MNO_PROVISIONED";
  await poll(2.5);
  assert.deepEqual(await listed("campaign"), ["PENDING"], "it was asked half a minute ago");
  await poll(4);
  assert.deepEqual(await listed("campaign"), ["ACTIVE"]);
  const assigned = await live.post(`${path}/phone-numbers`, numbers);
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
  assert.deepEqual([assigned.body.phone_numbers, assigned.body.class], [["+12125550199"], "A"]);
  assert.deepEqual(
    telnyx.account.assigned.map(({ campaignId }) => campaignId),
    [campaign.body.campaignId],
  );
});

test("a brand and a campaign go through Twilio, on a messaging service of its own", async (t) => {
  const { live, twilio, addTwilio, poll, listed } = await aTenant(t);
  await addTwilio();
  const none = await live.post("/v1/10dlc/brand", BRAND);
  assert.deepEqual(code(none), [422, "carrier_problem"]);
  assert.match(none.body.error, /^The account has no approved customer profile\. Make one/);
  twilio.registry.profiles.push({ sid: `BU${"c3".repeat(16)}`, friendly_name: "Acme Inc.", status: "twilio-approved" });
  const made = await live.post("/v1/10dlc/brand", BRAND);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { brandId } = made.body;
  assert.match(brandId, /^BN/);
  Object.assign(twilio.registry.brands[0]!, {
    status: "APPROVED",
    identity_status: "VETTED_VERIFIED",
    brand_score: 60,
  });
  await poll(0);
  assert.deepEqual(await listed("brand"), ["ACTIVE"]);
  const campaign = await live.post("/v1/10dlc/campaign", { brandId, ...OFFERS });
  assert.equal(campaign.status, 201, JSON.stringify(campaign.body));
  const path = `/v1/10dlc/campaign/${campaign.body.campaignId}`;
  Object.assign(twilio.registry.campaigns[0]!, {
    campaign_status: "VERIFIED",
    rate_limits: { att: { msg_class: "C" } },
  });
  assert.deepEqual((await live.get(path)).body.limits.segments_per_minute, 2_400);
  const assigned = await live.post(`${path}/phone-numbers`, { phone_numbers: [SENDER] });
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
  assert.equal(twilio.numbers[0]!.service, campaign.body.campaignId.split(".")[0]);
  const all = (await live.get(`/v1/10dlc/campaign?brandId=${brandId}&limit=1`)).body;
  assert.equal(all.count, 1);
});

test("pages of brands are cut by the carriers' own ids, and numbers of another account are refused", async (t) => {
  const { live, telnyx, twilio, addTwilio, addTelnyx } = await aTenant(t);
  const [first, second] = [await addTwilio(), await addTelnyx()];
  assert.deepEqual(wrongFields(await live.post("/v1/10dlc/brand", BRAND)), ["carrier_id"]);
  twilio.registry.profiles.push({ sid: `BU${"c3".repeat(16)}`, friendly_name: "Acme Inc.", status: "twilio-approved" });
  for (const carrier_id of [first, second, second]) {
    const displayName = `Acme ${telnyx.account.brands.length}`;
    const made = await live.post("/v1/10dlc/brand", { ...BRAND, displayName, carrier_id });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }
  const seen: string[] = [];
  let key = "";
  do {
    const { body } = await live.get(`/v1/10dlc/brand?limit=1${key && `&pagination_key=${encodeURIComponent(key)}`}`);
    seen.push(...body.brands.map((brand: { brandId: string }) => brand.brandId));
    key = body.next_pagination_key;
  } while (key);
  assert.equal(new Set(seen).size, 3);

  const brand = telnyx.account.brands[0]!;
  brand.status = "OK";
  const { brandId } = (await live.get(`/v1/10dlc/brand/${brand.brandId}`)).body;
  const campaign = (await live.post("/v1/10dlc/campaign", { brandId, ...OFFERS })).body;
  telnyx.account.campaigns[0]!.campaignStatus = "MNO_PROVISIONED";
  const path = `/v1/10dlc/campaign/${campaign.campaignId}`;
  assert.equal((await live.get(path)).body.status, "ACTIVE");
  const foreign = await live.post(`${path}/phone-numbers`, { phone_numbers: [SENDER] });
  assert.deepEqual(wrongFields(foreign), ["phone_numbers[0]"]);
  assert.match(foreign.body.error, /is on another carrier account than the campaign's brand/);
});

test("what a registry refuses is said in words, whatever its code, and nothing is kept; a lost answer registers once", async (t) => {
  const { live, telnyx, addTelnyx } = await aTenant(t);
  await addTelnyx();
  const create = (key: string) =>
    live.request("POST", "/v1/10dlc/brand", BRAND, { headers: { "idempotency-key": key } });
  telnyx.next(/^POST \/v2\/10dlc\/brand$/, { refuse: "99999" });
  const refused = await create("one");
  assert.deepEqual(code(refused), [422, "carrier_problem"]);
  assert.match(refused.body.error, /^Telnyx refuses this: .*\(99999\)/);
  assert.equal((await live.get("/v1/10dlc/brand")).body.count, 0);
  telnyx.next(/^POST \/v2\/10dlc\/brand$/, "lose");
  telnyx.next(/^GET \/v2\/10dlc\/brand$/, "pass");
  telnyx.next(/^GET \/v2\/10dlc\/brand$/, { refuse: "99998" });
  const unsure = await create("two");
  assert.deepEqual(code(unsure), [409, "order_pending"]);
  const again = await create("two");
  assert.equal(again.status, 201, JSON.stringify(again.body));
  assert.equal(telnyx.account.brands.length, 1);
});

test("a brand whose resubmission has no answer is looked at once: repeated, it is what the registry says", async (t) => {
  const { live, telnyx, addTelnyx, poll } = await aTenant(t);
  await addTelnyx();
  const { brandId } = (await live.post("/v1/10dlc/brand", BRAND)).body;
  telnyx.account.brands[0]!.status = "REGISTRATION_FAILED";
  await poll(0);
  telnyx.next(/revet$/, "lose");
  const resubmit = () => live.post(`/v1/10dlc/brand/${brandId}/resubmit`, { ein: "98-7654321" });
  assert.deepEqual(code(await resubmit()), [409, "order_pending"]);
  const again = await resubmit();
  assert.deepEqual([again.status, again.body.status, again.body.ein], [200, "PENDING", "98-7654321"]);
  assert.equal(telnyx.requests.filter((request) => request.endsWith("/revet")).length, 1);
  assert.equal(telnyx.account.brands[0]!.ein, "98-7654321");
});

test("when Telnyx says that something has changed, the next poll asks, without waiting for its minute", async (t) => {
  const { live, telnyx, api, addTelnyx, poll, listed } = await aTenant(t);
  const carrier_id = await addTelnyx();
  await live.post("/v1/10dlc/brand", BRAND);
  await poll(0);
  telnyx.account.brands[0]!.status = "OK";
  await poll(0);
  assert.deepEqual(await listed("brand"), ["PENDING"]);
  const event = { data: { event_type: "10dlc.brand.update", id: "1", payload: {} } };
  assert.equal(await telnyx.sendEvent(`${api.url}/carrier/${carrier_id}/registry`, event), 200);
  await poll(0);
  assert.deepEqual(await listed("brand"), ["ACTIVE"]);
});
