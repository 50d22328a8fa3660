import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deleteVoiceCampaign,
  pauseVoiceCampaign,
  resumeVoiceCampaign,
} from "#operations/campaigns/control-voice-campaign.ts";
import type { Context } from "#operations/context.ts";
import { endStoppedCalls } from "#operations/dialing/conduct-calls.ts";
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
  const calling = await aCalling(t, 2, { max_concurrent_calls: 1 });
  const texting = await aCampaign(calling.api, { contacts: [{ phone_number: phone(0) }] });
  assert.ok(texting.campaignId);
  const line = aLine(() => ({ until: new Promise(() => {}) }));
  const ctx = calling.with(line);
  const drained = drain(ctx, calling.lane);
  await until("the first is on the phone", async () => (await states(calling.client, "calls")).ongoing === 1);
  for (const from of [phone(0), phone(1)]) await receiveMessage(ctx, calling.tenantId, texts(from, "STOP"));
  assert.deepEqual(await states(calling.client, "dials"), { dialing: 1, suppressed: 1 });
  await endStoppedCalls(ctx);
  await drained;
  assert.deepEqual(line.stopped, [phone(0)]);
  assert.deepEqual(await states(calling.client, "threads"), { opted_out: 3 - 0 });
  assert.equal(line.left.length, 1);
  const { campaign } = (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body;
  assert.equal(campaign.pending_calls, 0);
});

test("a campaign that is deleted writes an event for every call that it withdraws, also for those that a claim refused before", async (t) => {
  const calling = await aCalling(t, 3);
  const { db } = calling.ctx;
  // The campaign is deleted already, and its calls are still due.
  const transaction: Context["db"]["transaction"] = async (work) => {
    await drain(calling.ctx, calling.lane);
    assert.deepEqual(await states(calling.client, "dials"), { suppressed: 3 });
    return db.transaction(work);
  };
  const ctx = { ...calling.ctx, db: { ...db, transaction } };
  assert.equal(await deleteVoiceCampaign(ctx, { tenantId: calling.tenantId }, calling.campaignId), 3);
  assert.deepEqual(await states(calling.client, "threads"), { skipped: 3 });
});

test("a campaign that is deleted writes an event also for a call that a claim refuses at that moment", async (t) => {
  const calling = await aCalling(t, 3);
  const claim = await openClient(t, calling.api.databaseUrl);
  const transaction: Context["db"]["transaction"] = async (work) => {
    await claim.query("begin");
    await claim.query(
      `update dials set state = 'suppressed', due_at = null, rule = 'campaign_deleted', reason = 'campaign_deleted'
       where id = (select id from dials limit 1)`,
    );
    const done = calling.ctx.db.transaction(work);
    await until("the delete waits for the claim", async () => (await waitingForLocks(calling.client)) > 0);
    await claim.query("commit");
    return done;
  };
  const ctx = { ...calling.ctx, db: { ...calling.ctx.db, transaction } };
  assert.equal(await deleteVoiceCampaign(ctx, { tenantId: calling.tenantId }, calling.campaignId), 3);
});

test("a claim of calls does not wait for a campaign that is resumed, which waits for the lane", async (t) => {
  const calling = await aCalling(t, 1);
  await pauseVoiceCampaign(calling.ctx, { tenantId: calling.tenantId }, calling.campaignId);
  const line = aLine();
  let passed = false;
  const transaction: Context["db"]["transaction"] = (work) =>
    calling.ctx.db.transaction(async (tx) => {
      const result = await work(tx);
      drain(calling.with(line), calling.lane).then(() => (passed = true));
      await until("the claim has come by", async () => passed || (await waitingForLocks(calling.client)) > 0);
      assert.ok(passed, "the claim holds the lane and waits for who waits for it");
      return result;
    });
  const ctx = { ...calling.ctx, db: { ...calling.ctx.db, transaction } };
  await resumeVoiceCampaign(ctx, { tenantId: calling.tenantId }, calling.campaignId);
  assert.deepEqual(line.left, []);
  await drain(calling.with(line), calling.lane);
  assert.equal(line.left.length, 1);
});

test("an opt-out that is said in a call is committed before the agent confirms it, and that call goes on", async (t) => {
  const calling = await aCalling(t, 1);
  let known: unknown;
  const line = aLine((plan) => ({
    during: async (on) => {
      await on({ kind: "opt_out", quote: "take me off your list", at: plan.now });
      known = (await calling.client.query("select opt_out_source, opt_out_quote from consents")).rows;
    },
  }));
  await drain(calling.with(line), calling.lane);
  assert.deepEqual(known, [{ opt_out_source: "call", opt_out_quote: "take me off your list" }]);
  assert.deepEqual(line.stopped, []);
  assert.deepEqual(await states(calling.client, "threads"), { opted_out: 1 });
});

test("STOPs that race with claims: no call leaves after one was answered", async (t) => {
  const calling = await aCalling(t, 60);
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
  const ctx = calling.with(line);
  const stopping = Array.from({ length: 60 }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, i * 3));
    await receiveMessage(calling.ctx, calling.tenantId, texts(phone(i), "STOP"));
    answered.set(phone(i), performance.now());
  });
  await Promise.all([drain(ctx, calling.lane), ...stopping]);
  await drain(ctx, calling.lane);
  assert.deepEqual(late, []);
  assert.equal((await states(calling.client, "threads")).opted_out, 60);
});

test("texts and calls to one phone add up to the cap", async (t) => {
  const calling = await aCalling(t, 1);
  const ctx = withCarrier(calling.ctx, aCarrier(accepted));
  for (let i = 0; i < 3; i++) {
    await aCampaign(calling.api, {
      contacts: [{ phone_number: phone(0) }],
      campaign: { svc_sms_number: `+1212555021${i}` },
    });
  }
  const { rows } = await calling.client.query("select id from lanes order by id");
  for (const { id } of rows) await drainTexts(ctx, { tenantId: calling.tenantId, laneId: id });
  const line = aLine();
  await drain(calling.with(line), calling.lane);
  assert.deepEqual(line.left, []);
  const held = await calling.client.query("select state, rule from dials");
  assert.deepEqual(held.rows, [{ state: "held", rule: "strict_attempts" }]);
});
