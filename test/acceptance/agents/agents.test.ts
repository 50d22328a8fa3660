import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { startParley } from "#test/support/api/parley.ts";

const NOBODY = "00000000000000000000000000";

test("agents", async (t) => {
  const api = await startParley(t);
  const owner = await anOwner(api);
  const sms = { agent_type: "sms", agent_name: "Sam", prompt: "Be kind.", ...owner };
  const voice = { ...sms, agent_type: "voice", voice_id: "slt" };

  await t.test("an SMS agent is created with its id, type and name", async () => {
    const { status, body } = await api.post("/v1/agents", sms);
    assert.equal(status, 201);
    assert.match(body.agent_id, /^agt_[0-9a-z]{26}$/);
    const { agent_id: _, ...rest } = body;
    assert.deepEqual(rest, { success: true, agent_type: "sms", agent_name: "Sam", powered_by: "Parley" });
  });

  await t.test("a voice agent has a voice_agent_id and a voice_llm_id besides", async () => {
    const { status, body } = await api.post("/v1/agents", voice);
    assert.equal(status, 201);
    assert.match(body.voice_agent_id, /^vagt_[0-9a-z]{26}$/);
    assert.match(body.voice_llm_id, /^llm_[0-9a-z]{26}$/);
  });

  await t.test("every missing field is named, voice_id of a voice agent among them", async () => {
    const required = ["agent_type", "agent_name", "prompt", "organization_id", "user_id"];
    assert.deepEqual(wrongFields(await api.post("/v1/agents", {})), required);
    const missing = await api.post("/v1/agents", { agent_type: "voice" });
    assert.equal(missing.status, 400);
    assert.deepEqual(wrongFields(missing), [...required.slice(1), "voice_id"]);
    const { voice_id: _, ...voiceless } = voice;
    assert.deepEqual(wrongFields(await api.post("/v1/agents", voiceless)), ["voice_id"]);
    assert.deepEqual(wrongFields(await api.post("/v1/agents", { ...voice, voice_id: "" })), ["voice_id"]);
  });

  await t.test("any other agent_type, and every value out of range, is a 400 that names it", async () => {
    assert.deepEqual(wrongFields(await api.post("/v1/agents", { ...sms, agent_type: "fax" })), ["agent_type"]);
    const wrong = {
      voice_speed: 3,
      voice_temperature: -1,
      interruption_sensitivity: 2,
      ambient_sound: "disco",
      reply_delay_ms: 300_001,
      ring_duration_ms: 4_999,
      max_call_duration_ms: 59_999,
      end_call_after_silence_ms: 9_999,
      responsiveness: "1",
      ambient_sound_volume: 3,
      detect_voicemail: "yes",
      drip_schedule: [{ day: "1", message: "" }],
      extraction_fields: [7],
    };
    const refused = await api.post("/v1/agents", { ...voice, ...wrong });
    assert.equal(refused.status, 400);
    const expected = Object.keys(wrong).filter((name) => !/drip|extraction/.test(name));
    expected.push("drip_schedule[0].day", "drip_schedule[0].message", "extraction_fields[0]");
    assert.deepEqual(wrongFields(refused).sort(), expected.sort());
  });

  await t.test("a template that cannot be read is refused at once", async () => {
    const refused = await api.post("/v1/agents", { ...sms, starting_message: "Hi {{first_name" });
    assert.deepEqual(wrongFields(refused), ["starting_message"]);
  });

  await t.test("a voice that cannot exist fails the configuration", async () => {
    const { status, body } = await api.post("/v1/agents", { ...voice, voice_id: "<voice>" });
    assert.equal(status, 500);
    assert.equal(body.code, "voice_configuration_failed");
    assert.equal((await api.post("/v1/agents", { ...voice, voice_id: "11labs-Adrian" })).status, 201);
  });

  await t.test("its organization and user have to exist", async () => {
    const foreign = await api.post("/v1/agents", { ...sms, organization_id: `org_${NOBODY}` });
    assert.equal(foreign.status, 404);
    assert.equal(foreign.body.error, "Organization not found");
    const userless = await api.post("/v1/agents", { ...sms, user_id: owner.organization_id });
    assert.equal(userless.status, 404);
    assert.equal(userless.body.error, "User not found");
  });

  await t.test("an agent is read back with all that was sent, and the defaults", async () => {
    const given = {
      ...sms,
      starting_message: "Hi {{first_name}}, {{company_name}} here",
      extraction_fields: ["budget", { name: "size", type: "enum", choices: ["S", "M"], required: true }],
      drip_schedule: [{ day: 1, message: "Still there?" }],
      allowed_links: ["acme.example"],
      working_hours: { start: "09:00", end: "17:00", days: [1, 2, 3, 4, 5] },
      model: "some-model",
      temperature: 0,
    };
    const made = await api.post("/v1/agents", given);
    const { status, body } = await api.get(`/v1/agents/${made.body.agent_id}`);
    assert.equal(status, 200);
    const { agent_id, created_at, updated_at, ...rest } = body.agent;
    assert.equal(agent_id, made.body.agent_id);
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, { ...given, reply_delay_ms: 4000, max_replies_per_day: 20, version: 1 });
    assert.equal((await api.get(`/v1/agents/agt_${NOBODY}`)).status, 404);
  });

  await t.test("a patch changes only what it has, as a new version", async () => {
    const made = await api.post("/v1/agents", { ...sms, starting_message: "Hi", reply_delay_ms: 0 });
    const path = `/v1/agents/${made.body.agent_id}`;
    const before = (await api.get(path)).body.agent;
    const patched = await api.patch(path, { prompt: "Be brief.", reply_delay_ms: null });
    assert.equal(patched.status, 200);
    const { updated_at: _, ...after } = patched.body.agent;
    const { updated_at: __, ...expected } = { ...before, prompt: "Be brief.", reply_delay_ms: 4000, version: 2 };
    assert.deepEqual(after, expected);
    assert.deepEqual((await api.get(path)).body.agent, patched.body.agent);
    assert.deepEqual(wrongFields(await api.patch(path, { agent_type: "voice" })), ["agent_type"]);
    assert.deepEqual(wrongFields(await api.patch(path, { agent_name: "", temperature: 3 })), [
      "agent_name",
      "temperature",
    ]);
    assert.equal((await api.get(path)).body.agent.version, 2);
  });

  await t.test("what an agent was is listed version by version, and one is restored as a new version", async () => {
    const made = await api.post("/v1/agents", { ...sms, starting_message: "Hi {{first_name}}" });
    const path = `/v1/agents/${made.body.agent_id}`;
    await api.patch(path, { prompt: "Be brief.", starting_message: null });
    await api.patch(path, { agent_name: "Eve", extraction_fields: ["budget"] });
    const { status, body } = await api.get(`${path}/versions`);
    assert.equal(status, 200);
    const versions = body.versions.map((version: Record<string, unknown>) => [
      version.version,
      version.is_current,
      version.agent_name,
      version.prompt,
      version.starting_message,
      version.extraction_fields,
    ]);
    assert.deepEqual(versions, [
      [3, true, "Eve", "Be brief.", undefined, ["budget"]],
      [2, false, "Sam", "Be brief.", undefined, []],
      [1, false, "Sam", "Be kind.", "Hi {{first_name}}", []],
    ]);
    const first = (await api.get(`${path}/versions?limit=2`)).body;
    assert.deepEqual([first.count, first.has_more], [2, true]);
    const rest = (await api.get(`${path}/versions?limit=2&pagination_key=${first.next_pagination_key}`)).body;
    assert.deepEqual([...first.versions, ...rest.versions], body.versions);
    assert.equal(rest.has_more, false);
    assert.deepEqual(wrongFields(await api.get(`${path}/versions?pagination_key=bm8`)), ["pagination_key"]);

    const restored = await api.post(`${path}/versions/1/restore`, undefined);
    assert.equal(restored.status, 200);
    const { agent } = restored.body;
    assert.deepEqual([agent.version, agent.agent_name, agent.prompt], [4, "Sam", "Be kind."]);
    assert.deepEqual((await api.get(path)).body.agent, agent);
    assert.equal((await api.get(`${path}/versions`)).body.count, 4);
    for (const version of ["5", "0", "x", "99999999999"]) {
      const none = await api.post(`${path}/versions/${version}/restore`, undefined);
      assert.deepEqual([none.status, none.body.error], [404, "Version not found"], version);
    }
    await api.delete(path);
    for (const gone of [await api.get(`${path}/versions`), await api.post(`${path}/versions/1/restore`, undefined)]) {
      assert.deepEqual([gone.status, gone.body.error], [404, "Agent not found"]);
    }
  });

  await t.test("two patches at once both count", async () => {
    const made = await api.post("/v1/agents", sms);
    const path = `/v1/agents/${made.body.agent_id}`;
    await Promise.all([api.patch(path, { prompt: "One" }), api.patch(path, { starting_message: "Two" })]);
    const { agent } = (await api.get(path)).body;
    assert.deepEqual([agent.prompt, agent.starting_message, agent.version], ["One", "Two", 3]);
  });

  await t.test("agents are listed by organization, newest first, and by type", async () => {
    const other = await anOwner(api);
    const one = await api.post("/v1/agents", { ...sms, ...other });
    const two = await api.post("/v1/agents", { ...voice, ...other });
    const list = async (query: string) => {
      const { body } = await api.get(`/v1/agents?organization_id=${other.organization_id}${query}`);
      return body.agents.map((agent: { agent_id: string }) => agent.agent_id);
    };
    assert.deepEqual(await list(""), [two.body.agent_id, one.body.agent_id]);
    assert.deepEqual(await list("&agent_type=sms"), [one.body.agent_id]);
    assert.deepEqual(await list("&limit=1"), [two.body.agent_id]);
    const unscoped = await api.get("/v1/agents");
    assert.equal(unscoped.status, 400);
    assert.deepEqual(wrongFields(unscoped), ["organization_id"]);
    assert.equal((await api.get(`/v1/agents?organization_id=org_${NOBODY}`)).status, 404);
  });

  await t.test("a deleted agent is gone", async () => {
    const made = await api.post("/v1/agents", sms);
    const path = `/v1/agents/${made.body.agent_id}`;
    const deleted = await api.delete(path);
    assert.equal(deleted.status, 200);
    assert.equal(deleted.body.agent_id, made.body.agent_id);
    for (const answer of [await api.get(path), await api.patch(path, { prompt: "x" }), await api.delete(path)]) {
      assert.equal(answer.status, 404);
      assert.equal(answer.body.error, "Agent not found");
    }
    const { body } = await api.get(`/v1/agents?organization_id=${owner.organization_id}&limit=500`);
    assert.ok(!body.agents.some((agent: { agent_id: string }) => agent.agent_id === made.body.agent_id));
  });

  await t.test("an agent of a campaign that is not over cannot be deleted", async () => {
    const made = await api.post("/v1/agents", { ...sms, starting_message: "Hi" });
    const created = await api.post("/v1/campaigns", {
      campaign_name: "Spring",
      campaign_id: "agent-in-use",
      ...owner,
      sms_agent_id: made.body.agent_id,
      svc_sms_number: "+12125550188",
      contacts: [{ phone_number: "+12125550199" }],
      campaign_begin_time: "2099-01-01T00:00:00Z",
    });
    assert.equal(created.status, 202);
    const path = `/v1/agents/${made.body.agent_id}`;
    const refused = await api.delete(path);
    assert.equal(refused.status, 409);
    assert.match(refused.body.error, /agent-in-use/);
    await api.delete("/v1/campaigns/agent-in-use");
    assert.equal((await api.delete(path)).status, 200);
  });
});
