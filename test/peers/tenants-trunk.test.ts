import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { watchMachine } from "#test/support/processes/standstill.ts";
import { CAMPAIGN_PHONES, numberOf, soundOf, startPhone } from "./campaign-phones.ts";
import { kamailio } from "./kamailio.ts";
import { knownSentences } from "./known-sentences.ts";
import { share } from "./likeness.ts";
import { missing } from "./programs.ts";
import { callsThrough, registeredAt, registrarRoutes } from "./registrar.ts";
import { endsTogether, recordingOf, sipService } from "./sip-service.ts";

const skip = missing("kamailio", "baresip");
const TRUNK = { username: "acme", password: "the-trunks-own" };
const PHONES_PASSWORD = "the-phones-own";
const ROUND_MS = 120_000;
/** Of the sound that a telephone said, what has to be in the recording as it was. */
const WHOLE = 0.9;
/** Other voices and words share a quarter. */
const HEARD = 0.5;
const phoneThat = (does: string) => CAMPAIGN_PHONES.find((phone) => phone.does === does)!;

test("a campaign calls over a tenant's own trunk: its words are heard, and each cause is kept", {
  skip,
}, async (t) => {
  const owner = endsTogether(t);
  const machine = await watchMachine(t);
  const [talks, declines, unknown] = ["says no", "declines", "never registered (404)"].map(phoneThat);
  const sound = soundOf(talks!);
  const proxy = await kamailio(
    t,
    registrarRoutes({ trunk: TRUNK, phones: PHONES_PASSWORD, declines: [numberOf(declines!)] }),
  );
  const speechToTextUrl = await knownSentences(t, [sound]);
  const registrar = { port: proxy.port, password: PHONES_PASSWORD };
  const [{ api, said }, phone] = await Promise.all([
    sipService(t, owner, { speechToTextUrl }),
    startPhone(owner(), talks!, sound.samples, registrar),
    startPhone(owner(), declines!, soundOf(declines!).samples, registrar),
  ]);
  await until("both have registered", async () => registeredAt(proxy).size === 2);

  const settings = { host: "127.0.0.1", port: proxy.port, numbers: [SENDER] };
  const made = await api.post("/v1/carriers", { name: "Office", kind: "sip", credentials: TRUNK, settings });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const connected = await api.post(`/v1/carriers/${made.body.carrier.carrier_id}/connect`, {});
  assert.equal(connected.status, 200, JSON.stringify(connected.body));

  const begin = performance.now();
  const { voiceAgentId } = await aVoiceAgent(api, { voice_id: "slt", ring_duration_ms: 15_000 });
  const campaign = await api.post("/v1/voice/campaigns", {
    leads: [talks, declines, unknown].map((one) => ({ phone_number: numberOf(one!), first_name: "Ann" })),
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDER,
  });
  assert.equal(campaign.status, 202, JSON.stringify(campaign.body));
  const over = await until(
    "the campaign is over",
    async () => {
      const { body } = await api.get(`/v1/voice/campaigns/${campaign.body.campaign_id}`);
      return body.campaign.status === "completed" && body.campaign;
    },
    ROUND_MS,
  );
  for (const line of said()) t.diagnostic(line);
  const { calls } = (await api.get(`/v1/voice/calls?organization_id=${over.organization_id}`)).body;
  const callOf = async (number: string) => {
    const [call, ...more] = calls.filter((one: { to_number: string }) => one.to_number === number);
    assert.equal(more.length, 0, "nobody is called twice");
    return (await api.get(`/v1/voice/calls/${call.call_id}`)).body.call;
  };
  for (const [one, code] of [
    [declines, "603"],
    [unknown, "404"],
  ] as const) {
    assert.equal((await callOf(numberOf(one!))).carrier_code, code);
    assert.equal(callsThrough(proxy, numberOf(one!)).size, 1);
  }
  const talk = await callOf(numberOf(talks!));
  assert.match(talk.transcript, /No thank you/);
  const [recorded, heard] = [await recordingOf(api, talk.call_id), phone.heard()];
  const still = await machine.between(begin, performance.now());
  const alike = { theirs: share(phone.played(), recorded.contact), ours: share(recorded.agent, heard) };
  t.diagnostic(JSON.stringify({ ...alike, still }));
  const { theirs, ours } = alike;
  assert.ok(
    theirs.likeness > WHOLE || theirs.missedMs <= still.ms,
    `theirs: ${theirs.likeness}, ${theirs.missedMs} ms`,
  );
  // What a telephone hears on a busy machine is measured by sip-campaign.test.ts; here it is that it hears our agent.
  assert.ok(ours.likeness > HEARD, `ours: ${ours.likeness}`);
});
