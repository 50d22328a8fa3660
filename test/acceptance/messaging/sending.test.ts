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
  assert.deepEqual((await api.get("/v1/sending")).body.sending, {
    ...{ status: "on", stopped_at: null, stopped_by: null, reason: null },
  });

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
    assert.deepEqual((await api.get("/v1/sending")).body.sending, sending);
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
    assert.deepEqual(again.body.sending, sending);
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
