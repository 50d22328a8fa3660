import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { tenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { trunkOf } from "#adapters/sip-calls/account.ts";
import { baresip } from "./baresip.ts";
import { nameServer } from "./name-server.ts";
import { aCall, anAgent, until } from "./parley.ts";
import { freePort, missing } from "./programs.ts";
import { quickClock } from "./quick-clock.ts";
import { sippServer, step } from "./sipp.ts";

const a = { "one.trunk.test": "127.0.0.1", "two.trunk.test": "127.0.0.1" };
/** A first server and one for when that is gone. */
const servers = (first: number, second: number) => [
  { name: "two.trunk.test", port: second, priority: 20, weight: 0 },
  { name: "one.trunk.test", port: first, priority: 10, weight: 0 },
];

const TAKES_A_CALL = [
  step.receive("INVITE"),
  step.answer("200 OK", { body: step.sdp() }),
  step.receive("ACK"),
  step.receive("BYE"),
  step.answer("200 OK", { tag: "" }),
];

test("a call goes to the next server of the trunk when the first cannot be reached", {
  skip: missing("sipp"),
}, async (t) => {
  const sipp = await sippServer(t, TAKES_A_CALL, { args: ["-t", "t1"] });
  const srv = { "_sip._tcp.trunk.test": servers(await freePort(), sipp.port) };
  const names = await nameServer(t, { srv, a });
  const { resolver } = names;
  const agent = await anAgent(t, { host: "trunk.test", transport: "tcp" }, { resolver, bind: { tcpPort: 0 } });
  const { call, events } = await aCall(t, agent);
  await until(() => events.includes("answered"), "answered");
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.deepEqual(names.asked.slice(0, 1), ["_sip._tcp.trunk.test"]);
  assert.ok(agent.trunkState("peer").isUp, "one of two is enough");
});

test("a call of a tenant's account goes over to the next server of its name while it is set up: one that is not there, then one that is full", {
  skip: missing("sipp"),
}, async (t) => {
  const full = await sippServer(t, [step.receive("INVITE"), step.answer("503 No Channel"), step.receive("ACK")], {
    args: ["-t", "t1"],
  });
  const sipp = await sippServer(t, TAKES_A_CALL, { args: ["-t", "t1"] });
  const away = { name: "one.trunk.test", port: await freePort(), priority: 5, weight: 0 };
  const { resolver } = await nameServer(t, {
    srv: { "_sip._tcp.trunk.test": [...servers(full.port, sipp.port), away] },
    a,
  });
  const account = {
    ...{ carrier: "carrier_1", credentials: { username: "acme", password: "x" } },
    settings: { host: "trunk.test", transport: "tcp", numbers: ["+12125550100"] },
  };
  // Nothing has looked for it before the call does.
  const trunk = { ...trunkOf(account, {}, tenantHosts(["127.0.0.0/8"])), name: "peer", keepAliveSeconds: 0 };
  const agent = await anAgent(t, trunk, { resolver, bind: { tcpPort: 0 } });
  const from = performance.now();
  const { call, events } = await aCall(t, agent);
  await until(() => events.includes("answered"), "answered");
  t.diagnostic(`answered by the third after ${Math.round(performance.now() - from)} ms`);
  call.hangup();

  assert.equal(await full.ended, 0, full.said());
  assert.equal(await sipp.ended, 0, sipp.said());
});

test("a server that has no room passes a call on to the next", { skip: missing("sipp") }, async (t) => {
  const full = await sippServer(t, [step.receive("INVITE"), step.answer("503 No Channel"), step.receive("ACK")]);
  const sipp = await sippServer(t, TAKES_A_CALL);
  const { resolver } = await nameServer(t, { srv: { "_sip._udp.trunk.test": servers(full.port, sipp.port) }, a });
  const agent = await anAgent(t, { host: "trunk.test" }, { resolver });
  const { call, events } = await aCall(t, agent);
  await until(() => events.includes("answered"), "answered");
  call.hangup();

  assert.equal(await full.ended, 0, full.said());
  assert.equal(await sipp.ended, 0, sipp.said());
});

test("a silent server is found out before a call is lost to it, and calls go on when the name service is gone", {
  skip: missing("baresip"),
}, async (t) => {
  const phone = await baresip(t);
  const silent = createSocket("udp4");
  silent.bind(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const heard: string[] = [];
  silent.on("message", (bytes) => void heard.push(bytes.toString().split(" ")[0]!));
  const srv = { "_sip._udp.trunk.test": servers(silent.address().port, phone.port) };
  const names = await nameServer(t, { srv, a });
  const { resolver } = names;
  const clock = quickClock(10);
  const agent = await anAgent(t, { host: "trunk.test", keepAliveSeconds: 30 }, { resolver, clock });
  await until(() => heard.length > 0, "asked");
  const begun = clock.now();
  // Timer F: by then it is known.
  await until(() => clock.now() - begun > 40_000, "given up");
  assert.ok(agent.trunkState("peer").isUp, "the other answers");

  const call = async () => {
    const { call, events } = await aCall(t, agent, { to: "phone" });
    await until(() => events.includes("answered"), "answered");
    call.hangup();
  };
  await call();
  names.fail();
  await call();
  assert.deepEqual([...new Set(heard)], ["OPTIONS"]);
});

test("a trunk that no name server knows takes no call", async (t) => {
  const { resolver } = await nameServer(t, { srv: {}, a: {} });
  const { end } = await aCall(t, await anAgent(t, { host: "trunk.test" }, { resolver }));
  await until(() => end(), "ended");
  assert.deepEqual(
    [end()?.cause, end()?.text, end()?.mayHaveArrived],
    ["unreachable", "the trunk has no address", false],
  );
});
