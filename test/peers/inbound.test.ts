import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { tcpSender } from "#test/support/calls/sip-sender.ts";
import { handClock } from "#test/support/time/hand-clock.ts";
import { certificate } from "./baresip.ts";
import { anAgent, nextCall, until } from "./parley.ts";
import { freePort, missing } from "./programs.ts";
import { sippClient, step } from "./sipp.ts";

const skip = missing("sipp");

const request = (
  method: string,
  cseq: number,
  { body = "", headers = "", peer = "[peer_tag_param]", auth = "" } = {},
) =>
  step.message(
    `${method} sip:+12125550100@127.0.0.1:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] 127.0.0.1:[contact_port];branch=[branch]
From: <sip:+12125550123@127.0.0.1>;tag=[pid]sipp[call_number]
To: <sip:+12125550100@127.0.0.1>${peer}
Call-ID: [call_id]
CSeq: ${cseq} ${method}
Contact: <sip:+12125550123@127.0.0.1:[contact_port]>
Max-Forwards: 70
${auth}${headers}${headers && "\n"}${body && "Content-Type: application/sdp\n"}Content-Length: [len]

${body}`,
    method === "ACK" ? "" : 'retrans="500"',
  );

const invite = (cseq = 1, more = {}) => request("INVITE", cseq, { body: step.sdp(), peer: "", ...more });
const ANSWERED = [
  step.expect(100, 'optional="true"'),
  step.expect(180, 'optional="true"'),
  step.expect(200, 'rtd="true"'),
];

test("a call from sipp rings, is answered and is received until they hang up", { skip }, async (t) => {
  const agent = await anAgent(t, { port: await freePort() });
  const called = nextCall(t, agent, (call, sound) => {
    call.ring();
    call.answer(sound.port.local);
  });
  const steps = [invite(), ...ANSWERED, request("ACK", 1), step.pause(200), request("BYE", 2), step.expect(200)];
  const sipp = await sippClient(t, agent.port("udp")!, steps);

  assert.equal(await sipp.ended, 0, sipp.said());
  const { call, events, end } = await called;
  assert.deepEqual([call.from, call.to, call.trunk], ["+12125550123", "+12125550100", "peer"]);
  assert.deepEqual(events, ["answered", "ended: they_hung_up"]);
  assert.equal(end()?.reason, "user_hangup");
});

test("a call from sipp without an offer gets ours, and is answered by its ACK", { skip }, async (t) => {
  const agent = await anAgent(t, { port: await freePort() });
  const called = nextCall(t, agent, (call, sound) => call.answer(sound.port.local));
  const steps = [
    invite(1, { body: "" }),
    ...ANSWERED,
    request("ACK", 1, { body: step.sdp() }),
    step.pause(100),
    request("BYE", 2),
    step.expect(200),
  ];
  const sipp = await sippClient(t, agent.port("udp")!, steps);

  assert.equal(await sipp.ended, 0, sipp.said());
  const { events } = await called;
  assert.deepEqual(events, ["answered", "ended: they_hung_up"]);
});

test("a hold and a key of theirs are heard, and nobody makes us dial", { skip }, async (t) => {
  const agent = await anAgent(t, { port: await freePort() });
  const called = nextCall(t, agent, (call, sound) => call.answer(sound.port.local));
  const steps = [
    invite(),
    ...ANSWERED,
    request("ACK", 1),
    request("INVITE", 2, { body: step.sdp("a=sendonly\n") }),
    step.expect(200),
    request("ACK", 2),
    request("INFO", 3, { headers: "Content-Type: application/dtmf-relay", body: "" }).replace(
      /Content-Length: \[len\]\s*\n\n/,
      "Content-Length: [len]\n\nSignal=5\nDuration=160\n",
    ),
    step.expect(200),
    request("UPDATE", 4, { body: step.sdp("a=sendrecv\n") }),
    step.expect(200),
    request("REFER", 5, { headers: "Refer-To: <sip:+19005550199@127.0.0.1>" }),
    step.expect(603),
    request("BYE", 6),
    step.expect(200),
  ];
  const sipp = await sippClient(t, agent.port("udp")!, steps);

  assert.equal(await sipp.ended, 0, sipp.said());
  const { events } = await called;
  assert.deepEqual(events, ["answered", "media", "held", "dtmf 5", "media", "taken up", "ended: they_hung_up"]);
});

