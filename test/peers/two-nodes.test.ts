import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { baresip } from "./baresip.ts";
import { CAMPAIGN_PHONES, numberOf, soundOf, startPhone } from "./campaign-phones.ts";
import { type Kamailio, kamailio } from "./kamailio.ts";
import { knownSentences } from "./known-sentences.ts";
import { missing } from "./programs.ts";
import { callsThrough } from "./registrar.ts";
import { endsTogether, sipService } from "./sip-service.ts";

const skip = missing("kamailio", "baresip");
const TRUNK = { username: "acme", password: "the-trunks-own" };
const PHONES = "the-phones-own";
const REALM = "parley.test";
const ROUND_MS = 120_000;
const WAIT_MS = 60_000;

/** A registrar that sends a call to the trunk's number to every place at which the trunk is registered, or that has room for one alone: the last. */
const routes = (places: "all" | "the last") => ({
  modules: ["usrloc", "registrar", "xlog"],
  settings: [
    'modparam("usrloc", "db_mode", 0)',
    'modparam("registrar", "max_expires", 600)',
    // A server that is gone is given up after this.
    'modparam("tm", "fr_timer", 3000)',
  ],
  routes: `request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) { loose_route(); t_relay(); exit; }
  if (is_method("REGISTER")) {
    if ($fU == "${TRUNK.username}") {
      if (!pv_www_authenticate("${REALM}", "${TRUNK.password}", "0")) { www_challenge("${REALM}", "1"); exit; }
    } else if (!pv_www_authenticate("${REALM}", "${PHONES}", "0")) { www_challenge("${REALM}", "1"); exit; }
    ${places === "all" ? 'save("location");' : 'save("location", "0x04");'}
    xlog("L_ALERT", "REGISTERED $tU $sp\\n");
    exit;
  }
  if (!is_method("INVITE")) { sl_send_reply("200", "OK"); exit; }
  t_check_trans();
  if ($rU == "${SENDER}") {
    $rU = "${TRUNK.username}";
    if (!lookup("location")) { sl_send_reply("480", "Temporarily Unavailable"); exit; }
    record_route();
    t_relay();
    exit;
  }
  if (!pv_proxy_authenticate("${REALM}", "${TRUNK.password}", "0")) { proxy_challenge("${REALM}", "1"); exit; }
  consume_credentials();
  xlog("L_ALERT", "CALLED $rU $ci\\n");
  if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
  record_route();
  t_relay();
}
`,
});

/** The ports that the trunk has registered from, the last one last, each time that it did. */
const registeredFrom = (proxy: Kamailio): number[] =>
  [...proxy.said().matchAll(/REGISTERED acme (\d+)/g)].map(([, port]) => Number(port));

for (const places of ["all", "the last"] as const) {
  test(`of two media nodes that are registered with a registrar that calls ${places === "all" ? "both" : "the last one alone"} one is killed: the other takes and places the account's calls, each once`, {
    skip,
  }, async (t) => {
    const owner = endsTogether(t);
    const talks = CAMPAIGN_PHONES.find(({ does }) => does === "hangs up in mid-call")!;
    const proxy = await kamailio(t, routes(places));
    const speechToTextUrl = await knownSentences(t, [soundOf(talks)]);
    const registrar = { port: proxy.port, password: PHONES };
    const [service, caller] = await Promise.all([
      sipService(t, owner, { speechToTextUrl, mediaNodes: 2 }),
      baresip(owner(), { name: "+13105550177" }),
      startPhone(owner(), talks, soundOf(talks).samples, registrar),
    ]);
    const { api, media, sql } = service;
    const { voiceAgentId, agentId, organizationId } = await aVoiceAgent(api, { voice_id: "slt" });
    const settings = { host: "127.0.0.1", port: proxy.port, register: true, numbers: [SENDER] };
    const made = await api.post("/v1/carriers", { name: "Office", kind: "sip", credentials: TRUNK, settings });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal((await api.post(`/v1/carriers/${made.body.carrier.carrier_id}/connect`, {})).status, 200);
    const numbers = `/v1/voice/phone-numbers/${encodeURIComponent(SENDER)}/update-agent`;
    assert.equal((await api.post(numbers, { agent_id: agentId })).status, 200);
    const ports = media.map(({ sipPort }) => sipPort);
    await until(
      "both are registered",
      async () => ports.every((port) => registeredFrom(proxy).includes(port)),
      WAIT_MS,
    );

    const inbound = async () =>
      (await api.get(`/v1/voice/calls?organization_id=${organizationId}`)).body.calls.filter(
        (call: { direction: string }) => call.direction === "inbound",
      );
    /** Calls the trunk's number, is answered, and hangs up. */
    const callUs = async () => {
      const [before, events] = [(await inbound()).length, caller.events.length];
      const from = performance.now();
      caller.command("dial", `sip:${SENDER}@127.0.0.1:${proxy.port}`);
      const later = () => caller.events.slice(events);
      await until(
        "it is answered",
        async () => {
          const closed = later().find(({ type }) => type === "CALL_CLOSED");
          assert.equal(closed, undefined, `it was not: ${closed?.param}`);
          return later().some(({ type }) => type === "CALL_ESTABLISHED");
        },
        WAIT_MS,
      );
      const ms = Math.round(performance.now() - from);
      caller.command("hangup");
      await until(
        "it is over",
        async () => (await inbound()).every((call: { call_status: string }) => call.call_status === "ended"),
        WAIT_MS,
      );
      assert.equal((await inbound()).length, before + 1, "it is one call, whoever was asked");
      return ms;
    };
    const place = async () => {
      const began = performance.now();
      const before = callsThrough(proxy, numberOf(talks)).size;
      const call = await api.post("/v1/voice/calls", {
        ...{ voice_agent_id: voiceAgentId, from_number: SENDER, to_number: numberOf(talks) },
      });
      assert.equal(call.status, 201, JSON.stringify(call.body));
      const path = `/v1/voice/calls/${call.body.call.call_id}`;
      const isOver = async () => (await api.get(path)).body.call.call_status === "ended";
      await until("it is placed", async () => callsThrough(proxy, numberOf(talks)).size > before, ROUND_MS);
      const ms = Math.round(performance.now() - began);
      await until("it was answered and is over", isOver, ROUND_MS);
      assert.equal(callsThrough(proxy, numberOf(talks)).size, before + 1, "the telephone rang once");
      return ms;
    };

    const whole = [await callUs(), await callUs()];
    const placed = await place();
    // The one that a registrar with one place sends calls to.
    const last = ports.indexOf(registeredFrom(proxy).at(-1)!);
    const registered = registeredFrom(proxy).length;
    const died = performance.now();
    await media[last]!.process.kill();
    const left = ports[1 - last]!;
    await until(
      "the other has registered anew",
      async () => registeredFrom(proxy).slice(registered).includes(left),
      WAIT_MS,
    );
    const anewMs = Math.round(performance.now() - died);
    const after = [await callUs(), await callUs()];
    const placedAfter = await place();
    const { rows } = await sql.query(
      "select direction, count(distinct node_id)::int as nodes, count(*)::int as calls from calls group by direction order by direction",
    );
    t.diagnostic(
      `registrar that calls ${places}: answered after ${whole.join(" and ")} ms, after the kill ${after.join(" and ")} ms; ` +
        `registered anew ${anewMs} ms after it; placed after ${placed} and ${placedAfter} ms; ${JSON.stringify(rows)}`,
    );
    assert.deepEqual(
      rows.map(({ direction, calls }) => [direction, calls]),
      [
        ["inbound", 4],
        ["outbound", 2],
      ],
    );
  });
}
