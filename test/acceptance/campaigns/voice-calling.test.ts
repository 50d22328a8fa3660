import assert from "node:assert/strict";
import { test } from "node:test";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, handsetPath, moveClock, quiet, says, threadOf, traffic } from "#test/support/messaging/handset.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
type Fields = Record<string, unknown>;
/** Scripted numbers end in 30 to 39 (555-01XX); the area code distinguishes tests. */
const handset = (area: number, script: number): string => `+1${area}55501${String(script).padStart(2, "0")}`;

async function campaignOf(api: Parley, id: string) {
  return (await api.get(`/v1/voice/campaigns/${id}`)).body.campaign;
}

function campaignIs(api: Parley, id: string, status: string) {
  return until(`${id} is ${status}`, async () => {
    const campaign = await campaignOf(api, id);
    return campaign.status === status && campaign;
  });
}

/** Has a phone answer and be done with it, so that no campaign waits for a call that it asked for. */
const isBrief = (api: Parley, phone: string) =>
  api.put(handsetPath(phone), { behavior: "answer", says: ["Yes, go ahead.", "No thanks, bye."] });

/** Calls that have reached a phone, by the carrier's own records. */
async function callsTo(api: Parley, phone: string): Promise<{ outcome: string; at: string; heard: string[] }[]> {
  const { body } = await api.get(handsetPath(phone));
  return body.calls.filter((call: Fields) => call.direction === "to_handset");
}

