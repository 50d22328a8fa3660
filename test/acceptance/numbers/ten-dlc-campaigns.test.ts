import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { aBrand, aTenDlcCampaign, REVIEW_MS } from "#test/support/campaigns/ten-dlc.ts";

const OTHER = "+12125550101";

test("10DLC campaigns", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const brandId = await aBrand(api, "12-3456775");
  const register = (more: object = {}) =>
    api.post("/v1/10dlc/campaign", { brandId, useCase: "MARKETING", description: "Follow-ups", ...more });
  const read = (id: string) => api.get(`/v1/10dlc/campaign/${id}`);
  const wait = (ms: number) => api.post("/v1/simulator/clock", { advance_ms: ms });
  const assign = (id: string, phone_numbers: unknown) =>
    api.post(`/v1/10dlc/campaign/${id}/phone-numbers`, { phone_numbers });

  await t.test("a registered campaign is PENDING, then has its class and its limits", async () => {
    const { status, body } = await register({ sample1: "Hi {{first_name}}", status: "ACTIVE" });
    assert.equal(status, 201);
    assert.match(body.campaignId, /^C[0-9A-Z]{6}$/);
    assert.deepEqual(
      [body.status, body.class, body.sample1, body.brandId],
      ["PENDING", null, "Hi {{first_name}}", brandId],
    );
    assert.equal((await read(body.campaignId)).body.status, "PENDING");
    await wait(REVIEW_MS);
    const active = (await read(body.campaignId)).body;
    assert.deepEqual([active.status, active.class, active.phone_numbers], ["ACTIVE", "A", []]);
    assert.deepEqual(active.limits, {
      segments_per_minute: 4_500,
      campaign_segments_per_day: null,
      brand_segments_per_day: 200_000,
    });
  });

  await t.test("use case and score decide on the class", async () => {
    const unvetted = await aBrand(api);
    const low = await aTenDlcCampaign(api, { brandId: unvetted, useCase: "LOW_VOLUME", numbers: [OTHER] });
    const { body } = await read(low);
    assert.deepEqual(
      [body.class, body.limits],
      ["T", { segments_per_minute: 75, campaign_segments_per_day: 2_000, brand_segments_per_day: 2_000 }],
    );
    const brand = (await api.get(`/v1/10dlc/brand/${unvetted}`)).body;
    assert.deepEqual([brand.score, brand.segments_per_day], [null, 2_000]);
  });

  await t.test("the registry refuses a use case with its reason, and then no number can be put under it", async () => {
    const { campaignId } = (await register({ useCase: "GAMBLING" })).body;
    assert.equal((await assign(campaignId, [SENDER])).status, 409);
    await wait(REVIEW_MS);
    const { body } = await read(campaignId);
    assert.deepEqual([body.status, body.reasons, body.class], ["REJECTED", ["USE_CASE"], null]);
    const refused = await assign(campaignId, [SENDER]);
    assert.deepEqual([refused.status, refused.body.code], [409, "conflict"]);
  });

  await t.test("a number is under one campaign, and moves when it is put under another", async () => {
    const first = await aTenDlcCampaign(api, { brandId, useCase: "MIXED", numbers: [SENDER, "(212) 555-0101"] });
    assert.deepEqual((await read(first)).body.phone_numbers, [SENDER, OTHER]);
    const second = await aTenDlcCampaign(api, { brandId, useCase: "MARKETING", numbers: [OTHER] });
    assert.deepEqual((await read(first)).body.phone_numbers, [SENDER]);
    assert.deepEqual((await read(second)).body.phone_numbers, [OTHER]);
  });

  await t.test("a brand that is not ACTIVE, or not there, has no campaigns", async () => {
    assert.equal((await register({ brandId: "B000000" })).status, 404);
    const { body } = await api.post("/v1/10dlc/brand", {
      entityType: "PRIVATE_PROFIT",
      displayName: "New",
      country: "US",
      email: "ops@new.example",
      vertical: "FINANCE",
    });
    const early = await register({ brandId: body.brandId });
    assert.deepEqual([early.status, early.body.code], [409, "conflict"]);
  });

  await t.test("what is missing or wrong is named", async () => {
    assert.deepEqual(wrongFields(await api.post("/v1/10dlc/campaign", {})).sort(), [
      "brandId",
      "description",
      "useCase",
    ]);
    assert.deepEqual(wrongFields(await register({ useCase: " ", sample1: 5 })).sort(), ["sample1", "useCase"]);
    const id = await aTenDlcCampaign(api, { brandId, useCase: "MARKETING", numbers: [OTHER] });
    for (const wrong of [undefined, [], "x", [5], Array(401).fill(SENDER)]) {
      assert.equal((await assign(id, wrong)).status, 400);
    }
    const several = await assign(id, [SENDER, "+18005550100", "+442071838750", "nonsense", "12345"]);
    assert.equal(several.status, 400);
    assert.deepEqual(
      wrongFields(several),
      [1, 2, 3, 4].map((i) => `phone_numbers[${i}]`),
    );
    assert.equal((await read(id)).body.phone_numbers.includes(SENDER), false, "none of a wrong set is taken");
    assert.equal((await read("C000000")).status, 404);
    assert.equal((await assign("C000000", [SENDER])).status, 404);
  });

  await t.test("campaigns are listed newest first, in pages, and by brand", async () => {
    const all = (await api.get("/v1/10dlc/campaign")).body;
    assert.ok(all.campaigns.length >= 5);
    const first = (await api.get("/v1/10dlc/campaign?limit=2")).body;
    const rest = (await api.get(`/v1/10dlc/campaign?limit=500&pagination_key=${first.next_pagination_key}`)).body;
    assert.deepEqual([...first.campaigns, ...rest.campaigns], all.campaigns);
    const times = all.campaigns.map((campaign: { created_at: string }) => campaign.created_at);
    assert.deepEqual(times, times.toSorted().toReversed());
    const own = (await api.get(`/v1/10dlc/campaign?brandId=${brandId}`)).body.campaigns;
    assert.ok(own.length > 0 && own.length < all.campaigns.length);
    assert.ok(own.every((campaign: { brandId: string }) => campaign.brandId === brandId));
    assert.equal((await api.get("/v1/10dlc/campaign?pagination_key=x")).status, 400);
  });
});

