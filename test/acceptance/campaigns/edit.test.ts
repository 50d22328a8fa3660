import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { type Answer, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import {
  campaignIs,
  campaignOf,
  gets,
  handsetPath,
  moveClock,
  quiet,
  textsTo,
  threadOf,
} from "#test/support/messaging/handset.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
type Fields = Record<string, unknown>;
const ENDED = "campaign_ended";
const FAR = "2098-01-01T00:00:00Z";

test("changing a campaign of texts", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const parts = await anAgent(api);
  const owner = { organization_id: parts.organizationId, user_id: parts.userId };
  let n = 0;
  const phone = () => `+1212443${1000 + n++}`;
  const head = { ...owner, campaign_name: "Spring", sms_agent_id: parts.agentId, svc_sms_number: SENDER };
  const create = async (more: object = {}): Promise<Answer> =>
    api.post("/v1/campaigns", { ...head, contacts: [{ phone_number: phone() }], ...more });
  const agentOf = async (more: object): Promise<string> => {
    const agent = { ...owner, agent_type: "sms", agent_name: "Bo", prompt: "Ask.", ...more };
    return (await api.post("/v1/agents", agent)).body.agent_id;
  };
  const now = async () => new Date((await api.get("/v1/simulator/clock")).body.now);
  /** Three working days on from there are three days on: from a Thursday they are five. */
  const aMonday = async () => {
    while ((await aNoon(api)).getUTCDay() !== 1);
  };

  await t.test("a campaign is changed while it is paused or has not begun, its name at any time", async () => {
    const at = phone();
    const clock = await now();
    const calling_window = { start: "09:00", end: "20:00", days: [((clock.getUTCDay() + 1) % 7) + 1] };
    const made = await create({ contacts: [{ phone_number: at }], calling_window });
    const id = made.body.campaign_id;
    const path = `/v1/campaigns/${id}`;
    const refusedText = async (body: object) => {
      const answer = await api.patch(path, body);
      assert.equal(answer.status, 409, JSON.stringify(answer.body));
      return answer.body.error as string;
    };
    assert.match(await refusedText({ calling_window: null }), /calling_window can be changed while it is paused/);
    const named = await api.patch(path, { campaign_name: "Another" });
    assert.deepEqual([named.status, named.body.campaign.campaign_name], [200, "Another"]);
    assert.deepEqual(named.body.campaign.calling_window, calling_window);
    await api.post(`${path}/pause`);
    assert.match(await refusedText({ campaign_begin_time: "2098-01-01T00:00:00Z" }), /campaign_begin_time/);
    const past = await api.patch(path, { campaign_end_time: "2020-01-01T00:00:00Z" });
    assert.deepEqual([past.status, wrongFields(past)], [400, ["campaign_end_time"]]);
    const edited = await api.patch(path, {
      calling_window: null,
      objective: "Sell",
      campaign_end_time: "2099-01-01T00:00:00Z",
    });
    const { campaign } = edited.body;
    assert.deepEqual(
      [
        campaign.calling_window,
        campaign.objective,
        campaign.campaign_end_time,
        campaign.campaign_name,
        campaign.status,
      ],
      [null, "Sell", "2099-01-01T00:00:00.000Z", "Another", "paused"],
    );
    await quiet(api);
    assert.deepEqual(await textsTo(api, at), []);
    await api.post(`${path}/resume`);
    await until("it is texted by the new window", async () => (await textsTo(api, at)).length === 1);
    await campaignIs(api, id, "completed");
    assert.match(await refusedText({ objective: "x" }), /completed: objective can no longer be changed/);
    assert.equal((await api.patch("/v1/campaigns/nobody", { campaign_name: "x" })).status, 404);

    const begin = new Date(clock.getTime() + 30 * 86_400_000).toISOString();
    const later = new Date(clock.getTime() + 31 * 86_400_000).toISOString();
    const waiting = (await create({ contacts: [{ phone_number: phone() }], campaign_begin_time: begin })).body
      .campaign_id;
    const moved = await api.patch(`/v1/campaigns/${waiting}`, { campaign_begin_time: later });
    assert.deepEqual([moved.status, moved.body.campaign.campaign_begin_time], [200, later]);
    const sooner = await api.patch(`/v1/campaigns/${waiting}`, { campaign_begin_time: begin });
    assert.deepEqual([sooner.status, wrongFields(sooner)], [400, ["campaign_begin_time"]]);
  });

  await t.test("an end that is moved earlier: what was planned after it does not go out", async () => {
    const at = phone();
    const sms_agent_id = await agentOf({
      starting_message: "Hi",
      drip_schedule: [
        { day: 1, message: "Day one" },
        { day: 3, message: "Day three" },
      ],
    });
    const made = await create({ sms_agent_id, contacts: [{ phone_number: at }] });
    const path = `/v1/campaigns/${made.body.campaign_id}`;
    await gets(api, at, 1);
    await api.post(`${path}/pause`);
    const end = new Date((await now()).getTime() + 2 * DAY_MS).toISOString();
    const edited = await api.patch(path, { campaign_end_time: end });
    assert.deepEqual([edited.status, edited.body.campaign.campaign_end_time], [200, end]);
    await api.post(`${path}/resume`);
    for (let day = 0; day < 4; day++) await moveClock(api, { advance_ms: DAY_MS });
    await campaignIs(api, made.body.campaign_id, "completed");
    const planned = (await threadOf(api, at, made.body.campaign_id)).messages;
    assert.equal(planned.find(({ kind, state }: Fields) => kind === "drip" && state === "expired")?.rule, ENDED);
    assert.ok(!(await textsTo(api, at)).some(({ text }) => text === "Day three"));
  });

  await t.test("a window that is shortened holds who was to be texted outside it", async () => {
    const at = phone();
    const noon = await aNoon(api);
    const campaign_begin_time = new Date(noon.getTime() + 2 * HOUR_MS).toISOString();
    const made = await create({ contacts: [{ phone_number: at }], campaign_begin_time });
    const path = `/v1/campaigns/${made.body.campaign_id}`;
    // Noon in New York; the campaign begins at two.
    const calling_window = { start: "12:00", end: "13:00", days: [1, 2, 3, 4, 5, 6, 7] };
    const edited = await api.patch(path, { calling_window });
    assert.deepEqual([edited.status, edited.body.campaign.calling_window], [200, calling_window]);
    await moveClock(api, { to: new Date(noon.getTime() + 2.5 * HOUR_MS).toISOString() });
    await until("it is held", async () => (await campaignOf(api, made.body.campaign_id)).counts.held === 1);
    assert.deepEqual(await textsTo(api, at), []);
    const opens = (await threadOf(api, at, made.body.campaign_id)).messages[0].scheduled_for;
    await moveClock(api, { to: opens });
    await gets(api, at, 1);
  });

  await t.test("another agent: what waits has its words and days, what has left is never sent again", async () => {
    const [early, late] = [phone(), phone()];
    const sms_agent_id = await agentOf({
      starting_message: "Old hello",
      drip_schedule: [
        { day: 2, message: "Old two" },
        { day: 5, message: "Old five" },
      ],
    });
    const newer = await agentOf({
      starting_message: "New hello",
      drip_schedule: [
        { day: 1, message: "New one" },
        { day: 2, message: "New two" },
        { day: 3, message: "New three" },
      ],
    });
    await aNoon(api);
    const made = await create({ sms_agent_id, contacts: [{ phone_number: early }] });
    const id = made.body.campaign_id;
    const path = `/v1/campaigns/${id}`;
    await gets(api, early, 1);
    await api.post(`${path}/pause`);
    await api.post(`${path}/leads`, { clients: [{ phone_number: late }] });
    const edited = await api.patch(path, { sms_agent_id: newer });
    assert.deepEqual(
      [edited.status, edited.body.campaign.sms_agent_id, edited.body.campaign.pending_messages],
      [200, newer, 3 + 4],
      JSON.stringify(edited.body),
    );
    await api.post(`${path}/resume`);
    await gets(api, late, 1);
    for (let day = 0; day < 4; day++) await aNoon(api);
    await campaignIs(api, id, "completed");
    const heard = async (at: string) => (await textsTo(api, at)).map(({ text }) => text);
    assert.deepEqual(await heard(early), ["Old hello", "New one", "New two", "New three"]);
    assert.deepEqual(await heard(late), ["New hello", "New one", "New two", "New three"]);
  });

  await t.test(
    "a follow-up that is put in before those that have left: no words twice, and none is left out",
    async () => {
      const at = phone();
      const drip = (day: number, message: string) => ({ day, message });
      const sms_agent_id = await agentOf({ starting_message: "Hi", drip_schedule: [drip(2, "X"), drip(5, "Y")] });
      const fuller = await agentOf({
        starting_message: "Hi",
        drip_schedule: [drip(1, "W"), drip(2, "X"), drip(5, "Y"), drip(6, "X")],
      });
      const fewer = await agentOf({ starting_message: "Hi", drip_schedule: [drip(7, "Z")] });
      await aMonday();
      const made = await create({ sms_agent_id, contacts: [{ phone_number: at }] });
      const id = made.body.campaign_id;
      const path = `/v1/campaigns/${id}`;
      await gets(api, at, 1);
      for (let day = 0; day < 3; day++) await aNoon(api);
      assert.deepEqual(await gets(api, at, 2), ["Hi", "X"]);
      await api.post(`${path}/pause`);
      const { status, body } = await api.patch(path, { sms_agent_id: fuller });
      assert.deepEqual([status, body.campaign.pending_messages], [200, 1], JSON.stringify(body));
      await api.post(`${path}/resume`);
      await quiet(api);
      assert.equal((await textsTo(api, at)).length, 2);
      for (let day = 0; day < 3; day++) await aNoon(api);
      assert.deepEqual(await gets(api, at, 3), ["Hi", "X", "Y"]);
      await campaignIs(api, id, "completed");

      const second = phone();
      await aMonday();
      const again = await create({ sms_agent_id, contacts: [{ phone_number: second }] });
      const other = `/v1/campaigns/${again.body.campaign_id}`;
      await gets(api, second, 1);
      for (let day = 0; day < 3; day++) await aNoon(api);
      await gets(api, second, 2);
      await api.post(`${other}/pause`);
      // Its only follow-up is the first, as the one is that has left.
      const edited = await api.patch(other, { sms_agent_id: fewer });
      assert.deepEqual([edited.status, edited.body.campaign.pending_messages], [200, 1], JSON.stringify(edited.body));
      await api.post(`${other}/resume`);
      for (let day = 0; day < 5; day++) await aNoon(api);
      assert.deepEqual(await gets(api, second, 3), ["Hi", "X", "Z"]);
    },
  );

  await t.test(
    "fewer follow-ups: those that are left over are suppressed, and the same agent again is its newest version",
    async () => {
      const at = phone();
      const campaign_begin_time = new Date((await aNoon(api)).getTime() + HOUR_MS).toISOString();
      const sms_agent_id = await agentOf({ starting_message: "Hi", drip_schedule: [{ day: 2, message: "Two" }] });
      const made = await create({ sms_agent_id, contacts: [{ phone_number: at }], campaign_begin_time });
      const path = `/v1/campaigns/${made.body.campaign_id}`;
      await api.patch(`/v1/agents/${sms_agent_id}`, { starting_message: "Hello", drip_schedule: [] });
      assert.equal((await api.get(path)).body.campaign.agent_version, 1);
      const edited = await api.patch(path, { sms_agent_id });
      assert.deepEqual([edited.status, edited.body.campaign.agent_version], [200, 2]);
      await moveClock(api, { to: campaign_begin_time });
      await campaignIs(api, made.body.campaign_id, "completed");
      assert.deepEqual(await gets(api, at, 1), ["Hello"]);
      const { messages } = await threadOf(api, at, made.body.campaign_id);
      assert.equal(messages.find(({ kind }: Fields) => kind === "drip")?.state, "suppressed");
    },
  );

  await t.test("an agent of another kind, organization or none is refused", async () => {
    const path = `/v1/campaigns/${(await create({ campaign_begin_time: FAR })).body.campaign_id}`;
    const voice = await api.post("/v1/agents", {
      ...owner,
      agent_type: "voice",
      agent_name: "Vic",
      prompt: "Ask.",
      voice_id: "slt",
    });
    const theirs = (await anAgent(api)).agentId;
    const answer = async (sms_agent_id: string) => {
      const { status, body } = await api.patch(path, { sms_agent_id });
      return [status, body.code];
    };
    assert.deepEqual(await answer(voice.body.agent_id), [400, "sms_not_enabled"]);
    assert.deepEqual(await answer(theirs), [400, "invalid_request"]);
    assert.deepEqual(await answer("agt_00000000000000000000000000"), [404, "not_found"]);
  });
});

