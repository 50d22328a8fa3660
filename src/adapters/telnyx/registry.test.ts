import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount, NUMBER } from "#test/support/carriers/telnyx/opened.ts";

const signal = new AbortController().signal;
const NOW = new Date("2026-11-25T12:00:00Z");
const FIELDS = {
  entityType: "PRIVATE_PROFIT",
  companyName: "Acme Inc.",
  displayName: "Acme",
  ein: "12-3456789",
  vertical: "RETAIL",
  phone: "+12125550100",
  email: "a@acme.example",
  street: "1 Main St",
  city: "New York",
  state: "NY",
  postalCode: "10001",
  country: "US",
  website: "https://acme.example",
  brandRelationship: "BASIC_ACCOUNT",
};
const CAMPAIGN = {
  useCase: "MARKETING",
  description: "Offers",
  messageFlow: "Web form",
  sample1: "Hi",
  optOutMessage: "Bye",
};

test("a brand is registered with our fields under our names, and its verdict is Telnyx's", async (t) => {
  const { server, opened } = await anAccount(t);
  const registry = opened.registry!;
  const { brandId } = await registry.registerBrand(FIELDS, "B000001", NOW, signal);
  const [brand] = server.account.brands;
  assert.equal(brandId, brand!.brandId);
  for (const [name, value] of Object.entries(FIELDS).slice(0, -1))
    assert.equal(brand![name as keyof typeof brand], value);
  const verdict = () => registry.brandStatus(brandId, FIELDS, NOW, NOW, signal);
  assert.deepEqual(await verdict(), { status: "PENDING", identityStatus: "SELF_DECLARED", reasons: [], score: null });
  Object.assign(brand!, { status: "OK", identityStatus: "VERIFIED" });
  server.account.scores.set(brandId, 82);
  assert.deepEqual(await verdict(), { status: "ACTIVE", identityStatus: "VERIFIED", reasons: [], score: 82 });
  Object.assign(brand!, { status: "REGISTRATION_FAILED", failureReasons: "The EIN is not known." });
  assert.deepEqual((await verdict()).reasons, ["The EIN is not known."]);
  server.account.feedback.set(brandId, ["TAX_ID"]);
  assert.deepEqual([(await verdict()).status, (await verdict()).reasons], ["REJECTED", ["TAX_ID"]]);
  Object.assign(brand!, { status: "SOMETHING_NEW" });
  assert.equal((await verdict()).status, "PENDING");
});

test("a brand or campaign whose answer is lost is found again, and not registered twice", async (t) => {
  const { server, opened } = await anAccount(t);
  const registry = opened.registry!;
  server.next(/^POST \/v2\/10dlc\/brand$/, "lose");
  const { brandId } = await registry.registerBrand(FIELDS, "B000001", NOW, signal);
  assert.deepEqual(await registry.registerBrand(FIELDS, "B000002", NOW, signal), { brandId });
  server.next(/^POST \/v2\/10dlc\/campaignBuilder$/, "lose");
  await registry.registerCampaign(brandId, CAMPAIGN, "C000001", NOW, signal);
  assert.deepEqual([server.account.brands.length, server.account.campaigns.length], [1, 1]);
  const [campaign] = server.account.campaigns;
  const register = (more: object, reference: string) =>
    registry.registerCampaign(brandId, { ...CAMPAIGN, ...more }, reference, NOW, signal);
  assert.deepEqual(await register({}, "C000002"), { campaignId: campaign!.campaignId }, "repeated without a key");
  await register({ sample1: "Hello" }, "C000003");
  campaign!.campaignStatus = "TCR_FAILED";
  await register({}, "C000004");
  assert.equal(
    server.account.campaigns.length,
    3,
    "another text is another campaign, and so is one after a failed one",
  );
  await registry.registerBrand({ ...FIELDS, ein: "98-7654321" }, "B000003", NOW, signal);
  assert.equal(server.account.brands.length, 2, "another EIN is another brand");
  assert.match(String(server.account.brands[0]!.webhookURL), /\/registry$/);
});

