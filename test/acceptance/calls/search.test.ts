import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseId, publicId } from "#domain/values/id.ts";
import { wavHeader } from "#media/recording/wav.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls, insertVoiceCampaign } from "#test/support/calls/calls.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const START = Date.parse("2026-11-20T15:00:00.000Z");
const at = (n: number) => new Date(START + n * 1_000);

test("calls are sought by what they are like, and a recording can be drawn", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  const campaign_id = await insertVoiceCampaign(sql, of, "spring");
  const nobody = { status: "not_connected", reason: "dial_no_answer", duration_ms: 0, answered_at: null };
  const ids = await insertCalls(sql, of, [
    { start_at: at(0), campaign_id, sentiment: "Positive", phone: "+12125550101" },
    { start_at: at(1), campaign_id, ...nobody, phone: "+12125550132", sentiment: "Unknown" },
    { start_at: at(2), campaign_id, in_voicemail: true, answerer: "voicemail", phone: "+12125550131" },
    { start_at: at(3), phone: "+12125550101", number: "+13125550100", sentiment: "Negative" },
    { start_at: at(4), status: "ongoing", end_at: null, duration_ms: 0, phone: "+12125550130", sentiment: "Unknown" },
    { start_at: at(5), direction: "inbound", phone: "+12125550102", sentiment: "Positive", user_id: null },
  ]);
  const path = `/v1/voice/calls?organization_id=${of.publicOrganizationId}`;
  const found = async (query: string): Promise<number[]> => {
    const { status, body } = await api.get(`${path}&${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.calls.map((call: { call_id: string }) => ids.findIndex((id) => publicId("call", id) === call.call_id));
  };

  await t.test("who took part is named where a name is known", async () => {
    const { calls } = (await api.get(`${path}&campaign_id=spring&limit=1`)).body;
    const { contact_name, agent_name, campaign_name } = calls[0];
    assert.equal(contact_name, null);
    assert.ok(agent_name.length > 0);
    assert.equal(campaign_name, "Test");
  });

  await t.test("by campaign, status, outcome, sentiment, either number and time", async () => {
    assert.deepEqual(await found("campaign_id=spring"), [2, 1, 0]);
    assert.deepEqual(await found("status=not_connected"), [1]);
    assert.deepEqual(await found("status=ongoing"), [4]);
    assert.deepEqual(await found("outcome=connected"), [5, 3, 0]);
    assert.deepEqual(await found("outcome=voicemail"), [2]);
    assert.deepEqual(await found("outcome=failed"), [1], "a call that goes on has not come to anything yet");
    assert.deepEqual(await found("sentiment=Positive"), [5, 0]);
    assert.deepEqual(await found(`phone_number=${encodeURIComponent("(212) 555-0101")}`), [3, 0]);
    assert.deepEqual(await found("own_number=%2B13125550100"), [3]);
    assert.deepEqual(await found(`own_number=${encodeURIComponent(SENDER)}`), [5, 4, 2, 1, 0]);
    assert.deepEqual(await found("phone_digits=0101"), [3, 0]);
    assert.deepEqual(await found("phone_digits=5013"), [4, 2, 1]);
    assert.deepEqual(await found("phone_digits=99"), []);
    assert.deepEqual(await found(`agent_id=${publicId("agent", of.agentId)}&phone_digits=0101`), [3, 0]);
    assert.deepEqual(await found(`begin=${at(2).toISOString()}&end=${at(4).toISOString()}`), [3, 2]);
  });

  await t.test("by several at once, and by a user with them", async () => {
    assert.deepEqual(await found("campaign_id=spring&sentiment=Positive&outcome=connected"), [0]);
    assert.deepEqual(await found(`user_id=${of.publicUserId}&sentiment=Positive`), [0]);
    assert.deepEqual(await found("campaign_id=spring&phone_number=%2B12125550102"), []);
  });

  await t.test("pages are full, and hold each that passes once", async () => {
    const first = (await api.get(`${path}&outcome=connected&limit=2`)).body;
    assert.deepEqual([first.count, first.has_more], [2, true]);
    assert.deepEqual(await found(`outcome=connected&limit=2&pagination_key=${first.next_pagination_key}`), [0]);
    const end = `end=${at(5).toISOString()}`;
    assert.deepEqual(await found(`outcome=connected&${end}`), [3, 0]);
    assert.deepEqual(await found(`outcome=connected&${end}&pagination_key=${at(3).toISOString()}`), [0]);
  });

  await t.test("what is wrong is named; another tenant's campaign is as one that is not there", async () => {
    for (const [query, field] of [
      ["status=busy", "status"],
      ["outcome=all", "outcome"],
      ["sentiment=happy", "sentiment"],
      ["phone_number=12", "phone_number"],
      ["phone_digits=1", "phone_digits"],
      ["phone_digits=(212)", "phone_digits"],
      ["own_number=x", "own_number"],
      ["begin=yesterday", "begin"],
      ["end=2026-02-30T00:00:00Z", "end"],
    ]) {
      const { status, body } = await api.get(`${path}&${query}`);
      assert.deepEqual([status, body.details?.[0].field], [400, field], query);
    }
    const other = await anotherTenant(api);
    const theirs = await aVoiceOwner(other, sql);
    for (const campaign of ["spring", "nothing"]) {
      const answer = await other.get(
        `/v1/voice/calls?organization_id=${theirs.publicOrganizationId}&campaign_id=${campaign}`,
      );
      assert.deepEqual([answer.status, answer.body.error], [404, "Campaign not found"]);
    }
  });

  await t.test("by agent, by either of its ids", async () => {
    const agent = { agent_type: "voice", agent_name: "Bo", prompt: "Ask.", voice_id: "11labs-Adrian" };
    const owner = { organization_id: of.publicOrganizationId, user_id: of.publicUserId };
    const { agent_id, voice_agent_id } = (await api.post("/v1/agents", { ...agent, ...owner })).body;
    const [its] = await insertCalls(sql, of, [{ start_at: at(10), agent_id: parseId("agent", agent_id) }]);
    for (const id of [agent_id, voice_agent_id]) {
      const { body } = await api.get(`${path}&agent_id=${id}&outcome=connected`);
      assert.deepEqual(
        body.calls.map(({ call_id }: { call_id: string }) => call_id),
        [publicId("call", its!)],
      );
    }
    assert.equal((await api.get(`${path}&agent_id=agt_00000000000000000000000001`)).status, 404);
  });

  await t.test("the waveform has both sides of the recording, in no more points than are asked for", async () => {
    const seconds = 2;
    const sound = Buffer.alloc(seconds * 8_000 * 4);
    // The contact speaks in the first second, the agent, louder, in the second.
    for (let i = 0; i < seconds * 8_000; i++) {
      sound.writeInt16LE(i < 8_000 ? 8_192 : 0, 4 * i);
      sound.writeInt16LE(i < 8_000 ? 0 : -16_384, 4 * i + 2);
    }
    mkdirSync(join(api.config.dataDir, "recordings/2026-11"), { recursive: true });
    const file = join(api.config.dataDir, "recordings/2026-11/drawn.wav");
    writeFileSync(file, Buffer.concat([wavHeader("pcm16", sound.length), sound]));
    const [drawn, bare] = await insertCalls(sql, of, [
      { start_at: at(20), detail: { recording: "2026-11/drawn.wav" } },
      { start_at: at(21) },
    ]);
    const waveform = (id: string, query = "") => api.get(`/v1/voice/calls/${publicId("call", id)}/waveform${query}`);

    const { status, body } = await waveform(drawn!);
    assert.deepEqual([status, body.call_id, body.peak_ms], [200, publicId("call", drawn!), 100]);
    assert.deepEqual(body.contact, [...Array(10).fill(64), ...Array(10).fill(0)]);
    assert.deepEqual(body.agent, [...Array(10).fill(0), ...Array(10).fill(128)]);
    const few = (await waveform(drawn!, "?points=4")).body;
    assert.deepEqual([few.peak_ms, few.contact, few.agent], [500, [64, 64, 0, 0], [0, 0, 128, 128]]);
    assert.equal((await waveform(drawn!, "?points=0")).status, 400);
    const none = await waveform(bare!);
    assert.deepEqual([none.status, none.body.error], [404, "Recording not found"]);
    const other = await anotherTenant(api);
    assert.equal((await other.get(`/v1/voice/calls/${publicId("call", drawn!)}/waveform`)).status, 404);
  });
});