test("changing a campaign of calls", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  await aNoon(api);
  const { organizationId, userId, voiceAgentId } = await aVoiceAgent(api);
  const OTHER = "+12125550102";
  const create = async (campaign_id: string, phone_number: string, more: object = {}): Promise<string> => {
    const { status, body } = await api.post("/v1/voice/campaigns", {
      campaign_id,
      leads: [{ phone_number, first_name: "Ann" }],
      voice_agent_id: voiceAgentId,
      agent_outbound_number: SENDER,
      calls_per_second: 5,
      ...more,
    });
    assert.equal(status, 202, JSON.stringify(body));
    return `/v1/voice/campaigns/${campaign_id}`;
  };
  const callsTo = async (phone: string): Promise<Fields[]> =>
    (await api.get(handsetPath(phone))).body.calls.filter((call: Fields) => call.direction === "to_handset");
  const campaign = async (path: string) => (await api.get(path)).body.campaign;
  const isCompleted = (path: string) =>
    until(`${path} is completed`, async () => (await campaign(path)).status === "completed");

  await t.test("agent, numbers and pace of what waits are changed before it begins", async () => {
    const phone = "+19175550140";
    await api.put(handsetPath(phone), { behavior: "answer", says: ["Yes, go ahead.", "No thanks, bye."] });
    const begin = new Date(new Date((await api.get("/v1/simulator/clock")).body.now).getTime() + HOUR_MS);
    const path = await create("waiting", phone, { campaign_begin_time: begin.toISOString() });
    const { body: other } = await api.post("/v1/agents", {
      organization_id: organizationId,
      user_id: userId,
      agent_type: "voice",
      agent_name: "Other",
      prompt: "Ask.",
      voice_id: "slt",
      starting_message: "This is the other agent.",
    });
    const change = {
      voice_agent_id: other.voice_agent_id,
      agent_outbound_number: OTHER,
      agent_outbound_numbers: [OTHER],
      max_concurrent_calls: 7,
      calls_per_second: 3,
    };
    const edited = await api.patch(path, change);
    assert.equal(edited.status, 200, JSON.stringify(edited.body));
    assert.deepEqual(Object.fromEntries(Object.keys(change).map((name) => [name, edited.body.campaign[name]])), change);
    const own = await api.patch(path, { agent_outbound_number: phone });
    assert.deepEqual([own.status, wrongFields(own)], [400, ["agent_outbound_number"]]);
    const off = await api.patch(path, { redial_config: { max_attempts: 2 } });
    assert.deepEqual([off.status, wrongFields(off)], [400, ["redial_config"]]);
    await moveClock(api, { to: begin.toISOString() });
    await isCompleted(path);
    const [call, ...more] = await callsTo(phone);
    assert.deepEqual([call?.from, more], [OTHER, []]);
    assert.match((call?.heard as string[]).join(" "), /This is the other agent\./);
  });

  await t.test(
    "redials that are switched off while one waits are withdrawn, and fewer attempts are kept to",
    async () => {
      const [first, second] = ["+13125550132", "+13135550132"];
      const redial_config = { max_attempts: 3, retry_delay_minutes: 30, retry_on: ["no_answer"] };
      const path = await create("off", first, { redial_enabled: true, redial_config });
      const called = (path: string) =>
        until("it was called", async () => (await campaign(path)).counts.no_answer === 1);
      await called(path);
      assert.match(
        (await api.patch(path, { redial_enabled: false })).body.error,
        /redial_enabled can be changed while/,
      );
      await api.post(`${path}/pause`);
      const edited = (await api.patch(path, { redial_enabled: false })).body.campaign;
      assert.deepEqual([edited.redial_enabled, edited.pending_calls, edited.leads.failed], [false, 0, 1]);
      await api.post(`${path}/resume`);
      await isCompleted(path);

      const again = await create("more", second, { redial_enabled: true, redial_config });
      await called(again);
      await api.post(`${again}/pause`);
      const less = (await api.patch(again, { redial_config: { max_attempts: 2 } })).body.campaign;
      assert.deepEqual([less.redial_config.max_attempts, less.redial_config.retry_delay_minutes], [2, 30]);
      assert.equal(less.pending_calls, 1, "the second call is allowed");
      await api.post(`${again}/resume`);
      await moveClock(api, { advance_ms: HOUR_MS });
      await isCompleted(again);
      assert.deepEqual([(await callsTo(first)).length, (await callsTo(second)).length], [1, 2]);
    },
  );
});
