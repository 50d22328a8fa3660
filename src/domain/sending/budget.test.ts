import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type BudgetedText,
  type BudgetFacts,
  comeBackAt,
  fillLevel,
  minuteBucket,
  openBudget,
  outreachPerDay,
  roomOf,
  spend,
} from "./budget.ts";

const now = new Date("2026-05-05T18:00:00Z");
const after = (ms: number) => new Date(now.getTime() + ms);
const DAY_ENDS = "2026-05-06T07:00:00.000Z";

const budget = (more: Partial<BudgetFacts> = {}, at = now) =>
  openBudget(
    {
      tenDlcCampaignId: "C1",
      grant: { perMinute: 4_500, perDay: null, brandPerDay: 2_000 },
      bucket: { tokens: 75, at: now },
      uses: [],
      rivals: { waiting: [{ tenDlcCampaignId: "C1", campaignId: "a" }], conversations: 0 },
      ...more,
    },
    at,
  );
const used = (campaignId: string, outreach: number, conversation = 0, tenDlcCampaignId = "C1") => ({
  tenDlcCampaignId,
  campaignId,
  outreach,
  conversation,
});
const waiting = (...ids: string[]) => ({
  waiting: ids.map((campaignId) => ({ tenDlcCampaignId: "C1", campaignId })),
  conversations: 0,
});
const starts = (n: number, segments = 1, campaignId = "a"): BudgetedText[] =>
  Array.from({ length: n }, () => ({ campaignId, purpose: "start" as const, segments }));
const outcomes = (result: ReturnType<typeof spend>) => result.spendings.map(({ outcome }) => outcome);

test("a bucket's burst and a minute of its filling are a minute's grant", () => {
  for (const perMinute of [75, 240, 2_400, 4_500]) {
    const { perSecond, burst } = minuteBucket(perMinute);
    assert.ok(Math.abs(burst + 60 * perSecond - perMinute) < 1e-9);
    assert.ok(burst >= 10, "the longest text fits");
  }
});

test("what does not fit the minute waits, with all that is behind it, and is given the time when there is room", () => {
  const spent = spend(budget({ bucket: { tokens: 3, at: now } }), [...starts(2), ...starts(1, 4), ...starts(1)]);
  assert.deepEqual(outcomes(spent), ["go", "go", "wait", "wait"]);
  assert.equal(spent.bucket.tokens, 1);
  const { perSecond } = minuteBucket(4_500);
  assert.deepEqual(spent.tokensAt, after(Math.ceil((3 / perSecond) * 1000)));
});

test("a bucket fills with the tenant's time, and never past its burst", () => {
  assert.equal(budget({ bucket: { tokens: 0, at: now } }, after(3_600_000)).tokens, 75);
  const { perSecond } = minuteBucket(4_500);
  assert.equal(budget({ bucket: { tokens: 0, at: now } }, after(500)).tokens, perSecond / 2);
  assert.equal(budget({ bucket: { tokens: 5, at: after(10_000) } }).tokens, 5, "a clock that went back gains nothing");
});

test("outreach leaves conversations a tenth of the day", () => {
  const open = budget({ uses: [used("a", 1_799)] });
  assert.equal(outreachPerDay(2_000), 1_800);
  assert.deepEqual([open.outreachLeft, open.conversationLeft], [1, 201]);
  const texts: BudgetedText[] = [...starts(2), { campaignId: "a", purpose: "reply", segments: 2 }];
  const spent = spend(open, texts);
  assert.deepEqual(outcomes(spent), ["put_off", "put_off", "go"], "the reply went first and took from what was left");
  assert.deepEqual(spent.uses, [{ campaignId: "a", outreach: 0, conversation: 2 }]);
});

