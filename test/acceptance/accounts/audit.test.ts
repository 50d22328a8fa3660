import assert from "node:assert/strict";
import { test } from "node:test";
import { aPerson, PASSWORD, signIn } from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aWorld } from "#test/support/api/world.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("sessions that an admin ends are counted, or named", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const ann = await aPerson(api, "admin");
  const bo = await aPerson(api, "viewer");
  await signIn(api, bo.email, PASSWORD);
  const path = `/v1/users/${bo.session.user.unique_id}/sessions`;
  const one = bo.session.session_id!;
  assert.equal((await ann.ask("DELETE", `${path}?session_id=${one}`)).status, 200);
  assert.equal((await ann.ask("DELETE", path)).body.ended_sessions, 1);
  assert.equal((await ann.ask("DELETE", path)).body.ended_sessions, 0);

  const { entries } = (await ann.ask("GET", "/v1/audit?operation=endUserSessions")).body;
  assert.deepEqual(
    entries.map((entry: Record<string, unknown>) => [entry.actor, entry.object_id, entry.counts, entry.before]),
    [
      ["person", bo.session.user.unique_id, { sessions: 1 }, null],
      ["person", bo.session.user.unique_id, { sessions: 1 }, { session_id: one }],
    ],
    "none where none was ended",
  );
});

test("who, from where, what, before and after, without secrets", async (t) => {
  const api = await startParley(t);
  const made = await api.post("/v1/organizations", { name: "Acme" });
  const users = `/v1/organizations/${made.body.unique_id}/users`;
  const user = await api.post(users, { name: "Bo", email: "bo@acme.example", permission: "viewer" });
  const path = `/v1/users/${user.body.unique_id}`;
  await api.patch(path, { permission: "manager" }, { headers: { "user-agent": "walker/1" } });
  await api.patch(path, { permission: "owner" });
  const key = await api.post("/v1/api-keys", { name: "Other" });

  const log = async (query: string) => (await api.get(`/v1/audit?${query}`)).body.entries;
  const [entry, ...others] = await log(`operation=updateUser&object_id=${user.body.unique_id}`);
  assert.deepEqual(others, [], "a refused change leaves none");
  assert.deepEqual([entry.before, entry.after], [{ permission: "viewer" }, { permission: "manager" }]);
  assert.deepEqual([entry.actor, entry.object, entry.user_agent], ["key", "user", "walker/1"]);
  assert.match(entry.address, /127\.0\.0\.1|::1/);
  assert.equal(entry.organization_id, made.body.unique_id);
  const all = JSON.stringify(await log("limit=100"));
  assert.ok(all.includes("createApiKey") && !all.includes(key.body.api_key), "no key is in it");
  assert.deepEqual((await log("search=viewer")).length, 2);
  const csv = await api.get("/v1/audit/export.csv?operation=updateUser");
  assert.match(csv.body, /updateUser.*viewer/);
  const page = await api.get("/v1/audit?limit=1");
  assert.equal(page.body.has_more, true);

  const other = await anotherTenant(api);
  assert.ok(!JSON.stringify((await other.get("/v1/audit")).body).includes(user.body.unique_id));
  const live = await anotherTenant(api, "live");
  assert.equal((await live.get("/v1/audit")).status, 200);
});

test("an erased contact's values go, the entries stay", async (t) => {
  const api = await startParley(t);
  const world = await aWorld(api);
  const { organization_id } = world.named;
  const leads = (await api.get(`/v1/contacts/leads?organization_id=${organization_id}`)).body.leads;
  const contact = leads[0];
  await api.patch(`/v1/contacts/leads/${contact.unique_id}`, { last_name: "Quixotically" });
  const entries = async () =>
    JSON.stringify((await api.get(`/v1/audit?object_id=${contact.unique_id}&operation=updateContact`)).body.entries);
  assert.match(await entries(), /Quixotically/);
  const client = await openClient(t, api.databaseUrl);
  const { rows } = await client.query(
    "select count(*)::int as n from audit_entries where content::text ~ 'Quixotically'",
  );
  assert.deepEqual(rows, [{ n: 0 }], "beside the entry, not in it");
  assert.equal((await api.delete(`/v1/contacts/leads/${contact.unique_id}`)).status, 200);
  assert.match(await entries(), /\(erased\)/);
  assert.doesNotMatch(await entries(), /Quixotically/);
});