test("a brand that was rejected is corrected and looked at again, not registered a second time", async (t) => {
  const { server, opened } = await anAccount(t);
  const { brandId } = await opened.registry!.registerBrand(FIELDS, "B000001", NOW, signal);
  assert.deepEqual(await opened.registry!.registerBrand({ ...FIELDS, ein: "98-7654321" }, brandId, NOW, signal), {
    brandId,
  });
  assert.deepEqual(
    server.account.brands.map(({ ein }) => ein),
    ["98-7654321"],
  );
  assert.ok(server.requests.includes(`PUT /v2/10dlc/brand/${brandId}/revet`));
});

test("a brand that lacks what Telnyx requires is refused in words", async (t) => {
  const { opened } = await anAccount(t);
  await assert.rejects(opened.registry!.registerBrand({ displayName: "Acme" }, "B000001", NOW, signal), {
    name: "CarrierProblem",
    code: "10004",
    message: "Telnyx refuses this: a parameter of the request is missing (10004).",
  });
});

test("a campaign sends once the networks have provisioned it", async (t) => {
  const { server, opened } = await anAccount(t);
  const registry = opened.registry!;
  const { campaignId } = await registry.registerCampaign("b-1", CAMPAIGN, "C000001", NOW, signal);
  const [campaign] = server.account.campaigns;
  assert.deepEqual(
    [campaign!.usecase, campaign!.optoutMessage, campaign!.referenceId, campaign!.subscriberOptout],
    ["MARKETING", "Bye", "C000001", true],
  );
  const statusWith = async (more: object) => {
    Object.assign(campaign!, { failureReasons: undefined, submissionStatus: "CREATED", ...more });
    const { status, reasons } = await registry.campaignStatus(campaignId, CAMPAIGN, NOW, NOW, signal);
    return [status, ...reasons];
  };
  for (const campaignStatus of [
    "TCR_PENDING",
    "TCR_ACCEPTED",
    "TELNYX_ACCEPTED",
    "MNO_PENDING",
    "MNO_ACCEPTED",
    "NEW",
  ]) {
    assert.deepEqual(await statusWith({ campaignStatus }), ["PENDING"], campaignStatus);
  }
  assert.deepEqual(await statusWith({ campaignStatus: "MNO_PROVISIONED" }), ["ACTIVE"]);
  const failureReasons = '[{"code":"611","description":"The opt-in is unclear."}]';
  for (const campaignStatus of ["TCR_FAILED", "TELNYX_FAILED", "MNO_REJECTED", "TCR_SUSPENDED", "TCR_EXPIRED"]) {
    const said = await statusWith({ campaignStatus, failureReasons });
    assert.deepEqual(said, ["REJECTED", "The opt-in is unclear."], campaignStatus);
  }
  assert.deepEqual(await statusWith({ campaignStatus: undefined, submissionStatus: "FAILED" }), ["REJECTED"]);
  assert.deepEqual(await registry.registerCampaign("b-1", CAMPAIGN, "C000001", NOW, signal), { campaignId });
  assert.equal(server.account.campaigns.length, 1, "the same one again is found by our reference");
});

test("numbers are assigned to a campaign once, and moved from another", async (t) => {
  const { server, opened } = await anAccount(t);
  const assign = (campaignId: string) => opened.registry!.assignNumbers(campaignId, [NUMBER], signal);
  const writes = () =>
    server.requests.filter((request) => /^(?:POST|PUT) .*phone_number_campaigns/.test(request)).length;
  await assign("c-1");
  await assign("c-1");
  assert.deepEqual([writes(), server.account.assigned.map(({ campaignId }) => campaignId)], [1, ["c-1"]]);
  await assign("c-2");
  assert.deepEqual([writes(), server.account.assigned.map(({ campaignId }) => campaignId)], [2, ["c-2"]]);
});
