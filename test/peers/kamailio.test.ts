import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { baresip } from "./baresip.ts";
import { kamailio } from "./kamailio.ts";
import { aCall, anAgent, until } from "./parley.ts";
import { childrenOf, missing } from "./programs.ts";

const skip = missing("kamailio", "baresip");

/** A proxy that stays in the way of a call, wants a password for it, and sends it to `target`. */
const routesTo = (target: number) => `request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("CANCEL")) { t_relay(); exit; }
  if (has_totag()) { loose_route(); t_relay(); exit; }
  if (is_method("REGISTER")) {
    if (!pv_www_authenticate("parley.test", "a long one", "0")) { www_challenge("parley.test", "1"); exit; }
    append_to_reply("Contact: <$(ct{tobody.uri})>;expires=60\\r\\n");
    sl_send_reply("200", "OK");
    exit;
  }
  if (is_method("INVITE")) {
    if (!pv_proxy_authenticate("parley.test", "a long one", "0")) { proxy_challenge("parley.test", "1"); exit; }
    consume_credentials();
  }
  record_route();
  $ru = "sip:phone@127.0.0.1:${target};transport=udp";
  t_relay();
}
`;

test("what a kamailio that had to be killed leaves behind ends with it", { skip: missing("kamailio") }, async () => {
  const closing: (() => unknown)[] = [];
  const { pid } = await kamailio({ after: (close) => closing.unshift(close) }, { routes: routesTo(9) });
  const children = childrenOf(pid).map((child) => child.pid);
  assert.ok(children.length > 0);
  // It answers no signal, and leaves them.
  process.kill(pid, "SIGSTOP");
  for (const close of closing) await close();
  await until(() => children.every((child) => !existsSync(`/proc/${child}`)), "they have ended");
});

const credentials = { username: "trunk", password: "a long one" };

for (const transport of ["udp", "tcp"] as const) {
  test(`kamailio asks for a password over ${transport}, and the call stays on its route until the end`, {
    skip,
  }, async (t) => {
    const phone = await baresip(t);
    const { port } = await kamailio(t, { routes: routesTo(phone.port) });
    const agent = await anAgent(t, { port, transport, ...credentials, register: true }, { bind: { tcpPort: 0 } });
    await until(() => agent.trunkState("peer").isRegistered, "registered");
    const { call, events, sound } = await aCall(t, agent);
    await until(() => events.includes("answered"), "answered");
    await until(() => sound.heard.size > 10, "heard");
    assert.equal(await call.hold(true), true);
    phone.command("hangup");
    await until(() => events.at(-1) === "ended: they_hung_up", "their BYE came the same way");

    const wrong = await anAgent(t, { port, transport, username: "trunk", password: "wrong" });
    const refused = await aCall(t, wrong);
    await until(() => refused.end(), "refused");
    assert.deepEqual([refused.end()?.status, refused.end()?.reason], [407, "telephony_provider_permission_denied"]);
  });
}
