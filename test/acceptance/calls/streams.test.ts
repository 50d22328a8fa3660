import assert from "node:assert/strict";
import { test } from "node:test";
import { WebSocket } from "ws";
import { aKeyOf } from "#test/support/accounts/tenant.ts";
import { client, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon } from "#test/support/campaigns/campaign.ts";
import { streamOf } from "#test/support/carriers/twilio/calls.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { startWithStreams } from "#test/support/carriers/twilio/streams.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";

const LIVE_KEY = "pk_live_bootstrap_0123456789abcdef0123456789abcdef";
const OURS = "+12125550100";
const [TALKS, LISTENS, BUSY, NOBODY, NONE, REFUSED, DECLINES] = [
  "+12125550186",
  "+12125550187",
  "+12125550104",
  "+12125550103",
  "+12125550105",
  "+12125550106",
  "+12125550107",
] as const;
const SENTENCE = "No, I do not want to sell my house.";
/** Long enough to be interrupted. */
const STARTS =
  "Hello, this is Ava of Acme. We buy homes in your town and pay for all of the repairs. Do you have a minute to talk about yours?";
/** An end whose report was lost is asked for 20 seconds after the longest ring. */
const OVER_WITHIN_MS = 120_000;

test("calls over a Twilio account without a trunk", { timeout: 540_000 }, async (t) => {
  const twilio = await startTwilio(t);
  twilio.addNumber(OURS);
  const { service: api, media } = await startWithStreams(t, twilio, ["Hello?", SENTENCE], {
    PARLEY_BOOTSTRAP_API_KEY: LIVE_KEY,
  });
  const clock = client(api.url, await aKeyOf(api, "test"));
  await aNoon(clock);
  const { voiceAgentId, organizationId, agentId } = await aVoiceAgent(api, {
    ring_duration_ms: 15_000,
    starting_message: STARTS,
  });
  const account = {
    ...{ name: "Twilio", kind: "twilio" },
    credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN },
  };
  const made = await api.post("/v1/carriers", { ...account, settings: {} });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const path = `/v1/carriers/${made.body.carrier.carrier_id}`;
  const single = (to_number: string) =>
    api.post("/v1/voice/calls", { voice_agent_id: voiceAgentId, from_number: OURS, to_number });
  const over = (callId: string) =>
    until(
      "it is over",
      async () => {
        const { call } = (await api.get(`/v1/voice/calls/${callId}`)).body;
        return !["registered", "ongoing"].includes(call.call_status) && call;
      },
      OVER_WITHIN_MS,
    );
  const endOf = async (to: string) => {
    const placed = await single(to);
    assert.equal(placed.status, 201, JSON.stringify(placed.body));
    return over(placed.body.call.call_id);
  };

  await t.test("an account carries no calls until it says so, and its numbers' webhooks stay as they are", async () => {
    const connected = await api.post(`${path}/connect`, {});
    assert.equal(connected.status, 200, JSON.stringify(connected.body));
    assert.deepEqual(
      twilio.numbers.map((number) => number.voice_url),
      [""],
    );
    const refused = await single(TALKS);
    assert.deepEqual([refused.status, /set its setting voice to stream/.test(refused.body.error)], [400, true]);
    assert.equal((await api.patch(path, { settings: { voice: "stream" } })).status, 200);
    const [number] = twilio.numbers;
    number!.voice_url = "https://elsewhere.example/calls";
    const preview = await api.post(`${path}/connect`, { dry_run: true });
    assert.match(JSON.stringify(preview.body.changes), /The webhook for calls to \+12125550100/);
    await api.post(`${path}/connect`, {});
    assert.equal(number!.voice_url, "https://elsewhere.example/calls");
    assert.equal((await api.post(`${path}/connect`, { replace: true })).status, 200);
    assert.equal(number!.voice_url, `${api.url}/carrier/${made.body.carrier.carrier_id}/voice`);
  });

  await t.test("each end of a call that nobody took is kept, in words", async () => {
    twilio.calls.telephones.set(BUSY, { does: "busy", sip: 486 });
    twilio.calls.telephones.set(NOBODY, { does: "no-answer", sip: 487 });
    twilio.calls.telephones.set(NONE, { does: "failed", sip: 404 });
    twilio.calls.telephones.set(REFUSED, { does: "refused", code: 21215 });
    twilio.calls.telephones.set(DECLINES, { does: "busy", sip: 603 });
    const phones = [BUSY, NOBODY, NONE, REFUSED, DECLINES];
    const ends = await Promise.all(phones.map(endOf));
    assert.deepEqual(
      ends.map((call) => [call.call_status, call.carrier_code]),
      [
        ["not_connected", "486"],
        ["not_connected", "487"],
        ["not_connected", "404"],
        ["not_connected", "21215"],
        ["not_connected", "603"],
      ],
    );
    for (const phone of phones.slice(0, 3)) assert.equal(twilio.calls.calls.filter(({ to }) => to === phone).length, 1);
  });

  await t.test(
    "a call is had over a stream: its words are in the transcript, and the agent falls silent for them",
    async (t) => {
      await heldAgain(t, async () => {
        twilio.calls.telephones.set(TALKS, {
          ...{ does: "answers", greeting: "Hello?", says: [SENTENCE], interruptsAfterMs: 1_000, hangsUpWhenDone: true },
        });
        const before = twilio.calls.calls.length;
        const ended = await endOf(TALKS);
        const [call, ...more] = twilio.calls.calls.slice(before);
        assert.equal(more.length, 0);
        assert.equal(ended.call_status, "ended", JSON.stringify(ended));
        assert.match(ended.transcript, /Agent: Hello, this is Ava/);
        assert.ok(ended.transcript.includes(SENTENCE), ended.transcript);
        assert.ok(
          call!.said.some(({ event }) => event === "clear"),
          JSON.stringify(call!.said),
        );
        assert.ok(call!.loudFrames > 50, `the agent is heard in ${call!.loudFrames} frames`);
        assert.match(String(ended.recording_url), /recording/);
      });
    },
  );

  await t.test("a key that is pressed arrives: the agent says no more, and goes on with what was pressed", async () => {
    twilio.calls.telephones.set(LISTENS, { does: "answers" });
    const placed = await single(LISTENS);
    assert.equal(placed.status, 201, JSON.stringify(placed.body));
    const call = await until("the agent speaks", async () =>
      twilio.calls.calls.find(({ to, loudFrames }) => to === LISTENS && loudFrames > 20),
    );
    assert.equal(call.said.length, 0);
    twilio.calls.press(call, "5");
    twilio.calls.press(call, "#");
    await until("what it had to say is dropped", async () => call.said.some(({ event }) => event === "clear"));
    const dropped = call.loudFrames;
    await until("it speaks again", async () => call.loudFrames > dropped + 20);
    twilio.calls.hangUp(call);
    const ended = await over(placed.body.call.call_id);
    assert.deepEqual([ended.call_status, ended.disconnection_reason], ["ended", "user_hangup"]);
  });

  await t.test(
    "a call to the number is answered by its agent, and one that nobody answers is turned away",
    async () => {
      const url = String(twilio.numbers[0]!.voice_url);
      const sid = `CA${"c1".repeat(16)}`;
      const from = { from: TALKS, to: OURS, sid };
      const turned = await twilio.calls.callIn(
        url,
        { ...from, from: "+12125550199", sid: `CA${"c0".repeat(16)}` },
        { does: "answers" },
      );
      assert.match(turned.twiml, /<Reject/);
      const linked = await api.post(`/v1/voice/phone-numbers/${encodeURIComponent(OURS)}/update-agent`, {
        agent_id: agentId,
      });
      assert.equal(linked.status, 200);
      const call = await twilio.calls.callIn(url, from, { does: "answers", says: [SENTENCE], hangsUpWhenDone: true });
      assert.ok(streamOf(call.twiml), call.twiml);
      const kept = await until("it is kept", async () => {
        const { calls } = (await api.get(`/v1/voice/calls?organization_id=${organizationId}`)).body;
        return calls.find((one: { direction: string }) => one.direction === "inbound");
      });
      const ended = await over(kept.call_id);
      assert.deepEqual([ended.call_status, ended.to_number], ["ended", OURS]);
    },
  );

  await t.test(
    "a stream that shows no ticket, a used one or another account's is closed, and no sound is taken",
    async () => {
      const [call] = twilio.calls.calls.filter(({ to }) => to === TALKS);
      const closed = async (ticket: string, carrier = made.body.carrier.carrier_id, headers = {}) => {
        const socket = new WebSocket(`${api.url.replace("http", "ws")}/carrier/${carrier}/stream`, { headers });
        const { promise, resolve } = Promise.withResolvers<number>();
        socket.on("close", resolve);
        socket.on("unexpected-response", (_, { statusCode }) => resolve(statusCode!));
        socket.on("error", () => {});
        socket.on("open", () => {
          socket.send(JSON.stringify({ event: "connected" }));
          socket.send(
            JSON.stringify({
              ...{ event: "start", streamSid: `MZ${"0".repeat(32)}` },
              start: {
                ...{ accountSid: ACCOUNT_SID, callSid: call!.sid, customParameters: { ticket } },
                mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
              },
            }),
          );
        });
        return promise;
      };
      const used = /value="([^"]+)"/.exec(call!.twiml)![1]!;
      assert.equal(await closed(used), 1008);
      assert.equal(await closed("made-up"), 1008);
      assert.equal(await closed(used, "carrier_01jz0000000000000000000000"), 1008);
      assert.equal(await closed(used, undefined, { "x-twilio-signature": "wrong" }), 403);
    },
  );

  await t.test("a create whose answer is lost is not placed twice", async () => {
    const lost = "+12125550108";
    twilio.calls.telephones.set(lost, { does: "loses-answer", reports: true });
    const call = await endOf(lost);
    assert.equal(call.call_status, "not_connected");
    assert.equal(twilio.calls.calls.filter(({ to }) => to === lost).length, 1);
  });

  const listening = async (phone: string) => {
    twilio.calls.telephones.set(phone, { does: "answers" });
    const placed = await single(phone);
    assert.equal(placed.status, 201, JSON.stringify(placed.body));
    const call = await until("the agent speaks", async () =>
      twilio.calls.calls.find(({ to, loudFrames }) => to === phone && loudFrames > 20),
    );
    return { call, callId: placed.body.call.call_id as string };
  };

  await t.test("a stream that floods is closed, and one with sound in another format is never taken", async () => {
    const { call, callId } = await listening("+12125550189");
    for (let i = 0; i < 5_000; i++) twilio.calls.press(call, "1");
    await until("it is closed", async () => call.socket!.readyState === WebSocket.CLOSED);
    await over(callId);
    const odd = "+12125550188";
    twilio.calls.telephones.set(odd, { does: "answers", encoding: "audio/x-l16" });
    const ended = await endOf(odd);
    assert.equal(ended.call_status, "not_connected", JSON.stringify(ended));
    const calls = twilio.calls.calls.filter(({ to }) => to === odd);
    assert.deepEqual(
      calls.map(({ frames }) => frames),
      [0],
    );
  });

  await t.test("when the media node is killed its calls end as errors, and nobody is called again", async () => {
    const held = [await listening("+12125550190"), await listening("+12125550191")];
    const placed = twilio.calls.calls.length;
    media.kill();
    for (const { callId } of held) {
      const ended = await over(callId);
      assert.deepEqual([ended.call_status, ended.disconnection_reason], ["error", "error_unknown"]);
    }
    for (const { call } of held)
      await until("its stream is closed", async () => call.socket!.readyState === WebSocket.CLOSED);
    assert.equal(twilio.calls.calls.length, placed);
  });
});
