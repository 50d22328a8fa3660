import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { aBrand, aTenDlcCampaign } from "#test/support/campaigns/ten-dlc.ts";
import { assertCounts, assertLedger } from "#test/support/messaging/ledger.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  phone,
  type Sending,
  states,
  withCarrier,
} from "#test/support/messaging/sending.ts";

const OTHER = "+12125550101";
/** Class T: 75 segments a minute, of which a burst of 10. */
const PER_MINUTE = 75;

type Lane = Sending["lane"];

async function laneOf({ client, tenantId }: Sending, sender: string): Promise<Lane> {
  const { rows } = await client.query("select id from lanes where sender = $1", [sender]);
  return { tenantId, laneId: rows[0].id as Uuid };
}

/** A carrier that notes how far the clock was ahead when it was handed each text. */
function aClockedCarrier() {
  const handed: { aheadMs: number; to: string; campaign: string; purpose: string }[] = [];
  let aheadMs = 0;
  const carrier = aCarrier((text) => {
    handed.push({ aheadMs, to: text.to, campaign: text.campaign, purpose: text.purpose });
    return accepted(text);
  });
  const at = (ctx: Sending["ctx"], ms: number) => {
    aheadMs = ms;
    return withCarrier(ctx, carrier, ms);
  };
  return { handed, at };
}

/** Takes segments of the brand's day away, as if another campaign of it had sent them. */
const used = (sending: Sending, brandId: string, tenDlc: string, segments: number) =>
  sending.client.query(
    `insert into brand_day_uses (tenant_id, brand_id, day, ten_dlc_campaign_id, campaign_id, outreach)
     select $1, $2, (now() + clock_offset_ms * interval '1 ms') at time zone 'America/Los_Angeles', $3, $5, $4
     from tenants where id = $1`,
    [sending.tenantId, brandId, tenDlc, segments, "ffffffff-ffff-7fff-bfff-ffffffffffff"],
  );

test("no minute of a 10DLC campaign is over its grant, however many workers and numbers share it", async (t) => {
  const sending = await aSending(t, 150);
  await aCampaign(sending.api, {
    contacts: Array.from({ length: 150 }, (_, i) => ({ phone_number: phone(1_000 + i) })),
    campaign: { svc_sms_number: OTHER },
  });
  const brandId = await aBrand(sending.api);
  await aTenDlcCampaign(sending.api, { brandId, useCase: "LOW_VOLUME", numbers: [SENDER, OTHER] });
  const lanes = [sending.lane, await laneOf(sending, OTHER)];
  const workers = [sending.ctx, sending.another(), sending.another()];
  const { handed, at } = aClockedCarrier();
  for (let ms = 60_000; ms < 240_000; ms += 3_000) {
    await Promise.all(workers.flatMap((ctx) => lanes.map((lane) => drain(at(ctx, ms), lane))));
  }
  // By the claims' own clock: real time goes on beside the one that is moved.
  const { rows } = await sending.client.query(
    "select (extract(epoch from at) * 1000)::float as at from attempts order by at",
  );
  const times = rows.map((row) => row.at as number);
  for (const [i, from] of times.entries()) {
    const minute = times.filter((time, j) => j >= i && time < from + 60_000).length;
    assert.ok(minute <= PER_MINUTE, `${minute} in a minute`);
  }
  const minutes = (times.at(-1)! - times[0]!) / 60_000;
  assert.ok(handed.length > 60 * minutes, `${handed.length} in ${minutes} minutes: the grant is used`);
  assert.equal(handed.length, times.length);
  // Who drains first takes more of a minute; nobody takes all of them. What is fair is the next tests' question.
  const ofOther = handed.filter(({ to }) => to >= phone(1_000)).length;
  const part = handed.length / 8;
  assert.ok(
    ofOther > part && ofOther < handed.length - part,
    `both numbers had their part: ${ofOther} of ${handed.length}`,
  );
  await assertCounts(sending.client);
});

