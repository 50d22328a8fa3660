import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { LiveTenantId } from "#domain/accounts/modes.ts";
import { CAMPAIGN_SID } from "#test/support/carriers/twilio/registry.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { twilioDriver } from "./driver.ts";

const signal = new AbortController().signal;
const NOW = new Date("2026-11-25T12:00:00Z");
const PROFILE = `BU${"c3".repeat(16)}`;
const FIELDS = {
  ...{ entityType: "PRIVATE_PROFIT", companyName: "Acme Inc.", displayName: "Acme", ein: "12-3456789" },
  ...{ vertical: "RETAIL", email: "a@acme.example", country: "US" },
};
const CAMPAIGN = {
  ...{ useCase: "low volume", description: "Offers for customers", messageFlow: "Customers tick a box on a form." },
  ...{
    sample1: "Hi, see https://acme.example",
    sample2: "Call 212 555-0100",
    optOutMessage: "Bye",
    helpMessage: "Help",
  },
};

async function anAccount(t: TestContext, settings: Record<string, unknown> = {}) {
  const twilio = await startTwilio(t);
  const carrier = twilioDriver({ hosts: () => twilio.url, publicUrl: "https://parley.example" }).open({
    id: "01930000-0000-7000-8000-000000000001",
    tenantId: "01930000-0000-7000-8000-000000000002" as LiveTenantId,
    carrier: "carrier_1",
    kind: "twilio",
    credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN },
    settings,
    revision: 1,
  });
  t.after(() => void carrier.close());
  return { twilio, registry: carrier.registry! };
}

async function withProfile(t: TestContext) {
  const account = await anAccount(t);
  account.twilio.registry.profiles.push({ sid: PROFILE, friendly_name: "Acme Inc.", status: "twilio-approved" });
  return account;
}

test("a brand is registered with the approved customer profile and an A2P profile of its own, and its verdict is Twilio's", async (t) => {
  const { twilio, registry } = await withProfile(t);
  const { brandId } = await registry.registerBrand(FIELDS, "B000001", NOW, signal);
  const [bundle] = twilio.registry.bundles;
  const [user] = twilio.registry.endUsers;
  assert.deepEqual(user!.attributes, { company_type: "private", brand_contact_email: "a@acme.example" });
  assert.deepEqual([bundle!.objects, bundle!.status], [[user!.sid, PROFILE], "in-review"]);
  const [brand] = twilio.registry.brands;
  assert.deepEqual(
    [brand!.sid, brand!.a2p_profile_bundle_sid, brand!.customer_profile_bundle_sid, brand!.brand_type],
    [brandId, bundle!.sid, PROFILE, "STANDARD"],
  );
  const verdict = async (more: object) => {
    Object.assign(brand!, more);
    return registry.brandStatus(brandId, FIELDS, NOW, NOW, signal);
  };
  const pending = { status: "PENDING", identityStatus: "SELF_DECLARED", reasons: [], score: null };
  assert.deepEqual(await verdict({}), pending);
  assert.deepEqual(await verdict({ status: "IN_REVIEW" }), pending);
  assert.deepEqual(await verdict({ status: "APPROVED", identity_status: "VERIFIED", brand_score: 82 }), {
    ...{ status: "ACTIVE", identityStatus: "VERIFIED", reasons: [], score: 82 },
  });
  const failed = await verdict({ status: "FAILED", brand_score: null, brand_feedback: ["TAX_ID"] });
  assert.deepEqual([failed.status, failed.reasons, failed.score], ["REJECTED", ["TAX_ID"], null]);
  const worded = await verdict({
    brand_feedback: null,
    errors: [{ error_code: 30795, description: "No EIN.", fields: ["ein"] }],
  });
  assert.deepEqual(worded.reasons, ["No EIN. (ein)"]);
  await registry.registerBrand(FIELDS, brandId, NOW, signal);
  assert.equal(brand!.status, "PENDING", "a rejected brand is looked at again");
  assert.equal(twilio.registry.brands.length, 1);
});

test("a registration whose answer is lost at any step is gone on with, and nothing is registered twice", async (t) => {
  const { twilio, registry } = await withProfile(t);
  twilio.next(/^POST \/v1\/TrustProducts$/, "lose");
  await assert.rejects(registry.registerBrand(FIELDS, "B000001", NOW, signal), { isUndecided: true });
  twilio.next(/^POST .*EntityAssignments$/, "lose");
  await assert.rejects(registry.registerBrand(FIELDS, "B000002", NOW, signal), { isUndecided: true });
  twilio.next(/^POST .*BrandRegistrations$/, "lose");
  const { brandId } = await registry.registerBrand(FIELDS, "B000003", NOW, signal);
  assert.deepEqual(await registry.registerBrand(FIELDS, "B000004", NOW, signal), { brandId });
  assert.deepEqual([twilio.registry.bundles.length, twilio.registry.brands.length], [1, 1]);
});

