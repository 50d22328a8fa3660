import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { aPerson } from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Logged = Record<string, unknown> & { operation: string; status: number };

test("the log of requests", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const list = async (query = ""): Promise<Logged[]> => (await api.get(`/v1/requests?limit=500${query}`)).body.requests;
  const logged = (operation: string, status: number) =>
    until(`${operation} is logged with ${status}`, async () =>
      (await list(`&operation=${operation}`)).find((request) => request.status === status),
    );

  await t.test("a request is there within seconds, with what came of it and nothing personal", async () => {
    const sent = await api.get("/v1/consents/%2B12125550101");
    const request = await logged("getConsent", sent.status);
    assert.deepEqual([request.request_id, request.method], [sent.headers.get("x-request-id"), "GET"]);
    assert.equal(request.path, "/v1/consents/***01");
    assert.match(String(request.key_id), /^key_/);
    assert.deepEqual([request.user_id, request.answer], [null, null]);
    await api.get("/v1/contacts/leads?organization_id=org_1&search=Ann");
    const { path } = await logged("listContacts", 404);
    assert.equal(path, "/v1/contacts/leads?organization_id=org_1&search=***");
  });

  await t.test("an error's answer is kept, no request's body is", async () => {
    await api.post("/v1/organizations", { name: "", secret_word: "xyzzy" });
    const request = await logged("createOrganization", 400);
    assert.match(String(request.answer), /invalid_request/);
    await api.post("/v1/organizations", { name: "xyzzy" });
    const made = await logged("createOrganization", 201);
    assert.equal(made.answer, null);
    const { rows } = await sql.query(
      "select count(*)::int as n from request_log where request_log::text like '%\"xyzzy\"%'",
    );
    assert.equal(rows[0].n, 0);
  });

  await t.test("it is filtered by what came of it, by method and by operation, in pages", async () => {
    for (const { status } of await list("&status=failed")) assert.ok(status >= 400);
    for (const { status } of await list("&status=succeeded")) assert.ok(status < 400);
    for (const { method } of await list("&method=POST")) assert.equal(method, "POST");
    const reads = await list("&class=read");
    assert.ok(reads.length > 0 && reads.every((request) => request.class === "read"));
    const byKeys = await list("&by=key");
    assert.ok(byKeys.length > 0 && byKeys.every((request) => request.key_id !== null));
    assert.deepEqual(await list("&by=person"), []);
    const first = (await api.get("/v1/requests?limit=1&method=POST")).body;
    const next = (await api.get(`/v1/requests?limit=1&method=POST&pagination_key=${first.next_pagination_key}`)).body;
    assert.ok(next.requests[0].request_id < first.requests[0].request_id);
    const wrong = await api.get("/v1/requests?status=odd&method=TRACE");
    assert.deepEqual([wrong.status, wrongFields(wrong).sort()], [400, ["method", "status"]]);
  });

  await t.test("somebody who is signed in is named, also where he is refused", async () => {
    const member = await aPerson(api, "manager");
    assert.equal((await member.ask("GET", "/v1/requests")).status, 403);
    const request = await logged("listRequests", 403);
    assert.deepEqual([request.key_id, request.user_id], [null, member.session.user.unique_id]);
  });

  await t.test("a tenant sees its own alone", async () => {
    const them = await anotherTenant(api);
    const theirs = await until("theirs are logged", async () => {
      const { requests } = (await them.get("/v1/requests")).body;
      return requests.length > 0 && (requests as Logged[]);
    });
    assert.ok(theirs.every(({ operation }) => operation === "listRequests"));
  });

  await t.test("hundreds of requests take a few statements", async () => {
    const begun = performance.now();
    await Promise.all(Array.from({ length: 300 }, () => api.get("/v1/me")));
    await until("all are logged", async () => (await list("&operation=getMe")).length >= 300);
    const { rows } = await sql.query(
      "select count(distinct xmin::text)::int as n from request_log where operation = 'getMe'",
    );
    const seconds = (performance.now() - begun) / 1_000;
    assert.ok(rows[0].n < 5 + seconds, `${rows[0].n} transactions wrote them in ${seconds} s: one a second`);
  });
});
