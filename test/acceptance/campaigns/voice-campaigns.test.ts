import assert from "node:assert/strict";
import { test } from "node:test";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";

const DAY_MS = 86_400_000;
type Fields = Record<string, unknown>;

test("voice campaigns", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const noon = await aNoon(api);
  const { organizationId, userId, agentId, voiceAgentId } = await aVoiceAgent(api);
  const body: Fields = {
    leads: [{ phone_number: "+12125550130", first_name: "Ann" }],
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDER,
  };
  const create = (more: Fields = {}) => api.post("/v1/voice/campaigns", { ...body, ...more });
  const codeOf = async (more: Fields) => {
    const { status, body: answer } = await create(more);
    return [status, answer.code, answer.details?.[0]?.field];
  };

  await t.test("one is created with the interface's answer: counts, and a window of 7 days from now", async () => {
    const leads = [
      { phone_number: "+12125550130" },
      { phone_number: "(212) 555-0131" },
      { phone_number: "+12125550131" },
      { first_name: "Nobody" },
      { phone_number: "12" },
      { phone_number: SENDER },
    ];
    const { status, body: answer } = await create({ leads });
    assert.equal(status, 202, JSON.stringify(answer));
    assert.deepEqual([answer.success, answer.contacts_count, answer.invalid_leads_count], [true, 2, 3]);
    assert.match(answer.campaign_id, /^voice_campaign_[0-9a-z]{26}$/);
    assert.equal(typeof answer.message, "string");
    const begin = Date.parse(answer.campaign_begin_time);
    assert.ok(begin >= noon.getTime() && begin < noon.getTime() + 60_000);
    assert.equal(Date.parse(answer.campaign_end_time) - begin, 7 * DAY_MS);
    const { campaign } = (await api.get(`/v1/voice/campaigns/${answer.campaign_id}`)).body;
    assert.deepEqual(
      [campaign.status, campaign.contacts_count, campaign.voice_agent_id, campaign.agent_outbound_number],
      ["scheduled", 2, voiceAgentId, SENDER],
    );
    assert.deepEqual([campaign.organization_id, campaign.user_id], [organizationId, userId]);
    const { leads: listed } = (await api.get(`/v1/voice/campaigns/${answer.campaign_id}/leads`)).body;
    assert.deepEqual(
      listed.map((lead: Fields) => [lead.phone_number, lead.state]),
      [
        ["+12125550131", "scheduled"],
        ["+12125550130", "scheduled"],
      ],
    );
  });

  await t.test("the answer says who will not be called, and by which rule, also to a repeat", async () => {
    await api.post("/v1/dnc/add", { phone_number: "+12125550171" });
    const leads = ["+12125550170", "+12125550171", "+447911123456"].map((phone_number) => ({ phone_number }));
    const wanted = { leads, campaign_id: "foreseen" };
    const { message } = (await create(wanted)).body;
    assert.equal(message, "1 contact will be called, 2 will not: 1 by do_not_call, 1 by never_open");
    assert.equal((await create(wanted)).body.message, message);
  });

  await t.test("a preflight knows an id that is taken", async () => {
    const preflight = (more: Fields) => api.post("/v1/voice/campaigns/preflight", { ...body, ...more });
    const named = { campaign_id: "taken", campaign_name: "Autumn" };
    const warned = async (more: Fields) =>
      ((await preflight(more)).body.warnings as string[]).filter((warning) => warning.startsWith("campaign_"));
    assert.deepEqual(await warned(named), []);
    assert.equal((await create(named)).status, 202);
    const same = await warned(named);
    assert.equal(same.length, 1);
    assert.match(same[0]!, /campaign_id .* the same body/);
    const other = await preflight({ ...named, campaign_name: "Winter" });
    assert.deepEqual([other.status, other.body.error], [409, "campaign_id exists with another body"]);
    const texts = await api.post("/v1/campaigns/preflight", {
      ...{ campaign_id: "taken", campaign_name: "Texts", organization_id: organizationId, user_id: userId },
      ...{ sms_agent_id: (await anAgent(api)).agentId, svc_sms_number: SENDER, contacts: body.leads },
    });
    assert.deepEqual([texts.status, texts.body.error], [409, "campaign_id is that of another campaign of this tenant"]);
  });

  await t.test("a preflight heeds numbers that rest", async () => {
    const buy = async () =>
      (await api.post("/v1/voice/phone-numbers/create", { area_code: "212" })).body.phone_number as string;
    const [first, second] = [await buy(), await buy()];
    const until = new Date(noon.getTime() + 3 * DAY_MS).toISOString();
    const rest = (number: string) =>
      api.patch(`/v1/voice/phone-numbers/${encodeURIComponent(number)}`, { resting_until: until });
    const preflight = async () => {
      const numbers = { agent_outbound_number: first, agent_outbound_numbers: [second] };
      return (await api.post("/v1/voice/campaigns/preflight", { ...body, ...numbers })).body.preflight;
    };
    const rested = await preflight();
    assert.deepEqual([rested.pace.resting, rested.warnings.includes("numbers_resting")], [[], false]);
    assert.equal((await rest(first)).status, 200);
    const one = await preflight();
    assert.deepEqual(one.pace.resting, [{ phone_number: first, resting_until: until }]);
    assert.ok(one.warnings.includes("numbers_resting"), one.warnings.join());
    await rest(second);
    const none = await preflight();
    assert.ok(none.warnings.includes("all_numbers_resting"), none.warnings.join());
    assert.equal(none.forecast.starts_at, until);
    assert.ok(none.forecast.first_calls_finish_at >= until, none.forecast.first_calls_finish_at);
  });

  await t.test(
    "leads that are left out are listed, of several with one number the first is called, and nobody at all is a 400",
    async () => {
      const leads = [
        { phone_number: "12" },
        { phone_number: "+12125550131", first_name: "Ann" },
        { phone_number: "(212) 555-0131", first_name: "Bo" },
        { phone_number: "+12125550199" },
      ];
      const more = { campaign_id: "left-out", agent_outbound_numbers: ["+12125550199"] };
      const { status, body: answer } = await create({ ...more, leads });
      assert.deepEqual([status, answer.contacts_count, answer.invalid_leads_count], [202, 1, 2]);
      const of = ({ index, value, reason, duplicate_of }: Fields) => [index, value, reason, duplicate_of];
      assert.deepEqual(answer.left_out.map(of), [
        [0, "12", "invalid_number", null],
        [2, "+12125550131", "duplicate", 1],
        [3, "+12125550199", "own_number", null],
      ]);
      assert.deepEqual((await create({ ...more, leads })).body, answer, "the same again");
      const { leads: listed } = (await api.get("/v1/voice/campaigns/left-out/leads")).body;
      assert.deepEqual([listed.length, listed[0].first_name], [1, "Ann"]);
      const kept = (await api.get("/v1/voice/campaigns/left-out/leads?state=invalid")).body.leads;
      assert.deepEqual(
        kept.map((lead: Fields) => [lead.index, lead.phone_number, lead.reason, lead.duplicate_of]),
        answer.left_out.map(of).reverse(),
      );
      const none = await create({ leads: [{ phone_number: "12" }] });
      assert.deepEqual([none.status, none.body.details[0].field], [400, "leads"]);
      assert.match(none.body.error, /^leads has nobody who can be contacted: the first must /);
      const added = await api.post("/v1/voice/campaigns/left-out/leads", { leads: [{}] });
      assert.deepEqual([added.status, added.body.left_out.map(of)], [202, [[0, null, "invalid_number", null]]]);
    },
  );

  await t.test("leads, agent id and phone number are needed; each is a 400 that names it", async () => {
    assert.deepEqual(await codeOf({ leads: undefined }), [400, "invalid_request", "leads"]);
    assert.deepEqual(await codeOf({ leads: [] }), [400, "invalid_request", "leads"]);
    assert.deepEqual(await codeOf({ voice_agent_id: undefined }), [400, "invalid_request", "voice_agent_id"]);
    assert.deepEqual(await codeOf({ agent_outbound_number: undefined }), [
      400,
      "invalid_request",
      "agent_outbound_number",
    ]);
  });

  await t.test("the agent is named by either id, and has to be a voice agent of the tenant", async () => {
    assert.equal((await create({ voice_agent_id: agentId })).status, 202);
    assert.deepEqual(await codeOf({ voice_agent_id: "vagt_00000000000000000000000001" }), [
      404,
      "not_found",
      "voice_agent_id",
    ]);
    const sms = await api.post("/v1/agents", {
      agent_type: "sms",
      agent_name: "Sam",
      prompt: "Sell.",
      starting_message: "Hi",
      organization_id: organizationId,
      user_id: userId,
    });
    assert.deepEqual(await codeOf({ voice_agent_id: sms.body.agent_id }), [400, "invalid_request", "voice_agent_id"]);
  });

  await t.test(
    "a number that the tenant may not call from is voice_not_enabled, as is a live key without a carrier",
    async () => {
      assert.deepEqual(await codeOf({ agent_outbound_number: "911" }), [
        400,
        "voice_not_enabled",
        "agent_outbound_number",
      ]);
      assert.deepEqual(await codeOf({ agent_outbound_numbers: ["nonsense"] }), [
        400,
        "voice_not_enabled",
        "agent_outbound_numbers[0]",
      ]);
      const live = await anotherTenant(api, "live");
      const theirs = await aVoiceAgent(live);
      const answer = await live.post("/v1/voice/campaigns", { ...body, voice_agent_id: theirs.voiceAgentId });
      assert.deepEqual([answer.status, answer.body.code], [400, "voice_not_enabled"]);
    },
  );

  await t.test("begin, end, window and redial policy are checked", async () => {
    const at = (ms: number) => new Date(noon.getTime() + ms).toISOString();
    const late = await create({ campaign_begin_time: at(DAY_MS), campaign_end_time: at(2 * DAY_MS) });
    assert.deepEqual([late.body.campaign_begin_time, late.body.campaign_end_time], [at(DAY_MS), at(2 * DAY_MS)]);
    const past = await create({ campaign_begin_time: at(-DAY_MS) });
    assert.ok(Date.parse(past.body.campaign_begin_time) >= noon.getTime());
    const wrong: [Fields, string][] = [
      [{ campaign_begin_time: at(DAY_MS), campaign_end_time: at(DAY_MS) }, "campaign_end_time"],
      [{ campaign_begin_time: "tomorrow" }, "campaign_begin_time"],
      [{ calling_window: { start: "20:00", end: "09:00", days: [1] } }, "calling_window.end"],
      [{ redial_config: { max_attempts: 0 } }, "redial_config.max_attempts"],
      [{ redial_config: { max_attempts: 11 } }, "redial_config.max_attempts"],
      [{ redial_config: { retry_delay_minutes: 10_081 } }, "redial_config.retry_delay_minutes"],
      [{ redial_config: { retry_on: ["never"] } }, "redial_config.retry_on[0]"],
      [{ max_concurrent_calls: 0 }, "max_concurrent_calls"],
      [{ calls_per_second: 0 }, "calls_per_second"],
    ];
    for (const [more, field] of wrong) assert.deepEqual(await codeOf(more), [400, "invalid_request", field]);
  });

  await t.test(
    "a campaign_id is unique over texts and calls; the same body has the same answer, another is a 409",
    async () => {
      const first = await create({ campaign_id: "spring-calls" });
      const again = await create({ campaign_id: "spring-calls" });
      assert.deepEqual([again.status, again.body], [202, first.body]);
      assert.deepEqual(await codeOf({ campaign_id: "spring-calls", campaign_name: "Other" }), [
        409,
        "conflict",
        "campaign_id",
      ]);
      const { campaign } = (await api.get("/v1/voice/campaigns/spring-calls")).body;
      assert.equal(campaign.contacts_count, 1);
      assert.equal((await api.get("/v1/campaigns/spring-calls")).status, 404);
      const sms = await api.post("/v1/agents", {
        agent_type: "sms",
        agent_name: "Sam",
        prompt: "Sell.",
        starting_message: "Hi",
        organization_id: organizationId,
        user_id: userId,
      });
      const texts = {
        campaign_id: "spring-calls",
        campaign_name: "Texts",
        organization_id: organizationId,
        user_id: userId,
        sms_agent_id: sms.body.agent_id,
        svc_sms_number: SENDER,
        contacts: [{ phone_number: "+12125550101" }],
      };
      assert.equal((await api.post("/v1/campaigns", texts)).status, 409);
      await api.post("/v1/campaigns", { ...texts, campaign_id: "spring-texts" });
      assert.deepEqual(await codeOf({ campaign_id: "spring-texts" }), [409, "conflict", "campaign_id"]);
    },
  );

  await t.test("leads are added once each, and those without a phone are skipped", async () => {
    await create({ campaign_id: "growing" });
    const path = "/v1/voice/campaigns/growing/leads";
    const more = { leads: [{ phone_number: "+12125550130" }, { phone_number: "+12125550132" }, { first_name: "No" }] };
    const { status, body: answer } = await api.post(path, more);
    assert.deepEqual(
      [status, answer.campaign_id, answer.details],
      [202, "growing", { leads_added: 1, leads_requeued: 0, leads_skipped: 2 }],
    );
    const again = await api.post(path, more);
    assert.deepEqual(again.body.details, { leads_added: 0, leads_requeued: 0, leads_skipped: 3 });
    assert.equal((await api.get("/v1/voice/campaigns/growing")).body.campaign.contacts_count, 2);
    assert.equal((await api.post("/v1/voice/campaigns/never/leads", more)).status, 404);
  });

  await t.test("they are listed by organization, newest first, in pages and by status", async () => {
    assert.equal((await api.get("/v1/voice/campaigns")).status, 400);
    const path = `/v1/voice/campaigns?organization_id=${organizationId}`;
    const all = (await api.get(path)).body.campaigns as Fields[];
    assert.ok(all.length >= 5);
    assert.deepEqual(Object.keys(all[0]!.counts as Fields), [
      "connected",
      "voicemail",
      "no_answer",
      "busy",
      "declined",
      "failed",
    ]);
    const first = (await api.get(`${path}&limit=2`)).body;
    const second = (await api.get(`${path}&limit=2&pagination_key=${first.next_pagination_key}`)).body;
    assert.deepEqual(
      [...first.campaigns, ...second.campaigns].map((campaign: Fields) => campaign.id),
      all.slice(0, 4).map((campaign) => campaign.id),
    );
    assert.deepEqual((await api.get(`${path}&status=completed`)).body.campaigns, []);
    assert.equal((await api.get("/v1/voice/campaigns?organization_id=org_00000000000000000000000001")).body.count, 0);
  });

  await t.test("a deleted one is gone, with the number of calls that it cancelled", async () => {
    await create({ campaign_id: "short", leads: [{ phone_number: "+12125550130" }, { phone_number: "+12125550131" }] });
    const { status, body: answer } = await api.delete("/v1/voice/campaigns/short");
    assert.equal(status, 200);
    assert.deepEqual([answer.success, answer.campaign_id, answer.calls_cancelled], [true, "short", 2]);
    assert.equal((await api.get("/v1/voice/campaigns/short")).status, 404);
    assert.equal((await api.delete("/v1/voice/campaigns/short")).status, 404);
    assert.equal((await api.post("/v1/voice/campaigns/short/leads", { leads: [] })).status, 404);
  });
});
