import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { test } from "node:test";
import { decodeUlaw, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { anOwner } from "#test/support/accounts/owner.ts";
import { aPerson } from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, until } from "#test/support/api/parley.ts";
import { openPageCall, speakInto } from "#test/support/calls/page-call.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";

const SILENCE = new Uint8Array(FRAME_SAMPLES).fill(0xff);

test("a call by a page's microphone", { timeout: 180_000 }, async (t) => {
  const api = (await startApiProcess(t)) as unknown as Parley;
  const owner = await anOwner(api);
  const fields = { ...owner, agent_name: "Vera", prompt: "Ask whether they want to sell." };
  const make = async (more: object) => (await api.post("/v1/agents", { ...fields, ...more })).body;
  const vera = await make({
    agent_type: "voice",
    voice_id: "offline-slt",
    starting_message: "Hi {{first_name}}, do you want to sell your house?",
    extraction_fields: ["interest"],
  });
  const sam = await make({ agent_type: "sms" });
  const key = { "x-api-key": api.key };
  const start = { type: "start", agent_id: vera.agent_id, contact: { first_name: "Ann" } };
  const refusal = async (headers: Record<string, string>): Promise<number> =>
    openPageCall(api.url, headers).then(
      () => 101,
      ({ statusCode }) => statusCode,
    );
  /** The error that a socket gets which begins with this: the field, and the close code. */
  const problemOf = async (...said: (object | Uint8Array)[]) => {
    const call = await openPageCall(api.url, key);
    for (const text of said) call.say(text);
    const closed = await call.closed;
    const { error, details } = call.received.find(({ type }) => type === "error");
    return [closed, details?.[0]?.field ?? error];
  };

  await t.test("greets, listens, answers, and says what it came to", async (t) => {
    await heldAgain(t, async (speaker, machine) => {
      const begin = performance.now();
      const call = await openPageCall(api.url, key);
      let loudest = 0;
      let frames = 0;
      const linear = new Int16Array(FRAME_SAMPLES);
      call.hears((frame) => {
        frames++;
        decodeUlaw(frame, linear);
        for (const sample of linear) loudest = Math.max(loudest, sample);
      });
      speaker.after(
        speakInto(call, { greeting: "Hello?", says: ["Yes, I want to sell my house."], hangsUpWhenDone: true }),
      );
      call.say(start);
      assert.equal(await call.closed, 1000, JSON.stringify(call.received));
      const [begun, ...rest] = call.received;
      assert.deepEqual(begun, { type: "started" });
      const [ended, findings] = rest.splice(-2);
      const said = rest.filter(({ type }) => type === "utterance");
      assert.equal(said.length, rest.length);
      assert.ok(said.some(({ role, text }) => role === "agent" && text.startsWith("Hi Ann, do you want to sell")));
      // How well the words are recognised is not tested here; that it was one sentence is.
      assert.equal(said.filter(({ role }) => role === "user").length, 2, JSON.stringify(said));
      assert.equal(said.at(-1).role, "agent");
      assert.ok(loudest > 3_000, `the agent can be heard: ${loudest}`);
      assert.equal(ended.type, "ended");
      // Both have said all they had to, and either may hang up first.
      assert.match(ended.disconnection_reason, /^(?:user|agent)_hangup$/);
      assert.deepEqual(ended.actions, []);
      assert.ok(ended.turns.length > 0 && ended.turns[0].e2e_ms > 0, "it says how long answers took");
      // What is late is left out: a page has no use for it.
      const still = await machine.between(begin, performance.now());
      const missed = `${frames} frames in ${ended.duration_ms} ms, of which the machine stood still for ${still.ms}`;
      assert.ok(Math.abs(frames * 20 - ended.duration_ms) < 1_000 + still.ms, missed);
      assert.equal(findings.type, "findings");
      assert.equal(typeof findings.extraction.summary, "string");
    });
  });

  await t.test("is nobody's call: it is not listed", async () => {
    const { body } = await api.get(`/v1/voice/calls?organization_id=${owner.organization_id}`);
    assert.equal(body.count, 0);
  });

  await t.test("a page that is closed ends its call, and makes room for the next", async () => {
    for (let i = 0; i < 4; i++) {
      const call = await openPageCall(api.url, key);
      call.say(start);
      await until("it has begun, or there is no room yet", async () => call.received.length > 0);
      call.close();
      await call.closed;
    }
    const next = await until("there is room", async () => {
      const call = await openPageCall(api.url, key);
      call.say(start);
      await until("it has answered", async () => call.received.length > 0);
      if (call.received[0].type === "started") return call;
      await call.closed;
      return undefined;
    });
    next.say({ type: "hangup" });
    assert.equal(await next.closed, 1000);
    const ended = next.received.find(({ type }) => type === "ended");
    assert.equal(ended.disconnection_reason, "user_hangup");
  });

  await t.test("is opened by who may try agents, from a page of ours", async () => {
    const admin = await aPerson(api, "admin");
    const viewer = await aPerson(api, "viewer");
    const readOnly = (await api.post("/v1/api-keys", { name: "Reads", scopes: ["read"] })).body.api_key;
    const { origin } = new URL(api.url);
    assert.equal(await refusal({}), 401);
    assert.equal(await refusal({ "x-api-key": `${api.key}x` }), 401);
    assert.equal(await refusal({ "x-api-key": readOnly }), 403);
    assert.equal(await refusal({ cookie: viewer.cookie, origin }), 403);
    assert.equal(await refusal({ cookie: admin.cookie, origin: "https://evil.example" }), 403);
    assert.equal(await refusal({ cookie: admin.cookie }), 403);
    const call = await openPageCall(api.url, { cookie: admin.cookie, origin });
    call.close();
  });

  await t.test("ends when its key is revoked", async (t) => {
    const { api_key, key_id } = (await api.post("/v1/api-keys", { name: "Leaves" })).body;
    const call = await openPageCall(api.url, { "x-api-key": api_key });
    call.say(start);
    await until("it has begun", async () => call.received.length > 0);
    const speaking = setInterval(() => call.say(SILENCE), 20);
    t.after(() => clearInterval(speaking));
    await api.delete(`/v1/api-keys/${key_id}`);
    assert.equal(await call.closed, 1008);
    assert.equal(call.received.find(({ type }) => type === "error").code, "unauthorized");
  });

  await t.test("asked for without an upgrade says what it is", async () => {
    const { status, headers, body } = await api.get("/v1/playground/calls");
    assert.deepEqual([status, body.code, headers.get("upgrade")], [426, "upgrade_required", "websocket"]);
  });

  await t.test("another protocol than WebSocket is ignored, as if nobody had asked for it", async () => {
    const asked = request(`${api.url}/v1/me`, { headers: { ...key, connection: "Upgrade", upgrade: "h2c" } }).end();
    const [{ statusCode }] = await once(asked, "response");
    assert.equal(statusCode, 200);
  });

  await t.test("invalid messages are refused by field, and end the call", async () => {
    const theirs = await anotherTenant(api);
    const foreign = await openPageCall(api.url, { "x-api-key": theirs.key });
    foreign.say(start);
    await foreign.closed;
    assert.equal(foreign.received[0].code, "not_found");
    assert.deepEqual(await problemOf({ type: "start", agent_id: sam.agent_id }), [1008, "agent_id"]);
    assert.deepEqual(await problemOf({ type: "begin" }), [1008, "type"]);
    assert.deepEqual(await problemOf({ ...start, contact: 7 }), [1008, "contact"]);
    assert.deepEqual(await problemOf({ ...start, draft: { agent_name: "" } }), [1008, "draft.agent_name"]);
    assert.deepEqual(await problemOf(start, { type: "sing" }), [1008, "message"]);
  });

  await t.test("sound that nobody can have spoken ends it", async () => {
    const call = await openPageCall(api.url, key);
    call.say(start);
    await until("it has begun", async () => call.received.length > 0);
    for (let i = 0; i < 200; i++) call.say(SILENCE);
    assert.equal(await call.closed, 1008);
    assert.match(call.received.find(({ type }) => type === "error").error, /faster than it can have been spoken/);
    const odd = await openPageCall(api.url, key);
    odd.say(start);
    await until("it has begun", async () => odd.received.length > 0);
    odd.say(SILENCE.subarray(1));
    assert.equal(await odd.closed, 1008);
  });
});
