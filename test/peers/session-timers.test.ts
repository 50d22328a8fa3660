import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aCall, anAgent, nextCall, until } from "./parley.ts";
import { freePort, missing } from "./programs.ts";
import { quickClock } from "./quick-clock.ts";
import { sippClient, sippServer, step } from "./sipp.ts";

const skip = missing("sipp");

/** A session of a minute and a half, the shortest that there is (RFC 4028, 4), in nine seconds. */
const TIMES = 10;

/** A header has to be so, or sipp calls it a failure. */
const has = (name: string, value: string) =>
  `<ereg regexp="^ *${value} *$" search_in="hdr" header="${name}:" check_it="true" assign_to="seen"/><log message="[$seen]"/>`;

const answered = (refresher: "uac" | "uas", seconds = 90) => [
  step.receive("INVITE"),
  step.answer("200 OK", {
    headers: `Session-Expires: ${seconds};refresher=${refresher}\nAllow: INVITE, ACK, BYE, UPDATE`,
    body: step.sdp(),
  }),
];
const agreed = step.answer("200 OK", { tag: "", headers: "Session-Expires: 90;refresher=uac" });
const HEARS_BYE = [step.receive("BYE"), step.answer("200 OK", { tag: "" })];

/** A request of theirs within a call that we placed; our name and theirs were kept from the ACK. */
const KEPT = ["From", "To"].map(
  (name) => `<ereg regexp=".*" search_in="hdr" header="${name}:" assign_to="${name.toLowerCase()}"/>`,
);
const request = (method: string, cseq: number, headers: string, body = "") =>
  step.message(
    `${method} sip:parley@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:[contact_port];branch=[branch]
From:[$to]
To:[$from]
[last_Call-ID:]
CSeq: ${cseq} ${method}
Contact: <sip:sipp@127.0.0.1:[contact_port]>
Max-Forwards: 70
${headers}${headers && "\n"}${body && "Content-Type: application/sdp\n"}Content-Length: [len]

${body}`,
  );

test("a session that the other side finds too short is asked for again as long as it wants it", { skip }, async (t) => {
  const sipp = await sippServer(t, [
    step.receive("INVITE"),
    step.answer("422 Session Interval Too Small", { headers: "Min-SE: 3600" }),
    step.receive("ACK"),
    step.receive("INVITE", "", has("Session-Expires", "3600") + has("Min-SE", "3600")),
    step.answer("200 OK", { headers: "Session-Expires: 3600;refresher=uac", body: step.sdp() }),
    step.receive("ACK"),
    ...HEARS_BYE,
  ]);
  const { call, events } = await aCall(t, await anAgent(t, { port: sipp.port }));
  await until(() => events.includes("answered"), "answered");
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.deepEqual(events, ["answered", "ended: we_hung_up"]);
});

