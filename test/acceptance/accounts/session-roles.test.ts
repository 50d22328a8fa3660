import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "#app/roles/api.ts";
import { ROLES, roleMay } from "#contract/accounts/roles.ts";
import { aPerson, PASSWORD, type Person, personOf, signIn, through } from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Described, readOperations, urlOf } from "#test/support/api/openapi.ts";
import { type Answer, client, startParley, until } from "#test/support/api/parley.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { everyOperation } from "../../../scripts/permissions-table.ts";

const SCOPES = {
  viewer: ["read"],
  agent: ["read"],
  manager: ["read", "write", "send"],
  admin: ["read", "write", "send", "admin"],
};
/** Nothing is at the other end: what counts is that it is there to be called by. */
const TRUNK = JSON.stringify([{ name: "acme", host: "127.0.0.1", port: 9, numbers: ["+12125550100"] }]);
const code = ({ status, body }: Answer) => [status, body.code];

test("what a session may do follows from its user's permission, in every operation", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  // A stream that is granted goes on and on.
  const operations = (await readOperations(api)).filter((operation) => operation.success.type !== "text/event-stream");
  assert.ok(operations.length > 80);

  const contract = new Map((await everyOperation()).map((operation) => [operation.id, operation]));
  let cells = 0;
  for (const permission of ROLES) {
    const person = await aPerson(api, permission);
    await t.test(`the role ${permission} may call what docs/permissions.md says, and nothing else`, async () => {
      assert.deepEqual(person.session.scopes, SCOPES[permission]);
      const wrong: string[] = [];
      for (const operation of operations) {
        const answer = await asks(person, operation);
        const isRefused = answer.status === 403 && answer.body.code === "role_refused";
        cells++;
        if (isRefused === roleMay(permission, contract.get(operation.id)!))
          wrong.push(`${operation.id} ${operation.scope}: ${answer.status}`);
        if (answer.status === 401 || answer.status >= 500) wrong.push(`${operation.id}: ${answer.status}`);
      }
      assert.deepEqual(wrong, []);
    });
  }
  t.diagnostic(`${operations.length} operations x ${ROLES.length} roles: ${cells} cells`);
});

/** Of things that never were: what is asked is whether he may ask. */
const asks = (person: Person, operation: Described): Promise<Answer> =>
  person.ask(
    operation.method,
    urlOf(operation.path, Object.fromEntries(operation.pathParams.map((name) => [name, "nonsense"])), {}),
    operation.body ? {} : undefined,
  );

test("a lower permission and a deleted user count at once, on every node", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const second = await startApi(api.config, api.databaseUrl);
  t.after(() => second.stop());
  const ann = await aPerson(api, "admin");
  const bo = await aPerson(api, "admin");
  // The other api has his every request, and hears of nothing but by the database.
  const there = through(client(second.url, api.key), bo);
  const path = `/v1/users/${bo.session.user.unique_id}`;
  const makes = () => there.ask("POST", "/v1/organizations", { name: "Bo's" });

  assert.equal((await makes()).status, 201);
  const lowered = await ann.ask("PATCH", path, { permission: "viewer" });
  assert.deepEqual([lowered.status, lowered.body.user.permission], [200, "viewer"]);
  assert.deepEqual(code(await makes()), [403, "role_refused"]);
  assert.equal((await there.ask("GET", "/v1/session")).body.session.permission, "viewer");
  await ann.ask("PATCH", path, { permission: "manager", name: "Bo B." });
  assert.deepEqual(code(await there.ask("GET", "/v1/session")), [401, "session_over"], "raised: in by a new sign-in");
  const raised = through(client(second.url, api.key), personOf(api, bo.email, await signIn(api, bo.email, PASSWORD)));
  assert.equal((await raised.ask("GET", "/v1/session")).body.session.user.name, "Bo B.");
  assert.deepEqual((await raised.ask("GET", "/v1/session")).body.session.scopes, SCOPES.manager);

  assert.equal((await ann.ask("DELETE", path)).status, 200);
  assert.deepEqual(code(await raised.ask("GET", "/v1/session")), [401, "session_over"]);
  assert.deepEqual(code(await signIn(api, bo.email, PASSWORD)), [401, "wrong_credentials"]);
  assert.equal((await ann.ask("PATCH", path, { name: "Gone" })).status, 404);
  const listed = (await ann.ask("GET", "/v1/users")).body.users.map((user: { email: string }) => user.email);
  assert.deepEqual([listed.includes(ann.email), listed.includes(bo.email)], [true, false]);
  const again = { name: "Bo", email: bo.email };
  const users = `/v1/organizations/${bo.session.user.organization_id}/users`;
  assert.equal((await ann.ask("POST", users, again)).status, 201, "the address is free again");
});

