import assert from "node:assert/strict";
import { test } from "node:test";
import { NOT_AUDITED } from "#contract/accounts/not-audited.ts";
import { aPerson, PASSWORD, signIn } from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { readAllOperations, urlOf } from "#test/support/api/openapi.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { PREPARED } from "#test/support/api/prepared-requests.ts";
import { aWorld, canSucceed, type Sent } from "#test/support/api/world.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** What a test key cannot ask for, or changes nothing with, or what a worker has to prepare: each passes the same place of the edge. */
const ELSEWHERE = [
  ...["inviteUser", "setUp", "acceptInvitation", "signIn", "signOut", "changeSession", "changePassword", "endSession"],
  ...[
    "lookUpNumber",
    "lookUpCampaign",
    "startImport",
    "undoImport",
    "removeDemo",
    "endUserSessions",
    "resetUserFactors",
  ],
  ...["setSignInPolicy", "uploadPicture", "lookUpList"],
  ...["createCarrier", "updateCarrier", "connectCarrier", "checkCarrier", "rotateCarrier", "deleteCarrier"],
  // single-sign-on.test.ts counts theirs.
  ...["createIdentityProvider", "putIdentityProvider", "checkIdentityProvider", "deleteIdentityProvider"],
  ...["markThread", "markAllRead", "actInHandsetCall"],
];

/** Requests that change something, where the world's own change nothing. */
const OWN: Readonly<Record<string, (named: Record<string, unknown>) => Sent>> = {
  changeContacts: ({ organization_id }) => ({
    params: {},
    query: {},
    body: { organization_id, action: "tag", tag: "audited", filter: {} },
  }),
  deleteAgentScript: ({ asking_agent_id }) => ({
    params: { agent_id: asking_agent_id as string },
    query: {},
    body: undefined,
  }),
};

/** Operations whose entry names no object, each with the reason. All others name one by its id. */
const NO_OBJECT: Readonly<Record<string, string>> = {
  addDoNotCall: "the object is a contact's number, which stands beside the entry",
  changeContacts: "many contacts: how they were chosen, and how many",
  changeRetention: "the tenant's",
  changeSending: "the tenant's",
  importDoNotCall: "numbers, of which the entry has how many",
  loadDemo: "the tenant's",
  moveClock: "the tenant's",
  reanalyzeThreads: "many threads: how many",
  removeDoNotCall: "the object is a contact's number, which stands beside the entry",
  resumeSending: "the tenant's",
  stopSending: "the tenant's",
};

/** Operations on many things at once, whose entry has how many. */
const COUNTED = [
  ...["addCampaignLeads", "addVoiceCampaignLeads", "changeContacts", "createCampaign", "createContactList"],
  ...["createVoiceCampaign", "deleteContactList", "importDoNotCall", "reanalyzeThreads"],
];

test("every operation that changes something leaves exactly one entry, and what changes nothing none", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const client = await openClient(t, api.databaseUrl);
  const world = await aWorld(api);
  const changes = (await readAllOperations(api)).filter(({ method }) => method !== "GET");
  const ids = changes.map(({ id }) => id);
  assert.deepEqual(
    Object.keys(NOT_AUDITED).filter((id) => !ids.includes(id)),
    [],
  );
  const entries = async () =>
    (await client.query("select operation from audit_entries order by id")).rows.map((row) => row.operation as string);
  // A contact's own number or conversation is the object, and its id stands beside the entry.
  const lacks = async (id: string): Promise<string[]> => {
    const { rows } = await client.query(
      `select object, object_id, content, exists (select from audit_values apart where apart.entry_id = entry.id) as apart
       from audit_entries entry order by id desc limit 1`,
    );
    const { object, object_id, content, apart } = rows[0];
    const names = object_id !== null || (object !== null && apart);
    return [
      ...(names === id in NO_OBJECT ? [`${id}: object ${object} ${object_id}`] : []),
      ...((content.counts !== undefined) === COUNTED.includes(id) ? [] : [`${id}: ${JSON.stringify(content.counts)}`]),
    ];
  };
  const wrong: string[] = [];
  const isLast = (method: string) => (method === "DELETE" ? 1 : 0);
  for (const operation of changes.toSorted((a, b) => isLast(a.method) - isLast(b.method))) {
    // What others add comes in by itself: it has to be sent here.
    if (operation.caller !== "key" || ELSEWHERE.includes(operation.id)) continue;
    const isSent = operation.id in OWN || operation.id in PREPARED || canSucceed(operation);
    if (!isSent) {
      wrong.push(`${operation.id}: no request of it is known`);
      continue;
    }
    const sent =
      OWN[operation.id]?.(world.named) ??
      (await PREPARED[operation.id]?.(api, client)) ??
      (await world.valid(operation, { full: true, fresh: true }));
    const before = await entries();
    const answer = await api.request(operation.method, urlOf(operation.path, sent.params, sent.query), sent.body);
    const added = (await entries()).slice(before.length);
    if (answer.status !== operation.success.status) wrong.push(`${operation.id}: ${answer.status}`);
    const expected = operation.id in NOT_AUDITED ? "" : operation.id;
    if (added.join() !== expected) wrong.push(`${operation.id}: ${added.join()}`);
    if (expected !== "") wrong.push(...(await lacks(operation.id)));
  }
  assert.deepEqual(wrong, []);
});

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

test("the log is verified over the API, and a changed entry is named", async (t) => {
  const api = await startParley(t);
  await api.post("/v1/organizations", { name: "Acme" });
  await api.post("/v1/organizations", { name: "Second" });
  const verification = async () => (await api.get("/v1/audit/verify")).body.verification;
  const client = await openClient(t, api.databaseUrl);
  await until("both are linked", async () => (await verification())?.links === 2);
  const { fault, whole, entries, restores, head } = await verification();
  assert.deepEqual([whole, entries, fault, restores], [true, 2, null, []]);
  assert.match(head, /^[0-9a-f]{64}$/);

  await client.query(
    "update audit_entries set user_agent = 'another' where id = (select ref from chain_links where seq = 2)",
  );
  const changed = await verification();
  assert.deepEqual([changed.whole, changed.fault.seq], [false, 2]);
  assert.match(changed.fault.problem, /was changed/);
});
