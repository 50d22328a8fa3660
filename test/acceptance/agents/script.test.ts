import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aCampaign, aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, handsetPath, says } from "#test/support/messaging/handset.ts";

const CONTACT = "+12124550100";
const CALLED = "+12124550130";

const SELLER = {
  prompt: "Find out what the contact's home is like. Our commission is 5 percent. Never name a price for the home.",
  starting_message: "Hi, it is Ava of Acme. Do you want to sell your home?",
  extraction_fields: [
    { name: "wants_to_sell", type: "boolean", required: true },
    "zip_code",
    { name: "home_type", type: "enum", choices: ["house", "condo"] },
  ],
};
const ZIP = {
  field: "zip_code",
  question: "Which ZIP code is the house in?",
  rephrased: ["Which five digits are they?"],
};

type Question = { field: string; question: string; rephrased: string[] } & Record<string, unknown>;

test("the script of an agent", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  await aNoon(api);
  const { agentId } = await anAgent(api, { ...SELLER, reply_delay_ms: 0 });
  const path = `/v1/agents/${agentId}`;
  const questions = async () => (await api.get(`${path}/script`)).body.script.questions as Question[];
  const edited = async () => (await questions()).filter(({ is_edited }) => is_edited).map(({ field }) => field);

  await t.test("it shows what is asked, what is answered, and what is left to a person", async () => {
    const { status, body } = await api.get(`${path}/script`);
    assert.equal(status, 200);
    const { agent_id, version, script } = body;
    assert.deepEqual([agent_id, version], [agentId, 1]);
    const [first, zip, home] = script.questions;
    assert.deepEqual(
      [first.field, first.type, first.required, first.is_first, first.is_edited],
      ["wants_to_sell", "interest", true, true, false],
    );
    assert.deepEqual(
      [zip.type, zip.question, zip.rephrased.length, zip.spanish.length > 0, zip.is_first],
      ["postal_code", "What's your zip code?", 2, true, false],
    );
    assert.deepEqual([home.type, home.choices], ["choice", ["house", "condo"]]);
    assert.deepEqual(script.facts, ["Our commission is 5 percent."]);
    assert.deepEqual(script.off_limits, ["Never name a price for the home."]);
    assert.equal((await api.get(`/v1/agents/agt_${"0".repeat(26)}/script`)).status, 404);
  });

  await t.test("a question that a person words makes a new version, and the same again makes none", async () => {
    const put = () => api.put(`${path}/script`, { questions: [ZIP] });
    const { status, body } = await put();
    assert.deepEqual([status, body.version], [200, 2]);
    const { question, rephrased, is_edited } = body.script.questions[1];
    assert.deepEqual(
      { question, rephrased: rephrased.slice(0, 1), is_edited },
      {
        question: ZIP.question,
        rephrased: ZIP.rephrased,
        is_edited: true,
      },
    );
    assert.equal((await put()).body.version, 2);
  });

  await t.test("later changes of the agent keep it, and its versions show it", async () => {
    const changed = await api.patch(path, { agent_name: "Eve", extraction_fields: ["zip_code", "budget"] });
    assert.deepEqual([changed.body.agent.version, changed.body.agent.questions], [3, [ZIP]]);
    assert.deepEqual(await edited(), ["zip_code"]);
    // Without the field it waits, and is there again with it.
    await api.patch(path, { extraction_fields: ["budget"] });
    assert.deepEqual(await edited(), []);
    await api.patch(path, { extraction_fields: SELLER.extraction_fields });
    assert.deepEqual(await edited(), ["zip_code"]);
    const { versions } = (await api.get(`${path}/versions`)).body;
    assert.deepEqual(
      versions.map((version: Record<string, unknown>) => version.questions),
      [[ZIP], [ZIP], [ZIP], [ZIP], undefined],
    );
  });

  await t.test("what cannot be asked is refused by name", async () => {
    const wrong = async (...questions: object[]) => wrongFields(await api.put(`${path}/script`, { questions }));
    assert.deepEqual(await wrong({ ...ZIP, field: "colour" }), ["questions[0].field"]);
    assert.deepEqual(await wrong(ZIP, { ...ZIP, question: "Which one?", rephrased: [] }), ["questions[1].field"]);
    for (const question of ["Name the zip code", "What? Where?", "What is it, {{first_name}}?", "See acme.com, right?"])
      assert.deepEqual(await wrong({ ...ZIP, question }), ["questions[0].question"], question);
    assert.deepEqual(await wrong({ ...ZIP, rephrased: [ZIP.question] }), ["questions[0].rephrased[0]"]);
    assert.deepEqual(await wrong({ ...ZIP, question: "x".repeat(201) }), ["questions[0].question"]);
    assert.deepEqual(wrongFields(await api.put(`${path}/script`, {})), ["questions"]);
    assert.deepEqual(await edited(), ["zip_code"]);
  });

  await t.test("a restored version has its own questions, and deleting puts back what was read", async () => {
    await api.post(`${path}/versions/1/restore`);
    assert.deepEqual(await edited(), []);
    await api.post(`${path}/versions/2/restore`);
    assert.deepEqual(await edited(), ["zip_code"]);
    const reset = await api.delete(`${path}/script`);
    assert.deepEqual([reset.status, reset.body.version], [200, 8]);
    assert.equal(reset.body.script.questions[1].question, "What's your zip code?");
    assert.equal((await api.delete(`${path}/script`)).body.version, 8);
  });

  await t.test("a contact is asked in these words by text, and again in the rephrased ones", async () => {
    await api.put(`${path}/script`, { questions: [ZIP] });
    const agent = (await api.get(path)).body.agent;
    const campaign = { organization_id: agent.organization_id, user_id: agent.user_id, sms_agent_id: agentId };
    await aCampaign(api, { contacts: [{ phone_number: CONTACT }], campaign });
    await gets(api, CONTACT, 1);
    await says(api, CONTACT, "Yes, I do");
    assert.match((await gets(api, CONTACT, 2))[1]!, /Which ZIP code is the house in\?$/);
    await says(api, CONTACT, "hmm let me see");
    assert.match((await gets(api, CONTACT, 3))[2]!, /Which five digits are they\?$/);
    await says(api, CONTACT, "85004");
    assert.match((await gets(api, CONTACT, 4))[3]!, /house or condo\?$/);
  });

  await t.test("and in a call", async () => {
    const voice = await aVoiceAgent(api, { ...SELLER, agent_name: "Ava" });
    const voicePath = `/v1/agents/${voice.agentId}/script`;
    assert.equal((await api.put(voicePath, { questions: [ZIP] })).status, 200);
    const lines = ["Yes, I do.", "It is 85004."];
    await api.put(handsetPath(CALLED), { behavior: "answer", says: lines });
    const call = { agent_id: voice.agentId, from_number: SENDER, to_number: CALLED };
    const { call_id } = (await api.post("/v1/voice/calls", call)).body.call;
    assert.match(await transcriptOf(api, call_id), /Which ZIP code is the house in\?/);
  });
});

function transcriptOf(api: Parley, callId: string): Promise<string> {
  return until("the call is over", async () => {
    const { call } = (await api.get(`/v1/voice/calls/${callId}`)).body;
    return call.call_status === "ended" && (call.transcript as string);
  });
}
