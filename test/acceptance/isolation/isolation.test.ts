import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";

const brand = {
  entityType: "PRIVATE_PROFIT",
  displayName: "Acme",
  country: "US",
  email: "o@acme.example",
  vertical: "RETAIL",
};

test("tenants do not see each other", async (t) => {
  const api = await startParley(t);
  const other = await anotherTenant(api);
  const owner = await anOwner(api);
  const agent = (await api.post("/v1/agents", { agent_type: "sms", agent_name: "Sam", prompt: "Hi", ...owner })).body;
  const list = (
    await api.post("/v1/contacts/lists", { list_name: "L", ...owner, contacts: [{ phone_number: "+12125550101" }] })
  ).body;
  const lead = list.leads[0].unique_id;
  const made = (await api.post("/v1/10dlc/brand", brand)).body;
  const key = (await api.post("/v1/api-keys", { name: "K" })).body;
  await api.post("/v1/dnc/add", { phone_number: "+12125550102" });
  const theirs = await anOwner({ post: (path, body) => other.post(path, body) });

  await t.test("another tenant's ids read like ids that never were", async () => {
    const answers: Record<string, Answer> = {
      Organization: await other.get(`/v1/organizations/${owner.organization_id}`),
      "Organization of users": await other.get(`/v1/organizations/${owner.organization_id}/users`),
      "Organization of a new user": await other.post(`/v1/organizations/${owner.organization_id}/users`, {
        name: "Eve",
        email: "eve@evil.example",
      }),
      "Organization of agents": await other.get(`/v1/agents?organization_id=${owner.organization_id}`),
      "Organization of lists": await other.get(`/v1/contacts/lists?organization_id=${owner.organization_id}`),
      "Organization of leads": await other.get(`/v1/contacts/leads?organization_id=${owner.organization_id}`),
      "Organization of an entry": await other.post("/v1/dnc/add", {
        phone_number: "+12125550103",
        organization_id: owner.organization_id,
      }),
      Agent: await other.get(`/v1/agents/${agent.agent_id}`),
      "Agent to change": await other.patch(`/v1/agents/${agent.agent_id}`, { prompt: "Mine" }),
      "Agent to delete": await other.delete(`/v1/agents/${agent.agent_id}`),
      List: await other.get(`/v1/contacts/lists/${list.list_id}`),
      "List of leads": await other.get(`/v1/contacts/lists/${list.list_id}/leads`),
      "List to delete": await other.delete(`/v1/contacts/lists/${list.list_id}`),
      Contact: await other.get(`/v1/contacts/leads/${lead}`),
      "Contact to change": await other.patch(`/v1/contacts/leads/${lead}`, { city: "Reno" }),
      "Contact to delete": await other.delete(`/v1/contacts/leads/${lead}`),
      Brand: await other.get(`/v1/10dlc/brand/${made.brandId}`),
      "Brand to resubmit": await other.post(`/v1/10dlc/brand/${made.brandId}/resubmit`, {}),
      "API key to revoke": await other.delete(`/v1/api-keys/${key.key_id}`),
      "API key to rotate": await other.post(`/v1/api-keys/${key.key_id}/rotate`, {}),
    };
    for (const [what, { status, body }] of Object.entries(answers)) {
      assert.equal(status, 404, what);
      assert.match(body.error, /^(Organization|Agent|List|Contact|Brand|API key) not found$/, what);
    }
    assert.equal((await api.get(`/v1/contacts/leads/${lead}`)).status, 200);
    assert.equal((await api.get("/v1/me", { key: key.api_key })).status, 200);
  });

  await t.test("nothing can be made under another tenant's organization or user", async () => {
    const agentOf = (fields: object) =>
      other.post("/v1/agents", { agent_type: "sms", agent_name: "E", prompt: "x", ...fields });
    const listOf = (fields: object) => other.post("/v1/contacts/lists", { list_name: "E", contacts: [], ...fields });
    for (const create of [agentOf, listOf]) {
      assert.equal((await create({ ...theirs, organization_id: owner.organization_id })).status, 404);
      assert.equal((await create({ ...theirs, user_id: owner.user_id })).status, 404);
      assert.equal((await create(theirs)).status, 201);
    }
  });

  await t.test("lists hold the tenant's own, and page keys of another lead nowhere else", async () => {
    assert.deepEqual((await other.get("/v1/10dlc/brand")).body.brands, []);
    assert.deepEqual((await other.get("/v1/dnc")).body.entries, []);
    assert.equal((await other.get("/v1/api-keys")).body.count, 1);
    await api.post("/v1/organizations", { name: "Second" });
    const page = await api.get("/v1/organizations?limit=1");
    const seen = await other.get(`/v1/organizations?pagination_key=${page.body.next_pagination_key}`);
    assert.ok(!JSON.stringify(seen.body).includes(owner.organization_id));
  });

  await t.test("the same e-mail address may be a user's of each tenant", async () => {
    const [mine, its] = [owner, theirs].map((tenant) => `/v1/organizations/${tenant.organization_id}/users`);
    const user = { name: "Bo", email: "bo@acme.example" };
    assert.equal((await api.post(mine!, user)).status, 201);
    assert.equal((await other.post(its!, user)).status, 201);
  });

  await t.test("a tenant_id that is not the key's own is a 403", async () => {
    const { tenant_id } = (await api.get("/v1/me")).body;
    for (const answer of [
      await other.post("/v1/organizations", { name: "x", tenant_id }),
      await other.post("/v1/contacts/lists", { list_name: "x", ...theirs, contacts: [], tenant_id }),
      await other.get(`/v1/organizations?tenant_id=${tenant_id}`),
    ]) {
      assert.equal(answer.status, 403);
      assert.equal(answer.body.code, "wrong_tenant");
    }
    assert.equal((await api.post("/v1/organizations", { name: "x", tenant_id })).status, 201);
  });
});

test("a live key makes keys of either mode, which a test key cannot touch", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const live = await anotherTenant(api, "live");
  const second = await live.post("/v1/api-keys", { name: "Live" });
  assert.match(second.body.api_key, /^pk_live_/);
  const play = (await live.post("/v1/api-keys", { name: "Play", mode: "test" })).body.api_key;
  assert.match(play, /^pk_test_/);
  for (const unknown of [
    await live.delete(`/v1/api-keys/${second.body.key_id}`, { key: play }),
    await live.post(`/v1/api-keys/${second.body.key_id}/rotate`, {}, { key: play }),
  ]) {
    assert.deepEqual([unknown.status, unknown.body.code], [404, "not_found"]);
  }
  const refused = await live.post("/v1/api-keys", { name: "Live", mode: "live" }, { key: play });
  assert.deepEqual([refused.status, refused.body.code], [403, "live_key_required"]);
  assert.equal((await live.get("/v1/me")).body.mode, "live");
});
