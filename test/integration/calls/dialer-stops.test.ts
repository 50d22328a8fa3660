import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deleteVoiceCampaign,
  pauseVoiceCampaign,
  resumeVoiceCampaign,
} from "#operations/campaigns/control-voice-campaign.ts";
import type { Context } from "#operations/context.ts";
import { obeyStops } from "#operations/dialing/conduct-calls.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { until } from "#test/support/api/parley.ts";
import { aCalling, aLine, drain, phone, states } from "#test/support/calls/calling.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { aCarrier, accepted, drain as drainTexts, withCarrier } from "#test/support/messaging/sending.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const texts = (from: string, text: string) => ({
  carrier: "simulator",
  carrierId: `in_${from}_${text}`,
  from,
  to: SENDER,
  text,
  sentAt: new Date(),
});

test("a STOP by text withdraws the calls that wait and ends the one that goes on", async (t) => {
  const it = await aCalling(t, 2, { max_concurrent_calls: 1 });
  const texting = await aCampaign(it.api, { contacts: [{ phone_number: phone(0) }] });
  assert.ok(texting.campaignId);
  const line = aLine(() => ({ until: new Promise(() => {}) }));
  const ctx = it.with(line);
  const drained = drain(ctx, it.lane);
  await until("the first is on the phone", async () => (await states(it.client, "calls")).ongoing === 1);
  for (const from of [phone(0), phone(1)]) await receiveMessage(ctx, it.tenantId, texts(from, "STOP"));
  assert.deepEqual(await states(it.client, "dials"), { dialing: 1, suppressed: 1 });
  await obeyStops(ctx);
  await drained;
  assert.deepEqual(line.stopped, [phone(0)]);
  assert.deepEqual(await states(it.client, "threads"), { opted_out: 3 - 0 });
  assert.equal(line.left.length, 1);
  const { campaign } = (await it.api.get(`/v1/voice/campaigns/${it.campaignId}`)).body;
  assert.equal(campaign.pending_calls, 0);
});

test("a campaign that is deleted writes an event for every call that it withdraws, also for those that a claim refused before", async (t) => {
  const it = await aCalling(t, 3);
  const { db } = it.ctx;
  // The campaign is deleted already, and its calls are still due.
  const transaction: Context["db"]["transaction"] = async (work) => {
    await drain(it.ctx, it.lane);
    assert.deepEqual(await states(it.client, "dials"), { suppressed: 3 });
    return db.transaction(work);
  };
  const ctx = { ...it.ctx, db: { ...db, transaction } };
  assert.equal(await deleteVoiceCampaign(ctx, { tenantId: it.tenantId }, it.campaignId), 3);
  assert.deepEqual(await states(it.client, "threads"), { skipped: 3 });
});

test("a campaign that is deleted writes an event also for a call that a claim refuses at that moment", async (t) => {
  const it = await aCalling(t, 3);
  const claim = await openClient(t, it.api.databaseUrl);
  const transaction: Context["db"]["transaction"] = async (work) => {
    await claim.query("begin");
    await claim.query(
      `update dials set state = 'suppressed', due_at = null, rule = 'campaign_deleted', reason = 'campaign_deleted'
       where id = (select id from dials limit 1)`,
    );
    const done = it.ctx.db.transaction(work);
    await until("the delete waits for the claim", async () => (await waitingForLocks(it.client)) > 0);
    await claim.query("commit");
    return done;
  };
  const ctx = { ...it.ctx, db: { ...it.ctx.db, transaction } };
  assert.equal(await deleteVoiceCampaign(ctx, { tenantId: it.tenantId }, it.campaignId), 3);
});

test("a claim of calls does not wait for a campaign that is resumed, which waits for the lane", async (t) => {
  const it = await aCalling(t, 1);
  await pauseVoiceCampaign(it.ctx, { tenantId: it.tenantId }, it.campaignId);
  const line = aLine();
  let passed = false;
  const transaction: Context["db"]["transaction"] = (work) =>
    it.ctx.db.transaction(async (tx) => {
      const result = await work(tx);
      drain(it.with(line), it.lane).then(() => (passed = true));
      await until("the claim has come by", async () => passed || (await waitingForLocks(it.client)) > 0);
      assert.ok(passed, "the claim holds the lane and waits for who waits for it");
      return result;
    });
  const ctx = { ...it.ctx, db: { ...it.ctx.db, transaction } };
  await resumeVoiceCampaign(ctx, { tenantId: it.tenantId }, it.campaignId);
  assert.deepEqual(line.left, []);
  await drain(it.with(line), it.lane);
  assert.equal(line.left.length, 1);
});

test("an opt-out that is said in a call is committed before the agent confirms it, and that call goes on", async (t) => {
  const it = await aCalling(t, 1);
  let known: unknown;
  const line = aLine((plan) => ({
    during: async (on) => {
      await on({ kind: "opt_out", quote: "take me off your list", at: plan.now });
      known = (await it.client.query("select opt_out_source, opt_out_quote from consents")).rows;
    },
  }));
  await drain(it.with(line), it.lane);
  assert.deepEqual(known, [{ opt_out_source: "call", opt_out_quote: "take me off your list" }]);
  assert.deepEqual(line.stopped, []);
  assert.deepEqual(await states(it.client, "threads"), { opted_out: 1 });
});

test("STOPs that race with claims: no call leaves after one was answered", async (t) => {
  const it = await aCalling(t, 60);
  const answered = new Map<string, number>();
  const late: string[] = [];
  const line = aLine();
  const begin = line.begin.bind(line);
  line.begin = (plan, on, mayLeave) =>
    begin(plan, on, () => {
      const may = mayLeave();
      if (may && answered.has(plan.contactPhone)) late.push(plan.contactPhone);
      return may;
    });
  const ctx = it.with(line);
  const stopping = Array.from({ length: 60 }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, i * 3));
    await receiveMessage(it.ctx, it.tenantId, texts(phone(i), "STOP"));
    answered.set(phone(i), performance.now());
  });
  await Promise.all([drain(ctx, it.lane), ...stopping]);
  await drain(ctx, it.lane);
  assert.deepEqual(late, []);
  assert.equal((await states(it.client, "threads")).opted_out, 60);
});

test("texts and calls to one phone add up to the cap", async (t) => {
  const it = await aCalling(t, 1);
  const ctx = withCarrier(it.ctx, aCarrier(accepted));
  for (let i = 0; i < 3; i++) {
    await aCampaign(it.api, {
      contacts: [{ phone_number: phone(0) }],
      campaign: { svc_sms_number: `+1212555021${i}` },
    });
  }
  const { rows } = await it.client.query("select id from lanes order by id");
  for (const { id } of rows) await drainTexts(ctx, { tenantId: it.tenantId, laneId: id });
  const line = aLine();
  await drain(it.with(line), it.lane);
  assert.deepEqual(line.left, []);
  const held = await it.client.query("select state, rule from dials");
  assert.deepEqual(held.rows, [{ state: "held", rule: "strict_attempts" }]);
});
