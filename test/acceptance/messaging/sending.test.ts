import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { campaignIs, campaignOf, gets, moveClock, says, traffic } from "#test/support/messaging/handset.ts";

const many = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ phone_number: `+1212447${String(1000 + i)}` }));

test("all sending and calling of a tenant is stopped within two seconds, and goes on where it was", async (t) => {
  const settings = {
    PARLEY_SIMULATOR_LATENCY_MS: "300",
    PARLEY_SIMULATOR_RATE: "200",
    // As slow as life, so that calls are going on.
    PARLEY_SIMULATOR_CALL_PACE: "clock",
  };
  const api = await startParley(t, settings, ["api", "worker", "media"]);
  await aNoon(api);
  const { agentId, voiceAgentId } = await aVoiceAgent(api);
  const { spent_today, day_ends_at, ...rest } = (await api.get("/v1/sending")).body.sending;
  assert.deepEqual(rest, {
    ...{ status: "on", stopped_at: null, stopped_by: null, reason: null },
    ...{ daily_spend_limit: null, time_zone: "America/New_York", is_limit_reached: false },
    price_per_lookup: "0.008",
  });
  assert.equal(spent_today, "0.00");
  assert.match(day_ends_at, /T0[45]:00:00.000Z$/);

  const { campaignId } = await aCampaign(api, { contacts: many(2_000) });
  const phones = Array.from({ length: 20 }, (_, i) => `+1212449${1000 + i}`);
  const voice = await api.post("/v1/voice/campaigns", {
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDER,
    max_concurrent_calls: 5,
    leads: phones.map((phone_number) => ({ phone_number, first_name: "Ann" })),
  });
  assert.equal(voice.status, 202, JSON.stringify(voice.body));
  const callsOf = async () =>
    (await api.get(`/v1/voice/campaigns/${voice.body.campaign_id}/calls?limit=100`)).body.calls;
  await until("texts leave and calls go on", async () => {
    const goingOn = (await callsOf()).filter((call: { call_status: string }) => call.call_status === "ongoing");
    return goingOn.length > 0 && (await traffic(api, campaignId)).accepted > 0;
  });

  const from = performance.now();
  const stop = await api.post("/v1/sending/stop", { reason: "The price is wrong" });
  const tookMs = Math.round(performance.now() - from);
  const { accepted } = await traffic(api, campaignId);
  assert.equal(stop.status, 200, JSON.stringify(stop.body));
  const { sending, under_way } = stop.body;
  t.diagnostic(`answered after ${tookMs} ms: ${JSON.stringify(under_way)}`);
  assert.deepEqual([sending.status, sending.reason], ["stopped", "The price is wrong"]);
  assert.match(sending.stopped_by, /^key_/);
  assert.ok(under_way.calls.dialled + under_way.calls.ongoing > 0, "calls were going on");
  assert.ok(accepted < 2_000, "the campaign was over before it was stopped");

  const calls = await callsOf();
  await t.test("no text leaves and no call is placed after the answer, also hours later", async () => {
    await moveClock(api, { advance_ms: 60 * 60_000 });
    await until("all calls are over", async () =>
      (await callsOf()).every((call: { call_status: string }) => !["registered", "ongoing"].includes(call.call_status)),
    );
    assert.equal((await callsOf()).length, calls.length);
    assert.equal((await traffic(api, campaignId)).accepted, accepted);
    assert.notEqual((await campaignOf(api, campaignId)).status, "completed");
    assert.equal((await api.get("/v1/sending")).body.sending.stopped_at, sending.stopped_at);
  });

  await t.test("a contact's STOP is confirmed, and who wants to write or call is refused", async () => {
    const phone = "+12124471000";
    await says(api, phone, "STOP");
    const texts = await gets(api, phone, 2);
    assert.match(texts[1]!, /unsubscribed|no more|opted out|will not/i);
    const thread = `${encodeURIComponent("+12124471001")}_${campaignId}`;
    const written = await api.post(`/v1/sms/threads/${thread}/messages`, { text: "Hello" });
    assert.deepEqual([written.status, written.body.code], [409, "conflict"]);
    assert.match(written.body.error, /stopped/);
    const called = await api.post("/v1/voice/calls", {
      agent_id: agentId,
      from_number: SENDER,
      to_number: "+12124471002",
    });
    assert.deepEqual([called.status, called.body.code], [409, "conflict"]);
  });

  await t.test("stopping again changes nothing, and the log of events has it once", async () => {
    const again = await api.post("/v1/sending/stop", {});
    assert.deepEqual([again.body.sending.stopped_at, again.body.sending.reason], [sending.stopped_at, sending.reason]);
    const stopped = await until("the event is numbered", async () => {
      const { events } = (await api.get("/v1/events?kinds=sending.*")).body;
      return events.length > 0 && events;
    });
    assert.deepEqual(
      stopped.map((event: { kind: string; data: object }) => [event.kind, event.data]),
      [["sending.stopped", { by: sending.stopped_by, reason: "The price is wrong" }]],
    );
  });

  await t.test("the resume sends what is left, nothing twice", async () => {
    const resumed = await api.post("/v1/sending/resume", {});
    assert.deepEqual([resumed.status, resumed.body.sending.status], [200, "on"]);
    assert.equal((await api.post("/v1/sending/resume", {})).status, 200);
    await campaignIs(api, campaignId, "completed");
    const { accepted: all, duplicates } = await traffic(api, campaignId);
    // The one who said STOP has had the text before, or does not get it any more.
    assert.ok(all >= 1_999 && all <= 2_001, String(all));
    assert.equal(duplicates, 0);
  });
});

