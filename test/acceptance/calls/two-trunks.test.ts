import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { aKeyOf } from "#test/support/accounts/tenant.ts";
import { client, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon } from "#test/support/campaigns/campaign.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";

const LIVE_KEY = "pk_live_bootstrap_0123456789abcdef0123456789abcdef";
const [EAST, WEST, SPARE] = ["+12125550171", "+13105550172", "+13105550173"] as const;
const CALLEE = "+12125550199";

/** A carrier's server that takes no call: what it is asked, by the number that the call is from. */
async function aServer(t: TestContext): Promise<{ port: number; callers: string[] }> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  t.after(() => socket.close());
  const callers: string[] = [];
  socket.on("message", (bytes, from) => {
    const lines = bytes.toString().split("\r\n");
    if (!lines[0]?.startsWith("INVITE")) return;
    callers.push(/sip:([^@]+)@/.exec(lines.find((line) => line.startsWith("From:"))!)![1]!);
    const kept = lines.filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
    const answer = kept.map((line) => (line.startsWith("To:") ? `${line};tag=t` : line));
    socket.send(
      ["SIP/2.0 404 Not Found", ...answer, "Content-Length: 0", "", ""].join("\r\n"),
      from.port,
      from.address,
    );
  });
  return { port: socket.address().port, callers };
}

test("a tenant has numbers on two trunks, and a call leaves by the trunk of the number that it is from", async (t) => {
  const [east, west] = [await aServer(t), await aServer(t)];
  const trunk = (name: string, port: number, numbers: string[]) => ({
    ...{ name, host: "127.0.0.1", port, numbers, keepAliveSeconds: 0 },
  });
  const trunks = [trunk("east", east.port, [EAST]), trunk("west", west.port, [WEST, SPARE])];
  const api = await startParley(
    t,
    {
      PARLEY_BOOTSTRAP_API_KEY: LIVE_KEY,
      PARLEY_LIVE_CLOCK: "moved",
      PARLEY_SIP_TRUNKS: JSON.stringify(trunks),
      PARLEY_SIP_PORT: String(await aFreePort()),
      // No call of this test is answered, so that nothing asks it for words.
      PARLEY_SPEECH_TO_TEXT_PROVIDER: "openai",
      PARLEY_OPENAI_SPEECH_BASE_URL: "http://127.0.0.1:9",
      PARLEY_OPENAI_SPEECH_API_KEY: "none",
    },
    ["api", "worker", "media"],
  );
  await aNoon(client(api.url, await aKeyOf(api, "test")));
  const { organizationId, voiceAgentId } = await aVoiceAgent(api);

  await t.test("the search offers the numbers of both, and both sell", async () => {
    const offered = (await api.get("/v1/voice/phone-numbers/search")).body.phone_numbers;
    assert.deepEqual(
      offered.map((offer: { phone_number: string }) => offer.phone_number).sort(),
      [EAST, WEST, SPARE].sort(),
    );
    for (const phone_number of [EAST, WEST]) {
      const bought = await api.post("/v1/voice/phone-numbers/purchase", { phone_number });
      assert.equal(bought.status, 201, JSON.stringify(bought.body));
    }
    // By area code the second trunk's other number is found, though the first trunk has none there.
    const created = await api.post("/v1/voice/phone-numbers/create", {
      area_code: "310",
      organization_id: organizationId,
    });
    assert.equal(
      created.body.phone_number?.phone_number ?? created.body.phone_number,
      SPARE,
      JSON.stringify(created.body),
    );
  });

  await t.test("each call is at the server of its number's trunk, and nowhere else", async () => {
    for (const from_number of [EAST, WEST, SPARE]) {
      const call = { voice_agent_id: voiceAgentId, from_number, to_number: CALLEE };
      const made = await api.post("/v1/voice/calls", call);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const over = await until("it is over", async () => {
        const { body } = await api.get(`/v1/voice/calls/${made.body.call.call_id}`);
        return body.call.call_status === "not_connected" && body.call;
      });
      assert.equal(over.carrier_code, "404");
      const means = "There is no such number, or the carrier knows no way to it.";
      assert.equal(over.carrier_cause, `${means} The carrier said: Not Found`);
    }
    assert.deepEqual([east.callers, west.callers], [[EAST], [WEST, SPARE]]);
  });

  await t.test("one campaign has its numbers on one trunk", async () => {
    const campaign = {
      leads: [{ phone_number: CALLEE }],
      voice_agent_id: voiceAgentId,
      agent_outbound_number: WEST,
      campaign_begin_time: "2098-01-01T00:00:00Z",
      campaign_end_time: "2099-01-01T00:00:00Z",
    };
    const mixed = await api.post("/v1/voice/campaigns", { ...campaign, agent_outbound_numbers: [EAST] });
    assert.equal(mixed.status, 400, JSON.stringify(mixed.body));
    assert.match(mixed.body.error, /\+12125550171 is on another trunk than agent_outbound_number/);
    const made = await api.post("/v1/voice/campaigns", { ...campaign, agent_outbound_numbers: [SPARE] });
    assert.equal(made.status, 202, JSON.stringify(made.body));
    const path = `/v1/voice/campaigns/${made.body.campaign_id}`;
    const changed = await api.patch(path, { agent_outbound_numbers: [EAST] });
    assert.equal(changed.status, 400, JSON.stringify(changed.body));
    assert.match(changed.body.error, /is on another trunk than the campaign's numbers/);
  });

  await t.test("a test key of the same tenant has simulated calls only", async () => {
    const before = east.callers.length + west.callers.length;
    const tests = client(api.url, await aKeyOf(api, "test"));
    const agent = await aVoiceAgent(tests);
    const call = { voice_agent_id: agent.voiceAgentId, from_number: EAST, to_number: "+12125550100" };
    const made = await tests.post("/v1/voice/calls", call);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await until("it is over", async () => {
      const { body } = await tests.get(`/v1/voice/calls/${made.body.call.call_id}`);
      return body.call.call_status === "ended";
    });
    assert.equal(east.callers.length + west.callers.length, before);
  });
});
