import assert from "node:assert/strict";
import { test } from "node:test";
import { recordOptOut } from "#operations/dialing/opt-outs.ts";
import { aCalling, aLine, drain, phone, states, untaken } from "#test/support/calls/calling.ts";
import { insertCalls } from "#test/support/calls/calls.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";

test("a campaign's calls are placed, answered, ended and counted, each once", async (t) => {
  const calling = await aCalling(t, 30);
  const line = aLine();
  await drain(calling.with(line), calling.lane);
  assert.equal(new Set(line.left.map((plan) => plan.contactPhone)).size, 30);
  assert.equal(line.left.length, 30);
  assert.deepEqual(await states(calling.client, "attempts"), { accepted: 30 });
  assert.deepEqual(await states(calling.client, "dials"), { done: 30 });
  assert.deepEqual(await states(calling.client, "calls"), { ended: 30 });
  assert.deepEqual(await states(calling.client, "threads"), { completed: 30 });
  const { campaign } = (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body;
  assert.equal(campaign.counts.connected, 30);
  assert.equal(campaign.leads.completed, 30);
  assert.equal(campaign.pending_calls, 0);
  assert.equal(campaign.status, "running");
  const { rows } = await calling.client.query(
    "select count(distinct start_at)::int as starts, min(duration_ms) as ms, count(carrier_id)::int as named from calls",
  );
  assert.deepEqual(rows, [{ starts: 30, ms: 60_000, named: 30 }]);
  const kept = await calling.client.query("select transcript from call_details limit 1");
  assert.equal(kept.rows[0].transcript, "Agent: Hello, this is Ava.\nUser: Hi.\n");
});

test("who is not reached is called again by the policy, no more often than it says, and keeps its outcome", async (t) => {
  const calling = await aCalling(t, 3, {
    redial_enabled: true,
    redial_config: { max_attempts: 2, retry_delay_minutes: 30, retry_on: ["no_answer"] },
  });
  const reasons = ["dial_no_answer", "dial_busy", "user_declined"] as const;
  const line = aLine((plan) => ({ report: untaken(reasons[Number(plan.contactPhone.slice(-1))]!, plan.now) }));
  await drain(calling.with(line), calling.lane);
  assert.equal(line.left.length, 3);
  assert.deepEqual(await states(calling.client, "threads"), { failed: 2, sent: 1 });
  await drain(calling.with(line, 29 * 60_000), calling.lane);
  assert.equal(line.left.length, 3);
  await drain(calling.with(line, 31 * 60_000), calling.lane);
  assert.deepEqual(
    line.left.slice(3).map((plan) => [plan.contactPhone, plan.purpose, plan.n]),
    [[phone(0), "redial", 2]],
  );
  await drain(calling.with(line, 120 * 60_000), calling.lane);
  assert.equal(line.left.length, 4);
  const { campaign } = (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body;
  assert.deepEqual(campaign.counts, { connected: 0, voicemail: 0, no_answer: 2, busy: 1, declined: 1, failed: 0 });
  assert.equal(campaign.leads.failed, 3);
  assert.equal(campaign.pending_calls, 0);
});

test("a recipient that was held, or is called again, is shown as being called while its call goes on", async (t) => {
  const redial = { max_attempts: 2, retry_delay_minutes: 30, retry_on: ["no_answer"] };
  const calling = await aCalling(t, 1, { redial_enabled: true, redial_config: redial });
  const { api, campaignId, client } = calling;
  const { rows } = await client.query(
    `select tenant_id as "tenantId", organization_id as "organizationId", user_id as "userId", agent_id as "agentId"
     from campaigns`,
  );
  const [other] = await insertCalls(client, rows[0], [
    { start_at: new Date("2026-11-20T15:00:00Z"), phone: phone(0), status: "ongoing", end_at: null },
  ]);
  const path = `/v1/voice/campaigns/${campaignId}`;
  const shown = async () => {
    const { state, reason } = (await api.get(`${path}/leads`)).body.leads[0];
    return [state, reason, (await api.get(path)).body.campaign.waiting_because];
  };
  await drain(calling.with(aLine()), calling.lane);
  assert.deepEqual(await shown(), ["held", "call_in_progress", "call_in_progress"]);
  await client.query("update calls set status = 'ended', end_at = start_at where id = $1", [other]);
  const during: unknown[][] = [];
  const seen = async () => void during.push(await shown());
  const unanswered = aLine((plan) => ({ report: untaken("dial_no_answer", plan.now), during: seen }));
  await drain(calling.with(unanswered, 16_000), calling.lane);
  assert.deepEqual(await shown(), ["sent", "no_answer", null]);
  await drain(
    calling.with(
      aLine(() => ({ during: seen })),
      31 * 60_000,
    ),
    calling.lane,
  );
  assert.deepEqual(during, [
    ["sending", null, null],
    ["sending", null, null],
  ]);
  assert.deepEqual(await shown(), ["completed", null, null]);
});

test("no more calls go on at once than the campaign allows, over any number of nodes", async (t) => {
  const calling = await aCalling(t, 40, { max_concurrent_calls: 5 });
  const line = aLine(() => ({ until: new Promise((resolve) => setTimeout(resolve, 5)) }));
  const contexts = [calling.with(line), calling.with(line), calling.with(line)];
  for (let i = 0; i < 60 && line.left.length < 40; i++)
    await Promise.all(contexts.map((ctx) => drain(ctx, calling.lane)));
  assert.equal(line.left.length, 40);
  assert.ok(line.mostAtOnce <= 5, `${line.mostAtOnce} at once`);
  assert.equal(new Set(line.left.map((plan) => plan.contactPhone)).size, 40);
});

test("numbers are taken in turns", async (t) => {
  const calling = await aCalling(t, 9, { agent_outbound_numbers: ["+12125550101", "+12125550102"] });
  const line = aLine();
  await drain(calling.with(line), calling.lane);
  const used = Map.groupBy(line.left, (plan) => plan.number);
  assert.deepEqual([...used].map(([number, plans]) => [number, plans.length]).sort(), [
    [SENDER, 3],
    ["+12125550101", 3],
    ["+12125550102", 3],
  ]);
});

test("a campaign that menus answer goes on as fast; one that leaves people without a word calls them one by one", async (t) => {
  const calling = await aCalling(t, 24, { max_concurrent_calls: 8 });
  const course = (answerer: "ivr" | "human") =>
    aLine(() => ({ report: { answerer, utterances: [] }, until: new Promise((resolve) => setTimeout(resolve, 5)) }));
  const waiting = async () =>
    (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body.campaign.waiting_because as string | null;
  const menus = course("ivr");
  await drain(calling.with(menus), calling.lane);
  assert.equal(menus.mostAtOnce, 8);
  assert.equal(menus.left.length, 8);
  assert.equal(await waiting(), null);
  const people = course("human");
  await drain(calling.with(people), calling.lane);
  assert.equal(people.mostAtOnce, 8);
  assert.equal(await waiting(), "abandonment");
  const more = course("human");
  await drain(calling.with(more), calling.lane);
  assert.equal(more.mostAtOnce, 1);
});

test("who opts out while a call goes unanswered is not planned to be called again", async (t) => {
  const calling = await aCalling(t, 2, {
    redial_enabled: true,
    redial_config: { max_attempts: 3, retry_delay_minutes: 30, retry_on: ["no_answer"] },
  });
  const { client, tenantId } = calling;
  const ctx = calling.with(
    aLine((plan) => ({
      report: untaken("dial_no_answer", plan.now),
      // As if it were said in this call, whose end is not asked for: it goes on to its goodbye.
      until:
        plan.contactPhone === phone(0)
          ? recordOptOut(ctx, tenantId, { callId: plan.callId, phone: phone(0), quote: "stop", at: new Date(plan.now) })
          : Promise.resolve(),
    })),
  );
  await drain(ctx, calling.lane);
  const { rows } = await client.query("select phone from dials where due_at is not null order by phone");
  assert.deepEqual(rows, [{ phone: phone(1) }]);
  const { campaign } = (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body;
  assert.equal(campaign.pending_calls, 1);
});
