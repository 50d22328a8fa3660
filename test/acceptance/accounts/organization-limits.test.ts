import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner } from "#test/support/accounts/owner.ts";
import { aPerson, type Person } from "#test/support/accounts/person.ts";
import { follow } from "#test/support/api/event-stream.ts";
import { client, type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, says } from "#test/support/messaging/handset.ts";

type Api = Pick<Parley, "get" | "post" | "put" | "delete" | "request" | "url">;
type Owner = { organization_id: string; user_id: string };

const ANN = "+12125550181";
const BOB = "+12125550182";

const code = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

/** A key with all that may be limited, for these organizations. */
async function aLimitedKey(api: Api, ...organization_ids: string[]): Promise<ReturnType<typeof client>> {
  const made = await api.post("/v1/api-keys", { name: "Limited", scopes: ["read", "write", "send"], organization_ids });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.deepEqual(made.body.organization_ids, organization_ids);
  return client(api.url, made.body.api_key);
}

async function aList(api: Api, owner: Owner, ...phones: string[]): Promise<string[]> {
  const contacts = phones.map((phone_number) => ({ phone_number, first_name: "Somebody" }));
  const made = await api.post("/v1/contacts/lists", { ...owner, list_name: "L", contacts });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.leads.map((lead: { unique_id: string }) => lead.unique_id);
}

async function aCampaign(api: Api, owner: Owner, ...phones: string[]): Promise<string> {
  const agent = { agent_type: "sms", agent_name: "Ava", prompt: "Ask.", starting_message: "Hi, it is Ava of Acme." };
  const { agent_id } = (await api.post("/v1/agents", { ...owner, ...agent })).body;
  const contacts = phones.map((phone_number) => ({ phone_number, first_name: "Somebody" }));
  const fields = { campaign_name: "C", sms_agent_id: agent_id, svc_sms_number: SENDER, contacts };
  const made = await api.post("/v1/campaigns", { ...owner, ...fields });
  assert.equal(made.status, 202, JSON.stringify(made.body));
  return made.body.campaign_id;
}

/** Somebody of an organization that is there, in test mode. */
async function aPersonOf(api: Parley, role: "manager" | "agent" | "viewer", organization: string): Promise<Person> {
  const [admin, person] = [await aPerson(api, "admin"), await aPerson(api, role)];
  await person.ask("PATCH", "/v1/session", { mode: "test" });
  const path = `/v1/users/${person.session.user.unique_id}`;
  const moved = await admin.ask("PATCH", path, { organization_ids: [organization] });
  assert.deepEqual([moved.status, moved.body.user.organization_ids.includes(organization)], [200, true]);
  return person;
}

test("whoever is of one organization sees and changes nothing of another", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const owners = await aPerson(api, "admin");
  const organizationOf = async (name: string): Promise<Owner> => {
    const { unique_id } = (await owners.ask("POST", "/v1/organizations", { name })).body;
    const user = { name: "Uma", email: `${name}@acme.example` };
    const made = (await owners.ask("POST", `/v1/organizations/${unique_id}/users`, user)).body;
    return { organization_id: unique_id, user_id: made.unique_id };
  };
  const [a, b] = [await organizationOf("a"), await organizationOf("b")];
  const [, bob] = [await aList(api, a, ANN), (await aList(api, b, ANN, BOB))[1]!];
  const viewer = await aPersonOf(api, "viewer", a.organization_id);

  await t.test("a viewer exports the contacts of the viewer's own organization and of no other", async () => {
    const path = (of: Owner) => `/v1/contacts/leads/export.csv?organization_id=${of.organization_id}`;
    assert.equal((await viewer.ask("GET", path(a))).status, 200);
    assert.deepEqual(code(await viewer.ask("GET", path(b))), [404, "not_found"]);
    assert.deepEqual(code(await viewer.ask("GET", `/v1/contacts/leads/${bob}`)), [404, "not_found"]);
  });

  await t.test("organizations and users are those that one works for", async () => {
    const names = async (who: Person) =>
      (await who.ask("GET", "/v1/organizations")).body.organizations.map(
        (organization: { organization_name: string }) => organization.organization_name,
      );
    assert.deepEqual((await names(viewer)).sort(), ["Acme", "a"]);
    assert.ok((await names(owners)).length > 3);
    const session = (await viewer.ask("GET", "/v1/session")).body.session;
    assert.equal(session.organizations.length, 2);
    const users = (await viewer.ask("GET", "/v1/users")).body.users;
    assert.ok(
      users.every((user: { organization_ids: string[] }) => !user.organization_ids.includes(b.organization_id)),
    );
  });

  await t.test("what another organization becomes counts from the next request on", async () => {
    const path = `/v1/users/${viewer.session.user.unique_id}`;
    const leads = `/v1/contacts/leads?organization_id=${b.organization_id}`;
    await owners.ask("PATCH", path, { organization_ids: [b.organization_id] });
    assert.equal((await viewer.ask("GET", leads)).body.leads.length, 2);
    await owners.ask("PATCH", path, { organization_ids: [a.organization_id] });
    assert.equal((await viewer.ask("GET", leads)).status, 404);
    const never = `${a.organization_id.slice(0, -4)}0000`;
    assert.deepEqual(code(await owners.ask("PATCH", path, { organization_ids: [never] })), [404, "not_found"]);
    assert.deepEqual(code(await owners.ask("PATCH", path, { organization_ids: [] })), [400, "invalid_request"]);
  });

  await t.test("an agent writes and calls, and makes no campaign", async () => {
    const agent = await aPersonOf(api, "agent", a.organization_id);
    const added = await agent.ask("POST", "/v1/dnc/add", { phone_number: BOB, organization_id: a.organization_id });
    assert.equal(added.status, 201);
    assert.deepEqual(code(await agent.ask("POST", "/v1/campaigns", {})), [403, "role_refused"]);
    assert.deepEqual(code(await agent.ask("POST", "/v1/contacts/lists", {})), [403, "role_refused"]);
    assert.deepEqual(code(await agent.ask("POST", "/v1/sms/threads/+12125550181_none/messages", { text: "Hi" })), [
      404,
      "not_found",
    ]);
  });

  await t.test("the older word member makes a manager", async () => {
    const user = { name: "Mo", email: "mo@acme.example", permission: "member" };
    const made = await owners.ask("POST", `/v1/organizations/${a.organization_id}/users`, user);
    assert.deepEqual([made.status, made.body.permission], [201, "manager"]);
  });
});

