import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeUlaw, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { openPageCall, speakInto } from "#test/support/calls/page-call.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { COMMON_ENV, startProcess } from "#test/support/processes/processes.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { aFolder } from "#test/support/source/folder.ts";

type Call = {
  carrier_id: string;
  stage: string | null;
  microphone: string | null;
  outcome: string;
  duration_ms: number;
  said: { by: string; text: string }[];
};

const SILENCE = new Uint8Array(FRAME_SAMPLES).fill(0xff);

test("a simulated phone's call that is taken by a microphone, at another node than the one that holds it", {
  timeout: 240_000,
}, async (t) => {
  const dataDir = aFolder("spoken");
  const env = {
    PARLEY_DATA_DIR: dataDir,
    PARLEY_SECRET_KEY: COMMON_ENV.PARLEY_SECRET_KEY!,
    PARLEY_SIMULATOR_CALLS: "auto",
  };
  const api = (await startApiProcess(t, env)) as unknown as Parley;
  await startProcess(t, "media", { ...env, DATABASE_URL: api.databaseUrl });
  await aNoon(api);
  const { voiceAgentId } = await aVoiceAgent(api, { voice_id: "offline-slt" });
  const key = { "x-api-key": api.key };
  let n = 0;

  const soundPath = (phone: string, call: string) => `${handsetPath(phone)}/calls/${encodeURIComponent(call)}/sound`;
  const ringing = async () => {
    const phone = `+1212453${2000 + n++}`;
    await api.put(handsetPath(phone), { behavior: "manual" });
    const placed = await api.post("/v1/voice/calls", {
      voice_agent_id: voiceAgentId,
      from_number: SENDER,
      to_number: phone,
      contact: { first_name: "Ann" },
    });
    assert.equal(placed.status, 201, JSON.stringify(placed.body));
    const is = (what: string, isSo: (call: Call) => boolean) =>
      until(what, async () => {
        const found = (await api.get(handsetPath(phone))).body.calls.at(-1) as Call | undefined;
        return found && isSo(found) && found;
      });
    const call = await is("it rings", ({ stage }) => stage === "ringing");
    assert.equal(call.microphone, "offered");
    const id = call.carrier_id;
    const act = (body: object) => api.post(`${handsetPath(phone)}/calls/${id}`, body);
    const take = () => openPageCall(api.url, key, soundPath(phone, id));
    return { phone, id, callId: placed.body.call.call_id as string, is, act, take };
  };
  /** The error that a socket gets. */
  const refusal = async (path: string, headers: Record<string, string> = key, ...said: (object | Uint8Array)[]) => {
    const call = await openPageCall(api.url, headers, path);
    for (const text of said) call.say(text);
    await call.closed;
    return call.received.find(({ type }) => type === "error");
  };

  await t.test(
    "the agent's speech is played and the caller's is transcribed, and the call is stored like any other",
    async (t) => {
      await heldAgain(t, async (owner) => {
        const { is, take, callId } = await ringing();
        const page = await take();
        let loudest = 0;
        const linear = new Int16Array(FRAME_SAMPLES);
        page.hears((frame) => {
          decodeUlaw(frame, linear);
          for (const sample of linear) loudest = Math.max(loudest, sample);
        });
        owner.after(speakInto(page, { greeting: "Hello?", says: ["Yes, I have a minute."], hangsUpWhenDone: true }));
        // A microphone is never silent; the handset's first frame comes with the agent's.
        await is("it is taken", ({ stage, microphone }) => stage === "talking" && microphone === "in_use");
        assert.equal(await page.closed, 1000, JSON.stringify(page.received));
        assert.deepEqual(page.received, [{ type: "started" }, { type: "ended" }]);
        const ended = await is("it is over", ({ outcome }) => outcome === "answered");
        assert.deepEqual([ended.stage, ended.microphone], [null, null]);
        assert.ok(ended.said.some(({ by, text }) => by === "agent" && text.startsWith("Hello Ann, this is Ava")));
        assert.equal(ended.said.filter(({ by }) => by === "handset").length, 2, JSON.stringify(ended.said));
        assert.ok(loudest > 3_000, `the agent can be heard: ${loudest}`);
        const { call } = await until("our books have its end", async () => {
          const { body } = await api.get(`/v1/voice/calls/${callId}`);
          return body.call.call_status !== "ongoing" && body;
        });
        assert.deepEqual([call.call_status, call.disconnection_reason], ["ended", "user_hangup"]);
        const recording = await fetch(`${api.url}/v1/voice/calls/${callId}/recording`, { headers: key });
        assert.equal(recording.status, 200);
        const { byteLength } = await recording.arrayBuffer();
        assert.ok(byteLength > ended.duration_ms * 8, `both sides are recorded: ${byteLength} bytes`);
      });
    },
  );

  await t.test("what is typed is refused meanwhile, and it can be hung up from elsewhere", async () => {
    const { phone, id, is, act, take } = await ringing();
    const page = await take();
    await is("it is taken", ({ microphone }) => microphone === "in_use");
    assert.equal((await refusal(soundPath(phone, id))).code, "conflict");
    const typed = await act({ action: "speak", text: "Hello?" });
    assert.deepEqual([typed.status, typed.body.error], [409, "This call is spoken into a microphone"]);
    assert.equal((await act({ action: "answer" })).status, 409);
    assert.equal((await act({ action: "hang_up" })).status, 202);
    assert.equal(await page.closed, 1000);
    await is("it is over", ({ outcome }) => outcome === "answered");
  });

  await t.test("closing the page ends the call, and so does its message", async () => {
    const first = await ringing();
    const closing = await first.take();
    await first.is("it is taken", ({ microphone }) => microphone === "in_use");
    closing.close();
    await first.is("it is over", ({ outcome }) => outcome === "answered");
    const second = await ringing();
    const leaving = await second.take();
    await second.is("it is taken", ({ microphone }) => microphone === "in_use");
    leaving.say({ type: "hangup" });
    assert.equal(await leaving.closed, 1000);
    await second.is("it is over", ({ outcome }) => outcome === "answered");
  });

  await t.test("a call that was taken in text, or is over, is not to be had", async () => {
    const { phone, id, is, act } = await ringing();
    await act({ action: "answer" });
    const call = await is("it is taken", ({ stage }) => stage === "talking");
    assert.equal(call.microphone, null);
    assert.equal((await refusal(soundPath(phone, id))).error, "This call is talking");
    await act({ action: "hang_up" });
    await is("it is over", ({ outcome }) => outcome === "answered");
    assert.equal((await refusal(soundPath(phone, id))).error, "This call is not played by hand, or is over");
  });

  await t.test("an impossible request gets an error, and the call rings on", async () => {
    const { phone, id, is, act } = await ringing();
    const path = soundPath(phone, id);
    const statusOf = (headers: Record<string, string>, to = path) =>
      openPageCall(api.url, headers, to).then(
        () => 101,
        ({ statusCode }) => statusCode as number,
      );
    assert.equal(await statusOf({}), 401);
    const readOnly = (await api.post("/v1/api-keys", { name: "Reads", scopes: ["read"] })).body.api_key;
    assert.equal(await statusOf({ "x-api-key": readOnly }), 403);
    const theirs = await anotherTenant(api);
    for (const [to, headers] of [
      [path, { "x-api-key": theirs.key }],
      [soundPath(phone, "sim_999999"), key],
      [soundPath(phone, "nonsense"), key],
      [soundPath("+12124532999", id), key],
    ] as const) {
      assert.equal((await refusal(to, headers)).code, "not_found", to);
    }
    assert.equal((await refusal(soundPath("12", id))).details[0].field, "phone_number");
    const asked = await api.get(path);
    assert.deepEqual([asked.status, asked.body.code], [426, "upgrade_required"]);
    await is("it rings on", ({ stage, microphone }) => stage === "ringing" && microphone === "offered");
    await act({ action: "decline" });
    await is("it is declined", ({ outcome }) => outcome === "declined");
  });

  await t.test("wrong messages end it", async () => {
    const { phone, id } = await ringing();
    assert.equal((await refusal(soundPath(phone, id), key, { type: "sing" })).details[0].field, "type");
    const next = await ringing();
    const odd = await next.take();
    await until("it has begun", async () => odd.received.length > 0);
    odd.say(SILENCE.subarray(1));
    assert.equal(await odd.closed, 1008);
    await next.is("it is over", ({ outcome }) => outcome === "answered");
  });
});
