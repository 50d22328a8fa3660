import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { aPerson, type Person } from "#test/support/accounts/person.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { gets, quiet, says, textsTo, threadPath } from "#test/support/messaging/handset.ts";

const CONTACTS = ["+12124521001", "+12124521002", "+12124521003"].map((phone_number) => ({ phone_number }));
const [ANN, BO, CY] = CONTACTS.map((contact) => contact.phone_number) as [string, string, string];

type Asking = (method: string, path: string, body?: unknown) => Promise<Answer>;
type Listed = { phone_number: string; unread: boolean | null; assignee: { user_id: string; name: string } | null };

const idOf = ({ session }: Person): string => session.user.unique_id!;

test("a shared inbox", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const { organizationId, campaignId } = await aCampaign(api, {
    contacts: CONTACTS,
    agent: { reply_delay_ms: 0 },
  });
  const of = { organization_id: organizationId };
  const admin = await aPerson(api, "admin");
  await admin.ask("PATCH", "/v1/session", { mode: "test" });
  const somebody = async (role: "agent" | "manager" | "viewer") => {
    const person = await aPerson(api, role);
    await person.ask("PATCH", "/v1/session", { mode: "test" });
    const ids = { organization_ids: [organizationId] };
    assert.equal((await admin.ask("PATCH", `/v1/users/${idOf(person)}`, ids)).status, 200);
    return person;
  };
  const [uma, bo, viewer] = [await somebody("agent"), await somebody("manager"), await somebody("viewer")];
  const key: Asking = (method, path, body) => api.request(method, path, body);
  const listed = async (ask: Asking, query: Record<string, string> = {}): Promise<Listed[]> => {
    const { status, body } = await ask("GET", `/v1/sms/threads?${new URLSearchParams({ ...of, ...query })}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.threads;
  };
  const phones = async (ask: Asking, query?: Record<string, string>) =>
    (await listed(ask, query)).map((thread) => thread.phone_number);
  const path = (phone: string) => threadPath(phone, campaignId);

  for (const phone of [ANN, BO]) {
    await gets(api, phone, 1);
    await says(api, phone, "Who is this?");
    await gets(api, phone, 2);
  }
  await quiet(api);

  await t.test("what the contact wrote is unread, for each person until that person has read it", async () => {
    assert.deepEqual(await phones(uma.ask, { unread: "true" }), [BO, ANN]);
    const read = await uma.ask("PUT", `${path(ANN)}/read`, { read: true });
    assert.deepEqual([read.status, read.body.thread.unread], [200, false]);
    assert.deepEqual(await phones(uma.ask, { unread: "true" }), [BO]);
    assert.deepEqual(await phones(uma.ask, { unread: "false" }), [ANN]);
    assert.deepEqual(await phones(bo.ask, { unread: "true" }), [BO, ANN]);
    assert.deepEqual(
      (await listed(uma.ask)).map(({ phone_number, unread }) => [phone_number, unread]),
      [
        [BO, true],
        [ANN, false],
      ],
    );
  });

  await t.test("a newer text makes it unread again, and so does who wants to come back to it", async () => {
    await says(api, ANN, "Hello?");
    await gets(api, ANN, 3);
    await quiet(api);
    assert.deepEqual(await phones(uma.ask, { unread: "true" }), [ANN, BO]);
    await uma.ask("PUT", `${path(BO)}/read`, { read: true });
    assert.deepEqual(await phones(uma.ask, { unread: "true" }), [ANN]);
    await uma.ask("PUT", `${path(BO)}/read`, { read: false });
    assert.deepEqual(await phones(uma.ask, { unread: "true" }), [ANN, BO]);
  });

  await t.test("everything is marked as read at once, for oneself, also by who only looks on", async () => {
    assert.equal((await viewer.ask("POST", "/v1/sms/threads/read", of)).status, 200);
    assert.deepEqual(await phones(viewer.ask, { unread: "true" }), []);
    assert.deepEqual(await phones(uma.ask, { unread: "true" }), [ANN, BO]);
    await says(api, ANN, "Anybody?");
    await gets(api, ANN, 4);
    await quiet(api);
    assert.deepEqual(await phones(viewer.ask, { unread: "true" }), [ANN]);
  });

  await t.test("an API key has read nothing, and asks for nothing of its own", async () => {
    assert.deepEqual([...new Set((await listed(key)).map(({ unread }) => unread))], [null]);
    for (const query of ["unread=true", "assignee=me"]) {
      const { status, body } = await api.get(`/v1/sms/threads?organization_id=${organizationId}&${query}`);
      assert.deepEqual([status, body.code], [403, "session_required"]);
    }
    assert.equal((await api.request("PUT", `${path(ANN)}/read`, { read: true })).status, 403);
  });

  await t.test("a conversation is assigned to a user of the organization, and lists are filtered by it", async () => {
    const assigned = await bo.ask("POST", `${path(ANN)}/assign`, { user_id: idOf(uma) });
    assert.deepEqual([assigned.status, assigned.body.thread.assignee.user_id], [200, idOf(uma)]);
    // Its contact has never written.
    await api.post(`${path(CY)}/assign`, { user_id: idOf(uma) });
    assert.deepEqual(await phones(uma.ask, { assignee: "me" }), [ANN, CY]);
    assert.deepEqual(await phones(bo.ask, { assignee: idOf(uma) }), [ANN, CY]);
    assert.deepEqual(await phones(bo.ask, { assignee: "me" }), []);
    assert.deepEqual(await phones(key, { assignee: "none" }), [BO]);
    assert.equal((await listed(bo.ask)).find(({ phone_number }) => phone_number === ANN)!.assignee!.user_id, idOf(uma));
    await uma.ask("POST", `${path(CY)}/assign`, { user_id: null });
    assert.deepEqual(await phones(uma.ask, { assignee: "me" }), [ANN]);
  });

  await t.test("not to a user of another organization, nor by who only looks on", async () => {
    const { unique_id } = (await api.post("/v1/organizations", { name: "Other" })).body;
    const fields = { name: "Otto", email: "otto@other.example", permission: "viewer" };
    const other = (await api.post(`/v1/organizations/${unique_id}/users`, fields)).body.unique_id;
    const stranger = await bo.ask("POST", `${path(ANN)}/assign`, { user_id: other });
    assert.equal(stranger.status, 404);
    const byKey = await api.post(`${path(ANN)}/assign`, { user_id: other });
    assert.deepEqual([byKey.status, wrongFields(byKey)], [400, ["user_id"]]);
    assert.equal((await viewer.ask("POST", `${path(ANN)}/assign`, { user_id: null })).status, 403);
    const wrong = await api.get(`/v1/sms/threads?organization_id=${organizationId}&assignee=us`);
    assert.deepEqual([wrong.status, wrong.body.error], [404, "User not found"]);
    assert.deepEqual((await api.get(path(ANN))).body.thread.assignee.user_id, idOf(uma));
  });

  await t.test("notes say who wrote them and when, beside whom it was assigned to", async () => {
    const noted = await uma.ask("POST", `${path(ANN)}/notes`, { text: "  Call her sister instead.  " });
    assert.equal(noted.status, 201, JSON.stringify(noted.body));
    assert.equal((await viewer.ask("POST", `${path(ANN)}/notes`, { text: "x" })).status, 403);
    const empty = await uma.ask("POST", `${path(ANN)}/notes`, { text: "  " });
    assert.deepEqual([empty.status, wrongFields(empty)], [400, ["text"]]);
    await api.post(`${path(ANN)}/notes`, { text: "From our CRM" });
    const { notes, assignee } = (await bo.ask("GET", path(ANN))).body.thread;
    assert.deepEqual(
      notes.map(({ kind, text, author }: { kind: string; text: string; author: { user_id: string } | null }) => [
        kind,
        text,
        author?.user_id ?? null,
      ]),
      [
        ["assigned", assignee.name, idOf(bo)],
        ["note", "Call her sister instead.", idOf(uma)],
        ["note", "From our CRM", null],
      ],
    );
  });

  await t.test("a note reaches neither the contact nor the agent", async () => {
    const before = (await textsTo(api, ANN)).length;
    await says(api, ANN, "Please tell me more");
    await gets(api, ANN, before + 1);
    await quiet(api);
    const { messages } = (await api.get(path(ANN))).body.thread;
    const all = [...messages, ...(await textsTo(api, ANN))].map(({ text }: { text: string }) => text).join("\n");
    assert.doesNotMatch(all, /sister|CRM/);
  });

  await t.test("the campaign's file has them", async () => {
    const file = await api.get(`/v1/campaigns/${campaignId}/leads/export.csv`);
    const rows = parse(file.body, { columns: true }) as Record<string, string>[];
    const ann = rows.find((row) => row.phone_number === ANN)!;
    assert.match(ann.notes!, /^\d{4}-\S+Z .+: Call her sister instead\.\n\d{4}-\S+Z API key: From our CRM$/);
    assert.notEqual(ann.assignee, "");
    assert.deepEqual([rows.find((row) => row.phone_number === BO)!.notes], [""]);
  });

  await t.test("who leaves has none any more, and erasure takes the notes along", async () => {
    const left = await key("DELETE", `/v1/users/${idOf(uma)}`);
    assert.equal(left.status, 403, "a test key removes nobody who can sign in");
    assert.equal((await admin.ask("DELETE", `/v1/users/${idOf(uma)}`)).status, 200);
    assert.equal((await api.get(path(ANN))).body.thread.assignee, null);
    const { lead_id } = (await api.get(path(ANN))).body.thread;
    assert.equal((await api.request("DELETE", `/v1/contacts/leads/${lead_id}?erase=true`)).status, 200);
    assert.equal((await api.get(path(ANN))).status, 404);
  });
});
