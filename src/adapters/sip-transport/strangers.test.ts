import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createSipAgent, type SipAgent } from "#adapters/sip-calls/agent.ts";
import { header } from "#adapters/sip-messages/message.ts";
import { authorization, type SipSender, sipRequest, tcpSender, udpSender } from "#test/support/calls/sip-sender.ts";
import { type HandClock, handClock } from "#test/support/time/hand-clock.ts";
import { until as untilSo } from "#test/support/time/until.ts";
import { systemClock } from "./clock.ts";
import type { Trunk } from "./trunk.ts";

const TRUNKS_OWN = "127.0.0.1";
const STRANGER = "127.0.0.66";
const SECRET = { username: "office", password: "long-enough" };

/** All of it is of one machine, and a promise that is broken is to be seen soon. */
const SOON_MS = 10_000;
const until = <T>(what: string, look: () => Promise<T | undefined | false>) => untilSo(what, look, SOON_MS);

async function anAgent(
  t: TestContext,
  trunks: readonly Partial<Trunk>[] = [{}],
  clock: HandClock | typeof systemClock = systemClock,
): Promise<SipAgent & { rang: { trunk: string; to: string }[] }> {
  const agent = await createSipAgent({
    trunks: trunks.map((trunk, at) => ({
      name: `trunk-${at}`,
      host: TRUNKS_OWN,
      transport: "udp",
      allowedAddresses: [TRUNKS_OWN],
      srtp: "off",
      register: false,
      keepAliveSeconds: 0,
      maxCalls: 10,
      callsPerSecond: 10,
      ...trunk,
    })),
    bind: { address: "127.0.0.1", udpPort: 0, tcpPort: 0 },
    clock,
    log() {},
  });
  // A clock that is moved by hand stands still while an agent closes.
  t.after(() => {
    const closed = agent.close();
    if (clock !== systemClock) (clock as HandClock).pass(60_000);
    return closed;
  });
  const rang: { trunk: string; to: string }[] = [];
  agent.onInvite((call) => {
    rang.push({ trunk: call.trunk, to: call.to });
    call.reject(486);
  });
  return Object.assign(agent, { rang });
}

const udp = (t: TestContext, agent: SipAgent, address: string) => udpSender(t, agent.port("udp")!, address);
const tcp = (t: TestContext, agent: SipAgent, address: string) => tcpSender(t, agent.port("tcp")!, address);
const statuses = ({ answers }: SipSender) => answers.map(({ status }) => status);

/** Whatever was sent before has been seen: the trunk's own is answered. */
async function seen(t: TestContext, agent: SipAgent): Promise<void> {
  const own = await udp(t, agent, TRUNKS_OWN);
  own.send(sipRequest("OPTIONS", { callId: `o${Math.random()}` }));
  assert.equal((await own.answer(0)).status, 200);
}

test("a datagram of more than 8 kB is dropped before it is parsed, whoever sends it", async (t) => {
  const agent = await anAgent(t);
  const own = await udp(t, agent, TRUNKS_OWN);
  const padded = (bytes: number) => {
    const bare = sipRequest("OPTIONS", { callId: `p${bytes}` });
    const more = Array.from({ length: 7 }, () => `X: ${"x".repeat(1_000)}`);
    const left = bytes - sipRequest("OPTIONS", { callId: `p${bytes}`, more }).length - 5;
    return sipRequest("OPTIONS", { callId: `p${bytes}`, more: [...more, `Y: ${"y".repeat(left)}`] }).padEnd(
      bare.length,
    );
  };
  assert.equal(padded(8_192).length, 8_192);
  own.send(padded(8_193));
  own.send(padded(8_192));
  const answer = await own.answer(0);
  assert.deepEqual([answer.status, answer.callId, own.answers.length], [200, "p8192", 1]);
  assert.deepEqual(agent.drops(), { oversized: 1 });
});

test("nobody who is unknown gets any answer over UDP, and over TCP no more than a short refusal", async (t) => {
  const agent = await anAgent(t);
  const stranger = await udp(t, agent, STRANGER);
  for (const method of ["INVITE", "OPTIONS", "REGISTER", "CANCEL", "MESSAGE", "ACK"]) {
    stranger.send(sipRequest(method, { callId: method }));
  }
  stranger.send("REGISTER sip:1 SIP/2.0\r\n\r\n");
  stranger.send(sipRequest("INVITE", { callId: "v7" }).replace("SIP/2.0\r\n", "SIP/7.0\r\n"));
  await until("all are counted", async () => agent.drops().stranger === 8);
  await seen(t, agent);
  assert.deepEqual(statuses(stranger), []);

  const connected = await tcp(t, agent, STRANGER);
  connected.send(sipRequest("INVITE"));
  assert.equal((await connected.answer(0)).status, 403);
  assert.deepEqual([agent.rang, agent.count().server], [[], 1]);
});

