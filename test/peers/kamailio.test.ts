import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { baresip } from "./baresip.ts";
import { aCall, anAgent, until } from "./parley.ts";
import { folder, freePort, missing, start } from "./programs.ts";

const skip = missing("kamailio", "baresip");

/** A proxy that stays in the way of a call, wants a password for it, and sends it to `target`. */
async function kamailio(t: Parameters<typeof folder>[0], target: number): Promise<number> {
  const where = folder(t);
  const port = await freePort();
  writeFileSync(
    join(where, "kamailio.cfg"),
    `#!KAMAILIO
debug=1
log_stderror=yes
fork=no
children=1
listen=udp:127.0.0.1:${port}
listen=tcp:127.0.0.1:${port}
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "auth.so"
modparam("auth", "nonce_count", 1)
modparam("auth", "qop", "auth")
request_route {
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
`,
  );
  const run = join(where, "run");
  const program = start(
    t,
    "kamailio",
    ["-f", join(where, "kamailio.cfg"), "-Y", where, "-P", `${run}.pid`, "-m", "32", "-M", "4", "-DD", "-E"],
    where,
  );
  // It says nothing when it is ready: an answer to a request does.
  await pause(700);
  assert.ok(program.pid > 0);
  return port;
}

const credentials = { username: "trunk", password: "a long one" };

for (const transport of ["udp", "tcp"] as const) {
  test(`kamailio asks for a password over ${transport}, and the call stays on its route until the end`, {
    skip,
  }, async (t) => {
    const phone = await baresip(t);
    const agent = await anAgent(
      t,
      { port: await kamailio(t, phone.port), transport, ...credentials, register: true },
      { tcpPort: 0 },
    );
    await until(() => agent.trunkState("peer").isRegistered, "registered");
    const { call, events, sound } = await aCall(t, agent);
    await until(() => events.includes("answered"), "answered");
    await until(() => sound.heard.size > 10, "heard");
    assert.equal(await call.hold(true), true);
    phone.command("hangup");
    await until(() => events.at(-1) === "ended: they_hung_up", "their BYE came the same way");

    const wrong = await anAgent(t, {
      port: await kamailio(t, phone.port),
      transport,
      username: "trunk",
      password: "wrong",
    });
    const refused = await aCall(t, wrong);
    await until(() => refused.end(), "refused");
    assert.deepEqual([refused.end()?.status, refused.end()?.reason], [407, "telephony_provider_permission_denied"]);
  });
}
