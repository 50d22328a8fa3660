import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath, moveClock, quiet } from "#test/support/messaging/handset.ts";

/** Their last two digits make the carrier lose the reply to every call. */
const [AGAIN, NEVER] = ["+12125550142", "+13125550142"];
const ORDINARY = "+12124460001";

test("a call whose state the carrier cannot report", async (t) => {
  const api = await startParley(t, { PARLEY_SIMULATOR_REPORTS: "nothing", PARLEY_SIMULATOR_CALLS: "text" }, [
    "api",
    "worker",
    "media",
  ]);
  await aNoon(api);
  const { voiceAgentId } = await aVoiceAgent(api);
  const made = await api.post("/v1/voice/campaigns", {
    leads: [AGAIN, NEVER, ORDINARY].map((phone_number) => ({ phone_number })),
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDER,
  });
  const path = `/v1/voice/campaigns/${made.body.campaign_id}`;
  const lead = async (phone: string) =>
    (await api.get(`${path}/leads`)).body.leads.find((lead: Record<string, string>) => lead.phone_number === phone);
  const becomes = (phone: string, state: string) =>
    until(`${phone} is ${state}`, async () => {
      const found = await lead(phone);
      return found.state === state && found;
    });
  const isCompleted = () =>
    until("the campaign is over", async () => (await api.get(path)).body.campaign.status === "completed");
  const rang = async (phone: string): Promise<number> => (await api.get(handsetPath(phone))).body.calls.length;
  const resolve = async (phone: string, action: string) =>
    api.post(`${path}/leads/${(await lead(phone)).unique_id}/resolve`, { action });

  await t.test("its recipient is shown as unknown, and is not called again by itself", async () => {
    for (const phone of [AGAIN, NEVER]) await becomes(phone, "unknown");
    await isCompleted();
    await moveClock(api, { advance_ms: 3_600_000 });
    await quiet(api);
    assert.deepEqual([await rang(AGAIN), await rang(NEVER)], [1, 1]);
    const { campaign } = (await api.get(path)).body;
    assert.deepEqual([campaign.leads.unknown, campaign.pending_calls], [2, 0]);
  });

  await t.test("a person may have it called once more, however often that is said", async () => {
    await api.put(handsetPath(AGAIN), { behavior: "answer", says: ["No thanks, bye."] });
    const answers = await Promise.all([1, 2, 3].map(() => resolve(AGAIN, "redial")));
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.includes(202) && statuses.every((status) => status === 202 || status === 409),
      JSON.stringify(statuses),
    );
    await becomes(AGAIN, "completed");
    await isCompleted();
    assert.equal(await rang(AGAIN), 2);
    const { campaign } = (await api.get(path)).body;
    assert.deepEqual([campaign.leads.unknown, campaign.pending_calls, campaign.calls_in_progress], [1, 0, 0]);
    const late = await resolve(AGAIN, "redial");
    assert.deepEqual([late.status, late.body.code], [409, "conflict"]);
  });

  await t.test("or give it up, which ends the matter", async () => {
    for (let times = 0; times < 2; times++) {
      const { status, body } = await resolve(NEVER, "give_up");
      assert.deepEqual([status, body.action], [202, "give_up"]);
    }
    const { state, reason } = await lead(NEVER);
    assert.deepEqual([state, reason], ["failed", "given_up_by_operator"]);
    assert.equal((await resolve(NEVER, "redial")).status, 409);
    await quiet(api);
    assert.equal(await rang(NEVER), 1);
    assert.deepEqual((await api.get(path)).body.campaign.leads.unknown, 0);
  });

  await t.test("a recipient that is not unknown, or not there, and a decision that is none are refused", async () => {
    for (const action of ["redial", "give_up"]) assert.equal((await resolve(ORDINARY, action)).status, 409);
    assert.equal((await resolve(ORDINARY, "resend")).status, 400);
    for (const id of ["lead_00000000000000000000000000", "no-id"]) {
      const { status, body } = await api.post(`${path}/leads/${id}/resolve`, { action: "redial" });
      assert.deepEqual([status, body.error], [404, "Lead not found"]);
    }
    const { unique_id } = await lead(ORDINARY);
    const elsewhere = await api.post(`/v1/voice/campaigns/none/leads/${unique_id}/resolve`, { action: "redial" });
    assert.deepEqual([elsewhere.status, elsewhere.body.error], [404, "Campaign not found"]);
  });
});
