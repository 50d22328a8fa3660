import assert from "node:assert/strict";
import { test } from "node:test";
import { client, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import {
  campaignIs,
  campaignOf,
  gets,
  handsetPath,
  quiet,
  says,
  textsTo,
  threadOf,
  threadPath,
} from "#test/support/messaging/handset.ts";

const ARCHIVED = [409, "The organization is archived: restore it first"];
const refusal = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];

test("an archived organization", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  await aNoon(api);
  const change = (id: string, archived: boolean) => api.patch(`/v1/organizations/${id}`, { archived });
  const archive = async (id: string) => {
    const { status, body } = await change(id, true);
    assert.deepEqual([status, typeof body.organization.archived_at], [200, "string"], JSON.stringify(body));
    return body.organization.archived_at as string;
  };

  await t.test("has its campaigns paused, sends nothing, and sends on once restored and resumed", async () => {
    // Hawaii opens an hour from now.
    const [later, phone] = ["+18084461100", "+12124471100"];
    const contacts = [{ phone_number: later }, { phone_number: phone }];
    const { campaignId, organizationId } = await aCampaign(api, { contacts, agent: { reply_delay_ms: 0 } });
    await gets(api, phone, 1);
    const at = await archive(organizationId);
    assert.equal(await archive(organizationId), at, "archived since the first time");
    const paused = await campaignOf(api, campaignId);
    assert.deepEqual([paused.status, paused.waiting_because], ["paused", "organization_archived"]);

    await aNoon(api);
    await api.post("/v1/simulator/clock", { advance_ms: 3 * 3_600_000 });
    await quiet(api);
    assert.deepEqual(await textsTo(api, later), []);

    const restored = await change(organizationId, false);
    assert.deepEqual([restored.status, restored.body.organization.archived_at], [200, null]);
    assert.equal((await campaignOf(api, campaignId)).status, "paused");
    assert.equal((await api.post(`/v1/campaigns/${campaignId}/resume`)).status, 200);
    await gets(api, later, 1);
  });

  await t.test("gets no campaign, no lead, no call and no text of anybody's: 409 with one sentence", async () => {
    const phone = "+12124471200";
    const contacts = [{ phone_number: phone }];
    const made = await aCampaign(api, { contacts });
    await campaignIs(api, made.campaignId, "completed");
    const owner = { organization_id: made.organizationId, user_id: made.userId };
    const voice = { agent_type: "voice", agent_name: "Ava", prompt: "Ask.", voice_id: "11labs-Adrian" };
    const { voice_agent_id } = (await api.post("/v1/agents", { ...owner, ...voice })).body;
    const call = { voice_agent_id, from_number: SENDER, to_number: "+12124471201" };
    const texts = { campaign_name: "T", sms_agent_id: made.agentId, svc_sms_number: SENDER, contacts };
    const calls = { voice_agent_id, agent_outbound_number: SENDER, leads: contacts };
    const begun = (await api.post("/v1/voice/campaigns", { ...calls, campaign_begin_time: "2098-01-01T00:00:00Z" }))
      .body;
    await archive(made.organizationId);

    assert.equal((await api.get(`/v1/voice/campaigns/${begun.campaign_id}`)).body.campaign.status, "paused");
    const asked = {
      create: await api.post("/v1/campaigns", { ...owner, ...texts }),
      preflight: await api.post("/v1/campaigns/preflight", { ...owner, ...texts }),
      createCalls: await api.post("/v1/voice/campaigns", calls),
      add: await api.post(`/v1/campaigns/${made.campaignId}/leads`, { clients: [{ phone_number: "+12124471202" }] }),
      addCalls: await api.post(`/v1/voice/campaigns/${begun.campaign_id}/leads`, { leads: contacts }),
      resumeCalls: await api.post(`/v1/voice/campaigns/${begun.campaign_id}/resume`),
      resume: await api.post(`/v1/campaigns/${made.campaignId}/resume`),
      call: await api.post("/v1/voice/calls", call),
      edit: await api.patch(`/v1/campaigns/${made.campaignId}`, { campaign_name: "Other" }),
      editCalls: await api.patch(`/v1/voice/campaigns/${begun.campaign_id}`, { objective: "Ask" }),
      number: await api.post("/v1/voice/phone-numbers/create", { ...owner, area_code: "312" }),
      text: await api.post(`${threadPath(phone, made.campaignId)}/messages`, { text: "Hello again" }),
    };
    for (const [what, answer] of Object.entries(asked)) assert.deepEqual(refusal(answer), ARCHIVED, what);
    await quiet(api);
    assert.equal((await textsTo(api, phone)).length, 1);
  });

  await t.test("stores what comes in for a person, and only STOP and HELP are answered", async () => {
    const [phone, other] = ["+12124471300", "+12124471301"];
    const contacts = [{ phone_number: phone }, { phone_number: other }];
    const { campaignId, organizationId } = await aCampaign(api, { contacts, agent: { reply_delay_ms: 0 } });
    await campaignIs(api, campaignId, "completed");
    await archive(organizationId);
    await says(api, phone, "Yes, tell me more");
    const waits = await until("a person is wanted", async () => {
      const thread = await threadOf(api, phone, campaignId);
      return thread.person_wanted_at !== null && thread;
    });
    assert.equal(waits.messages.at(-1).text, "Yes, tell me more");
    await says(api, other, "STOP");
    assert.match((await gets(api, other, 2))[1]!, /unsubscribed|opted out|no (further|more)/i);
    assert.equal((await threadOf(api, other, campaignId)).opted_out, true);
    await says(api, phone, "HELP");
    await gets(api, phone, 2);
    await quiet(api);
    assert.equal((await textsTo(api, phone)).length, 2);
  });

  await t.test("takes no calls", async () => {
    const phone = "+12124471400";
    const { organizationId, userId, voiceAgentId } = await aVoiceAgent(api);
    const { phone_number } = (
      await api.post("/v1/voice/phone-numbers/create", {
        area_code: "312",
        organization_id: organizationId,
        user_id: userId,
      })
    ).body;
    await api.post(`/v1/voice/phone-numbers/${encodeURIComponent(phone_number)}/update-agent`, {
      agent_id: voiceAgentId,
    });
    const isAnswered = async (n: number) => {
      const called = await api.post(`${handsetPath(phone)}/calls`, { to: phone_number, says: ["Bye."] });
      assert.equal(called.status, 201, JSON.stringify(called.body));
      await quiet(api);
      const { body } = await api.get(`/v1/voice/calls?organization_id=${organizationId}`);
      return body.calls.length > n;
    };
    assert.equal(await isAnswered(0), true);
    await archive(organizationId);
    assert.equal(await isAnswered(1), false);
    const [, refused] = (await api.get(handsetPath(phone))).body.calls;
    assert.deepEqual([refused.duration_ms, refused.heard], [0, []], JSON.stringify(refused));
  });

  await t.test("is left out of lists unless asked for, and is read by its id", async () => {
    const { unique_id } = (await api.post("/v1/organizations", { name: "Old" })).body;
    const at = await archive(unique_id);
    const listed = async (query: string) => (await api.get(`/v1/organizations?name=Old${query}`)).body.organizations;
    assert.deepEqual(await listed(""), []);
    const [found] = await listed("&include_archived=true");
    assert.deepEqual([found.unique_id, found.archived_at], [unique_id, at]);
    assert.equal((await api.get(`/v1/organizations/${unique_id}`)).body.organization.archived_at, at);
    assert.equal((await change("org_00000000000000000000000000", true)).status, 404);
  });

  await t.test("refuses whoever is limited to archived ones, until one is restored", async () => {
    const organization = async (name: string) =>
      (await api.post("/v1/organizations", { name })).body.unique_id as string;
    const [one, two] = [await organization("One"), await organization("Two")];
    const { api_key } = (
      await api.post("/v1/api-keys", { name: "Limited", scopes: ["read"], organization_ids: [one, two] })
    ).body;
    const limited = client(api.url, api_key);
    await archive(one);
    assert.equal((await limited.get("/v1/organizations")).status, 200);
    await archive(two);
    const refused = await until("the key is refused", async () => {
      const answer = await limited.get("/v1/organizations");
      return answer.status !== 200 && answer;
    });
    const sentence = "Every organization that you work for is archived";
    assert.deepEqual([refused.status, refused.body.code, refused.body.error], [403, "organization_archived", sentence]);
    await change(two, false);
    await until("the key works", async () => (await limited.get("/v1/organizations")).status === 200);
  });
});