test("past the brand's day texts are held until midnight Pacific with the rule, and go then", async (t) => {
  const sending = await aSending(t, 30);
  const brandId = await aBrand(sending.api, "12-3456775");
  const tenDlc = await aTenDlcCampaign(sending.api, { brandId, useCase: "MARKETING", numbers: [SENDER] });
  await used(sending, brandId, tenDlc, 179_990);
  const { handed, at } = aClockedCarrier();
  await Promise.all([sending.ctx, sending.another()].map((ctx) => drain(at(ctx, 60_000), sending.lane)));
  assert.equal(handed.length, 10);
  assert.deepEqual(await states(sending.client, "messages"), { accepted: 10, held: 20 });
  const { rows } = await sending.client.query(
    `select rule, reason, to_char(due_at at time zone 'America/Los_Angeles', 'HH24:MI:SS') as due, count(*)::int as n
     from messages where state = 'held' group by 1, 2, 3`,
  );
  const rule = "brand_daily_budget";
  assert.deepEqual(rows, [{ rule, reason: rule, due: "00:00:00", n: 20 }]);
  const { body } = await sending.api.get(`/v1/campaigns/${sending.campaignId}`);
  assert.deepEqual([body.campaign.counts.held, body.campaign.waiting_because], [20, rule]);
  // The next noon, when every window is open again: Saturday's are too by then.
  await drain(at(sending.ctx, 86_400_000 + 60_000), sending.lane);
  assert.equal(handed.length, 30);
  await assertLedger(sending.client);
});

test("a campaign of 20 gets its part beside one of 500, on one number and on another", async (t) => {
  const sending = await aSending(t, 500);
  const few = (from: number) => Array.from({ length: 20 }, (_, i) => ({ phone_number: phone(from + i) }));
  const beside = await aCampaign(sending.api, { contacts: few(1_000) });
  const apart = await aCampaign(sending.api, { contacts: few(2_000), campaign: { svc_sms_number: OTHER } });
  const brandId = await aBrand(sending.api, "12-3456775");
  const tenDlc = await aTenDlcCampaign(sending.api, { brandId, useCase: "MARKETING", numbers: [SENDER, OTHER] });
  await used(sending, brandId, tenDlc, 179_940);
  const { handed, at } = aClockedCarrier();
  const other = await laneOf(sending, OTHER);
  for (let ms = 60_000; ms < 70_000; ms += 1_000) await drain(at(sending.ctx, ms), sending.lane);
  const had = (campaignId: string) => handed.filter(({ campaign }) => campaign === campaignId).length;
  assert.deepEqual([had(sending.campaignId), had(beside.campaignId), had(apart.campaignId)], [20, 20, 0]);
  for (let ms = 70_000; ms < 75_000; ms += 1_000) await drain(at(sending.ctx, ms), other);
  assert.equal(had(apart.campaignId), 20, "its part was kept for it");
  assert.equal((await states(sending.client, "messages")).accepted, 60);
});

test("on a number that is in no register campaigns take turns too", async (t) => {
  const sending = await aSending(t, 600);
  const second = await aCampaign(sending.api, {
    contacts: Array.from({ length: 50 }, (_, i) => ({ phone_number: phone(1_000 + i) })),
  });
  const { handed, at } = aClockedCarrier();
  await drain(at(sending.ctx, 0), sending.lane);
  assert.equal(handed.length, 650);
  const last = handed.findLastIndex(({ campaign }) => campaign === second.campaignId);
  assert.ok(last < 500, `in the first batch, the last at ${last}`);
});

test("the confirmation of a STOP goes before a backlog of outreach", async (t) => {
  const sending = await aSending(t, 700, { env: { PARLEY_SIMULATOR_RATE: "10" } });
  const { handed, at } = aClockedCarrier();
  await drain(at(sending.ctx, 1_000), sending.lane);
  const before = handed.length;
  assert.ok(before >= 10 && before < 200, `${before} of a backlog`);
  const ctx = at(sending.ctx, 5_000);
  const stop = { carrier: "simulator", carrierId: "in_1", to: SENDER, text: "STOP", sentAt: ctx.now() };
  await receiveMessage(ctx, sending.tenantId, { ...stop, from: handed[0]!.to });
  await drain(at(sending.ctx, 10_000), sending.lane);
  const after = handed.slice(before);
  const confirmed = after.findIndex(({ purpose }) => purpose === "confirmation");
  assert.equal(after[confirmed]?.to, handed[0]!.to);
  // In the first claim, which the rate keeps to ten.
  assert.ok(confirmed < 10, `at ${confirmed} of ${after.length}`);
});