test("there is always an admin who can sign in", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const [ann, bo] = [await aPerson(api, "admin"), await aPerson(api, "admin")];
  const organization = ann.session.user.organization_id;
  // One that nobody can sign in as does not count.
  await ann.ask("POST", `/v1/organizations/${organization}/users`, {
    name: "Cy",
    email: "cy@acme.example",
    permission: "admin",
  });
  const pathOf = ({ session }: Person) => `/v1/users/${session.user.unique_id}`;

  // Each lowers the other at the same time, as the admin that each still is: one of them stays.
  const sql = await openClient(t, api.databaseUrl);
  await sql.query("begin; lock table users in share mode");
  const asked = Promise.all([
    ann.ask("PATCH", pathOf(bo), { permission: "manager" }),
    bo.ask("PATCH", pathOf(ann), { permission: "manager" }),
  ]);
  await until("both have been let in", async () => (await waitingForLocks(sql)) === 2);
  await sql.query("commit");
  const both = await asked;
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
  const left = both[0]!.status === 200 ? ann : bo;
  assert.deepEqual(code(await left.ask("PATCH", pathOf(left), { permission: "viewer" })), [409, "conflict"]);
  assert.deepEqual(code(await left.ask("DELETE", pathOf(left))), [409, "conflict"]);
  assert.equal((await left.ask("PATCH", pathOf(left), { permission: "admin", name: "The last" })).status, 200);
});

test("a session turns to live where there is something live, whoever its user is", async (t) => {
  const simulated = await startParley(t, {}, ["api"]);
  const ann = await aPerson(simulated, "manager");
  assert.deepEqual([ann.session.mode, ann.session.is_live_available], ["test", false]);
  assert.deepEqual(code(await ann.ask("PATCH", "/v1/session", { mode: "live" })), [409, "conflict"]);
  // Who can connect a carrier has to be in live mode for it.
  const bo = await aPerson(simulated, "admin");
  assert.deepEqual([bo.session.mode, bo.session.is_live_available], ["test", true]);
  assert.equal((await bo.ask("PATCH", "/v1/session", { mode: "live" })).body.session.mode, "live");

  const api = await startParley(t, { PARLEY_SIP_TRUNKS: TRUNK }, ["api"]);
  const admin = await aPerson(api, "admin");
  assert.deepEqual([admin.session.mode, admin.session.is_live_available], ["live", true]);
  assert.equal((await admin.ask("GET", "/v1/simulator/clock")).body.code, "test_key_required");
  const turned = await admin.ask("PATCH", "/v1/session", { mode: "test" });
  assert.deepEqual([turned.status, turned.body.session.mode], [200, "test"]);
  assert.equal((await admin.ask("GET", "/v1/simulator/clock")).status, 200);
  assert.equal((await admin.ask("PATCH", "/v1/session", { mode: "live" })).body.session.mode, "live");
  assert.equal((await admin.ask("GET", "/v1/me")).body.mode, "live");

  const viewer = await aPerson(api, "viewer");
  assert.deepEqual([viewer.session.mode, viewer.session.is_live_available], ["live", true]);
  assert.equal((await viewer.ask("PATCH", "/v1/session", { mode: "test" })).body.session.mode, "test");
});

test("a session of one tenant never reaches another's", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const them = await anotherTenant(api);
  const ann = await aPerson(api, "admin");
  const eve = await aPerson(api, "admin", them);
  assert.notEqual(ann.session.tenant_id, eve.session.tenant_id);
  const { organization_id, unique_id } = eve.session.user as Record<string, string>;
  const never = (id: string) => `${id.slice(0, -6)}${"0".repeat(6)}`;
  const same = async (method: string, path: (id: string) => string, id: string, body?: unknown) => {
    const [theirs, nobodys] = [await ann.ask(method, path(id), body), await ann.ask(method, path(never(id)), body)];
    // Each says the id that was asked for, and nothing else of it.
    const words = ({ status, body: said }: Answer, asked: string) => [
      status,
      JSON.stringify({ ...said, request_id: "" }).replaceAll(asked, "the id"),
    ];
    assert.deepEqual(words(theirs, id), words(nobodys, never(id)), `${method} ${path(id)}`);
    assert.equal(theirs.status, 404);
  };

  await same("GET", (id) => `/v1/organizations/${id}`, organization_id!);
  await same("GET", (id) => `/v1/organizations/${id}/users`, organization_id!);
  await same("PATCH", (id) => `/v1/users/${id}`, unique_id!, { permission: "viewer" });
  await same("POST", (id) => `/v1/users/${id}/invitation`, unique_id!);
  await same("DELETE", (id) => `/v1/users/${id}`, unique_id!);
  await same("DELETE", (id) => `/v1/sessions/${id}`, eve.session.session_id!);
  for (const path of ["/v1/users", "/v1/organizations", "/v1/sessions", "/v1/session"]) {
    const text = JSON.stringify((await ann.ask("GET", path)).body);
    for (const secret of [eve.email, organization_id!, unique_id!, eve.session.tenant_id!, eve.session.session_id!]) {
      assert.ok(!text.includes(secret), `${path} tells ${secret}`);
    }
  }
  const named = await ann.ask("GET", `/v1/users?tenant_id=${eve.session.tenant_id}`);
  assert.deepEqual(code(named), [403, "wrong_tenant"]);
  assert.equal((await eve.ask("GET", "/v1/session")).status, 200);
});