test("what does not fit the day is put off to midnight Pacific, under the rule that is out first", () => {
  const [ofBrand] = spend(budget({ uses: [used("a", 1_800)] }), starts(1)).spendings;
  assert.deepEqual(ofBrand, { outcome: "put_off", until: new Date(DAY_ENDS), rule: "brand_daily_budget" });
  const grant = { perMinute: 75, perDay: 2_000, brandPerDay: 40_000 };
  const [ofCampaign] = spend(budget({ grant, uses: [used("a", 1_800)] }), starts(1)).spendings;
  assert.deepEqual(ofCampaign, { outcome: "put_off", until: new Date(DAY_ENDS), rule: "campaign_daily_budget" });
  const elsewhere = spend(budget({ grant, uses: [used("b", 1_800, 0, "C2")] }), starts(1));
  assert.deepEqual(outcomes(elsewhere), ["go"], "another campaign's day is its own");
});

test("with the whole day used up a reply waits for the next, and a confirmation is dropped", () => {
  const texts: BudgetedText[] = [
    { campaignId: "a", purpose: "reply", segments: 1 },
    { campaignId: "a", purpose: "confirmation", segments: 1 },
  ];
  assert.deepEqual(outcomes(spend(budget({ uses: [used("a", 1_800, 200)] }), texts)), ["put_off", "drop"]);
});

test("texts of conversations go before outreach, here and on the campaign's other numbers", () => {
  const one = spend(budget({ bucket: { tokens: 1, at: now } }), [
    ...starts(1),
    { campaignId: "a", purpose: "reply", segments: 1 },
  ]);
  assert.deepEqual(outcomes(one), ["wait", "go"]);
  const elsewhere = { ...waiting("a"), conversations: 3 };
  const yielding = budget({ rivals: elsewhere, bucket: { tokens: 8, at: now } });
  assert.equal(roomOf(yielding, 500).outreach, 2);
  assert.deepEqual(outcomes(spend(yielding, starts(4))), ["go", "go", "wait", "wait"]);
});

test("shares rise to one level: who had less comes first, who wants no more keeps what it had", () => {
  assert.equal(fillLevel([0, 0], 100), 50);
  assert.equal(fillLevel([90, 0], 100), 95);
  assert.equal(fillLevel([200, 0], 100), 100);
  assert.equal(fillLevel([], 100), Number.POSITIVE_INFINITY);
  const open = budget({ uses: [used("a", 1_000), used("gone", 300)], rivals: waiting("a", "b") });
  assert.deepEqual([open.outreachLeft, open.shareOf("a"), open.shareOf("b")], [500, 0, 500]);
  assert.deepEqual(roomOf(open, 500).excluded, ["a"]);
  assert.deepEqual(outcomes(spend(open, [...starts(1), ...starts(1, 1, "b")])), ["wait", "go"]);
});

test("a share is overdrawn by one text at most", () => {
  const open = budget({ uses: [used("x", 1_791)], rivals: waiting("a", "b") });
  assert.equal(open.shareOf("a"), 4.5);
  assert.deepEqual(
    outcomes(spend(open, starts(4, 3))),
    ["go", "go", "wait", "put_off"].slice(0, 2).concat("wait", "wait"),
  );
});

test("a claim comes back when the bucket has what it waits for, or when others may have had their share", () => {
  const empty = budget({ bucket: { tokens: 0.5, at: now } });
  const room = roomOf(empty, 500);
  assert.deepEqual([room.conversation, room.outreach], [0, 0]);
  const { perSecond } = minuteBucket(4_500);
  assert.deepEqual(comeBackAt(empty, room, undefined), after(Math.ceil((0.5 / perSecond) * 1000)));
  const shared = budget({ uses: [used("a", 1_000)], rivals: waiting("a", "b") });
  assert.deepEqual(comeBackAt(shared, roomOf(shared, 500), undefined), after(1_000));
  assert.equal(comeBackAt(budget(), roomOf(budget(), 500), undefined), null);
});

test("outreach is still looked at when no day is left for it, to be put off", () => {
  assert.equal(roomOf(budget({ uses: [used("a", 1_800)], bucket: { tokens: 0, at: now } }), 500).outreach, 500);
});
