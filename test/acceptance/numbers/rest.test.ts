import assert from "node:assert/strict";
import { test } from "node:test";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon } from "#test/support/campaigns/campaign.ts";

const DAY_MS = 86_400_000;
/** Refused as unwanted, 607, and by a carrier's analytics, 608: by their last digits. */
const UNWANTED = ["+12125550143", "+13125550144"];

test("numbers that are bad for calls rest", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  const noon = await aNoon(api);
  const { organizationId, userId, voiceAgentId } = await aVoiceAgent(api);
  const owner = { organization_id: organizationId, user_id: userId };
  const buy = async () =>
    (await api.post("/v1/voice/phone-numbers/create", { area_code: "212", ...owner })).body.phone_number as string;
  const path = (number: string) => `/v1/voice/phone-numbers/${encodeURIComponent(number)}`;
  const standing = async (number: string) => {
    const { body } = await api.get(`/v1/voice/phone-numbers?organization_id=${organizationId}`);
    return body.phone_numbers.find((row: { phone_number: string }) => row.phone_number === number).health;
  };
  const first = await buy();

  await t.test("a number that nothing was called from has no figures, and does not rest", async () => {
    assert.deepEqual(await standing(first), {
      placed: 0,
      answered: 0,
      answer_rate: null,
      usual_answer_rate: null,
      complaints: 0,
      unwanted: 0,
      resting_until: null,
      reason: null,
    });
  });

  await t.test("two calls that are refused as spam in a day have it rest for a day, as an event says", async () => {
    for (const to_number of UNWANTED) {
      const body = { voice_agent_id: voiceAgentId, from_number: first, to_number };
      const { status, body: answer } = await api.post("/v1/voice/calls", body);
      assert.equal(status, 201, JSON.stringify(answer));
    }
    const health = await until("it rests", async () => {
      const health = await standing(first);
      return health.resting_until !== null && health;
    });
    assert.deepEqual([health.placed, health.unwanted, health.answer_rate, health.reason], [2, 2, 0, "unwanted"]);
    const restMs = Date.parse(health.resting_until) - noon.getTime();
    assert.ok(restMs >= DAY_MS && restMs < DAY_MS + 120_000, health.resting_until);
    const event = await until("the event", async () => {
      const { events } = (await api.get("/v1/events?kinds=phone_number.changed&limit=100")).body;
      return events.find(({ data }: { data: { change: string } }) => data.change === "rested");
    });
    const { phone_number, resting_until, reason } = event.data;
    assert.deepEqual([phone_number, resting_until, reason], [first, health.resting_until, "unwanted"]);
  });

  await t.test("a person ends its rest, and has a number rest until a time", async () => {
    const ended = await api.patch(path(first), { resting_until: null });
    assert.equal(ended.status, 200, JSON.stringify(ended.body));
    assert.deepEqual([ended.body.number.health.resting_until, ended.body.number.health.reason], [null, null]);
    const resting_until = new Date(noon.getTime() + 3 * DAY_MS).toISOString();
    const rested = await api.patch(path(first), { resting_until });
    assert.deepEqual(
      [rested.body.number.health.resting_until, rested.body.number.health.reason],
      [resting_until, "asked"],
    );
    assert.equal((await api.patch(path(first), { resting_until })).status, 200, "the same again");
    assert.equal((await api.patch(path(first), { resting_until: null })).status, 200);
    assert.equal((await standing(first)).resting_until, null);
  });

  await t.test("times that make no sense are named, and nobody else's number rests", async () => {
    for (const resting_until of ["tomorrow", "2020-01-01T00:00:00Z", 5]) {
      const { status, body } = await api.patch(path(first), { resting_until });
      assert.deepEqual([status, body.details?.[0]?.field], [400, "resting_until"], JSON.stringify(body));
    }
    assert.equal((await api.patch(path(first), {})).status, 400);
    assert.equal((await api.patch(path("+12125550100"), { resting_until: null })).status, 404);
    const other = await anotherTenant(api);
    assert.equal((await other.patch(path(first), { resting_until: null })).status, 404);
    assert.equal((await standing(first)).resting_until, null);
  });

  await t.test(
    "a campaign whose number is refused as spam goes on with the next, and waits where all rest",
    async () => {
      const near = await buy();
      const far = (await api.post("/v1/voice/phone-numbers/create", { area_code: "312", ...owner })).body
        .phone_number as string;
      // Of the area code of the first number: both are called from it.
      const leads = [{ phone_number: "+12125550143" }, { phone_number: "+12125550144" }];
      const campaign_id = "rotated";
      const made = await api.post("/v1/voice/campaigns", {
        campaign_id,
        voice_agent_id: voiceAgentId,
        agent_outbound_number: near,
        agent_outbound_numbers: [far],
        leads,
      });
      assert.equal(made.status, 202, JSON.stringify(made.body));
      const campaign = async () => (await api.get(`/v1/voice/campaigns/${campaign_id}`)).body.campaign;
      const callsTo = async (phone: string) =>
        (await api.get(`/v1/simulator/handsets/${encodeURIComponent(phone)}`)).body.calls as { number: string }[];
      await until("the first number rests", async () => (await standing(near)).reason === "unwanted");
      const add = async (phone_number: string) => {
        const path = `/v1/voice/campaigns/${campaign_id}/leads`;
        assert.equal((await api.post(path, { leads: [{ phone_number }] })).status, 202);
      };
      const called = async (phone_number: string) => {
        await until(`${phone_number} is called`, async () => (await callsTo(phone_number)).length === 1);
        const { body } = await api.get(`/v1/voice/campaigns/${campaign_id}/calls`);
        return body.calls.find((call: { to_number: string }) => call.to_number === phone_number).from_number;
      };
      await add("+12125550130");
      assert.equal(await called("+12125550130"), far);
      const tomorrow = new Date(Date.parse((await standing(near)).resting_until)).toISOString();
      assert.equal((await api.patch(path(far), { resting_until: tomorrow })).status, 200);
      await add("+12125550135");
      await until("it waits", async () => (await campaign()).waiting_because === "numbers_resting");
      assert.equal((await campaign()).status, "running");
      assert.deepEqual(await callsTo("+12125550135"), []);
      assert.equal((await api.patch(path(near), { resting_until: null })).status, 200);
      assert.equal(await called("+12125550135"), near);
    },
  );
});
