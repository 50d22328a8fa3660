import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "#app/roles/api.ts";
import { aKeyOf } from "#test/support/accounts/tenant.ts";
import { client, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon } from "#test/support/campaigns/campaign.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { startWithStreams } from "#test/support/carriers/twilio/streams.ts";

const LIVE_KEY = "pk_live_bootstrap_0123456789abcdef0123456789abcdef";
const OURS = "+12125550100";
const LISTENS = "+12125550187";
/** An end whose report was lost is asked for 20 seconds after the longest ring. */
const OVER_WITHIN_MS = 120_000;

test("a call whose sound comes by an api node goes on while that node stops, which waits for its end", {
  timeout: 300_000,
}, async (t) => {
  const twilio = await startTwilio(t);
  twilio.addNumber(OURS);
  const { service } = await startWithStreams(t, twilio, [], {
    PARLEY_BOOTSTRAP_API_KEY: LIVE_KEY,
    PARLEY_STREAM_GRACE_MS: "120000",
  });
  const other = await startApi({ ...service.config, port: 0 }, service.databaseUrl);
  t.after(() => other.stop());
  const api = client(other.url, LIVE_KEY);
  await aNoon(client(other.url, await aKeyOf(service, "test")));
  const { voiceAgentId } = await aVoiceAgent(api, {
    ring_duration_ms: 15_000,
    starting_message:
      "Hello, this is Ava of Acme. We buy homes in your town and pay for all of the repairs. Do you have a minute to talk about yours?",
  });
  const made = await api.post("/v1/carriers", {
    ...{ name: "Twilio", kind: "twilio", settings: { voice: "stream" } },
    credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const connected = await api.post(`/v1/carriers/${made.body.carrier.carrier_id}/connect`, {});
  assert.equal(connected.status, 200, JSON.stringify(connected.body));

  twilio.calls.telephones.set(LISTENS, { does: "answers" });
  const placed = await api.post("/v1/voice/calls", {
    ...{ voice_agent_id: voiceAgentId, from_number: OURS, to_number: LISTENS },
  });
  assert.equal(placed.status, 201, JSON.stringify(placed.body));
  const call = await until("the agent speaks", async () =>
    twilio.calls.calls.find(({ to, loudFrames }) => to === LISTENS && loudFrames > 20),
  );
  let isStopped = false;
  const stopping = service.stopAll().then(() => {
    isStopped = true;
  });
  await until("a balancer is asked to go elsewhere", async () => (await fetch(`${service.url}/readyz`)).status === 503);
  twilio.calls.press(call, "5");
  twilio.calls.press(call, "#");
  await until("what was pressed has come to the agent, and its answer back", async () =>
    call.said.some(({ event }) => event === "clear"),
  );
  const dropped = call.loudFrames;
  await until("it speaks again", async () => call.loudFrames > dropped + 20);
  assert.equal(isStopped, false);
  twilio.calls.hangUp(call);
  await stopping;
  const ended = await until(
    "it is over",
    async () => {
      const found = (await api.get(`/v1/voice/calls/${placed.body.call.call_id}`)).body.call;
      return !["registered", "ongoing"].includes(found.call_status) && found;
    },
    OVER_WITHIN_MS,
  );
  assert.deepEqual([ended.call_status, ended.disconnection_reason], ["ended", "user_hangup"]);
});