test("a key that is limited to organizations works for these, and what counts for everybody still does", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const [a, b] = [await anOwner(api), await anOwner(api)];
  const limited = await aLimitedKey(api, a.organization_id);
  const dnc = (of: Api, more: object) => of.post("/v1/dnc/add", { phone_number: BOB, ...more });

  await t.test("it says so, is refused what is the whole tenant's, and cannot have the scope admin", async () => {
    assert.deepEqual((await limited.get("/v1/me")).body.organization_ids, [a.organization_id]);
    assert.equal((await api.get("/v1/me")).body.organization_ids, null);
    assert.deepEqual(code(await limited.get("/v1/10dlc/brand")), [403, "organization_limited"]);
    assert.deepEqual(code(await limited.get("/v1/simulator/handsets")), [403, "organization_limited"]);
    const wish = { name: "All", organization_ids: [a.organization_id] };
    assert.deepEqual(code(await api.post("/v1/api-keys", wish)), [400, "invalid_request"]);
    const listed = (await api.get("/v1/api-keys")).body.api_keys;
    const { key_id } = (await limited.get("/v1/me")).body;
    const shown = listed.find((apiKey: { key_id: string }) => apiKey.key_id === key_id);
    assert.deepEqual(shown.organization_ids, [a.organization_id]);
    const rotated = await api.post(`/v1/api-keys/${key_id}/rotate`, {});
    assert.deepEqual(rotated.body.organization_ids, [a.organization_id], "who replaces it gains nothing");
  });

  await t.test("what it is answered under an Idempotency-Key is no other key's", async () => {
    const headers = { "idempotency-key": "spring" };
    const body = { ...b, list_name: "B", contacts: [{ phone_number: ANN }] };
    assert.equal((await api.request("POST", "/v1/contacts/lists", body, { headers })).status, 201);
    const same = await limited.request("POST", "/v1/contacts/lists", body, { headers });
    assert.deepEqual(code(same), [404, "not_found"]);
  });

  await t.test(
    "a number that it lists for everybody is texted by nobody, and it cannot be taken off by it",
    async () => {
      const campaign = await aCampaign(api, b, BOB);
      await gets(api, BOB, 1);
      assert.equal((await dnc(limited, {})).status, 201);
      const [entry] = (await limited.get(`/v1/dnc?phone_number=${encodeURIComponent(BOB)}`)).body.entries;
      assert.equal(entry.organization_id, null);
      assert.deepEqual((await limited.get("/v1/dnc")).body.entries, [], "a list of everybody's numbers is not for it");
      assert.equal((await limited.post("/v1/dnc/remove", { phone_number: BOB })).body.removed, 0);
      const again = await aCampaign(api, b, BOB);
      const states = async (id: string) => (await api.get(`/v1/campaigns/${id}/leads`)).body.leads[0].state;
      await until("the gate has refused it", async () => (await states(again)) === "skipped");
      assert.equal((await api.post("/v1/dnc/remove", { phone_number: BOB })).body.removed, 1);
      assert.deepEqual(code(await limited.get(`/v1/campaigns/${campaign}`)), [404, "not_found"]);
    },
  );

  await t.test("an opt-out of another organization's contact holds here, without its words", async () => {
    await aCampaign(api, b, ANN);
    await gets(api, ANN, 1);
    await says(api, ANN, "STOP");
    const isOut = async () => (await api.get("/v1/opt-outs")).body.opt_outs.length === 1;
    await until("Ann has opted out", isOut);
    assert.deepEqual((await limited.get("/v1/opt-outs")).body.opt_outs, [], "Ann is no contact of ours");
    const path = `/v1/consents/${encodeURIComponent(ANN)}`;
    assert.equal((await limited.get(path)).body.consent.opted_out, false);
    const consent = { basis: "express_written", source: "a form" };
    assert.deepEqual(code(await limited.put(path, consent)), [404, "not_found"]);
    const may = (await limited.get(`/v1/contactability?phone_number=${encodeURIComponent(ANN)}&channel=sms`)).body;
    assert.notEqual(may.contactability?.outcome ?? may.outcome, "allowed");

    await aList(limited, a, ANN);
    const { consent: known } = (await limited.get(path)).body;
    assert.deepEqual([known.opted_out, known.opt_out_quote, known.history], [true, null, []]);
    assert.equal((await api.get(path)).body.consent.opt_out_quote, "STOP");
    assert.equal((await limited.get("/v1/opt-outs")).body.opt_outs.length, 1);
  });

  await t.test("who is erased by it keeps an opt-out, since another organization has the number too", async () => {
    const [lead] = (await limited.get(`/v1/contacts/leads?organization_id=${a.organization_id}`)).body.leads;
    assert.equal((await limited.delete(`/v1/contacts/leads/${lead.unique_id}`)).status, 200);
    const path = `/v1/consents/${encodeURIComponent(ANN)}`;
    assert.equal((await api.get(path)).body.consent.opt_out_quote, "STOP");
    const left = await api.get(`/v1/contacts/leads?organization_id=${b.organization_id}`);
    assert.ok(left.body.leads.some((lead: { phone_number: string }) => lead.phone_number === ANN));
  });

  await t.test("a number of no organization may be called from, and is not given back by it", async () => {
    const shared = (await api.post("/v1/voice/phone-numbers/create", { area_code: "212" })).body.phone_number;
    const list = await limited.get(`/v1/voice/phone-numbers?organization_id=${a.organization_id}`);
    assert.ok(
      list.body.phone_numbers.some((phoneNumber: { phone_number: string }) => phoneNumber.phone_number === shared),
    );
    const path = `/v1/voice/phone-numbers/${encodeURIComponent(shared)}`;
    assert.deepEqual(code(await limited.delete(path)), [403, "organization_limited"]);
    const linked = await limited.post(`${path}/update-agent`, { agent_id: "agt_00000000000000000000000000" });
    assert.deepEqual(code(linked), [403, "organization_limited"]);
    const bought = await limited.post("/v1/voice/phone-numbers/create", { area_code: "212" });
    assert.deepEqual(code(bought), [400, "invalid_request"]);
  });

  await t.test("it receives the events of its organizations, by page and by stream", async () => {
    const { head } = await headOf(api);
    const stream = await follow(limited, `?after=${head}`);
    t.after(() => stream.stop());
    const [mine, theirs] = [await aCampaign(limited, a, "+12125550183"), await aCampaign(api, b, "+12125550184")];
    const organizationsOf = async (of: Api) => {
      const { events } = (await of.get(`/v1/events?after=${head}&limit=500`)).body;
      return new Set(events.map((event: { organization_id: string | null }) => event.organization_id));
    };
    await until("both are told to who sees all", async () => {
      const listed = await organizationsOf(api);
      return listed.has(a.organization_id) && listed.has(b.organization_id);
    });
    assert.deepEqual([...(await organizationsOf(limited))], [a.organization_id]);
    const isMine = (event: { organization_id: string | null }) => event.organization_id === a.organization_id;
    await until("ours has come by the stream", async () => stream.events.some(isMine));
    assert.ok(stream.events.every(isMine));
    assert.equal((await limited.get(`/v1/campaigns/${mine}`)).status, 200);
    assert.deepEqual(code(await limited.get(`/v1/campaigns/${theirs}`)), [404, "not_found"]);
  });
});

const headOf = async (api: Api): Promise<{ head: number }> => ({
  head: (await api.get("/v1/events?limit=1")).body.newest_seq,
});