test("a peer without an address of ours proves its password, and without it nobody rings", { skip }, async (t) => {
  const secret = { username: "office", password: "long-enough" };
  const trunk = { port: await freePort(), allowedAddresses: [], inboundCredentials: secret };
  const agent = await anAgent(t, trunk);
  const called = nextCall(t, agent, (call, sound) => call.answer(sound.port.local));
  const asked = step.expect(401, 'auth="true"');
  const proved = (password: string) => `[authentication username=office password=${password}]\n`;
  const wrong = [
    invite(),
    asked,
    request("ACK", 1),
    invite(2, { auth: proved("wrong") }),
    step.expect(401),
    request("ACK", 2),
  ];
  const right = [
    invite(),
    asked,
    request("ACK", 1, { peer: "[peer_tag_param]" }),
    invite(2, { auth: proved("long-enough") }),
    ...ANSWERED,
    request("ACK", 2),
    request("BYE", 3),
    step.expect(200),
  ];
  const refused = await sippClient(t, agent.port("udp")!, wrong);
  assert.equal(await refused.ended, 0, refused.said());
  const sipp = await sippClient(t, agent.port("udp")!, right);

  assert.equal(await sipp.ended, 0, sipp.said());
  const { events } = await called;
  assert.deepEqual(events, ["answered", "ended: they_hung_up"]);
});

test("a stranger rings nobody, and a flood of garbage leaves nothing behind", async (t) => {
  const agent = await anAgent(t, { port: await freePort(), allowedAddresses: ["192.0.2.1"] });
  agent.onInvite(() => assert.fail("it rang"));
  const socket = createSocket("udp4");
  t.after(() => socket.close());
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const answers: string[] = [];
  socket.on("message", (bytes) => void answers.push(bytes.toString().split("\r\n")[0]!));
  const port = agent.port("udp")!;
  const send = (text: string) => new Promise<void>((done) => socket.send(text, port, "127.0.0.1", () => done()));
  const stranger = (method: string, at: number) =>
    `${method} sip:1@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bKx${at}\r\n` +
    `From: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: c${at}\r\nCSeq: 1 ${method}\r\nContact: <sip:a@127.0.0.1>\r\nContent-Length: 0\r\n\r\n`;

  const before = process.memoryUsage().heapUsed;
  for (let at = 2; at < 20_000; at++) {
    await send(at % 2 === 0 ? stranger("INVITE", at) : `INVITE ${"\0".repeat(at % 900)} garbage\r\n: ;;,,"<\r\n\r\n`);
  }

  assert.deepEqual(agent.count(), { calls: 0, dialogs: 0, client: 0, server: 0 });
  await until(() => (agent.drops().stranger ?? 0) > 0, "they are counted");
  assert.deepEqual(answers, [], "a stranger is not answered");
  assert.ok(process.memoryUsage().heapUsed - before < 64 << 20);
});

test("a TLS handshake that is not finished is closed after ten seconds, and one unknown address has ten of them", async (t) => {
  const clock = handClock();
  // It waits for time to pass while it closes.
  const owner = {
    after: (close: () => unknown) =>
      t.after(() => {
        const closed = close();
        clock.pass(60_000);
        return closed;
      }),
  };
  const tls = { port: 0, ...certificate() };
  const agent = await anAgent(owner, { allowedAddresses: ["192.0.2.1"] }, { clock, bind: { tls } });
  const port = agent.port("tls")!;
  const half = await Promise.all(Array.from({ length: 12 }, () => tcpSender(t, port, "127.0.0.66")));
  const closed = () => half.filter((sender) => sender.isClosed()).length;
  await until(() => closed() >= 2, "two are one too many");
  assert.equal(closed(), 2);
  // The first bytes of a handshake, which never goes on.
  for (const sender of half) sender.send(Buffer.from([0x16, 3, 1]));
  clock.pass(10_000);
  await until(() => closed() >= 12, "the others are closed");
  assert.deepEqual(agent.drops(), { connection: 12 });
});
