import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CallStart } from "#contract/agents/playground-calls.ts";
import { publicId } from "#domain/values/id.ts";
import { aPerson } from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { ask, wordsOf } from "#test/support/api/answers.ts";
import type { JsonSchema } from "#test/support/api/openapi.ts";
import { readAllOperations, urlOf } from "#test/support/api/openapi.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls } from "#test/support/calls/calls.ts";
import { openPageCall } from "#test/support/calls/page-call.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { idFields, neverGiven, withValue } from "#test/support/isolation/id-fields.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

// What the matrix of matrix.test.ts cannot generate: who comes with a link or says what he wants once a socket is open, and operations
// that are a person's alone.

test("a link to a recording opens the call that it was made for and no other tenant's", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const other = await anotherTenant(api);
  const sql = await openClient(t, api.databaseUrl);
  const aRecorded = async (of: Parameters<typeof aVoiceOwner>[0], name: string) => {
    mkdirSync(join(api.config.dataDir, "recordings"), { recursive: true });
    writeFileSync(join(api.config.dataDir, "recordings", `${name}.wav`), name);
    const owner = await aVoiceOwner(of, sql);
    const rows = [1, 2].map((n) => ({ start_at: new Date(1e12 + n), detail: { recording: `${name}.wav` } }));
    const [id, second] = (await insertCalls(sql, owner, rows)).map((callId) => publicId("call", callId)) as [
      string,
      string,
    ];
    const link = (await of.get(`/v1/voice/calls/${id}`)).body.call.recording_url as string;
    return { id, second, token: new URL(link).searchParams.get("token")! };
  };
  const [ours, theirs] = [await aRecorded(api, "ours"), await aRecorded(other, "theirs")];
  const open = async (call: string, token: string, headers = {}) =>
    ask(`${api.url}/v1/voice/calls/${call}/recording?token=${token}`, "GET", undefined, headers);
  const never = neverGiven(ours.id, "call");

  for (const [mine, its] of [
    [ours, theirs],
    [theirs, ours],
  ] as const) {
    assert.equal((await open(mine.id, mine.token)).status, 200);
    const random = await open(never, mine.token);
    assert.equal(random.status, 403);
    // Of another tenant, and of the same.
    for (const call of [its.id, its.second, mine.second])
      assert.equal(wordsOf(await open(call, mine.token), "-"), wordsOf(random, "-"), call);
    // Another's time, tenant or signature in place of one's own.
    const [parts, foreign] = [mine.token.split("."), its.token.split(".")];
    for (const at of [0, 1, 2]) {
      const token = parts.with(at, at === 0 ? `${foreign[0]}0` : foreign[at]!).join(".");
      for (const call of [mine.id, its.id]) assert.equal(wordsOf(await open(call, token), "-"), wordsOf(random, "-"));
    }
  }
  // Where a key is sent the key counts, and the token is nothing.
  const key = { "x-api-key": api.key };
  const [foreign, random] = [await open(theirs.id, theirs.token, key), await open(never, theirs.token, key)];
  assert.deepEqual([foreign.status, wordsOf(foreign, theirs.id)], [404, wordsOf(random, never)]);
});

test("the first message of a socket may name the tenant's own ids, and none of another tenant's", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const other = await anotherTenant(api);
  const fields = { agent_type: "voice", agent_name: "Vera", prompt: "Ask.", voice_id: "offline-slt" };
  const thingsOf = async (of: Pick<typeof api, "get" | "post">) => {
    const organization_id = (await of.post("/v1/organizations", { name: "Acme" })).body.unique_id as string;
    const user = { name: "Uma", email: `${organization_id.slice(-9)}@acme.example` };
    const user_id = (await of.post(`/v1/organizations/${organization_id}/users`, user)).body.unique_id as string;
    const { body } = await of.post("/v1/agents", { ...fields, organization_id, user_id });
    return {
      organization_id,
      user_id,
      agent_id: body.agent_id as string,
      tenant_id: (await of.get("/v1/me")).body.tenant_id as string,
    };
  };
  const [ours, theirs] = [await thingsOf(api), await thingsOf(other)];
  /** All that a socket says to a first message, and what it is closed with. */
  const said = async (first: object): Promise<string> => {
    const call = await openPageCall(api.url, { "x-api-key": api.key });
    call.say(first);
    const closed = await call.closed;
    return JSON.stringify([closed, call.received]);
  };

  const socket = {
    id: "playCall",
    path: "/v1/playground/calls",
    pathParams: [],
    query: {},
    headers: [],
    form: undefined,
  };
  const { fields: found, unplaced } = idFields({ ...socket, body: CallStart as unknown as JsonSchema });
  assert.deepEqual(unplaced, []);
  const named = found.filter(({ kind }) => kind !== "phone");
  assert.deepEqual(named.map(({ way }) => way.join(".")).sort(), ["agent_id", "organization_id", "tenant_id"]);
  for (const { way, kind } of named) {
    const name = way[0] as keyof typeof ours;
    const draft = name === "agent_id" ? {} : { draft: fields };
    const first = (id: string) => withValue({ type: "start", ...draft }, way, id) as object;
    const random = neverGiven(theirs[name], kind);
    const answers = [await said(first(theirs[name])), await said(first(random))];
    assert.equal(answers[0]!.replaceAll(theirs[name], "<sent>"), answers[1]!.replaceAll(random, "<sent>"));
    assert.match(answers[0]!, /^\[1008,.*"code":"(not_found|wrong_tenant)"/, name);
  }
});

