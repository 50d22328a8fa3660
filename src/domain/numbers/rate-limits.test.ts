import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BRAND_DAYS,
  brandPerDay,
  CAMPAIGN_CLASSES,
  classOf,
  NUMBER_RATES,
  numberKind,
  senderRate,
  tighter,
} from "./rate-limits.ts";

test("a campaign's class follows from its use case and its brand's score, at every edge", () => {
  const classes = (useCase: string, scores: (number | null)[]) =>
    scores.map((score) => classOf(useCase, score).id).join("");
  const scores = [null, 1, 49, 50, 74, 75, 100];
  assert.equal(classes("MARKETING", scores), "EEECCAA");
  assert.equal(classes("MIXED", scores), "FFFDDBB");
  assert.equal(classes("low volume", scores), "TTTTTTT");
  assert.equal(classes("LOW_VOLUME_MIXED", [90]), "T");
});

test("the classes grant what AT&T's table says, a minute", () => {
  const perMinute = Object.fromEntries(CAMPAIGN_CLASSES.map((tier) => [tier.id, tier.perMinute]));
  assert.deepEqual(perMinute, { T: 75, A: 4_500, B: 4_500, C: 2_400, D: 2_400, E: 240, F: 240 });
  assert.deepEqual(
    CAMPAIGN_CLASSES.filter((tier) => tier.perDay !== null).map((tier) => [tier.id, tier.perDay]),
    [["T", 2_000]],
  );
});

test("a brand's day follows from its score, at every edge", () => {
  const days = [null, 1, 24, 25, 49, 50, 74, 75, 100].map(brandPerDay);
  assert.deepEqual(days, [2_000, 2_000, 2_000, 10_000, 10_000, 40_000, 40_000, 200_000, 200_000]);
});

test("every limit says where it comes from", () => {
  for (const limit of [...CAMPAIGN_CLASSES, ...BRAND_DAYS, ...Object.values(NUMBER_RATES)]) {
    assert.ok(limit.source.length > 10);
    assert.match(limit.verifiedOn, /^\d{4}-\d\d-\d\d$/);
  }
});

test("the kind of a sender is read off its number", () => {
  assert.equal(numberKind("+12125550100"), "local");
  assert.equal(numberKind("+14165550100"), "local");
  assert.equal(numberKind("+18005550100"), "toll_free");
  assert.equal(numberKind("+18335550100"), "toll_free");
  assert.equal(numberKind("12345"), "short_code");
  assert.equal(numberKind("123456"), "short_code");
  assert.equal(numberKind("+442071838750"), undefined);
});

test("a number's kind limits it on the public networks alone", () => {
  const rate = (sender: string, isPublic: boolean, own?: number) =>
    senderRate(sender, { defaultRatePerSecond: own, isPublic });
  assert.equal(rate("+18005550100", true), 3);
  assert.equal(rate("+12125550100", true), 100);
  assert.equal(rate("+12125550100", true, 1), 1);
  assert.equal(rate("12345", true), 100);
  assert.equal(rate("+18005550100", false), undefined);
  assert.equal(rate("+18005550100", false, 50), 50);
});

test("the tighter of two rates counts, and none is no limit", () => {
  assert.equal(tighter(3, 100), 3);
  assert.equal(tighter(null, 100), 100);
  assert.equal(tighter(3, undefined), 3);
  assert.equal(tighter(null, null), null);
});