test("while there are calls what comes from unknown addresses is read, at a rate, and answered no more than before", async (t) => {
  const clock = handClock();
  const agent = await anAgent(t, [{}], clock);
  const own = await udp(t, agent, TRUNKS_OWN);
  agent.onInvite((call) => call.ring());
  own.send(sipRequest("INVITE", { callId: "up" }));
  await own.answer(1);
  const stranger = await udp(t, agent, STRANGER);
  for (let i = 0; i < 100; i++) stranger.send(sipRequest("BYE", { callId: `s${i}` }));
  await until("all are counted", async () => (agent.drops().stranger ?? 0) + (agent.drops().flooded ?? 0) === 100);
  assert.deepEqual([agent.drops(), statuses(stranger)], [{ stranger: 20, flooded: 80 }, []]);
  clock.pass(1_000);
  stranger.send(sipRequest("BYE", { callId: "later" }));
  await until("it is read again", async () => agent.drops().stranger === 21);
});

test("a stranger is asked for a password over UDP only where a trunk over UDP has no addresses, at a rate, and in fewer bytes than came", async (t) => {
  const closed = await anAgent(t, [
    { inboundCredentials: SECRET },
    { inboundCredentials: SECRET, transport: "tcp", allowedAddresses: [] },
  ]);
  const refused = await udp(t, closed, STRANGER);
  refused.send(sipRequest("INVITE"));
  await until("it is dropped", async () => closed.drops().stranger === 1);
  const connected = await tcp(t, closed, STRANGER);
  connected.send(sipRequest("INVITE"));
  assert.equal((await connected.answer(0)).status, 401);
  assert.deepEqual(statuses(refused), []);

  const open = await anAgent(t, [{ inboundCredentials: SECRET, allowedAddresses: [] }], handClock());
  const stranger = await udp(t, open, STRANGER);
  stranger.send(
    "INVITE sip:1 SIP/2.0\r\nv: SIP/2.0/UDP a;branch=z9hG4bKa\r\nf: <sip:a>;tag=1\r\nt: <sip:a>\r\ni: a\r\nCSeq: 1 INVITE\r\n\r\n",
  );
  stranger.send(sipRequest("OPTIONS"));
  await until("neither is answered", async () => open.drops().stranger === 2);
  for (let i = 0; i < 10; i++) stranger.send(sipRequest("INVITE", { callId: `i${i}` }));
  await until("the rate is kept", async () => (open.drops().flooded ?? 0) >= 5);
  await stranger.answer(3);
  assert.ok(
    stranger.answers.length <= 5 && statuses(stranger).every((status) => status === 401),
    `${statuses(stranger)}`,
  );
});

test("a password is proved once for each nonce, at the address that the nonce was for, until it is stale", async (t) => {
  const clock = handClock();
  const agent = await anAgent(t, [{ inboundCredentials: SECRET, allowedAddresses: [] }], clock);
  const [peer, other] = [await udp(t, agent, STRANGER), await udp(t, agent, "127.0.0.67")];
  peer.send(sipRequest("INVITE"));
  const challenged = await peer.answer(0);
  const proof = authorization(challenged, SECRET);
  other.send(sipRequest("INVITE", { callId: "stolen", more: [proof] }));
  assert.equal((await other.answer(0)).status, 401);

  peer.send(sipRequest("INVITE", { cseq: 2, more: [proof] }));
  await until("it rings", async () => agent.rang.length >= 1);
  peer.send(sipRequest("INVITE", { callId: "again", more: [proof] }));
  const again = await until("it is asked again", async () => peer.answers.find(({ callId }) => callId === "again"));
  assert.deepEqual([again.status, agent.rang.length], [401, 1]);

  clock.pass(61_000);
  peer.send(sipRequest("INVITE", { callId: "late", more: [authorization(again, SECRET)] }));
  const late = await until("it is asked again", async () => peer.answers.find(({ callId }) => callId === "late"));
  assert.match(header(late, "www-authenticate")!, /stale=true/);
  assert.equal(agent.drops().wrong_password, undefined);
});

