import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley } from "#test/support/api/parley.ts";
import { anAgent, SENDER } from "#test/support/campaigns/campaign.ts";

test("other names of a thing", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { organizationId, userId, agentId: sms_agent_id } = await anAgent(api);
  const owner = { organization_id: organizationId, user_id: userId };
  const contacts = [{ phone_number: "+12125550191" }, { phone_number: "12" }];
  const asked = { ...owner, sms_agent_id, campaign_begin_time: "2098-01-01T00:00:00Z" };

  await t.test("a campaign is created by them as by its own, and a repeat by the others is the same", async () => {
    const first = { ...asked, campaign_id: "spring", name: "Spring", sender: SENDER, leads: contacts };
    const second = { ...asked, campaign_id: "spring", campaign_name: "Spring", svc_sms_number: SENDER, contacts };
    const made = await api.post("/v1/campaigns", first);
    assert.equal(made.status, 202, JSON.stringify(made.body));
    assert.equal(made.body.warnings, undefined);
    const again = await api.post("/v1/campaigns", second);
    assert.deepEqual([again.status, again.body.details], [202, made.body.details]);
  });

  await t.test("leads are added under each name of the three", async () => {
    for (const [i, field] of ["clients", "leads", "contacts"].entries()) {
      const body = { [field]: [{ phone_number: `+1212555018${i}` }] };
      const added = await api.post("/v1/campaigns/spring/leads", body);
      assert.deepEqual([added.status, added.body.details?.leads_added], [202, 1], JSON.stringify(added.body));
    }
  });

  await t.test("two names with different values are a 400 that names both, and nothing is written", async () => {
    const both = { ...owner, agent_type: "sms", agent_name: "Ava", name: "Bea", prompt: "Ask." };
    const wrong = await api.post("/v1/agents", both);
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.error, /^name is another name of agent_name/);
    const leads = { clients: [{ phone_number: "+12125550171" }], leads: [{ phone_number: "+12125550172" }] };
    const added = await api.post("/v1/campaigns/spring/leads", leads);
    assert.deepEqual([added.status, added.body.details?.[0].field], [400, "leads"]);
    const query = "state=failed&status=held";
    assert.equal((await api.get(`/v1/campaigns/spring/leads?${query}`)).status, 400);
    const { body } = await api.get("/v1/campaigns/spring");
    assert.deepEqual([body.campaign.contacts_count, body.campaign.details.total_contacts], [4, 4]);
  });

  await t.test("what is wrong is named as it was written", async () => {
    const wrong = await api.get("/v1/campaigns/spring/leads?state=banana");
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.error, /^state must be one of/);
    assert.equal(wrong.body.details[0].field, "state");
  });

  await t.test("answers have the canonical name and the former one, with one value", async () => {
    for (const filter of ["state=scheduled", "status=scheduled", "state=invalid", "status=invalid"]) {
      const { body } = await api.get(`/v1/campaigns/spring/leads?${filter}`);
      assert.ok(body.leads.length > 0, filter);
      for (const { state, status } of body.leads)
        assert.deepEqual([state, status], Array(2).fill(filter.split("=")[1]));
    }
    const { campaign } = (await api.get("/v1/campaigns/spring")).body;
    assert.deepEqual(campaign.recipients, campaign.counts);
    const { activity } = (await api.get("/v1/analytics/activity?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"))
      .body;
    assert.deepEqual([activity.begin, activity.end], [activity.from, activity.to]);
  });

  await t.test("each time in an answer says which clock it is by", async () => {
    const document = (await api.get("/openapi.json")).body;
    const times: { description?: string }[] = [];
    const walk = (at: unknown) => {
      if (typeof at !== "object" || at === null) return;
      if ((at as { format?: string }).format === "date-time") times.push(at);
      for (const inside of Object.values(at)) walk(inside);
    };
    for (const methods of Object.values(document.paths)) {
      for (const { responses } of Object.values(methods as Record<string, { responses: unknown }>)) walk(responses);
    }
    walk(document.components.schemas);
    assert.ok(times.length > 100);
    assert.deepEqual(
      times.filter(({ description }) => !/real time|the tenant's own time/i.test(description ?? "")),
      [],
    );
  });
});
