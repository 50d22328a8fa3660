import assert from "node:assert/strict";
import { test } from "node:test";
import { parseId, publicId } from "#domain/values/id.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls } from "#test/support/calls/calls.ts";
import { aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const TO = "+12125550123";
const NEVER = "call_00000000000000000000000001";

test("single calls", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  const agent_id = publicId("agent", of.agentId);
  const body = { agent_id, from_number: SENDER, to_number: TO };
  const create = (more: object = {}) => api.post("/v1/voice/calls", { ...body, ...more });
  const dials = async () => (await sql.query("select * from dials order by created_at")).rows;

  await t.test("one is planned at once, with an id that it keeps", async () => {
    const { status, body: answer } = await create({
      contact: { first_name: "Ann", loan_type: "fixed" },
      objective: "Confirm the appointment",
    });
    assert.equal(status, 201, JSON.stringify(answer));
    const { call } = answer;
    assert.match(call.call_id, /^call_[0-9a-z]{26}$/);
    assert.deepEqual(
      [call.call_status, call.to_number, call.from_number, call.purpose, call.direction],
      ["registered", TO, SENDER, "single", "outbound"],
    );
    assert.deepEqual(
      [call.organization_id, call.user_id, call.agent_id, call.campaign_id],
      [of.publicOrganizationId, of.publicUserId, agent_id, null],
    );
    assert.equal(call.contact_name, "Ann", "also before it is dialled");
    assert.deepEqual([call.dialed_at, call.waiting_because, call.recording_url], [null, null, null]);
    assert.ok(call.scheduled_for !== null);
    const read = await api.get(`/v1/voice/calls/${call.call_id}`);
    assert.deepEqual([read.status, read.body.call], [200, call]);
    const [dial] = await dials();
    assert.deepEqual(
      [dial.call_id, dial.state, dial.purpose, dial.number, dial.objective],
      [parseId("call", call.call_id), "scheduled", "single", SENDER, "Confirm the appointment"],
    );
    const lead = (await api.get(`/v1/contacts/leads/${call.lead_id}`)).body.lead;
    assert.deepEqual([lead.phone_number, lead.first_name, lead.loan_type], [TO, "Ann", "fixed"]);
  });

  await t.test("one that waits is in the list of calls, by every filter that it passes", async () => {
    const path = `/v1/voice/calls?organization_id=${of.publicOrganizationId}`;
    const [call] = (await api.get(path)).body.calls;
    const whole = (await api.get(`/v1/voice/calls/${call.call_id}`)).body.call;
    assert.deepEqual(call, Object.fromEntries(Object.keys(call).map((key) => [key, whole[key]])));
    assert.deepEqual(
      [call.call_status, call.contact_name, call.to_number, call.scheduled_for !== null, call.agent_name.length > 0],
      ["registered", "Ann", TO, true, true],
    );
    const found = async (query: string) => (await api.get(`${path}&${query}`)).body.count;
    for (const query of [
      "status=registered",
      `user_id=${of.publicUserId}`,
      `agent_id=${agent_id}`,
      `phone_number=${encodeURIComponent(TO)}`,
      "phone_digits=0123",
      `own_number=${encodeURIComponent(SENDER)}`,
      "sentiment=Unknown",
      `begin=${call.start_timestamp}`,
    ]) {
      assert.equal(await found(query), 1, query);
    }
    for (const query of [
      "status=ongoing",
      "status=not_connected",
      "outcome=failed",
      "sentiment=Positive",
      "phone_digits=99",
      `own_number=${encodeURIComponent(TO)}`,
      `end=${call.start_timestamp}`,
      `pagination_key=${call.start_timestamp}`,
    ]) {
      assert.equal(await found(query), 0, query);
    }
  });

  await t.test("by voice_agent_id too, in the organization's and user's name that were given", async () => {
    const voice_agent_id = (await api.get(`/v1/agents/${agent_id}`)).body.agent.voice_agent_id;
    const user = await api.post(`/v1/organizations/${of.publicOrganizationId}/users`, {
      name: "Ben",
      email: "ben@example.com",
    });
    const owner = { organization_id: of.publicOrganizationId, user_id: user.body.unique_id };
    const { status, body: answer } = await create({ agent_id: undefined, voice_agent_id, ...owner });
    assert.deepEqual([status, answer.call?.user_id], [201, user.body.unique_id]);
  });

  await t.test("a request that is repeated under its key is one call", async () => {
    const before = (await dials()).length;
    const headers = { "idempotency-key": "call" };
    const [first, again] = [
      await api.request("POST", "/v1/voice/calls", body, { headers }),
      await api.request("POST", "/v1/voice/calls", body, { headers }),
    ];
    assert.equal(first.body.call.call_id, again.body.call.call_id);
    assert.equal((await dials()).length, before + 1);
  });

  await t.test("what is missing or wrong is named", async () => {
    const missing = await api.post("/v1/voice/calls", {});
    assert.equal(missing.status, 400);
    const fields = missing.body.details.map((detail: { field: string }) => detail.field);
    assert.ok(fields.includes("from_number") && fields.includes("to_number"), fields.join());
    assert.equal((await create({ agent_id: undefined })).status, 400, "an agent is needed");
    const sms = await anAgent(api);
    for (const [field, value] of [
      ["to_number", "911"],
      ["to_number", "nonsense"],
      ["to_number", SENDER],
      ["from_number", "12"],
      ["agent_id", sms.agentId],
      ["contact.birthday", undefined],
    ] as const) {
      const wrong = field === "contact.birthday" ? { contact: { birthday: "never" } } : { [field]: value };
      const { status, body: answer } = await create(wrong);
      assert.deepEqual([status, answer.details?.[0].field], [400, field], String(value));
    }
    for (const wrong of [
      { agent_id: "agt_00000000000000000000000001" },
      { organization_id: "org_00000000000000000000000001" },
      { user_id: "usr_00000000000000000000000001" },
    ]) {
      assert.equal((await create(wrong)).status, 404, JSON.stringify(wrong));
    }
    const foreign = await create({ organization_id: sms.organizationId });
    assert.deepEqual([foreign.status, foreign.body.code], [400, "invalid_request"]);
  });

  await t.test("one that could never be placed is refused, unless its contact's time zone is given", async () => {
    const before = (await dials()).length;
    const abroad = { to_number: "+447911123456" };
    const { status, body: answer } = await create(abroad);
    assert.deepEqual([status, answer.details?.[0].field], [400, "to_number"], JSON.stringify(answer));
    assert.match(answer.error, /never_open.*contact\.time_zone/);
    assert.equal((await dials()).length, before, "nothing is planned");
    const placed = await create({ ...abroad, contact: { time_zone: "Europe/London" } });
    assert.deepEqual([placed.status, placed.body.warnings], [201, undefined], JSON.stringify(placed.body));
  });

  await t.test("one that would not be placed as things stand says by which rule", async () => {
    const to_number = "+12125550155";
    assert.equal((await create({ to_number })).body.warnings, undefined);
    await api.post("/v1/dnc/add", { phone_number: to_number });
    const { status, body: answer } = await create({ to_number });
    assert.equal(status, 201);
    assert.deepEqual(answer.warnings, [
      "to_number will not be called (do_not_call): The number is on the do-not-call list.",
    ]);
  });

  await t.test("a live key has no carrier of voice yet", async () => {
    const live = await anotherTenant(api, "live");
    const owner = await aVoiceOwner(live, sql);
    const mine = { ...body, agent_id: publicId("agent", owner.agentId) };
    const { status, body: answer } = await live.post("/v1/voice/calls", mine);
    assert.deepEqual([status, answer.code], [400, "voice_not_enabled"]);
  });

  await t.test("a call that waits is stopped before it is dialled, and stays so", async () => {
    const { call_id } = (await create()).body.call;
    for (const _ of ["once", "again"]) {
      const { status, body: answer } = await api.post(`/v1/voice/calls/${call_id}/stop`);
      assert.deepEqual(
        [status, answer.call.call_status, answer.call.disconnection_reason, answer.call.scheduled_for],
        [200, "not_connected", "manual_stopped", null],
      );
    }
    const path = `/v1/voice/calls?organization_id=${of.publicOrganizationId}`;
    for (const query of ["status=not_connected", "outcome=failed"]) {
      const listed = (await api.get(`${path}&${query}`)).body.calls.map((call: { call_id: string }) => call.call_id);
      assert.deepEqual(listed, [call_id], query);
    }
  });

  await t.test("pages of waiting and dialled calls hold each once, newest first", async () => {
    await create();
    await insertCalls(sql, of, [{ start_at: new Date(Date.now() - 3_600_000) }]);
    const path = `/v1/voice/calls?organization_id=${of.publicOrganizationId}`;
    const all = (await api.get(path)).body.calls.map((call: { call_id: string }) => call.call_id);
    const paged: string[] = [];
    for (let key = ""; ; ) {
      const page = (await api.get(`${path}&limit=1${key}`)).body;
      paged.push(...page.calls.map((call: { call_id: string }) => call.call_id));
      if (!page.has_more) break;
      key = `&pagination_key=${page.next_pagination_key}`;
    }
    assert.ok(all.length > 3 && new Set(all).size === all.length, all.join());
    assert.deepEqual(paged, all);
  });

  await t.test("a call that goes on is asked to end, one that is over stays as it was", async () => {
    const open = { status: "ongoing", reason: null, end_at: null, duration_ms: 0 };
    const start_at = new Date("2026-11-20T15:00:00.000Z");
    const [live, over] = await insertCalls(sql, of, [
      { ...open, start_at },
      { start_at: new Date(start_at.getTime() + 1) },
    ]);
    const stop = async (id: string) => (await api.post(`/v1/voice/calls/${publicId("call", id)}/stop`)).body.call;
    const asked = await stop(live!);
    assert.deepEqual([asked.call_status, asked.stop_requested_at !== null], ["ongoing", true]);
    assert.equal((await stop(live!)).stop_requested_at, asked.stop_requested_at, "asked once");
    const ended = await stop(over!);
    assert.deepEqual([ended.call_status, ended.stop_requested_at], ["ended", null]);
    assert.equal((await api.post(`/v1/voice/calls/${NEVER}/stop`)).status, 404);
  });

  await t.test("an operator's word is kept for the agent of a call that goes on, and for no other", async () => {
    const start_at = new Date("2026-11-20T16:00:00.000Z");
    const [live, over] = await insertCalls(sql, of, [
      { status: "ongoing", reason: null, end_at: null, start_at },
      { start_at: new Date(start_at.getTime() + 1) },
    ]);
    const inject = (id: string, text: unknown) => api.post(`/v1/voice/calls/${id}/inject`, { text });
    const liveId = publicId("call", live!);
    assert.equal((await inject(liveId, "Offer them Tuesday.")).status, 202);
    assert.equal((await inject(liveId, "Or Wednesday.")).status, 202);
    const { rows } = await sql.query("select text, taken_at from call_injections where call_id = $1 order by id", [
      live,
    ]);
    assert.deepEqual(rows, [
      { text: "Offer them Tuesday.", taken_at: null },
      { text: "Or Wednesday.", taken_at: null },
    ]);
    const late = await inject(publicId("call", over!), "Too late.");
    assert.deepEqual([late.status, late.body.code], [409, "conflict"]);
    const { call_id } = (await create()).body.call;
    assert.equal((await inject(call_id, "Too early.")).status, 409);
    assert.equal((await inject(NEVER, "To nobody.")).status, 404);
    for (const text of ["", "  ", undefined, 5, "x".repeat(2_001)]) {
      assert.equal((await inject(liveId, text)).status, 400, String(text).slice(0, 10));
    }
  });

  await t.test("another tenant can do nothing with any of it", async () => {
    const other = await anotherTenant(api);
    const { call_id } = (await create()).body.call;
    for (const [method, path, sent] of [
      ["GET", "", undefined],
      ["POST", "/stop", undefined],
      ["POST", "/inject", { text: "Hi" }],
    ] as const) {
      const answer = await other.request(method, `/v1/voice/calls/${call_id}${path}`, sent);
      assert.deepEqual([answer.status, answer.body.error], [404, "Call not found"], path);
    }
    assert.equal((await other.post("/v1/voice/calls", body)).status, 404);
  });
});

