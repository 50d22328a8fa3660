import assert from "node:assert/strict";
import { test } from "node:test";
import { parseId } from "#domain/values/id.ts";
import { anOwner } from "#test/support/accounts/owner.ts";
import { aPerson } from "#test/support/accounts/person.ts";
import { aKeyOf } from "#test/support/accounts/tenant.ts";
import { client, type Parley, startParley, until } from "#test/support/api/parley.ts";
import { anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, says } from "#test/support/messaging/handset.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Client = Pick<Parley, "get" | "post" | "patch" | "delete">;

const PHONE = "+12125550181";
const contacts = [{ phone_number: PHONE, first_name: "Ann" }];

/** An agent and a list with one contact, as each mode has its own. */
async function thingsOf(api: Client) {
  const owner = await anOwner(api);
  const made = await api.post("/v1/agents", { ...owner, agent_type: "sms", agent_name: "Ava", prompt: "Ask." });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const list = (await api.post("/v1/contacts/lists", { ...owner, list_name: "L", contacts })).body;
  return { owner, agentId: made.body.agent_id as string, list, leadId: list.leads[0].unique_id as string };
}

const code = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

test("what is live is nothing to a test key, and what is tried out nothing to a live one", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const live = client(api.url, await aKeyOf(api, "live"));
  const [tried, real] = [await thingsOf(api), await thingsOf(live)];

  await t.test("both are keys of one tenant", async () => {
    const [ours, theirs] = [(await api.get("/v1/me")).body, (await live.get("/v1/me")).body];
    assert.equal(ours.tenant_id, theirs.tenant_id);
    assert.deepEqual([ours.mode, theirs.mode], ["test", "live"]);
    assert.equal((await live.get(`/v1/users?tenant_id=${ours.tenant_id}`)).status, 200);
  });

  for (const [name, asks, its] of [
    ["a test key", api, real],
    ["a live key", live, tried],
  ] as const) {
    const own = asks === api ? tried : real;
    await t.test(`${name} reads and changes nothing of the other mode`, async () => {
      for (const answer of [
        await asks.get(`/v1/agents/${its.agentId}`),
        await asks.patch(`/v1/agents/${its.agentId}`, { prompt: "Say nothing." }),
        await asks.delete(`/v1/agents/${its.agentId}`),
        await asks.get(`/v1/contacts/leads/${its.leadId}`),
        await asks.patch(`/v1/contacts/leads/${its.leadId}`, { first_name: "Eve" }),
        await asks.delete(`/v1/contacts/leads/${its.leadId}`),
        await asks.get(`/v1/contacts/lists/${its.list.list_id}`),
        await asks.delete(`/v1/contacts/lists/${its.list.list_id}`),
      ]) {
        assert.deepEqual(code(answer), [404, "not_found"]);
      }
      const lists = await asks.get(`/v1/contacts/lists?organization_id=${own.owner.organization_id}`);
      assert.deepEqual(
        lists.body.lists.map((list: { list_id: string }) => list.list_id),
        [own.list.list_id],
      );
    });
  }

  await t.test("a consent that a test key records is none in live mode", async () => {
    const given = { basis: "express_written", source: "form", proof: "https://acme.example/proof" };
    const path = `/v1/consents/${encodeURIComponent(PHONE)}`;
    assert.equal((await api.request("PUT", path, given)).status, 200);
    assert.equal((await api.get(path)).body.consent.history.length, 1);
    assert.deepEqual((await live.get(path)).body.consent.history, []);
  });

  await t.test("a test key lists no live key, and a live key manages the test keys", async () => {
    const keysOf = async (of: Client) =>
      (await of.get("/v1/api-keys")).body.api_keys.map((apiKey: { mode: string }) => apiKey.mode).sort();
    assert.deepEqual([await keysOf(api), await keysOf(live)], [["test"], ["live", "test"]]);
    const liveKey = (await live.get("/v1/me")).body.key_id;
    assert.deepEqual(code(await api.delete(`/v1/api-keys/${liveKey}`)), [404, "not_found"]);
    assert.deepEqual(code(await api.post(`/v1/api-keys/${liveKey}/rotate`)), [404, "not_found"]);
    const made = (await live.post("/v1/api-keys", { name: "Tries", mode: "test" })).body;
    assert.equal((await live.delete(`/v1/api-keys/${made.key_id}`)).status, 200);
  });

  await t.test(
    "organizations and users made live are those of test mode too, and not the other way round",
    async () => {
      const of = (organization: string) => `/v1/organizations/${organization}`;
      assert.equal((await api.get(of(real.owner.organization_id))).status, 200);
      assert.deepEqual(code(await live.get(of(tried.owner.organization_id))), [404, "not_found"]);
      const users = (await live.get(`${of(real.owner.organization_id)}/users`)).body.users;
      assert.deepEqual((await api.get(`${of(real.owner.organization_id)}/users`)).body.users, users);
      assert.deepEqual(code(await api.patch(`/v1/users/${real.owner.user_id}`, { name: "Eve" })), [
        403,
        "live_key_required",
      ]);
      assert.equal((await api.patch(`/v1/users/${tried.owner.user_id}`, { name: "Eve" })).status, 200);
      assert.deepEqual(code(await live.patch(`/v1/users/${tried.owner.user_id}`, { name: "Eve" })), [404, "not_found"]);
      // An address that a test key has taken is free for a person.
      const taken = (await api.get(`/v1/users`)).body.users.find(
        (user: { unique_id: string }) => user.unique_id === tried.owner.user_id,
      );
      const path = `${of(real.owner.organization_id)}/users`;
      assert.equal((await live.post(path, { name: "Ann", email: taken.email })).status, 201);
      assert.deepEqual(code(await api.post(`/v1/users/${tried.owner.user_id}/invitation`)), [409, "conflict"]);
    },
  );

  await t.test("what somebody signed in makes in test mode exists in both, and he can sign in", async () => {
    const ann = await aPerson(api, "admin");
    const { unique_id } = (await ann.ask("POST", "/v1/organizations", { name: "Both" })).body;
    for (const each of [api, live]) assert.equal((await each.get(`/v1/organizations/${unique_id}`)).status, 200);
    const made = await ann.ask("POST", `/v1/organizations/${unique_id}/users`, {
      name: "Bo",
      email: "bo@acme.example",
    });
    assert.equal((await ann.ask("POST", `/v1/users/${made.body.unique_id}/invitation`)).status, 201);
    const members = (await live.get("/v1/users")).body.users as { email: string; invited_until: string | null }[];
    assert.ok(members.find(({ email }) => email === "bo@acme.example")!.invited_until);
    const tests = `/v1/organizations/${tried.owner.organization_id}/users`;
    const alone = await ann.ask("POST", tests, { name: "Cy", email: "cy@acme.example" });
    assert.deepEqual(code(await live.patch(`/v1/users/${alone.body.unique_id}`, { name: "X" })), [404, "not_found"]);
    assert.equal((await ann.ask("DELETE", `/v1/users/${made.body.unique_id}`)).status, 200);
    for (const each of [api, live])
      assert.ok(!JSON.stringify((await each.get("/v1/users")).body).includes("bo@acme.example"));
  });
});