test("ten wrong passwords in a minute lock an address out for five, over UDP and TCP, and nobody else", async (t) => {
  const clock = handClock();
  const agent = await anAgent(t, [{ inboundCredentials: SECRET, allowedAddresses: [] }, {}], clock);
  const guesser = await udp(t, agent, STRANGER);
  const ask = (callId: string, more: readonly string[] = []) => {
    // A second on: challenges have a rate of their own.
    clock.pass(1_000);
    guesser.send(sipRequest("INVITE", { callId, more }));
    return () => until("an answer", async () => guesser.answers.find((answer) => answer.callId === callId));
  };
  for (let i = 0; i < 10; i++) {
    const challenged = await ask(`a${i}`)();
    ask(`b${i}`, [authorization(challenged, { ...SECRET, password: `guess-${i}` })]);
    await until("it is found wrong", async () => agent.drops().wrong_password === i + 1);
  }
  ask("locked");
  await until("it is dropped", async () => agent.drops().locked_out === 1);
  const connected = await tcp(t, agent, STRANGER);
  await until("it may not connect", async () => connected.isClosed());
  await seen(t, agent);
  assert.ok(guesser.answers.every(({ callId }) => callId !== "locked"));

  const other = await udp(t, agent, "127.0.0.67");
  other.send(sipRequest("INVITE", { callId: "other" }));
  assert.equal((await other.answer(0)).status, 401);
  clock.pass(5 * 60_000);
  assert.equal((await ask("unlocked")()).status, 401);
  assert.deepEqual(agent.rang, []);
});

test("a caller that is known by its password may cancel, which nobody else can", async (t) => {
  const agent = await anAgent(t, [{ inboundCredentials: SECRET, allowedAddresses: [] }]);
  agent.onInvite((call) => call.ring());
  const [peer, other] = [await udp(t, agent, STRANGER), await udp(t, agent, "127.0.0.67")];
  peer.send(sipRequest("INVITE"));
  const more = [authorization(await peer.answer(0), SECRET)];
  peer.send(sipRequest("INVITE", { cseq: 2, more }));
  await until("it rings", async () => statuses(peer).includes(180));
  other.send(sipRequest("CANCEL", { cseq: 2 }));
  await until("it is dropped", async () => agent.drops().stranger === 1);
  assert.ok(!statuses(peer).includes(487));
  peer.send(sipRequest("CANCEL", { cseq: 2 }));
  await until("it is cancelled", async () => statuses(peer).includes(487));
});

test("a trunk rings its own numbers alone, and trunks with the same addresses are distinguished by them", async (t) => {
  const [first, second] = ["+12125550100", "+12125550101"];
  const agent = await anAgent(t, [
    { numbers: [first] },
    { numbers: [second] },
    { numbers: [], allowedAddresses: ["127.0.0.9"] },
  ]);
  const [own, third] = [await udp(t, agent, TRUNKS_OWN), await udp(t, agent, "127.0.0.9")];
  const call = (from: SipSender, to: string, callId = to) => {
    from.send(sipRequest("INVITE", { uri: `sip:${to}@127.0.0.1`, callId }));
    return until(
      `${to} is answered`,
      async () => from.answers.find((answer) => answer.callId === callId && answer.status > 100)?.status,
    );
  };
  assert.deepEqual(
    [
      await call(own, first),
      await call(own, second),
      await call(own, "+12125550102"),
      await call(third, first, "third"),
    ],
    [486, 486, 404, 404],
  );
  assert.deepEqual(agent.rang, [
    { trunk: "trunk-0", to: first },
    { trunk: "trunk-1", to: second },
  ]);
});

test("who has not acknowledged our answer is sent nothing where they said they are: no sound, and the BYE goes where their INVITE came from", async (t) => {
  const clock = handClock();
  const agent = await anAgent(t, [{}], clock);
  const elsewhere = await udp(t, agent, "127.0.0.99");
  const own = await udp(t, agent, TRUNKS_OWN);
  const reaches: (string | undefined)[] = [];
  agent.onInvite((call) => {
    call.listen({
      answered: ({ reach }) => void reaches.push(reach),
      media: ({ reach }) => void reaches.push(reach),
      ended() {},
    });
    call.answer({ address: "127.0.0.1", port: 4_000, codecs: ["PCMU"] });
  });
  const forged = (text: string) =>
    text
      .replaceAll("c=IN IP4 127.0.0.1", "c=IN IP4 127.0.0.9")
      .replace("@127.0.0.1>\r\nMax", `@127.0.0.99:${elsewhere.port}>\r\nMax`);
  const asked = async (callId: string) => {
    own.send(forged(sipRequest("INVITE", { callId })));
    return until("it is answered", async () =>
      own.answers.find((answer) => answer.callId === callId && answer.status === 200),
    );
  };
  const ok = await asked("acknowledged");
  assert.deepEqual(reaches, ["heard"]);
  own.send(sipRequest("ACK", { callId: "acknowledged" }).replace(/^To: .*$/m, `To: ${header(ok, "to")}`));
  await until("it is confirmed", async () => reaches.length >= 2);
  assert.deepEqual(reaches, ["heard", "burst"]);

  await asked("forged");
  clock.pass(32_000);
  await until("it is ended", async () =>
    own.requests.some((request) => request.startsWith("BYE ") && request.includes("forged")),
  );
  assert.deepEqual(elsewhere.requests, []);
});