test("a single call is dialled, spoken and judged, under the id that it was given", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  await aNoon(api);
  const body = { agent_id: publicId("agent", of.agentId), from_number: SENDER, to_number: TO };
  const { call_id } = (await api.post("/v1/voice/calls", { ...body, objective: "Find out whether they sell" })).body
    .call;
  const call = await until("the call is over and judged", async () => {
    const found = (await api.get(`/v1/voice/calls/${call_id}`)).body.call;
    return found.summary !== null && found;
  });
  assert.deepEqual([call.call_status, call.purpose, call.scheduled_for], ["ended", "single", null]);
  assert.ok(call.call_duration_ms > 0 && call.transcript.includes("Agent: "));
  assert.ok(call.transcript_object.length > 1 && call.cost.total !== undefined);
  const history = (await api.get(`/v1/voice/calls?organization_id=${of.publicOrganizationId}`)).body.calls;
  assert.deepEqual(
    history.map((call: { call_id: string }) => call.call_id),
    [call_id],
  );

  await api.post("/v1/dnc/add", { phone_number: "+12125550144" });
  const blocked = (await api.post("/v1/voice/calls", { ...body, to_number: "+12125550144" })).body.call.call_id;
  const refused = await until("the gate has refused it", async () => {
    const found = (await api.get(`/v1/voice/calls/${blocked}`)).body.call;
    return found.call_status === "not_connected" && found;
  });
  assert.deepEqual([refused.dialed_at, refused.scheduled_for], [null, null]);
  assert.ok(refused.waiting_because, "it says by which rule");
  const [newest] = (await api.get(`/v1/voice/calls?organization_id=${of.publicOrganizationId}`)).body.calls;
  assert.deepEqual([newest.call_id, newest.waiting_because], [blocked, refused.waiting_because], "in the list too");
});
