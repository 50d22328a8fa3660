import assert from "node:assert/strict";
import { test } from "node:test";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { campaignIs, quiet, textsTo } from "#test/support/messaging/handset.ts";

type Fields = Record<string, unknown>;

/** By their last two digits: the first is unreachable, the second a landline. */
const UNREACHABLE = "+12125550120";
const LANDLINE = "+12125550122";
const FINE = "+12125550101";

async function aList(api: Parley, owner: Fields, contacts: Fields[]): Promise<string> {
  const { status, body } = await api.post("/v1/contacts/lists", { list_name: "Spring", ...owner, contacts });
  assert.equal(status, 201, JSON.stringify(body));
  return body.list_id;
}

test("leads that are stored already", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const { organizationId, userId, agentId } = await anAgent(api, { starting_message: "Hi {{first_name}}" });
  const owner = { organization_id: organizationId, user_id: userId };
  const body = { ...owner, campaign_name: "Spring", sms_agent_id: agentId, svc_sms_number: SENDER };
  const listId = await aList(api, owner, [
    { phone_number: FINE, first_name: "Ada" },
    { phone_number: UNREACHABLE, first_name: "Bo" },
    { phone_number: LANDLINE, first_name: "Cy" },
  ]);

  await t.test("a campaign takes a list of contacts with their fields, and contacts of its own beside", async () => {
    const wanted = {
      ...body,
      campaign_id: "spring",
      list_id: listId,
      contacts: [{ phone_number: FINE, first_name: "Eve" }],
    };
    const preflight = await api.post("/v1/campaigns/preflight", wanted);
    assert.deepEqual(preflight.body.preflight.recipients, { total: 4, will_be_texted: 3, skipped: 1 });
    assert.deepEqual(preflight.body.preflight.skips, { duplicate: 1 });
    const made = await api.post("/v1/campaigns", wanted);
    assert.deepEqual([made.status, made.body.details.total_contacts, made.body.details.contacts_skipped], [202, 3, 1]);
    await campaignIs(api, "spring", "completed");
    assert.deepEqual(
      (await textsTo(api, FINE)).map(({ text }) => text),
      ["Hi Eve"],
    );
    assert.equal((await api.post("/v1/campaigns", wanted)).status, 202, "the same body again");
  });

  await t.test("why recipients failed is counted, and they are found by the reason and by number", async () => {
    const { status, body: counted } = await api.get("/v1/campaigns/spring/reasons");
    assert.equal(status, 200);
    const failed = counted.reasons.filter((reason: Fields) => reason.state === "failed");
    assert.equal(failed.length, 2, JSON.stringify(counted.reasons));
    for (const { reason, recipients } of failed) {
      assert.equal(recipients, 1);
      const leads = (await api.get(`/v1/campaigns/spring/leads?state=failed&reason=${reason}`)).body.leads;
      assert.deepEqual(
        leads.map((lead: Fields) => lead.reason),
        [reason],
      );
    }
    const found = await api.get(`/v1/campaigns/spring/leads?phone_number=${encodeURIComponent("(212) 555-0122")}`);
    assert.deepEqual(
      found.body.leads.map((lead: Fields) => lead.phone_number),
      [LANDLINE],
    );
    assert.equal((await api.get("/v1/campaigns/spring/leads?phone_number=12")).status, 400);
    assert.equal((await api.get("/v1/campaigns/nowhere/reasons")).status, 404);
  });

  await t.test("those who failed are texted again by a campaign that takes them from the earlier one", async () => {
    const again = { ...body, campaign_id: "again", from_campaign: { campaign_id: "spring", state: "failed" } };
    const made = await api.post("/v1/campaigns", again);
    assert.deepEqual([made.status, made.body.details.total_contacts], [202, 2]);
    const { leads } = (await api.get("/v1/campaigns/again/leads")).body;
    assert.deepEqual(leads.map((lead: Fields) => lead.phone_number).sort(), [UNREACHABLE, LANDLINE]);
  });

  await t.test("leads are added from a list or a campaign; who is in it is passed over", async () => {
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: "+12125550102" }] });
    const other = await api.post(`/v1/campaigns/${campaignId}/leads`, { clients: [], list_id: listId });
    assert.equal(other.status, 400, "the list is another organization's");
    const added = await api.post("/v1/campaigns/again/leads", { clients: [], list_id: listId });
    assert.deepEqual(added.body.details, { leads_added: 1, leads_skipped: 2, drips_scheduled: 0 });
  });

  await t.test("an empty audience, an unknown list and an unknown campaign are reported", async () => {
    const none = await api.post("/v1/campaigns", body);
    assert.deepEqual([none.status, none.body.details[0].field], [400, "contacts"]);
    assert.equal((await api.post("/v1/campaigns", { ...body, list_id: "list_nowhere" })).status, 404);
    const nowhere = { ...body, from_campaign: { campaign_id: "nowhere" } };
    assert.equal((await api.post("/v1/campaigns", nowhere)).status, 404);
  });

  await t.test("a voice campaign takes them too: its preflight, its pace, its file, and Stop all", async () => {
    const agent = await api.post("/v1/agents", {
      ...owner,
      agent_type: "voice",
      agent_name: "Vic",
      prompt: "Talk.",
      voice_id: "11labs-Adrian",
    });
    const preflight = await api.post("/v1/voice/campaigns/preflight", {
      voice_agent_id: agent.body.voice_agent_id,
      agent_outbound_number: SENDER,
      list_id: listId,
      leads: [{ phone_number: "none" }, { phone_number: FINE }],
      calls_per_second: 0.5,
    });
    assert.equal(preflight.status, 200, JSON.stringify(preflight.body));
    const { recipients, skips, zones, pace, forecast, warnings } = preflight.body.preflight;
    assert.deepEqual(recipients, { total: 5, will_be_called: 3, skipped: 2 });
    assert.deepEqual(skips, { invalid_number: 1, duplicate: 1 });
    assert.deepEqual([zones.length, zones[0].recipients], [1, 3]);
    assert.deepEqual(pace, { numbers: [SENDER], resting: [], calls_per_second: 0.5, max_concurrent_calls: 100 });
    assert.ok(
      Date.parse(forecast.first_calls_finish_at) >= Date.parse(forecast.starts_at) + 4_000,
      "three at 0.5 a second",
    );
    assert.deepEqual(warnings, ["ai_voice_consent"], "nobody's consent is on record");
    assert.equal((await api.get(`/v1/voice/campaigns?${new URLSearchParams(owner)}`)).body.count, 0, "it was stored");
    const made = await api.post("/v1/voice/campaigns", {
      campaign_id: "calls",
      voice_agent_id: agent.body.voice_agent_id,
      agent_outbound_number: SENDER,
      list_id: listId,
      redial_enabled: true,
      calls_per_second: 0.5,
      max_concurrent_calls: 3,
    });
    assert.deepEqual([made.status, made.body.contacts_count], [202, 3]);
    const { campaign } = (await api.get("/v1/voice/campaigns/calls")).body;
    assert.deepEqual(
      [campaign.agent_outbound_numbers, campaign.max_concurrent_calls, campaign.calls_per_second],
      [[SENDER], 3, 0.5],
    );
    assert.equal(campaign.redial_config.max_attempts, 3);
    const stopped = await api.post("/v1/voice/campaigns/calls/stop-calls");
    assert.deepEqual([stopped.status, stopped.body.campaign.status], [200, "paused"]);
    await until("nobody is on the phone", async () => {
      return (await api.get("/v1/voice/campaigns/calls")).body.campaign.calls_in_progress === 0;
    });
    assert.equal((await api.get("/v1/voice/campaigns/calls/reasons")).status, 200);
    const file = await api.get("/v1/voice/campaigns/calls/leads/export.csv");
    assert.match(
      String(file.body),
      /^unique_id,phone_number,state,reason,last_answered_at,last_call,index,error,first_name/,
    );
    const none = await api.post("/v1/voice/campaigns", {
      voice_agent_id: agent.body.voice_agent_id,
      agent_outbound_number: SENDER,
    });
    assert.deepEqual([none.status, none.body.details[0].field], [400, "leads"]);
  });
  await quiet(api);
});
