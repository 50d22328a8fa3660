import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { gets, says } from "#test/support/messaging/handset.ts";

type Fields = Record<string, unknown>;
const ANN = "+12125550163";
const BO = "+13035550163";

test("what was found out is listed, with the words that prove it", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const fields = {
    starting_message: "Hi {{first_name|there}}, do you want to sell?",
    extraction_fields: ["interest", "price"],
  };
  const { campaignId, organizationId, userId, agentId } = await aCampaign(api, {
    // Who does not answer keeps the campaign open.
    agent: { ...fields, drip_schedule: [{ day: 5, message: "Still there?" }] },
    contacts: [
      { phone_number: ANN, first_name: "Ann", last_name: "Smith" },
      { phone_number: BO, first_name: "Bo" },
      { phone_number: "+12125550164" },
    ],
  });
  const path = `/v1/extractions?organization_id=${organizationId}`;
  const found = async (query = ""): Promise<Fields[]> => {
    const { status, body } = await api.get(path + query);
    assert.equal(status, 200, JSON.stringify(body));
    return body.extractions;
  };
  for (const phone of [ANN, BO]) {
    await gets(api, phone, 1);
    await says(api, phone, phone === ANN ? "Yes, I want 450k for it" : "Yes, for 300k");
  }
  await until("both have a price", async () => (await found("&field=price")).length === 2);

  await t.test("by campaign, agent, field, value, channel and time, in pages that hold each once", async () => {
    const all = await found(`&campaign_id=${campaignId}&agent_id=${agentId}&channel=sms`);
    assert.equal(all.length, 2);
    const [ann] = await found("&field=price&value=450");
    assert.deepEqual([ann!.phone_number, ann!.contact_name, ann!.id], [ANN, "Ann Smith", `${ANN}_${campaignId}`]);
    const price = (ann!.fields as Fields[]).find(({ name }) => name === "price")!;
    assert.match(String(price.quote), /450k/);
    assert.deepEqual(await found("&field=interest&value=450k"), []);
    assert.deepEqual(await found("&channel=voice"), []);
    assert.deepEqual(await found("&end=2020-01-01T00:00:00Z"), []);
    const first = (await api.get(`${path}&limit=1`)).body;
    const second = (await api.get(`${path}&limit=1&pagination_key=${first.next_pagination_key}`)).body;
    assert.deepEqual([first.has_more, second.has_more], [true, false]);
    assert.deepEqual([first.extractions[0].id, second.extractions[0].id].sort(), all.map(({ id }) => id).sort());
    for (const query of ["&campaign_id=never", "&agent_id=agt_00000000000000000000000001"]) {
      assert.equal((await api.get(path + query)).status, 404);
    }
  });

  await t.test("by the agent that talked, also when the campaign has another by now", async () => {
    const owner = { organization_id: organizationId, user_id: userId };
    const another = { ...fields, ...owner, agent_type: "sms", agent_name: "Bea", prompt: "Ask." };
    const sms_agent_id = (await api.post("/v1/agents", another)).body.agent_id;
    assert.equal((await api.post(`/v1/campaigns/${campaignId}/pause`)).status, 200);
    const edited = await api.patch(`/v1/campaigns/${campaignId}`, { sms_agent_id });
    assert.equal(edited.status, 200, JSON.stringify(edited.body));
    const theirs = await found(`&agent_id=${agentId}`);
    assert.deepEqual(
      theirs.map(({ agent_name, agent_id }) => [agent_name, agent_id]),
      Array(2).fill(["Ava", agentId]),
    );
    assert.deepEqual(await found(`&agent_id=${sms_agent_id}`), []);
  });

  await t.test("as a file with a line for each value", async () => {
    const answer = await fetch(`${api.url}/v1/extractions/export.csv?organization_id=${organizationId}&field=price`, {
      headers: { "x-api-key": api.key },
    });
    assert.equal(answer.status, 200);
    const lines: Fields[] = parse(await answer.text(), { columns: true });
    const prices = lines.filter(({ field }) => field === "price");
    assert.deepEqual(prices.map((line) => line.phone_number).sort(), [ANN, BO]);
  });

  await t.test("chosen conversations are read again, and strange ids are counted", async () => {
    const before = new Map((await found()).map((one) => [one.id, one.at]));
    await api.post("/v1/simulator/clock", { advance_ms: 60_000 });
    const thread_ids = [...before.keys(), "+12125550177_never", "nonsense"];
    const { status, body } = await api.post("/v1/extractions/reanalyze", {
      organization_id: organizationId,
      thread_ids,
    });
    assert.deepEqual([status, body.started, body.not_found], [202, 2, 2]);
    await until("both were extracted anew", async () => (await found()).every(({ id, at }) => at! > before.get(id)!));
  });
});
