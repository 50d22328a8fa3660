import assert from "node:assert/strict";
import { test } from "node:test";
import { heldBecause, reasonNow } from "./waiting.ts";

test("a campaign waits for what holds most of its recipients", () => {
  const because = (reasons: Record<string, number>) => heldBecause(new Map(Object.entries(reasons)));
  assert.equal(because({ us_hours: 3, reassigned_unchecked: 2 }), "calling_hours");
  assert.equal(because({ campaign_window: 1, reassigned_unchecked: 2 }), "reassigned_unchecked");
  assert.equal(because({ campaign_paused: 9, brand_daily_budget: 1 }), "brand_daily_budget");
  assert.equal(because({ campaign_paused: 9 }), null, "they have their turn as soon as the pace allows");
  assert.equal(heldBecause(), null);
});

test("a pause holds nobody of a campaign that goes on", () => {
  assert.equal(reasonNow("campaign_paused", "paused"), "campaign_paused");
  assert.equal(reasonNow("campaign_paused", "active"), null);
  assert.equal(reasonNow("us_hours", "running"), "us_hours");
});