test("a registered number keeps to its campaign's minute, and says so, also for its brand's day", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const brandId = await aBrand(api);
  const tenDlcCampaignId = await aTenDlcCampaign(api, { brandId, useCase: "LOW_VOLUME", numbers: [SENDER] });
  const contacts = Array.from({ length: 60 }, (_, i) => ({ phone_number: `+1212444${1_000 + i}` }));
  const created = performance.now();
  const { campaignId } = await aCampaign(api, { contacts });
  const read = async () => (await api.get(`/v1/campaigns/${campaignId}`)).body.campaign;
  const taken = async () => (await api.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body.accepted as number;
  // A burst of ten, then about one a second: never the sixty at once.
  await until("the burst has left", async () => (await taken()) >= 10);
  const early = await read();
  const mayHaveLeft = 14 + (1.25 * (performance.now() - created)) / 1_000;
  assert.ok(early.counts.scheduled >= 60 - mayHaveLeft, `${mayHaveLeft}: ${JSON.stringify(early.counts)}`);
  assert.ok(early.rate_per_second > 1 && early.rate_per_second < 1.25);
  assert.ok(Date.parse(early.eta) > Date.parse((await api.get("/v1/simulator/clock")).body.now));
  for (let moved = 0; (await taken()) < 60; moved++) {
    assert.ok(moved < 60, "it goes on with the tenant's time");
    const before = await taken();
    await api.post("/v1/simulator/clock", { advance_ms: 10_000 });
    await until("more has left", async () => (await taken()) > before);
    // From the beginning on: what is late on a busy machine comes on top of the next ten seconds' worth. The tenant's time goes on by itself too.
    const left = await taken();
    const seconds = (performance.now() - created) / 1_000 + 10 * (moved + 1);
    assert.ok(left <= 14 + 1.25 * seconds, `a burst and ${seconds} seconds' worth, not ${left}`);
  }
  // Sixty texts of a segment or more each, all of this day and of this 10DLC campaign.
  const { body } = await api.get(`/v1/10dlc/brand/${brandId}/use`);
  assert.ok(body.segments >= 60 && body.segments_per_day === 2_000, JSON.stringify(body));
  assert.deepEqual(body.campaigns, [{ campaignId: tenDlcCampaignId, segments: body.segments }]);
  assert.match(body.day, /^\d{4}-\d\d-\d\d$/);
  assert.equal((await api.get("/v1/10dlc/brand/B000000/use")).status, 404);
});