test("what is missing for a brand is said: no approved profile, several of them, what the A2P profile lacks, a public company", async (t) => {
  const { twilio, registry } = await anAccount(t);
  const register = (more: object = {}) => registry.registerBrand({ ...FIELDS, ...more }, "B000001", NOW, signal);
  await assert.rejects(register(), { code: "no_profile", message: "The account has no approved customer profile." });
  const { profiles } = twilio.registry;
  profiles.push({ sid: PROFILE, friendly_name: "Acme Inc.", status: "twilio-approved" });
  profiles.push({ sid: `BU${"d4".repeat(16)}`, friendly_name: "Other", status: "twilio-approved" });
  await assert.rejects(register({ companyName: "Third", displayName: "3" }), { code: "unclear_profile" });
  await assert.rejects(register({ entityType: "PUBLIC_PROFIT" }), { code: "entity_type" });
  twilio.registry.lacking.push("An e-mail address of the business");
  await assert.rejects(register(), /lack|does not take the A2P profile: An e-mail address of the business/);
  twilio.registry.lacking = [];
  await register();
  assert.equal(
    twilio.registry.brands[0]!.customer_profile_bundle_sid,
    PROFILE,
    "the one that is called as the brand is",
  );
  twilio.next(/^POST .*BrandRegistrations$/, 29997);
  await assert.rejects(register({ displayName: "Acme Inc." }), { code: "29997", isUndecided: false });
});

test("a campaign is registered on a messaging service of its own, once, and sends when it is verified", async (t) => {
  const { twilio, registry } = await anAccount(t);
  const brand = `BN${"e5".repeat(16)}`;
  twilio.next(/^POST \/v1\/Services$/, "lose");
  await assert.rejects(registry.registerCampaign(brand, CAMPAIGN, "C000001", NOW, signal), { isUndecided: true });
  twilio.next(/^POST .*Usa2p$/, "lose");
  const { campaignId } = await registry.registerCampaign(brand, CAMPAIGN, "C000001", NOW, signal);
  const [service] = twilio.registry.services;
  assert.deepEqual([campaignId, twilio.registry.services.length], [`${String(service!.sid)}.${CAMPAIGN_SID}`, 1]);
  assert.deepEqual(await registry.registerCampaign(brand, CAMPAIGN, "C000001", NOW, signal), { campaignId });
  const repeated = await registry.registerCampaign(brand, CAMPAIGN, "C000002", NOW, signal);
  assert.deepEqual([repeated, twilio.registry.services.length], [{ campaignId }, 1], "repeated without a key");
  const [campaign, ...others] = twilio.registry.campaigns;
  assert.deepEqual(
    [campaign!.us_app_to_person_usecase, campaign!.has_embedded_links, others],
    ["LOW_VOLUME", true, []],
  );
  const status = async (more: object) => {
    Object.assign(campaign!, more);
    return registry.campaignStatus(campaignId, CAMPAIGN, NOW, NOW, signal);
  };
  assert.deepEqual(await status({ campaign_status: "IN_PROGRESS" }), { status: "PENDING", reasons: [] });
  assert.deepEqual(await status({ campaign_status: "VERIFIED", rate_limits: { att: { msg_class: "T" } } }), {
    ...{ status: "ACTIVE", reasons: [], class: "T", perMinute: 75 },
  });
  const errors = [{ error_code: 30909, description: "The opt-in is unclear.", fields: ["MESSAGE_FLOW"] }];
  const failed = await status({ campaign_status: "FAILED", errors });
  assert.deepEqual(failed, { status: "REJECTED", reasons: ["The opt-in is unclear. (MESSAGE_FLOW)"] });
  const next = await registry.registerCampaign(brand, CAMPAIGN, "C000003", NOW, signal);
  assert.notEqual(next.campaignId, campaignId, "one that has failed is not gone on with");
});

test("numbers are put into the campaign's service once, and move there from another", async (t) => {
  const { twilio, registry } = await anAccount(t);
  const brand = `BN${"e5".repeat(16)}`;
  const number = twilio.addNumber("+12125550100");
  const [first, second] = await Promise.all(
    ["C000001", "C000002"].map(
      async (id) =>
        (await registry.registerCampaign(brand, { ...CAMPAIGN, description: id }, id, NOW, signal)).campaignId,
    ),
  );
  const assign = (id: string) => registry.assignNumbers(id, ["+12125550100"], signal);
  await assign(first!);
  await assign(first!);
  assert.equal(number.service, first!.split(".")[0]);
  await assign(second!);
  assert.equal(number.service, second!.split(".")[0]);
  await assert.rejects(registry.assignNumbers(first!, ["+12125550199"], signal), { code: "no_such_number" });
});

test("a messaging service of the settings holds one campaign: of any other than the same it is said", async (t) => {
  const service = `MG${"b2".repeat(16)}`;
  const { twilio, registry } = await anAccount(t, { messaging_service_sid: service });
  const brand = `BN${"e5".repeat(16)}`;
  await assert.rejects(registry.registerCampaign(brand, CAMPAIGN, "C000001", NOW, signal), { code: "service_taken" });
  twilio.registry.services.push({ sid: service });
  const register = (more: object) => registry.registerCampaign(brand, { ...CAMPAIGN, ...more }, "C000001", NOW, signal);
  const { campaignId } = await register({});
  assert.deepEqual(await register({}), { campaignId });
  await assert.rejects(register({ useCase: "MARKETING" }), { code: "service_taken" });
  await assert.rejects(register({ description: "News" }), { code: "service_taken" });
  twilio.registry.campaigns[0]!.campaign_status = "FAILED";
  await assert.rejects(register({}), { code: "service_taken" });
  assert.equal(twilio.registry.campaigns.length, 1);
});