test("what a tenant may spend on a day is limited, for texts and calls alike", async (t) => {
  const settings = { PARLEY_PRICE_PER_SEGMENT: "0.01", PARLEY_PRICE_CALL_MINUTE: "0.05" };
  const api = await startParley(t, settings, ["api", "worker", "media"]);
  await aNoon(api);
  const change = (body: object) => api.request("PATCH", "/v1/sending", body);

  await t.test("a limit that is none is a 400 that names the field", async () => {
    for (const daily_spend_limit of ["", "-1", "1e3", "1,50", "12345678", 5]) {
      const { status, body } = await change({ daily_spend_limit });
      assert.deepEqual([status, body.details?.[0]?.field], [400, "daily_spend_limit"], String(daily_spend_limit));
    }
    const { status, body } = await change({ time_zone: "Nowhere/Land" });
    assert.deepEqual([status, body.details?.[0]?.field], [400, "time_zone"]);
    assert.equal((await api.get("/v1/sending")).body.sending.daily_spend_limit, null);
  });

  await t.test("texts beyond it wait and say why, and leave once it is raised", async () => {
    const set = await change({ daily_spend_limit: "0.25", time_zone: "America/Chicago" });
    assert.deepEqual([set.status, set.body.sending.daily_spend_limit], [200, "0.25"]);
    const { campaignId } = await aCampaign(api, { contacts: many(40) });
    await until("the limit is reached", async () => {
      const { waiting_because, pending_messages } = await campaignOf(api, campaignId);
      return waiting_because === "spend_limit" && pending_messages === 15;
    });
    assert.equal((await traffic(api, campaignId)).accepted, 25);
    const { sending } = (await api.get("/v1/sending")).body;
    assert.deepEqual([sending.spent_today, sending.is_limit_reached], ["0.25", true]);
    assert.equal((await change({ daily_spend_limit: "1.00" })).status, 200);
    const done = await campaignIs(api, campaignId, "completed");
    assert.equal(done.counts.delivered, 40);
  });

  await t.test("calls beyond it are not placed", async () => {
    const { voiceAgentId } = await aVoiceAgent(api);
    assert.equal((await change({ daily_spend_limit: "0.60" })).status, 200);
    const voice = await api.post("/v1/voice/campaigns", {
      voice_agent_id: voiceAgentId,
      agent_outbound_number: SENDER,
      leads: Array.from({ length: 10 }, (_, i) => ({ phone_number: `+1212449${2000 + i}` })),
    });
    const path = `/v1/voice/campaigns/${voice.body.campaign_id}`;
    await until(
      "the limit is reached",
      async () => (await api.get(path)).body.campaign.waiting_because === "spend_limit",
    );
    const { calls } = (await api.get(`${path}/calls?limit=100`)).body;
    assert.ok(calls.length > 0 && calls.length <= 4, `${calls.length} calls of at least a minute for twenty cents`);
    await change({ daily_spend_limit: null });
    await until("all are called", async () => (await api.get(`${path}/calls?limit=100`)).body.calls.length === 10);
  });
});
