import assert from "node:assert/strict";
import { test } from "node:test";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { aCall, anAgent, nextCall, until } from "./parley.ts";
import { freePort, missing } from "./programs.ts";
import { quickClock } from "./quick-clock.ts";
import { sippClient, sippServer, step } from "./sipp.ts";
import { udpProxy } from "./udp-proxy.ts";

const skip = missing("sipp");

/** A header has to be so, or sipp calls it a failure. */
const has = (name: string, value: string) =>
  `<ereg regexp="${value}" search_in="hdr" header="${name}:" check_it="true" assign_to="seen"/><log message="[$seen]"/>`;

const ALIVE = [step.receive("OPTIONS"), step.answer("200 OK")];

test("a trunk that stops answering is dialled no more and says so, until it answers", { skip }, async (t) => {
  const port = await freePort();
  let isDead = false;
  const proxy = await udpProxy(t, port, () => isDead);
  await sippServer(t, ALIVE, { port, contactPort: proxy.port, calls: 1_000 });
  const said: string[] = [];
  const log = (level: string, message: string) => void said.push(`${level}: ${message}`);
  // Half a minute in three seconds.
  const agent = await anAgent(t, { port: proxy.port, keepAliveSeconds: 30 }, { clock: quickClock(10), log });
  const isUp = () => agent.trunkState("peer").isUp;
  assert.ok(isUp() && agent.room("peer") > 0, "taken for alive until the contrary is known");

  isDead = true;
  await until(() => !isUp(), "found dead");
  assert.equal(agent.room("peer"), 0);
  const { events, end } = await aCall(t, agent);
  await until(() => end(), "ended");
  assert.deepEqual(events, ["ended: not_placed"]);
  assert.equal(end()?.mayHaveArrived, false);
  assert.ok(
    proxy.dropped.every((line) => line.includes("OPTIONS") || line.startsWith("SIP/2.0 ")),
    "no INVITE left",
  );

  isDead = false;
  await until(isUp, "found alive");
  assert.ok(agent.room("peer") > 0);
  assert.deepEqual(said, ["warn: a trunk does not answer", "info: a trunk answers"]);
});

test("a trunk that says it is out of order is dialled no more, one that has no room for a call is", {
  skip,
}, async (t) => {
  const down = await sippServer(t, [step.receive("OPTIONS"), step.answer("503 Service Unavailable")], { calls: 1_000 });
  const waiting = await anAgent(t, { port: down.port, keepAliveSeconds: 30 });
  await until(() => !waiting.trunkState("peer").isUp, "out of order");
  assert.equal(waiting.room("peer"), 0);

  const full = await sippServer(t, [step.receive("INVITE"), step.answer("503 No Channel"), step.receive("ACK")]);
  const agent = await anAgent(t, { port: full.port });
  const { end } = await aCall(t, agent);
  await until(() => end(), "refused");
  assert.equal(end()?.status, 503);
  assert.ok(agent.trunkState("peer").isUp && agent.room("peer") > 0);
});

test("we register as long as the registrar wants it, and say goodbye", { skip }, async (t) => {
  const sipp = await sippServer(t, [
    step.receive("REGISTER", "", has("Expires", "600")),
    step.answer("423 Interval Too Brief", { headers: "Min-Expires: 1800" }),
    step.receive("REGISTER", "", has("Expires", "1800")),
    step.answer("200 OK", { headers: "Expires: 1800" }),
    step.receive("REGISTER", "", has("Expires", " 0")),
    step.answer("200 OK"),
  ]);
  const agent = await anAgent(t, { port: sipp.port, register: true });
  await until(() => agent.trunkState("peer").isRegistered, "registered");
  await agent.close();

  assert.equal(await sipp.ended, 0, sipp.said());
});

test("who is talking with us when we close hears goodbye, also one who has yet to acknowledge our answer", {
  skip,
}, async (t) => {
  const invite = (method: "INVITE" | "ACK", to: string, body: string) =>
    step.message(`${method} sip:+12125550100@127.0.0.1:[remote_port] SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:[contact_port];branch=[branch]
From: <sip:+12125550123@127.0.0.1>;tag=caller
${to}
Call-ID: [call_id]
CSeq: 1 ${method}
Contact: <sip:+12125550123@127.0.0.1:[contact_port]>
Max-Forwards: 70
${body && "Content-Type: application/sdp\n"}Content-Length: [len]

${body}`);
  // Goodbyes have half a second.
  await heldAgain(t, async (owner) => {
    const agent = await anAgent(owner, { port: await freePort() });
    const called = nextCall(owner, agent, (call, sound) => call.answer(sound.port.local));
    const sipp = await sippClient(owner, agent.port("udp")!, [
      invite("INVITE", "To: <sip:+12125550100@127.0.0.1>", step.sdp()),
      step.expect(100, 'optional="true"'),
      step.expect(200),
      step.pause(200),
      invite("ACK", "[last_To:]", ""),
      step.receive("BYE", 'timeout="5000"'),
      step.answer("200 OK", { tag: "" }),
    ]);
    await called;
    await agent.close();

    assert.equal(await sipp.ended, 0, sipp.said());
  });
});