test("what belongs to one user is not readable by any other user, of the same tenant or of another", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const other = await anotherTenant(api);
  const people = {
    ann: await aPerson(api, "admin"),
    bo: await aPerson(api, "admin"),
    eve: await aPerson(api, "admin", other),
  };
  const { ann, bo, eve } = people;
  const operations = (await readAllOperations(api)).filter(({ caller }) => caller === "person");
  const sessionOf = async (person: typeof ann): Promise<string> =>
    (await person.ask("GET", "/v1/sessions")).body.sessions[0].session_id;
  const ids = { ann: await sessionOf(ann), bo: await sessionOf(bo), eve: await sessionOf(eve) };
  const words = async (asked: ReturnType<typeof ann.ask>, sent: string) => {
    const { status, body } = await asked;
    return JSON.stringify([status, { ...body, request_id: "" }]).replaceAll(sent, "<sent>");
  };

  await t.test("every id of these operations is known to this test", () => {
    const places = operations.flatMap((operation) =>
      idFields({ ...operation, form: undefined }).fields.map(({ way }) => `${operation.id} ${way}`),
    );
    const more = operations.flatMap((operation) => idFields({ ...operation, form: undefined }).unplaced);
    assert.deepEqual(more, []);
    assert.deepEqual(places.sort(), [
      "changePassword tenant_id",
      "changeSession tenant_id",
      "confirmAppFactor tenant_id",
      "createAppFactor tenant_id",
      "createPasskeyFactor tenant_id",
      "endOtherSessions tenant_id",
      "listFactors tenant_id",
      "listSessions pagination_key",
      "listSessions tenant_id",
      "markAllRead organization_id",
      "markAllRead tenant_id",
      "markThread tenant_id",
      "markThread thread_id",
      "proveSession tenant_id",
      "updateFactor tenant_id",
    ]);
  });

  await t.test("another tenant's conversation and organization are marked as read by nobody else", async () => {
    const contact = { phone_number: "+12125550103" };
    const { campaignId, organizationId } = await aCampaign(other, { contacts: [contact] });
    const thread = `${contact.phone_number}_${campaignId}`;
    const mark = (person: typeof ann, id: string) =>
      person.ask("PUT", urlOf("/v1/sms/threads/{thread_id}/read", { thread_id: id }), { read: true });
    const markAll = (person: typeof ann, id: string) =>
      person.ask("POST", "/v1/sms/threads/read", { organization_id: id });
    const never = `${contact.phone_number}_never`;
    assert.equal(await words(mark(ann, thread), thread), await words(mark(ann, never), never));
    assert.equal((await mark(ann, thread)).status, 404);
    assert.equal((await mark(eve, thread)).status, 200);
    const nobodys = neverGiven(organizationId, "organization");
    assert.equal(
      await words(markAll(ann, organizationId), organizationId),
      await words(markAll(ann, nobodys), nobodys),
    );
    assert.equal((await markAll(ann, organizationId)).status, 404);
    assert.equal((await markAll(eve, organizationId)).status, 200);
  });

  await t.test("a session of somebody else reads like one that never was, and goes on", async () => {
    const end = (id: string) => words(ann.ask("DELETE", urlOf("/v1/sessions/{session_id}", { session_id: id })), id);
    const random = await end("ses_00000000000000000000000001");
    assert.match(random, /^\[404,/);
    for (const id of [ids.bo, ids.eve]) assert.equal(await end(id), random);
    for (const person of [bo, eve]) assert.equal((await person.ask("GET", "/v1/session")).status, 200);
  });

  await t.test("another tenant's name is refused as a name that nobody has", async () => {
    const its = eve.session.tenant_id ?? (await other.get("/v1/me")).body.tenant_id;
    const random = neverGiven(its, "tenant");
    for (const ask of [
      (tenant_id: string) => ann.ask("PATCH", "/v1/session", { mode: "test", tenant_id }),
      (tenant_id: string) =>
        ann.ask("POST", "/v1/session/password", {
          current_password: "x".repeat(12),
          new_password: "y".repeat(12),
          tenant_id,
        }),
      (tenant_id: string) => ann.ask("GET", `/v1/sessions?tenant_id=${tenant_id}`),
    ]) {
      const foreign = await words(ask(its), its);
      assert.equal(foreign, await words(ask(random), random));
      assert.match(foreign, /^\[403,/);
    }
  });

  await t.test("a page of sessions that begins after another's holds one's own alone", async () => {
    const page = async (session: string) => {
      const key = Buffer.from(session.slice(4)).toString("base64url").slice(0, 22);
      return (await ann.ask("GET", `/v1/sessions?pagination_key=${key}`)).body;
    };
    for (const id of [ids.bo, ids.eve]) {
      const received = JSON.stringify(await page(id));
      for (const secret of [ids.bo, ids.eve, bo.email, eve.email]) assert.ok(!received.includes(secret));
    }
  });
});
