import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { nameServer } from "./name-server.ts";
import { aCall, anAgent, noise, shareHeard, until } from "./parley.ts";
import { freePort, missing } from "./programs.ts";
import { sippServer, step } from "./sipp.ts";
import { open, udpProxy } from "./udp-proxy.ts";

const skip = missing("sipp");

const ANSWERS = [
  step.receive("INVITE", 'rrs="true"'),
  step.answer("180 Ringing"),
  step.answer("200 OK", { body: step.sdp(), attributes: 'retrans="500"' }),
  step.receive("ACK"),
];
const HEARS_BYE = [step.receive("BYE"), step.answer("200 OK", { tag: "" })];

// Most of their time is waiting: for what comes again when it was lost, and for goodbyes.
describe("calls out to sipp", { concurrency: 4 }, () => {
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
    const { events, end } = await aCall(t, await anAgent(t, { port: sipp.port }), { ringMs: 3_000 });

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
    const port = await freePort();
    const proxy = await udpProxy(t, port, (text) => text.startsWith("BYE ") && ++byes <= 2);
    const sipp = await sippServer(t, [...ANSWERS, ...HEARS_BYE], { port, contactPort: proxy.port });
    const agent = await anAgent(t, { port: proxy.port });
    const { call, events } = await aCall(t, agent);

    await until(() => events.includes("answered"), "answered");
    call.hangup();

    assert.equal(await sipp.ended, 0, sipp.said());
    // One that was late in answering is asked once more.
    assert.ok(byes >= 3, `${byes} were sent`);
    assert.equal(events.at(-1), "ended: we_hung_up");
  });

  test("an answer that comes again because our ACK was lost is acknowledged again", { skip }, async (t) => {
    let acks = 0;
    const port = await freePort();
    const proxy = await udpProxy(t, port, (text) => text.startsWith("ACK ") && ++acks <= 2);
    const sipp = await sippServer(t, [...ANSWERS, ...HEARS_BYE], { port, contactPort: proxy.port });
    const { call, events } = await aCall(t, await anAgent(t, { port: proxy.port }));

    await until(() => acks >= 3, "a third ACK");
    call.hangup();

    assert.equal(await sipp.ended, 0, sipp.said());
    assert.deepEqual(
      events.filter((event) => event === "answered"),
      ["answered"],
    );
  });

  test("twenty calls come through where every fifth packet of the signalling is lost", { skip }, async (t) => {
    const port = await freePort();
    // Not by chance: the same one of five, whatever it is. None more than twice: in step with the repeats of one call it would be
    // lost each time, and that call end as one without an answer, as it must.
    let packets = 0;
    const lost = new Map<string, number>();
    const proxy = await udpProxy(t, port, (text) => {
      const times = lost.get(text) ?? 0;
      const isLost = ++packets % 5 === 0 && times < 2;
      if (isLost) lost.set(text, times + 1);
      return isLost;
    });
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

  const CHALLENGE = {
    status: "407 Proxy Authentication Required",
    header: 'Proxy-Authenticate: Digest realm="trunk", nonce="abc", qop="auth"',
  };
  const NO_ROOM = { status: "503 No Channel", header: "Server: full" };
  const TOO_SHORT = { status: "422 Session Interval Too Small", header: "Min-SE: 3600" };

  /** A trunk of two servers that answer each INVITE with `answer` and nothing before it; what is in `before` happens first. */
  async function refusingTrunk(t: TestContext, answer: { status: string; header: string }, before: () => void) {
    /** By CSeq: what comes twice is one. */
    const heard = new Set<string>();
    const server = async () => {
      const socket = await open(t);
      socket.on("message", (bytes, from) => {
        const lines = bytes.toString().split("\r\n");
        heard.add(lines.find((line) => line.startsWith("CSeq: "))!.slice(6));
        if (!lines[0]!.startsWith("INVITE ")) return;
        before();
        const same = lines.filter((line) => /^(via|from|call-id|cseq):/i.test(line));
        const to = `${lines.find((line) => /^to:/i.test(line))};tag=theirs`;
        const answered = [`SIP/2.0 ${answer.status}`, ...same, to, answer.header, "Content-Length: 0", "", ""];
        socket.send(answered.join("\r\n"), from.port, from.address);
      });
      return socket.address().port;
    };
    const srv = { "_sip._udp.trunk.test": await twoServers(server) };
    const { resolver } = await nameServer(t, { srv, a: { "one.trunk.test": "127.0.0.1" } });
    return { agent: await anAgent(t, { host: "trunk.test", username: "we", password: "secret" }, { resolver }), heard };
  }

  const twoServers = async (port: () => Promise<number>) => [
    { name: "one.trunk.test", port: await port(), priority: 10, weight: 0 },
    { name: "one.trunk.test", port: await port(), priority: 20, weight: 0 },
  ];

  for (const answer of [CHALLENGE, NO_ROOM, TOO_SHORT]) {
    test(`no second INVITE follows a ${answer.status} to a call that was hung up before any answer`, async (t) => {
      const trunk = await refusingTrunk(t, answer, () => call.hangup());
      const { call, events, end } = await aCall(t, trunk.agent);

      await until(() => end() && trunk.heard.has("1 ACK"), "ended and acknowledged");
      assert.deepEqual([...trunk.heard], ["1 INVITE", "1 ACK"]);
      assert.deepEqual(events, ["ended: cancelled"]);
      assert.deepEqual([`${end()?.status} ${end()?.text}`, end()?.reason], [answer.status, "manual_stopped"]);
    });

    test(`no second INVITE follows a ${answer.status} to a call that may not leave any more`, async (t) => {
      let mayLeave = true;
      const trunk = await refusingTrunk(t, answer, () => {
        mayLeave = false;
      });
      const { events, end } = await aCall(t, trunk.agent, { mayLeave: () => mayLeave });

      await until(() => end() && trunk.heard.has("1 ACK"), "ended and acknowledged");
      assert.deepEqual([...trunk.heard], ["1 INVITE", "1 ACK"]);
      assert.deepEqual(events, ["ended: refused"]);
      assert.equal(`${end()?.status} ${end()?.text}`, answer.status);
    });
  }

  for (const { why, isHungUp } of [
    { why: "was hung up", isHungUp: true },
    { why: "may not leave any more", isHungUp: false },
  ]) {
    test(`a call that ${why} while its server cannot be reached is not taken to the next`, async (t) => {
      const reached: string[] = [];
      const second = createServer((socket) =>
        socket.on("data", (bytes) => void reached.push(bytes.toString())).resume(),
      );
      second.listen(0, "127.0.0.1");
      await once(second, "listening");
      t.after(() => second.close());
      const ports = [await freePort(), (second.address() as AddressInfo).port];
      const srv = { "_sip._tcp.trunk.test": await twoServers(async () => ports.shift()!) };
      const { resolver } = await nameServer(t, { srv, a: { "one.trunk.test": "127.0.0.1" } });
      const agent = await anAgent(t, { host: "trunk.test", transport: "tcp" }, { resolver });
      let asked = 0;
      const mayLeave = () => {
        asked++;
        // The INVITE is on its way then, and its connection not yet refused.
        if (isHungUp) queueMicrotask(() => call.hangup());
        return isHungUp || asked === 1;
      };
      const { call, events, end } = await aCall(t, agent, { mayLeave });

      await until(() => end() || reached.length > 0, "ended");
      assert.deepEqual(reached, []);
      assert.deepEqual(events, ["ended: unreachable"]);
      assert.equal(end()?.mayHaveArrived, false);
    });
  }
});