test("a connection that proves nothing is closed after ten seconds, whatever it says, and one that does stays", async (t) => {
  const clock = handClock();
  const agent = await anAgent(t, [{}], clock);
  const [silent, slow, stranger, own] = [
    await tcp(t, agent, STRANGER),
    await tcp(t, agent, STRANGER),
    await tcp(t, agent, STRANGER),
    await tcp(t, agent, TRUNKS_OWN),
  ];
  slow.send("INVITE ");
  stranger.send(sipRequest("INVITE"));
  own.send(sipRequest("OPTIONS"));
  await Promise.all([stranger.answer(0), own.answer(0)]);
  clock.pass(9_000);
  slow.send("sip:a@b SIP/2.0\r\n");
  clock.pass(1_000);
  await until("they are closed", async () => [silent, slow, stranger].every((sender) => sender.isClosed()));
  assert.equal(agent.drops().connection, 3);
  own.send(sipRequest("OPTIONS", { callId: "later" }));
  await own.answer(1);
});

test("one unknown address has ten connections at a time, and a trunk's has room beside them", async (t) => {
  const agent = await anAgent(t);
  const strangers = await Promise.all(Array.from({ length: 15 }, () => tcp(t, agent, STRANGER)));
  await until("five are refused", async () => strangers.filter((stranger) => stranger.isClosed()).length >= 5);
  const own = await tcp(t, agent, TRUNKS_OWN);
  own.send(sipRequest("OPTIONS"));
  assert.equal((await own.answer(0)).status, 200);
  assert.equal(agent.drops().connection, 5);
});

test("a stranger's message over a connection has no more room than a datagram has", async (t) => {
  const agent = await anAgent(t);
  const stranger = await tcp(t, agent, STRANGER);
  stranger.send("a".repeat(8_193));
  await until("it is closed", async () => stranger.isClosed());
  const own = await tcp(t, agent, TRUNKS_OWN);
  own.send(sipRequest("OPTIONS"));
  await own.answer(0);
  own.send(sipRequest("OPTIONS", { callId: "long", body: "b".repeat(40_000) }));
  await own.answer(1);
  assert.deepEqual(agent.drops(), { malformed: 1 });
});

test("what cannot be read is answered with no more than it had, and twenty times a second", async (t) => {
  const clock = handClock();
  const agent = await anAgent(t, [{}], clock);
  const own = await udp(t, agent, TRUNKS_OWN);
  const unreadable = (callId: string) => sipRequest("OPTIONS", { callId, more: ["Max-Forwards: 7"] });
  for (let i = 0; i < 30; i++) own.send(unreadable(`u${i}`));
  await until("ten are passed over", async () => agent.drops().flooded === 10);
  await until("twenty are answered", async () => own.answers.length === 20);
  assert.deepEqual(new Set(statuses(own)), new Set([400]));
  clock.pass(1_000);
  own.send(unreadable("later"));
  await own.answer(20);
  const short =
    "OPTIONS sip:a@127.0.0.1  SIP/2.0\r\nVia: SIP/2.0/UDP a;rport\r\nf: <sip:a@b>\r\nt: <sip:b@b>\r\ni: 9\r\nCSeq: 1 OPTIONS";
  own.send(`${short}\r\n\r\n`);
  const bare = await own.answer(21);
  assert.deepEqual([bare.status, header(bare, "warning")], [400, undefined]);
});

for (const via of ["SIP/2.0/UDP 192.0.2.9;branch=1,", "SIP/2.0/UDP ????", "what"]) {
  test(`a call is acknowledged and ended though the Via cannot be read: ${via}`, async (t) => {
    const clock = handClock();
    const agent = await anAgent(t, [{}], clock);
    const own = await udp(t, agent, TRUNKS_OWN);
    const ends: string[] = [];
    agent.onInvite((call) => {
      call.listen({ ended: ({ cause, text }) => void ends.push(`${cause} ${text}`) });
      call.answer({ address: "127.0.0.1", port: 4_000, codecs: ["PCMU"] });
    });
    own.send(sipRequest("INVITE"));
    const ok = await until("it is answered", async () => own.answers.find(({ status }) => status === 200));
    const within = (method: string, cseq: number) =>
      sipRequest(method, { cseq })
        .replace(/^To: .*$/m, `To: ${header(ok, "to")}`)
        .replace(/^Via: .*$/m, `Via: ${via}`);
    own.send(within("ACK", 1));
    await seenBy(own);
    clock.pass(40_000);
    assert.deepEqual(ends, []);
    own.send(within("BYE", 2));
    await until("it is over", async () => ends.length > 0);
    assert.deepEqual(ends, ["they_hung_up BYE"]);
  });
}

/** All that this address sent before has been read. */
async function seenBy(own: SipSender): Promise<void> {
  own.send(sipRequest("OPTIONS", { callId: "seen" }));
  await until("it is read", async () => own.answers.some(({ callId }) => callId === "seen"));
}
