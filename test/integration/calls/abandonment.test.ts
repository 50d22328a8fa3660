import assert from "node:assert/strict";
import { test } from "node:test";
import { aCalling, aLine, aVoiceAgent, drain, phone } from "#test/support/calls/calling.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";

/** 47 CFR 64.1200(a)(7): two are 3 % of as many. */
const MAKE_UP_FOR_TWO = 67;
const AT_ONCE = 4;
/** For the calls that a slow drain places after the hold, and those of the last one. */
const BEYOND = 6 * AT_ONCE;

test("a campaign that has left people without a word calls one by one until they are 3 % of those who answered, then as before", async (t) => {
  const calling = await aCalling(t, MAKE_UP_FOR_TWO + BEYOND, { max_concurrent_calls: AT_ONCE });
  const line = (course: { silent: number }) => {
    const isSilent = (to: string) => Array.from({ length: course.silent }, (_, i) => phone(i)).includes(to);
    return aLine((plan) => ({
      report: { answerer: "human", ...(isSilent(plan.contactPhone) ? { utterances: [] } : {}) },
      until: new Promise((resolve) => setTimeout(resolve, 5)),
    }));
  };
  const campaign = async () => (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body.campaign;
  const first = line({ silent: 2 });
  await drain(calling.with(first), calling.lane);
  assert.equal(first.mostAtOnce, AT_ONCE);
  assert.equal((await campaign()).waiting_because, "abandonment");

  const slow = line({ silent: 0 });
  const ctx = calling.with(slow);
  const missing = MAKE_UP_FOR_TWO - first.left.length;
  while ((await campaign()).waiting_because === "abandonment") {
    assert.ok(slow.left.length < missing, `still after ${slow.left.length} calls`);
    await drain(ctx, calling.lane);
  }
  // A drain that sees the hold end may place more at once: what counts is those before it.
  assert.ok(slow.left.length >= missing, `no more after ${slow.left.length} calls`);
  assert.deepEqual(new Set(slow.atOnce.slice(0, missing)), new Set([1]));

  const again = line({ silent: 0 });
  await drain(calling.with(again), calling.lane);
  assert.equal(again.mostAtOnce, AT_ONCE);
});

test("a transcript that comes too late is treated as none", async (t) => {
  const calling = await aCalling(t, 3);
  const greeting = { role: "contact" as const, text: "Hello?", startMs: 200, endMs: 700, words: [] };
  const word = (startMs: number) => ({ role: "agent" as const, text: "Hi.", startMs, endMs: startMs + 300, words: [] });
  const line = aLine((plan) => ({
    report: { utterances: [greeting, word(plan.contactPhone === phone(0) ? 2_700 : 2_701)] },
  }));
  await drain(calling.with(line), calling.lane);
  const { rows } = await calling.client.query(
    "select state, sum(n)::int as n from campaign_counts where state like 'calls%' group by state order by state",
  );
  const day = (await calling.api.get("/v1/simulator/clock")).body.now.slice(0, 10);
  assert.deepEqual(rows, [
    { state: `calls_abandoned_${day}`, n: 2 },
    { state: `calls_answered_${day}`, n: 3 },
  ]);
});

test("a call that nobody takes rings for 15 seconds at least, and longer where its agent says so", async (t) => {
  const calling = await aCalling(t, 1);
  const rings: number[] = [];
  for (const ring_duration_ms of [5_000, 40_000]) {
    const { voiceAgentId, agentId } = await aVoiceAgent(calling.api, { ring_duration_ms });
    assert.equal((await calling.api.get(`/v1/agents/${agentId}`)).body.agent.ring_duration_ms, ring_duration_ms);
    const leads = [{ phone_number: phone(500 + rings.length) }];
    const campaign = { voice_agent_id: voiceAgentId, agent_outbound_number: SENDER, leads };
    assert.equal((await calling.api.post("/v1/voice/campaigns", campaign)).status, 202);
    const { rows } = await calling.client.query("select id from campaigns order by id desc limit 1");
    const line = aLine();
    await drain(calling.with(line), { tenantId: calling.tenantId, laneId: rows[0].id });
    rings.push(...line.begun.map(({ agent }) => agent.ring_duration_ms));
  }
  assert.deepEqual(rings, [15_000, 40_000]);
});
