import assert from "node:assert/strict";
import { test } from "node:test";
import { simulatedRegistry } from "./registry.ts";

const registeredAt = new Date("2026-03-01T09:30:00.000Z");
const after = (ms: number) => new Date(registeredAt.getTime() + ms);
const verdict = (ein: string, ms: number) => simulatedRegistry.brandStatus("B000001", { ein }, registeredAt, after(ms));

test("a brand is under review for five seconds", async () => {
  assert.equal((await verdict("12-3456789", 4_999)).status, "PENDING");
  assert.deepEqual(await verdict("12-3456789", 5_000), {
    status: "ACTIVE",
    identityStatus: "VERIFIED",
    reasons: [],
    score: 89,
  });
});

test("an EIN that ends in 0000 is rejected, with the reason", async () => {
  const rejected = { status: "REJECTED", identityStatus: "UNVERIFIED", reasons: ["TAX_ID"], score: null };
  assert.deepEqual(await verdict("12-3450000", 5_000), rejected);
  assert.deepEqual(await verdict("12-345000-0", 5_000), rejected);
  assert.equal((await verdict("", 5_000)).status, "ACTIVE");
});

test("an EIN that ends in 9999 is under review for a week", async () => {
  assert.equal((await verdict("12-3459999", 6 * 86_400_000)).status, "PENDING");
  assert.equal((await verdict("12-3459999", 7 * 86_400_000)).status, "ACTIVE");
});

test("registering keeps the id that is asked for", async () => {
  assert.deepEqual(await simulatedRegistry.registerBrand({}, "B000001"), { brandId: "B000001" });
});

test("the vetting score is the end of the EIN, and without one there is none", async () => {
  assert.equal((await verdict("12-3456750", 5_000)).score, 50);
  assert.equal((await verdict("12-3456700", 5_000)).score, 100);
  assert.equal((await verdict("", 5_000)).score, null);
  assert.equal((await verdict("12-3456750", 4_999)).score, null);
});

test("a campaign is under review for five seconds, then refused by its use case or let through", async () => {
  const status = (useCase: string, ms: number) =>
    simulatedRegistry.campaignStatus("C000001", { useCase }, registeredAt, after(ms));
  assert.equal((await status("MARKETING", 4_999)).status, "PENDING");
  assert.deepEqual(await status("MARKETING", 5_000), { status: "ACTIVE", reasons: [] });
  assert.deepEqual(await status("GAMBLING", 5_000), { status: "REJECTED", reasons: ["USE_CASE"] });
  assert.deepEqual(await simulatedRegistry.registerCampaign("B000001", {}, "C000001"), { campaignId: "C000001" });
});