test("an opt-out and a do-not-call entry of one mode hold in the other, and only live takes them back", async (t) => {
  const api = await startParley(t);
  const live = client(api.url, await aKeyOf(api, "live"));
  const sql = await openClient(t, api.databaseUrl);
  const real = await thingsOf(live);
  const parts = await anAgent(api);
  const campaign = { sms_agent_id: parts.agentId, svc_sms_number: SENDER, campaign_name: "C" };
  const owner = { organization_id: parts.organizationId, user_id: parts.userId };
  const [known, unknown] = [PHONE, "+12125550182"];
  const leads = [known, unknown].map((phone_number) => ({ phone_number, first_name: "Ann" }));
  await api.post("/v1/simulator/clock", { to: "2030-06-03T17:00:00Z" });
  assert.equal((await api.post("/v1/campaigns", { ...owner, ...campaign, contacts: leads })).status, 202);
  const optedOut = async (of: Client, phone: string) =>
    (await of.get(`/v1/consents/${encodeURIComponent(phone)}`)).body.consent;

  for (const phone of [known, unknown]) {
    await gets(api, phone, 1);
    await says(api, phone, "STOP");
    await until("the STOP is obeyed", async () => (await optedOut(api, phone)).opted_out);
  }
  const there = await optedOut(live, known);
  assert.deepEqual([there.opted_out, there.opt_out_source], [true, "other_mode"]);

  await t.test(
    "of a phone that live mode does not know it keeps a hash alone, which counts once it comes",
    async () => {
      const liveId = parseId("tenant", (await live.get("/v1/me")).body.tenant_id);
      const rows = await sql.query(
        `select consent.tenant_id from consents consent join tenants on tenants.id = consent.tenant_id
       where tenants.mode = 'live' and consent.phone = $1 and $2::uuid is not null`,
        [unknown, liveId],
      );
      assert.equal(rows.rowCount, 0);
      assert.equal((await optedOut(live, unknown)).opted_out, true);
      const list = { ...real.owner, list_name: "Later", contacts: [{ phone_number: unknown, first_name: "Bo" }] };
      assert.equal((await live.post("/v1/contacts/lists", list)).status, 201);
      assert.equal((await optedOut(live, unknown)).opted_out, true);
    },
  );

  await t.test("a START in test mode takes nothing back in live mode", async () => {
    await says(api, known, "START");
    await until("the START is obeyed", async () => !(await optedOut(api, known)).opted_out);
    assert.equal((await optedOut(live, known)).opted_out, true);
  });

  await t.test("a number is listed in both modes, and by a test key taken off in its own alone", async () => {
    const listed = async (of: Client) =>
      (await of.get(`/v1/dnc?phone_number=${encodeURIComponent(PHONE)}`)).body.entries;
    const entry = { phone_number: PHONE, reason: "asked at the fair" };
    assert.equal((await api.post("/v1/dnc/add", entry)).status, 201);
    assert.deepEqual([(await listed(api)).length, (await listed(live)).length], [1, 1]);
    assert.equal((await listed(live))[0].reason, null);
    await api.post("/v1/dnc/remove", { phone_number: PHONE });
    assert.deepEqual([(await listed(api)).length, (await listed(live)).length], [0, 1]);
    await api.post("/v1/dnc/add", entry);
    await live.post("/v1/dnc/remove", { phone_number: PHONE });
    assert.deepEqual([(await listed(api)).length, (await listed(live)).length], [0, 0]);
  });
});
