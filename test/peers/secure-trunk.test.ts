import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createServer } from "node:tls";
import { until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { selfSigned } from "#test/support/calls/certificate.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { watchMachine } from "#test/support/processes/standstill.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { CAMPAIGN_PHONES, numberOf, soundOf, startPhone } from "./campaign-phones.ts";
import { kamailio } from "./kamailio.ts";
import { knownSentences } from "./known-sentences.ts";
import { share } from "./likeness.ts";
import { missing } from "./programs.ts";
import { callsThrough, registeredAt } from "./registrar.ts";
import { endsTogether, recordingOf, type SipService, sipService } from "./sip-service.ts";

const skip = missing("kamailio", "kamailioTls", "baresip");
const TRUNK = { username: "acme", password: "the-trunks-own" };
const PHONES = "the-phones-own";
const REALM = "parley.test";
const [OFFERED, BLOCKED, OVER] = ["+12125550141", "+12125550142", "+12125550143"] as const;
const ROUND_MS = 120_000;
/** Of the sound that a telephone said, what has to be in the recording as it was; other voices and words share a quarter. */
const [WHOLE, HEARD] = [0.9, 0.5];
const phoneThat = (does: string) => CAMPAIGN_PHONES.find((phone) => phone.does === does)!;

/** A registrar over TLS that knows the trunk by its password and takes no registration of `blocked`. Whoever asks for SRTP, and gets it, is written down. */
const ROUTES = {
  modules: ["usrloc", "registrar", "xlog", "nathelper"],
  settings: [
    'modparam("usrloc", "db_mode", 0)',
    'modparam("registrar", "max_expires", 600)',
    'modparam("nathelper|registrar", "received_avp", "$avp(RECEIVED)")',
  ],
  routes: `request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) { loose_route(); handle_ruri_alias(); t_relay(); exit; }
  if (is_method("REGISTER")) {
    if ($fU == "blocked") { sl_send_reply("403", "Forbidden"); exit; }
    if ($fU == "${TRUNK.username}") {
      if (!pv_www_authenticate("${REALM}", "${TRUNK.password}", "0")) { www_challenge("${REALM}", "1"); exit; }
    } else if (!pv_www_authenticate("${REALM}", "${PHONES}", "0")) { www_challenge("${REALM}", "1"); exit; }
    fix_nated_register();
    save("location");
    xlog("L_ALERT", "REGISTERED $tU $pr\\n");
    exit;
  }
  if (!is_method("INVITE")) { sl_send_reply("200", "OK"); exit; }
  t_check_trans();
  if (!pv_proxy_authenticate("${REALM}", "${TRUNK.password}", "0")) { proxy_challenge("${REALM}", "1"); exit; }
  consume_credentials();
  xlog("L_ALERT", "CALLED $rU $ci\\n");
  if (search_body("a=crypto")) xlog("L_ALERT", "OFFERED SRTP to $rU by $pr\\n");
  if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
  # Nobody can connect to where a client of TLS says that it is.
  add_contact_alias();
  record_route();
  t_on_reply("ANSWER");
  t_relay();
}
onreply_route[ANSWER] {
  if ($rs == "200" && search_body("a=crypto")) xlog("L_ALERT", "AGREED SRTP with $tU\\n");
}
`,
};

/** A server over TLS that says nothing. */
async function silentServer(t: TestContext, pair: { cert: string; key: string }): Promise<number> {
  const server = createServer(pair, (socket) => socket.on("error", () => {}));
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function anAccount({ api }: SipService, settings: Record<string, unknown>, credentials = TRUNK) {
  const made = await api.post("/v1/carriers", {
    ...{ name: `Trunk of ${credentials.username}`, kind: "sip", credentials },
    settings: { host: "127.0.0.1", transport: "tls", register: true, ...settings },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const path = `/v1/carriers/${made.body.carrier.carrier_id}`;
  const connected = await api.post(`${path}/connect`, {});
  assert.equal(connected.status, 200, JSON.stringify(connected.body));
  return { read: async () => (await api.get(path)).body.carrier };
}

test("a campaign calls over a tenant's trunk by TLS and SRTP, required and offered; what is wrong with another is said, and its calls wait", {
  skip,
}, async (t) => {
  const owner = endsTogether(t);
  const machine = await watchMachine(t);
  const names = ["IP:127.0.0.1"];
  const [right, over] = [selfSigned({ names, years: [2020, 2049] }), selfSigned({ names, years: [2019, 2020] })];
  const authorities = join(aFolder("peer"), "authorities.pem");
  writeFileSync(authorities, right.cert + over.cert);
  const [secure, plain] = ["says no", "gives its name"].map(phoneThat);
  const sounds = [soundOf(secure!), soundOf(plain!)];
  const proxy = await kamailio(t, { ...ROUTES, tls: right });
  const speechToTextUrl = await knownSentences(t, sounds);
  const registrar = { port: proxy.port, password: PHONES };
  const [service, securePhone, plainPhone] = await Promise.all([
    sipService(t, owner, { speechToTextUrl, env: { NODE_EXTRA_CA_CERTS: authorities } }),
    startPhone(owner(), secure!, sounds[0]!.samples, registrar, ";mediaenc=srtp-mand"),
    startPhone(owner(), plain!, sounds[1]!.samples, registrar),
  ]);
  const { api } = service;
  const port = proxy.tlsPort;
  const accounts = {
    required: await anAccount(service, { port, srtp: "required", numbers: [SENDER] }),
    offered: await anAccount(service, { port, srtp: "optional", numbers: [OFFERED] }),
    blocked: await anAccount(service, { port, numbers: [BLOCKED] }, { username: "blocked", password: "x" }),
    over: await anAccount(service, { port: await silentServer(t, over), numbers: [OVER] }),
  };
  await until("all have registered, the trunk over TLS", async () => registeredAt(proxy).size === 3, ROUND_MS);
  assert.match(proxy.said(), /REGISTERED acme tls/i);

  const problemOf = (account: keyof typeof accounts) =>
    until(
      `${account} says what is wrong`,
      async () => (await accounts[account].read()).problem as string | null,
      30_000,
    );
  assert.equal(await problemOf("blocked"), "The registration is refused (403 Forbidden)");
  assert.equal(await problemOf("over"), "The TLS certificate of 127.0.0.1 has expired");
  const { voiceAgentId, organizationId } = await aVoiceAgent(api, { voice_id: "slt", ring_duration_ms: 15_000 });
  const waits = await api.post("/v1/voice/calls", {
    ...{ voice_agent_id: voiceAgentId, from_number: BLOCKED, to_number: numberOf(secure!) },
  });
  assert.equal(waits.status, 201, JSON.stringify(waits.body));

  const begin = performance.now();
  const made = await Promise.all(
    [
      { agent_outbound_number: SENDER, lead: secure! },
      { agent_outbound_number: OFFERED, lead: plain! },
    ].map(({ agent_outbound_number, lead }) =>
      api.post("/v1/voice/campaigns", {
        ...{ voice_agent_id: voiceAgentId, agent_outbound_number },
        leads: [{ phone_number: numberOf(lead), first_name: "Ann" }],
      }),
    ),
  );
  for (const { status, body } of made) assert.equal(status, 202, JSON.stringify(body));
  for (const { body } of made) {
    const path = `/v1/voice/campaigns/${body.campaign_id}`;
    await until("it is over", async () => (await api.get(path)).body.campaign.status === "completed", ROUND_MS);
  }
  for (const line of service.said()) t.diagnostic(line);
  const { calls } = (await api.get(`/v1/voice/calls?organization_id=${organizationId}`)).body;
  const still = await machine.between(begin, performance.now());
  for (const [one, phone, words] of [
    [secure, securePhone, /No thank you/],
    [plain, plainPhone, /this is Dana/],
  ] as const) {
    const ofPhone = calls.filter((call: { to_number: string }) => call.to_number === numberOf(one!));
    const talk = await until("its words are there", async () => {
      const [{ call }] = await Promise.all(
        ofPhone.map(async ({ call_id }: { call_id: string }) => (await api.get(`/v1/voice/calls/${call_id}`)).body),
      );
      return call.transcript && call;
    });
    assert.match(talk.transcript, words);
    assert.equal(callsThrough(proxy, numberOf(one!)).size, 1);
    const recorded = await recordingOf(api, talk.call_id);
    const theirs = share(phone.played(), recorded.contact);
    const ours = share(recorded.agent, phone.heard());
    t.diagnostic(JSON.stringify({ does: one!.does, theirs, ours, still }));
    assert.ok(theirs.likeness > WHOLE || theirs.missedMs <= still.ms, `theirs: ${theirs.likeness}`);
    assert.ok(ours.likeness > HEARD, `ours: ${ours.likeness}`);
  }
  const said = proxy.said();
  for (const one of [secure!, plain!]) assert.match(said, new RegExp(`OFFERED SRTP to \\${numberOf(one)} by tls`, "i"));
  assert.ok(said.includes(`AGREED SRTP with ${numberOf(secure!)}`), "what is required is agreed on");
  assert.ok(!said.includes(`AGREED SRTP with ${numberOf(plain!)}`), "what is offered may be left");
  const waiting = (await api.get(`/v1/voice/calls/${waits.body.call.call_id}`)).body.call;
  assert.equal(waiting.call_status, "registered", "a call of the account that is not registered waits");
});