// Most of their time is waiting.
describe("sessions that end in time", { concurrency: true }, () => {
  test("we refresh a session that is ours to refresh, and the call ends when the other side knows of it no more", {
    skip,
  }, async (t) => {
    const sipp = await sippServer(t, [
      ...answered("uac"),
      step.receive("ACK"),
      step.receive("UPDATE", "", has("Session-Expires", "90")),
      agreed,
      step.receive("UPDATE"),
      step.answer("481 Call/Transaction Does Not Exist", { tag: "" }),
      ...HEARS_BYE,
    ]);
    const clock = quickClock(TIMES);
    // Before the call: its clock is quick, and a busy machine sees the answer late.
    const begun = clock.now();
    const { events, end } = await aCall(t, await anAgent(t, { port: sipp.port }, { clock }));
    await until(() => events.includes("answered"), "answered");

    assert.equal(await sipp.ended, 0, sipp.said());
    assert.ok(clock.now() - begun >= 90_000, "after two halves of the session");
    assert.deepEqual([end()?.cause, end()?.reason], ["lost", "telephony_provider_unavailable"]);
  });

  test("a refresh that is too short is sent longer, one by UPDATE that nobody knows by INVITE, and a call that is refused both ends in time", {
    skip,
  }, async (t) => {
    const sipp = await sippServer(t, [
      ...answered("uac"),
      step.receive("ACK"),
      step.receive("UPDATE"),
      step.answer("422 Session Interval Too Small", { tag: "", headers: "Min-SE: 120" }),
      step.receive("UPDATE", "", has("Session-Expires", "120") + has("Min-SE", "120")),
      step.answer("501 Not Implemented", { tag: "" }),
      step.receive("INVITE", "", has("Session-Expires", "120")),
      step.answer("488 Not Acceptable Here", { tag: "" }),
      step.receive("ACK"),
      ...HEARS_BYE,
    ]);
    const { end } = await aCall(t, await anAgent(t, { port: sipp.port }, { clock: quickClock(TIMES) }));

    assert.equal(await sipp.ended, 0, sipp.said());
    assert.deepEqual([end()?.cause, end()?.text], ["lost", "the session was not refreshed"]);
  });

  test("a session that is theirs to refresh lives as long as they do", { skip }, async (t) => {
    const sipp = await sippServer(t, [
      ...answered("uas"),
      step.receive("ACK", "", KEPT.join("")),
      step.pause(4_000),
      request("UPDATE", 1, "Supported: timer\nSession-Expires: 90;refresher=uac"),
      step.expect(200),
      ...HEARS_BYE,
    ]);
    const clock = quickClock(TIMES);
    const { events, end } = await aCall(t, await anAgent(t, { port: sipp.port }, { clock }));
    await until(() => events.includes("answered"), "answered");
    const begun = clock.now();

    assert.equal(await sipp.ended, 0, sipp.said());
    // Two thirds of a session from their word, which comes after 40 s, or less where our clock stood still: without it the call ends at 60 s.
    assert.ok(clock.now() - begun >= 70_000, `${clock.now() - begun} ms`);
    assert.deepEqual([end()?.cause, end()?.text], ["lost", "the session was not refreshed"]);
  });

  test("a caller that wants too short a session gets the minimum, and one that never refreshes is hung up on", {
    skip,
  }, async (t) => {
    const agent = await anAgent(t, { port: await freePort() }, { clock: quickClock(TIMES) });
    const called = nextCall(t, agent, (call, sound) => call.answer(sound.port.local));
    const invite = (cseq: number, seconds: number) =>
      step.message(
        `INVITE sip:+12125550100@127.0.0.1:[remote_port] SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:[contact_port];branch=[branch]
From: <sip:+12125550123@127.0.0.1>;tag=caller
To: <sip:+12125550100@127.0.0.1>
Call-ID: [call_id]
CSeq: ${cseq} INVITE
Contact: <sip:+12125550123@127.0.0.1:[contact_port]>
Max-Forwards: 70
Supported: timer
Session-Expires: ${seconds};refresher=uac
Content-Type: application/sdp
Content-Length: [len]

${step.sdp()}`,
      );
    const ack = (cseq: number) =>
      step.message(
        `ACK sip:parley@127.0.0.1:[remote_port] SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:[contact_port];branch=[branch${cseq === 1 ? "-2" : ""}]
From: <sip:+12125550123@127.0.0.1>;tag=caller
[last_To:]
Call-ID: [call_id]
CSeq: ${cseq} ACK
Max-Forwards: 70
Content-Length: 0
`,
      );
    const says = (name: string, value: string) => `<action>${has(name, value)}</action>`;
    const sipp = await sippClient(t, agent.port("udp")!, [
      invite(1, 50),
      step.expect(100, 'optional="true"'),
      `<recv response="422">${says("Min-SE", "90")}</recv>`,
      ack(1),
      invite(2, 90),
      step.expect(100, 'optional="true"'),
      `<recv response="200">${says("Session-Expires", "90;refresher=uac")}</recv>`,
      ack(2),
      ...HEARS_BYE,
    ]);

    assert.equal(await sipp.ended, 0, sipp.said());
    const { events, end } = await called;
    assert.deepEqual(events, ["answered", "ended: lost"]);
    assert.equal(end()?.text, "the session was not refreshed");
  });
});

test("after both sides asked at once they come first, and our hold is asked for again", { skip }, async (t) => {
  const ack = request("ACK", 1, "");
  const sipp = await sippServer(t, [
    step.receive("INVITE"),
    step.answer("200 OK", { body: step.sdp() }),
    step.receive("ACK"),
    step.receive("INVITE"),
    step.answer("491 Request Pending", { tag: "" }),
    step.receive("ACK", "", KEPT.join("")),
    request("INVITE", 1, "", step.sdp()),
    step.expect(200),
    ack,
    step.receive("INVITE"),
    step.answer("200 OK", { tag: "", body: step.sdp("a=recvonly\n") }),
    step.receive("ACK"),
    ...HEARS_BYE,
  ]);
  const agent = await anAgent(t, { port: sipp.port }, { clock: quickClock(4) });
  const { call, events } = await aCall(t, agent);
  await until(() => events.includes("answered"), "answered");
  assert.equal(await call.hold(true), true);
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
});

test("an offer that comes while ours is out is refused as pending, and ours is taken", { skip }, async (t) => {
  const keep = (name: string, as: string) => `<ereg regexp=".*" search_in="hdr" header="${name}:" assign_to="${as}"/>`;
  const sipp = await sippServer(t, [
    step.receive("INVITE"),
    step.answer("200 OK", { body: step.sdp() }),
    step.receive("ACK", "", KEPT.join("")),
    step.receive("INVITE", "", keep("Via", "via") + keep("CSeq", "cseq")),
    request("INVITE", 1, "", step.sdp()),
    step.expect(491),
    request("ACK", 1, "").replace("branch=[branch]", "branch=[branch-2]"),
    step
      .answer("200 OK", { tag: "", body: step.sdp("a=recvonly\n") })
      .replace("[last_Via:]", "Via:[$via]")
      .replace("[last_CSeq:]", "CSeq:[$cseq]")
      .replace("[last_From:]", "From:[$from]")
      .replace("[last_To:]", "To:[$to]"),
    step.receive("ACK"),
    ...HEARS_BYE,
  ]);
  const { call, events } = await aCall(t, await anAgent(t, { port: sipp.port }));
  await until(() => events.includes("answered"), "answered");
  assert.equal(await call.hold(true), true);
  call.hangup();

  assert.equal(await sipp.ended, 0, sipp.said());
  assert.equal(events.at(-1), "ended: we_hung_up");
});