test("voice campaigns that call", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  await aNoon(api);
  const { organizationId, userId, voiceAgentId } = await aVoiceAgent(api);
  const create = async (campaign_id: string, phones: string[], more: Fields = {}): Promise<string> => {
    const { status, body } = await api.post("/v1/voice/campaigns", {
      campaign_id,
      leads: phones.map((phone_number, i) => ({ phone_number, first_name: `N${i}` })),
      voice_agent_id: voiceAgentId,
      agent_outbound_number: SENDER,
      calls_per_second: 100,
      ...more,
    });
    assert.equal(status, 202, JSON.stringify(body));
    return campaign_id;
  };

  await t.test("what a window held is called by the new window that it is given while paused", async () => {
    const phone = handset(917, 30);
    await isBrief(api, phone);
    const now = new Date((await api.get("/v1/simulator/clock")).body.now);
    const calling_window = { start: "09:00", end: "20:00", days: [((now.getUTCDay() + 1) % 7) + 1] };
    const id = await create("edited", [phone], { calling_window });
    const path = `/v1/voice/campaigns/${id}`;
    const refused = await api.patch(path, { calling_window: null });
    assert.equal(refused.status, 409);
    assert.match(refused.body.error, /calling_window can be changed while it is paused/);
    await api.post(`${path}/pause`);
    const edited = await api.patch(path, { calling_window: null, campaign_name: "Another" });
    assert.deepEqual(
      [edited.status, edited.body.campaign.calling_window, edited.body.campaign.name],
      [200, null, "Another"],
    );
    await quiet(api);
    assert.deepEqual(await callsTo(api, phone), []);
    await api.post(`${path}/resume`);
    await campaignIs(api, id, "completed");
    assert.equal((await callsTo(api, phone)).length, 1);
  });

  await t.test(
    "a whole campaign runs to its end: every phone is called once, and each outcome is counted",
    async () => {
      const scripts = [30, 31, 32, 33, 34, 36];
      const id = await create(
        "whole",
        scripts.map((script) => handset(212, script)),
      );
      const campaign = await campaignIs(api, id, "completed");
      assert.deepEqual(campaign.counts, { connected: 2, voicemail: 1, no_answer: 1, busy: 1, declined: 1, failed: 0 });
      assert.deepEqual([campaign.pending_calls, campaign.calls_in_progress], [0, 0]);
      assert.equal(campaign.leads.completed, 1);
      assert.equal(
        campaign.leads.opted_out + campaign.leads.completed + campaign.leads.failed + campaign.leads.delivered,
        6,
      );
      for (const script of scripts) assert.equal((await callsTo(api, handset(212, script))).length, 1);
      const { calls } = await traffic(api, id);
      assert.deepEqual([calls.accepted, calls.distinct, calls.duplicates, calls.after_opt_out], [6, 6, 0, 0]);
      assert.equal(calls.outside_window, 0);
      const listed = (await api.get(`/v1/voice/campaigns/${id}/calls`)).body;
      assert.equal(listed.count, 6);
      await until("each answered call is analysed", async () => {
        const { body } = await api.get(`/v1/voice/campaigns/${id}/calls?status=connected`);
        return body.calls.some((call: Fields) => call.call_successful && call.transcript !== "");
      });
    },
  );

  await t.test("paused, nobody is dialled; resumed, the rest are; deleted, no more", async () => {
    const phones = Array.from({ length: 40 }, (_, i) => `+1312444${String(i).padStart(4, "0")}`);
    await Promise.all(phones.map((phone) => isBrief(api, phone)));
    const id = await create("held-up", phones, { calls_per_second: 5 });
    await until("a call has left", async () => (await traffic(api, id)).calls.accepted > 0);
    const { status, body } = await api.post(`/v1/voice/campaigns/${id}/pause`);
    assert.deepEqual([status, body.campaign.status, body.campaign.waiting_because], [200, "paused", "paused"]);
    const left = (await traffic(api, id)).calls.accepted;
    await quiet(api);
    assert.equal((await traffic(api, id)).calls.accepted, left);
    assert.equal((await api.post(`/v1/voice/campaigns/${id}/resume`)).body.campaign.status, "running");
    await until("more calls have left", async () => (await traffic(api, id)).calls.accepted > left);
    const deleted = await api.delete(`/v1/voice/campaigns/${id}`);
    const total = (await traffic(api, id)).calls.accepted;
    assert.equal(deleted.body.calls_cancelled + total, 40);
    await quiet(api);
    assert.equal((await traffic(api, id)).calls.accepted, total);
  });

  await t.test("who is not reached is called again after the delay, as often as was asked for", async () => {
    const phone = handset(312, 32);
    const id = await create("again", [phone], {
      redial_enabled: true,
      redial_config: { max_attempts: 2, retry_delay_minutes: 30, retry_on: ["no_answer"] },
    });
    await until("it was called", async () => (await campaignOf(api, id)).counts.no_answer === 1);
    await quiet(api);
    assert.equal((await campaignOf(api, id)).status, "running");
    await moveClock(api, { advance_ms: 40 * MINUTE_MS });
    const campaign = await campaignIs(api, id, "completed");
    assert.deepEqual([campaign.counts.no_answer, campaign.leads.failed], [2, 1]);
    assert.equal((await callsTo(api, phone)).length, 2);
  });

  await t.test("who asks to be called back tomorrow is, at that time and not before", async () => {
    const phone = "+13124445001";
    await api.put(handsetPath(phone), { behavior: "call_back" });
    const id = await create("later", [phone]);
    const lead = await until("a callback is planned", async () => {
      const { body } = await api.get(`/v1/voice/campaigns/${id}/leads`);
      return body.leads[0].call_scheduled_time && body.leads[0];
    });
    const at = new Date(lead.call_scheduled_time);
    assert.equal(
      new Intl.DateTimeFormat("en", { timeZone: "America/Chicago", hour: "numeric", hourCycle: "h23" }).format(at),
      "14",
    );
    await quiet(api);
    assert.equal((await callsTo(api, phone)).length, 1);
    await isBrief(api, phone);
    await moveClock(api, { to: at.toISOString() });
    const calls = await until("it is called back", async () => {
      const found = await callsTo(api, phone);
      return found.length === 2 && found;
    });
    assert.ok(Date.parse(calls[1]!.at) >= at.getTime());
    await campaignIs(api, id, "completed");
  });

  await t.test(
    "nobody is called before the campaign begins or outside of hours, and who waits at its end expires",
    async () => {
      await aNoon(api);
      const now = new Date((await api.get("/v1/simulator/clock")).body.now);
      const phone = "+13124446001";
      const begin = new Date(now.getTime() + 2 * 3_600_000);
      const id = await create("window", [phone], {
        campaign_begin_time: begin.toISOString(),
        campaign_end_time: new Date(now.getTime() + DAY_MS).toISOString(),
        calling_window: { start: "09:00", end: "09:01", days: [1, 2, 3, 4, 5, 6, 7] },
      });
      await quiet(api);
      assert.deepEqual([(await campaignOf(api, id)).status, (await callsTo(api, phone)).length], ["scheduled", 0]);
      await moveClock(api, { to: new Date(begin.getTime() + MINUTE_MS).toISOString() });
      const held = await until("it is held for its hours", async () => {
        const campaign = await campaignOf(api, id);
        return campaign.leads.held === 1 && campaign;
      });
      assert.deepEqual([held.status, held.waiting_because], ["running", "calling_hours"]);
      // Past the end, and past the one minute before it.
      await moveClock(api, { to: new Date(now.getTime() + DAY_MS + MINUTE_MS).toISOString() });
      const campaign = await campaignIs(api, id, "completed");
      assert.deepEqual([campaign.leads.expired, (await callsTo(api, phone)).length], [1, 0]);
      const { leads } = (await api.get(`/v1/voice/campaigns/${id}/leads?state=expired`)).body;
      assert.match(leads[0].reason, /ended/);
      await aNoon(api);
      const again = await api.post(`/v1/voice/campaigns/${id}/leads`, {
        leads: [{ phone_number: phone }],
        campaign_end_time: new Date(now.getTime() + 30 * DAY_MS).toISOString(),
      });
      assert.deepEqual(again.body.details, { leads_added: 0, leads_requeued: 1, leads_skipped: 0 });
      assert.deepEqual([(await campaignOf(api, id)).status, (await campaignOf(api, id)).leads.expired], ["running", 0]);
    },
  );

  await t.test("an opt-out in a call ends texts and calls to that phone, in every campaign", async () => {
    await aNoon(api);
    const phone = "+13124447001";
    await api.put(handsetPath(phone), { behavior: "opt_out" });
    const next = new Date(Date.parse((await api.get("/v1/simulator/clock")).body.now) + 3_600_000).toISOString();
    const waiting = await create("waiting", [phone], { campaign_begin_time: next });
    const id = await create("stopped", [phone]);
    const campaign = await campaignIs(api, id, "completed");
    assert.equal(campaign.leads.opted_out, 1);
    await until("the other campaign knows", async () => (await campaignOf(api, waiting)).leads.opted_out === 1);
    await moveClock(api, { advance_ms: 2 * 3_600_000 });
    await quiet(api);
    assert.equal((await callsTo(api, phone)).length, 1);
    assert.equal((await traffic(api)).calls.after_opt_out, 0);
    const consent = (await api.get(`/v1/consents/${encodeURIComponent(phone)}`)).body.consent;
    assert.ok(JSON.stringify(consent).includes("opted_out"));
  });

  await t.test(
    "a texting contact who wants to talk is called, with the conversation as its past; STOP takes a call back",
    async () => {
      await aNoon(api);
      const sms = await api.post("/v1/agents", {
        agent_type: "sms",
        agent_name: "Sam",
        prompt: "Find out whether the contact wants to sell their home.",
        starting_message: "Hi, this is Sam. Do you want to sell your home?",
        organization_id: organizationId,
        user_id: userId,
        reply_delay_ms: 0,
      });
      const [phone, other] = ["+13124448001", "+13124448002"];
      const texts = await api.post("/v1/campaigns", {
        campaign_id: "texts",
        campaign_name: "Texts",
        organization_id: organizationId,
        user_id: userId,
        sms_agent_id: sms.body.agent_id,
        svc_sms_number: SENDER,
        enable_sms_to_voice: true,
        voice_agent_id: voiceAgentId,
        outbound_number: "+12125550199",
        contacts: [{ phone_number: phone }, { phone_number: other }],
      });
      assert.equal(texts.status, 202, JSON.stringify(texts.body));
      await gets(api, phone, 1);
      await gets(api, other, 1);
      await api.put(handsetPath(phone), { says: ["Can you call me now?", "No thanks, bye."] });
      await says(api, phone, "Can you call me now?");
      const thread = await until("the call has been made", async () => {
        const thread = await threadOf(api, phone, "texts");
        return thread.call?.status === "done" && thread;
      });
      assert.deepEqual(
        [thread.transfer.status, thread.transfer.error, thread.call.outcome],
        ["done", null, "connected"],
      );
      assert.equal((await callsTo(api, phone)).length, 1);
      await until("the extraction knows", async () => {
        const { body } = await api.get(`/v1/sms/extractions/${encodeURIComponent(phone)}_texts`);
        return body.extraction?.call_transferred === true;
      });
      await says(api, other, "Call me tomorrow at 3pm please");
      await until("a call is planned", async () => (await threadOf(api, other, "texts")).call?.status === "scheduled");
      await says(api, other, "STOP");
      await until("it is taken back", async () => (await threadOf(api, other, "texts")).call?.status === "refused");
      await moveClock(api, { advance_ms: 2 * DAY_MS });
      await quiet(api);
      assert.deepEqual(await callsTo(api, other), []);
    },
  );

  await t.test("a contact that calls the number it was called from reaches the agent", async () => {
    await aNoon(api);
    const phone = "+13124449001";
    await isBrief(api, phone);
    const id = await create("reached", [phone]);
    await campaignIs(api, id, "completed");
    const { status } = await api.post(`${handsetPath(phone)}/calls`, { to: SENDER, says: ["Hello?", "Thanks, bye."] });
    assert.equal(status, 201);
    const call = await until("the call is known", async () => {
      const { body } = await api.get(`/v1/voice/calls?organization_id=${organizationId}`);
      return body.calls.find((call: Fields) => call.direction === "inbound" && call.call_status === "ended");
    });
    assert.match(call.transcript, /Agent: /);
  });
});
