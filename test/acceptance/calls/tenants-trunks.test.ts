import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { header } from "#adapters/sip-messages/message.ts";
import { aKeyOf, anotherTenant } from "#test/support/accounts/tenant.ts";
import { client, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { type SipProvider, sipProvider } from "#test/support/calls/sip-provider.ts";
import { sipRequest, udpSender } from "#test/support/calls/sip-sender.ts";
import { aNoon } from "#test/support/campaigns/campaign.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";

type Api = ReturnType<typeof client>;
const LIVE_KEY = "pk_live_bootstrap_0123456789abcdef0123456789abcdef";
const [EAST, WEST, NOBODYS] = ["+12125550171", "+13105550172", "+14155550173"] as const;
/** Both tenants have the same provider: its calls come from there. */
const PROVIDERS = "127.0.0.20";
const CALLEES = ["+12125550186", "+12125550104", "+12125550103"] as const;
const GUAM = "+16716350123";
/** What becomes of a call, by the number that it is to. */
const CAUSES: Readonly<Record<string, string>> = {
  [CALLEES[0]]: "486 Busy Here",
  [CALLEES[1]]: "404 Not Found",
  [CALLEES[2]]: "603 Decline",
};

/** A provider's server that wants a password for each call, and takes none while it is `revoked`. */
async function aServer(t: TestContext): Promise<SipProvider & { state: { revoked: boolean } }> {
  const state = { revoked: false };
  let nonce = 0;
  const server = await sipProvider(t, (method, text) => {
    if (method === "ACK") return undefined;
    if (method !== "INVITE") return ["200 OK"];
    if (state.revoked || !/^Proxy-Authorization:/m.test(text))
      return [
        "407 Proxy Authentication Required",
        `Proxy-Authenticate: Digest realm="x", nonce="n${++nonce}", qop="auth"`,
      ];
    return [CAUSES[/^INVITE sip:([^@]+)@/.exec(text)![1]!] ?? "480 Temporarily Unavailable"];
  });
  return Object.assign(server, { state });
}

/** The numbers whose telephone a server was asked for with a password that it took, and the number that called. */
const placedAt = ({ asked }: SipProvider) =>
  asked.flatMap(({ message, text }) =>
    message.method === "INVITE" && text.includes("Proxy-Authorization:")
      ? [
          {
            to: /^INVITE sip:([^@]+)@/.exec(text)![1]!,
            from: /sip:([^@]+)@/.exec(header(message, "p-asserted-identity") ?? "")?.[1],
          },
        ]
      : [],
  );

const anAccount = async (api: Api, port: number, username: string, more: Record<string, unknown> = {}) => {
  const settings = { host: "127.0.0.1", port, identity: { header: "p-asserted-identity" }, ...more };
  const body = {
    name: `Trunk of ${username}`,
    kind: "sip",
    credentials: { username, password: "a-password" },
    settings,
  };
  const made = await api.post("/v1/carriers", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const path = `/v1/carriers/${made.body.carrier.carrier_id}`;
  const connected = await api.post(`${path}/connect`, {});
  assert.equal(connected.status, 200, JSON.stringify(connected.body));
  return { path, missing: connected.body.missing.join(". ") as string };
};

const over = (api: Api, callId: string) =>
  until("it is over", async () => {
    const { call } = (await api.get(`/v1/voice/calls/${callId}`)).body;
    return !["registered", "ongoing"].includes(call.call_status) && call;
  });

test("calls over tenants' own trunks", async (t) => {
  const [eastServer, westServer] = [await aServer(t), await aServer(t)];
  const sipPort = await aFreePort();
  const east = await startParley(
    t,
    {
      PARLEY_BOOTSTRAP_API_KEY: LIVE_KEY,
      PARLEY_LIVE_CLOCK: "moved",
      PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.0/8",
      PARLEY_SIP_PORT: String(sipPort),
      PARLEY_RTP_PORTS: "30000-30998",
      // Nobody says a word in this test.
      PARLEY_SPEECH_TO_TEXT_PROVIDER: "openai",
      PARLEY_OPENAI_SPEECH_BASE_URL: "http://127.0.0.1:9",
      PARLEY_OPENAI_SPEECH_API_KEY: "none",
    },
    ["api", "worker", "media"],
  );
  const west = await anotherTenant(east, "live");
  for (const api of [east, west]) await aNoon(client(east.url, await aKeyOf(east, "test", api)));
  const [eastAgent, westAgent] = [await aVoiceAgent(east), await aVoiceAgent(west)];
  const single = (voice_agent_id: string, from_number: string, to_number: string = CALLEES[0]) => ({
    ...{ voice_agent_id, from_number, to_number },
  });
  const leads = CALLEES.map((phone_number) => ({ phone_number }));

  await t.test("without an account nobody is called, and one sentence says what is missing", async () => {
    const missing = /is on no carrier account: connect one that has the number/;
    const call = await east.post("/v1/voice/calls", single(eastAgent.voiceAgentId, EAST));
    assert.deepEqual([call.status, missing.test(call.body.error)], [400, true], JSON.stringify(call.body));
    const campaign = { leads, voice_agent_id: eastAgent.voiceAgentId, agent_outbound_number: EAST };
    for (const path of ["/v1/voice/campaigns", "/v1/voice/campaigns/preflight"]) {
      const made = await east.post(path, campaign);
      assert.deepEqual([made.status, missing.test(made.body.error)], [400, true], JSON.stringify(made.body));
    }
  });

  const allowed_addresses = [PROVIDERS];
  const eastTrunk = await anAccount(east, eastServer.port, "east", { numbers: [EAST], allowed_addresses });
  const westTrunk = await anAccount(west, westServer.port, "west", { numbers: [WEST, EAST], allowed_addresses });

  await t.test("a number is one tenant's, and another that names it is not given it", async () => {
    assert.match(westTrunk.missing, /\+12125550171 is on a trunk of somebody else here/);
    const call = await west.post("/v1/voice/calls", single(westAgent.voiceAgentId, EAST));
    assert.deepEqual([call.status, /is on no carrier account/.test(call.body.error)], [400, true]);
  });

  await t.test("each tenant's call leaves by its own trunk, and nowhere else, and says who calls", async () => {
    for (const [api, agent, from, server] of [
      [east, eastAgent, EAST, eastServer],
      [west, westAgent, WEST, westServer],
    ] as const) {
      const made = await api.post("/v1/voice/calls", single(agent.voiceAgentId, from));
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const call = await over(api, made.body.call.call_id);
      assert.deepEqual(
        [call.carrier_code, call.carrier_cause],
        ["486", "The line was busy. The carrier said: Busy Here"],
      );
      assert.deepEqual(placedAt(server), [{ to: CALLEES[0], from }]);
    }
  });

  await t.test("a campaign calls by it, and keeps each cause", async () => {
    const before = placedAt(eastServer).length;
    const made = await east.post("/v1/voice/campaigns", {
      ...{ leads, voice_agent_id: eastAgent.voiceAgentId, agent_outbound_number: EAST },
    });
    assert.equal(made.status, 202, JSON.stringify(made.body));
    await until("it is over", async () => {
      const { body } = await east.get(`/v1/voice/campaigns/${made.body.campaign_id}`);
      return body.campaign.status === "completed";
    });
    const called = placedAt(eastServer)
      .slice(before)
      .map(({ to }) => to);
    assert.deepEqual(called.sort(), [...CALLEES].sort());
    const { calls } = (await east.get(`/v1/voice/calls?organization_id=${eastAgent.organizationId}`)).body;
    const ended = await Promise.all(calls.map((call: { call_id: string }) => over(east, call.call_id)));
    assert.deepEqual([...new Set(ended.map((call) => call.carrier_code))].sort(), ["404", "486", "603"]);
    assert.equal(placedAt(westServer).length, 1);
  });

  const provider = await udpSender(t, sipPort, PROVIDERS);
  const ask = async (number: string, callId: string, from = provider) => {
    from.send(sipRequest("INVITE", { uri: `sip:${number}@127.0.0.1:${sipPort}`, callId }));
    return until(`${callId} is answered`, async () =>
      provider.answers.find((one) => one.callId === callId && one.status >= 200),
    );
  };
  const callsTo = async (api: Api, { organizationId }: { organizationId: string }) =>
    (await api.get(`/v1/voice/calls?organization_id=${organizationId}`)).body.calls.filter(
      (call: { direction: string }) => call.direction === "inbound",
    );

  await t.test(
    "a call from the provider's addresses is the called number's tenant's, for its agent, and no other's",
    async () => {
      for (const [api, number, agent] of [
        [east, EAST, eastAgent],
        [west, WEST, westAgent],
      ] as const) {
        const path = `/v1/voice/phone-numbers/${encodeURIComponent(number)}/update-agent`;
        assert.equal((await api.post(path, { agent_id: agent.agentId })).status, 200);
      }
      assert.equal((await ask(WEST, "to-west")).status, 200);
      const [call] = await until("it is kept", async () => {
        const kept = await callsTo(west, westAgent);
        return kept.length > 0 && kept;
      });
      assert.deepEqual([call.to_number, call.agent_id], [WEST, westAgent.agentId]);
      assert.deepEqual(await callsTo(east, eastAgent), []);
      assert.equal((await ask(EAST, "to-east")).status, 200);
      await until("it is kept", async () => (await callsTo(east, eastAgent)).length === 1);
      assert.equal((await callsTo(west, westAgent)).length, 1);
      assert.equal((await ask(NOBODYS, "to-nobody")).status, 404);
      const stranger = await udpSender(t, sipPort, "127.0.0.66");
      stranger.send(sipRequest("INVITE", { uri: `sip:${EAST}@127.0.0.1:${sipPort}`, callId: "stranger" }));
      assert.equal((await ask(NOBODYS, "to-nobody-again")).status, 404);
      assert.deepEqual(stranger.answers, []);
    },
  );

  await t.test("a test key of the same tenant has simulated calls only", async () => {
    const before = eastServer.of("INVITE").length;
    const tests = client(east.url, await aKeyOf(east, "test"));
    const agent = await aVoiceAgent(tests);
    const made = await tests.post("/v1/voice/calls", single(agent.voiceAgentId, EAST, "+12125550100"));
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await over(tests, made.body.call.call_id);
    assert.equal(eastServer.of("INVITE").length, before);
  });

  await t.test(
    "credentials that are revoked in a campaign pause it, and it goes on once they are repaired, calling nobody twice",
    async () => {
      eastServer.state.revoked = true;
      const before = eastServer.of("INVITE").length;
      const made = await east.post("/v1/voice/campaigns", {
        ...{ leads, voice_agent_id: eastAgent.voiceAgentId, agent_outbound_number: EAST, calls_per_second: 1 },
      });
      const path = `/v1/voice/campaigns/${made.body.campaign_id}`;
      const paused = await until("it is paused", async () => {
        const { campaign } = (await east.get(path)).body;
        return campaign.status === "paused" && campaign;
      });
      assert.equal(paused.waiting_because, "carrier_key_refused");
      const { carrier } = (await east.get(eastTrunk.path)).body;
      assert.deepEqual(
        [carrier.status, /credentials.*\(407\)/.test(carrier.problem)],
        ["problem", true],
        carrier.problem,
      );
      const resumed = await east.post(`${path}/resume`);
      assert.deepEqual([resumed.status, /Trunk of east has a problem/.test(resumed.body.error)], [409, true]);
      const another = await east.post("/v1/voice/calls", single(eastAgent.voiceAgentId, EAST));
      assert.deepEqual([another.status, /cannot call: the carrier account/.test(another.body.error)], [400, true]);
      assert.ok(eastServer.of("INVITE").length > before);

      eastServer.state.revoked = false;
      const calledBefore = placedAt(eastServer).length;
      const rotated = await east.post(`${eastTrunk.path}/rotate`, {
        credentials: { username: "east", password: "another" },
      });
      assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
      assert.equal((await east.post(`${path}/resume`)).status, 200);
      const clock = client(east.url, await aKeyOf(east, "test"));
      await clock.post("/v1/simulator/clock", { advance_ms: 120_000 });
      await until("it is over", async () => (await east.get(path)).body.campaign.status === "completed");
      const after = placedAt(eastServer)
        .slice(calledBefore)
        .map(({ to }) => to);
      assert.deepEqual(after.sort(), [...CALLEES].sort());
    },
  );

  await t.test("a trunk that is removed takes no call any more, and its number is free", async () => {
    // It is four in the morning there.
    const waits = await east.post("/v1/voice/calls", single(eastAgent.voiceAgentId, EAST, GUAM));
    assert.equal(waits.status, 201, JSON.stringify(waits.body));
    const path = `/v1/voice/calls/${waits.body.call.call_id}`;
    await until("it waits for the morning", async () => (await east.get(path)).body.call.waiting_because !== null);
    assert.equal((await east.delete(eastTrunk.path)).status, 200);
    const refused = await over(east, waits.body.call.call_id);
    assert.deepEqual([refused.call_status, refused.waiting_because], ["not_connected", "carrier_removed"]);
    await until("it is not taken", async () => (await ask(EAST, `gone-${Math.random()}`)).status === 404);
    const again = await west.post(`${westTrunk.path}/connect`, {});
    assert.doesNotMatch(again.body.missing.join(" "), /somebody else/);
  });
});
