import assert from "node:assert/strict";
import { test } from "node:test";
import { aCall, anAgent, noise, shareHeard, until } from "./parley.ts";
import { freePort, missing } from "./programs.ts";
import { sippServer, step } from "./sipp.ts";
import { udpProxy } from "./udp-proxy.ts";

const skip = missing("sipp");

const ANSWERS = [
  step.receive("INVITE", 'rrs="true"'),
  step.answer("180 Ringing"),
  step.answer("200 OK", { body: step.sdp(), attributes: 'retrans="500"' }),
  step.receive("ACK"),
];
const HEARS_BYE = [step.receive("BYE"), step.answer("200 OK", { tag: "" })];

test("a call to sipp rings, is answered, carries every sample there and back, and ends", { skip }, async (t) => {
  const sipp = await sippServer(t, [...ANSWERS, ...HEARS_BYE], { args: ["-rtp_echo"] });
  const agent = await anAgent(t, { port: sipp.port });
  const { call, events, end, sound } = await aCall(t, agent);

  await until(() => events.includes("answered"), "answered");
  const said = noise(40);
  await sound.say(said);
  await until(() => sound.heard.size >= 40, "all echoed");
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.equal(shareHeard(said, sound.heard), 1);
  assert.deepEqual(events, ["proceeding", "ringing 180", "answered", "ended: we_hung_up"]);
  assert.equal(end()?.reason, "agent_hangup");
  await until(() => agent.count().client === 0 || agent.count().calls === 0, "no call is left");
});

for (const { status, reason } of [
  { status: "486 Busy Here", reason: "dial_busy" },
  { status: "603 Decline", reason: "user_declined" },
  { status: "404 Not Found", reason: "invalid_destination" },
]) {
  test(`a call that sipp refuses with ${status} ends as ${reason}`, { skip }, async (t) => {
    const sipp = await sippServer(t, [step.receive("INVITE"), step.answer(status), step.receive("ACK")]);
    const { events, end } = await aCall(t, await anAgent(t, { port: sipp.port }));

    assert.equal(await sipp.ended, 0, sipp.said());
    assert.equal(end()?.reason, reason);
    assert.equal(`${end()?.status} ${end()?.text}`, status);
    assert.equal(events.at(-1), "ended: refused");
  });
}

test("a call that nobody takes is cancelled after its time and ends as not answered", { skip }, async (t) => {
  const sipp = await sippServer(t, [
    step.receive("INVITE"),
    step.answer("180 Ringing"),
    step.receive("CANCEL"),
    step.answer("200 OK"),
    // A 487 is of the INVITE: the branch is the same, the method is not.
    step.answer("487 Request Terminated").replace("[last_CSeq:]", "CSeq: 1 INVITE"),
    step.receive("ACK"),
  ]);
  const { events, end } = await aCall(t, await anAgent(t, { port: sipp.port }), { ringMs: 700 });

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.equal(end()?.reason, "dial_no_answer");
  assert.deepEqual(events, ["proceeding", "ringing 180", "ended: not_answered"]);
});

test("an answer that overtakes our CANCEL is acknowledged, and the call ended by BYE", { skip }, async (t) => {
  const sipp = await sippServer(t, [
    step.receive("INVITE"),
    step.answer("180 Ringing"),
    step.receive("CANCEL"),
    step.answer("200 OK"),
    step.answer("200 OK", { body: step.sdp() }).replace("[last_CSeq:]", "CSeq: 1 INVITE"),
    step.receive("ACK"),
    ...HEARS_BYE,
  ]);
  const { call, events, end } = await aCall(t, await anAgent(t, { port: sipp.port }));

  await until(() => events.includes("ringing 180"), "ringing");
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.equal(end()?.cause, "cancelled");
  assert.ok(!events.includes("answered"));
});

test("a BYE that is lost is sent again until it is answered", { skip }, async (t) => {
  let byes = 0;
  const contactPort = { value: 0 };
  const port = await freePort();
  const proxy = await udpProxy(t, port, (text) => text.startsWith("BYE ") && ++byes <= 2);
  contactPort.value = proxy.port;
  const sipp = await sippServer(t, [...ANSWERS, ...HEARS_BYE], { port, contactPort: proxy.port });
  const agent = await anAgent(t, { port: proxy.port });
  const { call, events } = await aCall(t, agent);

  await until(() => events.includes("answered"), "answered");
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.equal(byes, 3);
  assert.equal(events.at(-1), "ended: we_hung_up");
});

test("an answer that comes again because our ACK was lost is acknowledged again", { skip }, async (t) => {
  let acks = 0;
  const port = await freePort();
  const proxy = await udpProxy(t, port, (text) => text.startsWith("ACK ") && ++acks <= 2);
  const sipp = await sippServer(t, [...ANSWERS, ...HEARS_BYE], { port, contactPort: proxy.port });
  const { call, events } = await aCall(t, await anAgent(t, { port: proxy.port }));

  await until(() => acks === 3, "a third ACK");
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.deepEqual(
    events.filter((event) => event === "answered"),
    ["answered"],
  );
});

test("twenty calls come through where every fifth packet of the signalling is lost", { skip }, async (t) => {
  const port = await freePort();
  // Not by chance: the same one of five, whatever it is.
  let packets = 0;
  const proxy = await udpProxy(t, port, () => ++packets % 5 === 0);
  // Where the ACK is lost the BYE comes first.
  const steps = [...ANSWERS.slice(0, -1), step.receive("ACK", 'optional="true"'), ...HEARS_BYE];
  const sipp = await sippServer(t, steps, { port, contactPort: proxy.port, calls: 20 });
  const agent = await anAgent(t, { port: proxy.port });

  const calls = await Promise.all(Array.from({ length: 20 }, () => aCall(t, agent)));
  for (const { call, events } of calls) {
    await until(() => events.includes("answered"), "answered");
    call.hangup();
  }

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.ok(proxy.dropped.length >= 20, `only ${proxy.dropped.length} were lost`);
  assert.deepEqual(
    calls.map(({ events }) => events.at(-1)),
    calls.map(() => "ended: we_hung_up"),
  );
});

test("early sound is heard, a reliable ringing is confirmed by PRACK, and their BYE ends the call", {
  skip,
}, async (t) => {
  const keep = '<ereg regexp=".*" search_in="hdr" header="Via:" assign_to="via"/>';
  const sipp = await sippServer(t, [
    step.receive("INVITE", 'rrs="true"', keep),
    step.answer("183 Session Progress", { headers: "Require: 100rel\nRSeq: 7", body: step.sdp() }),
    step.receive("PRACK"),
    step.answer("200 OK", { tag: "" }),
    step
      .answer("200 OK", { body: step.sdp(), tag: "" })
      .replace("[last_CSeq:]", "CSeq: 1 INVITE")
      .replace("[last_Via:]", "Via:[$via]"),
    step.receive("ACK"),
  ]);
  const { events } = await aCall(t, await anAgent(t, { port: sipp.port }));

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.deepEqual(events, ["proceeding", "early media", "ringing 183", "answered"]);
});
