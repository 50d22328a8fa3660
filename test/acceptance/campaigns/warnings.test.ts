import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley } from "#test/support/api/parley.ts";
import { aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";

test("configuration that will not work is said in warnings", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const parts = await anAgent(api, {
    starting_message: "Hi {{first_name}} of {{city|your area}}, it is Ava.",
    drip_schedule: [{ day: 2, message: "Still there, {{nickname}}?" }],
  });
  const owner = { organization_id: parts.organizationId, user_id: parts.userId };
  const voiceAgent = async (more: object = {}) =>
    (
      await api.post("/v1/agents", {
        ...owner,
        agent_type: "voice",
        agent_name: "Vic",
        prompt: "Ask.",
        voice_id: "offline-kal",
        ...more,
      })
    ).body;
  const head = { ...owner, campaign_name: "Spring", sms_agent_id: parts.agentId, svc_sms_number: SENDER };
  let n = 0;
  const contact = (more: object = {}) => ({ phone_number: `+1212555${String(2000 + n++)}`, ...more });
  const named = { first_name: "Ann", nickname: "An" };
  const bought = async (organizationId: string): Promise<string> => {
    const { status, body } = await api.post("/v1/voice/phone-numbers/create", {
      area_code: "415",
      organization_id: organizationId,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.phone_number;
  };
  const elsewhere = (await api.post("/v1/organizations", { name: "Elsewhere" })).body.unique_id;
  const theirs = await bought(elsewhere);
  const own = await bought(parts.organizationId);
  const STRANGE = "+14155552671";
  const spoken = (voice: string, of = "") =>
    `voice_id "${voice}"${of} is no voice that is configured here: offline-slt speaks instead`;

  await t.test("which voice speaks for one that no provider has is said whenever the agent is written", async () => {
    const made = await voiceAgent({ voice_id: "11labs-Adrian" });
    assert.deepEqual(made.warnings, [spoken("11labs-Adrian")]);
    const path = `/v1/agents/${made.agent_id}`;
    assert.deepEqual((await api.patch(path, { prompt: "Ask twice." })).body.warnings, [spoken("11labs-Adrian")]);
    assert.equal((await api.patch(path, { voice_id: "awb" })).body.warnings, undefined);
    assert.deepEqual((await api.post(`${path}/versions/1/restore`)).body.warnings, [spoken("11labs-Adrian")]);
    const ignored = "carol is not a known field: it was ignored";
    const both = await voiceAgent({ voice_id: "nobody", carol: 1 });
    assert.deepEqual(both.warnings, [spoken("nobody"), ignored]);
  });

  await t.test(
    "settings that do nothing are said: of the other kind of agent, and what the built-in agent does not heed",
    async () => {
      const offline = "no language model is configured, so the built-in agent answers";
      const given = { drip_schedule: [{ day: 1, message: "Hi" }], model: "gpt-5", temperature: 0.4, language: "fr-FR" };
      const made = await voiceAgent(given);
      const expected = [
        "drip_schedule is a setting of agents that text: it was ignored",
        `model has no effect: ${offline}`,
        `temperature has no effect: ${offline}`,
        `language fr-FR has no effect: ${offline}, and speaks English or Spanish`,
      ];
      assert.deepEqual(made.warnings, expected);
      const path = `/v1/agents/${made.agent_id}`;
      const { body } = await api.patch(path, { prompt: "Ask twice.", drip_schedule: given.drip_schedule });
      assert.deepEqual([body.warnings, body.agent.drip_schedule], [expected.slice(0, 1), undefined]);
      const clear = await api.patch(path, { language: "es-MX", model: null });
      assert.deepEqual([clear.status, clear.body.warnings], [200, undefined]);
      const texting = await api.patch(`/v1/agents/${parts.agentId}`, { voice_speed: 1.5 });
      assert.deepEqual(texting.body.warnings, ["voice_speed is a setting of agents that call: it was ignored"]);
    },
  );

  await t.test("contacts without a field that the texts need are counted, the first of them named", async () => {
    const contacts = [contact(named), ...Array.from({ length: 7 }, () => contact({ nickname: "x" })), contact()];
    const body = { ...head, campaign_id: "short", contacts: [...contacts, contact({ first_name: "Bo" })] };
    const first = contacts.slice(1, 6).map(({ phone_number }, i) => `contacts[${i + 1}] (${phone_number})`);
    const expected = [
      `8 contacts lack first_name, which the starting message needs, and no text is sent: ${first.join(", ")} and 3 more`,
      `1 contact lacks nickname, which the follow-up of day 2 needs, and that one is not sent: contacts[9] (${body.contacts[9]!.phone_number})`,
    ];
    const checked = await api.post("/v1/campaigns/preflight", body);
    assert.deepEqual([checked.status, checked.body.warnings], [200, expected]);
    const made = await api.post("/v1/campaigns", body);
    assert.deepEqual([made.status, made.body.warnings], [202, expected]);
    assert.deepEqual((await api.post("/v1/campaigns", body)).body, made.body, "the same again");
  });

  await t.test("what the organization knows of a contact counts, and added leads are looked at alike", async () => {
    const known = contact(named);
    await api.post("/v1/contacts/lists", { ...owner, list_name: "Known", contacts: [known] });
    const contacts = [{ phone_number: known.phone_number }];
    const made = await api.post("/v1/campaigns", { ...head, campaign_begin_time: "2098-01-01T00:00:00Z", contacts });
    assert.deepEqual([made.status, made.body.warnings], [202, undefined]);
    const short = contact();
    const path = `/v1/campaigns/${made.body.campaign_id}`;
    const added = await api.post(`${path}/leads`, { clients: [contact(named), short] });
    const lacks = "1 contact lacks first_name, which the starting message needs, and no text is sent:";
    assert.deepEqual([added.status, added.body.warnings], [202, [`${lacks} clients[1] (${short.phone_number})`]]);
    const own = { phone_number: SENDER };
    const again = await api.post(`${path}/leads`, { clients: [short, own] });
    assert.deepEqual(
      [again.body.details.leads_skipped, again.body.warnings],
      [2, undefined],
      "who is skipped lacks nothing",
    );
    const ahead = await api.post(`${path}/preflight`, undefined);
    assert.deepEqual([ahead.status, ahead.body.warnings], [200, [`${lacks} ${short.phone_number}`]]);
  });

  await t.test(
    "a time zone that is none is named, wherever contacts come from, since hours go by another then",
    async () => {
      const contacts = [contact({ ...named, time_zone: "America/Denver" }), contact({ ...named, timezone: "Pacfic" })];
      const expected = (field: string) => [
        `1 contact has a time_zone that is not the name of a place's zone, such as America/New_York; hours go by the address or the number instead: ${field}[1] (Pacfic)`,
      ];
      const list = await api.post("/v1/contacts/lists", { ...owner, list_name: "Zones", contacts });
      assert.deepEqual([list.status, list.body.warnings], [201, expected("contacts")]);
      const body = { ...head, campaign_begin_time: "2098-01-01T00:00:00Z", contacts };
      assert.deepEqual((await api.post("/v1/campaigns/preflight", body)).body.warnings, expected("contacts"));
      const made = await api.post("/v1/campaigns", body);
      assert.deepEqual([made.status, made.body.warnings], [202, expected("contacts")]);
      const clients = [contact(named), contact({ ...named, time_zone: "Pacfic" })];
      const added = await api.post(`/v1/campaigns/${made.body.campaign_id}/leads`, { clients });
      assert.deepEqual([added.status, added.body.warnings], [202, expected("clients")]);
    },
  );

  await t.test("a sender that is not the organization's is named; its own and 555-01XX are not", async () => {
    const warnings = async (more: object) => {
      const body = { ...head, contacts: [contact(named)], ...more };
      const { warnings } = (await api.post("/v1/campaigns", body)).body;
      assert.deepEqual((await api.post("/v1/campaigns/preflight", body)).body.warnings, warnings);
      return warnings;
    };
    const another = (field: string) => `${field} ${theirs} is a number of another organization`;
    const strange = (field: string) =>
      `${field} ${STRANGE} is no number of the organization: simulated phones take it, a live carrier will not`;
    assert.equal(await warnings({}), undefined);
    assert.equal(await warnings({ svc_sms_number: own }), undefined);
    assert.deepEqual(await warnings({ svc_sms_number: theirs }), [another("svc_sms_number")]);
    assert.deepEqual(await warnings({ svc_sms_number: STRANGE }), [strange("svc_sms_number")]);
    const { voice_agent_id } = await voiceAgent({ voice_id: "11labs-Adrian" });
    const transfer = { enable_sms_to_voice: true, voice_agent_id, outbound_number: theirs };
    assert.deepEqual(await warnings(transfer), [
      another("outbound_number"),
      spoken("11labs-Adrian", " of voice_agent_id"),
    ]);
  });

  await t.test("a campaign of calls has the same: numbers, voice, and what its agent cannot say", async () => {
    const { voice_agent_id } = await voiceAgent({
      voice_id: "openai-Alloy",
      starting_message: "Hello {{first_name}}, this is Vic of Acme.",
      voicemail_message: "Vic of Acme for {{nickname}}.",
    });
    const short = contact();
    const body = {
      voice_agent_id,
      agent_outbound_number: SENDER,
      agent_outbound_numbers: [own, theirs],
      leads: [contact(named), short],
      campaign_begin_time: "2098-01-01T00:00:00Z",
      campaign_id: "calls",
    };
    const at = `leads[1] (${short.phone_number})`;
    const lacks = [
      `1 contact lacks first_name, which the starting message needs, and the agent introduces itself instead: ${at}`,
      `1 contact lacks nickname, which the voicemail message needs, and no message is left on a voicemail: ${at}`,
    ];
    const expected = [
      `agent_outbound_numbers ${theirs} is a number of another organization`,
      spoken("openai-Alloy", " of voice_agent_id"),
      ...lacks,
    ];
    assert.deepEqual((await api.post("/v1/voice/campaigns/preflight", body)).body.warnings, expected);
    const made = await api.post("/v1/voice/campaigns", body);
    assert.deepEqual([made.status, made.body.warnings], [202, expected]);
    assert.deepEqual((await api.post("/v1/voice/campaigns", body)).body, made.body, "the same again");
    const added = await api.post("/v1/voice/campaigns/calls/leads", { leads: [contact(), contact(named)] });
    assert.equal(added.body.warnings.length, 2);
    const again = await api.post("/v1/voice/campaigns/calls/leads", { leads: [short] });
    assert.deepEqual([again.body.details.leads_skipped, again.body.warnings], [1, undefined]);
  });
});
