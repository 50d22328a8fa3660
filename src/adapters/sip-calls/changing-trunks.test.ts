import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { tenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { header } from "#adapters/sip-messages/message.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import { answeredAt, sipProvider } from "#test/support/calls/sip-provider.ts";
import { sipRequest, udpSender } from "#test/support/calls/sip-sender.ts";
import { until as untilSo } from "#test/support/time/until.ts";
import { createSipAgent } from "./agent.ts";
import type { CallEnd, CallEvents } from "./call.ts";

const until = <T>(what: string, look: () => T | undefined | false) => untilSo(what, async () => look(), 10_000);
/** Of a provider that has several of our tenants. */
const PROVIDERS = "127.0.0.20";
const [EAST, WEST, NOBODYS] = ["+12125550171", "+13105550172", "+14155550173"] as const;
const LOCAL = { address: "127.0.0.1", port: 40_000, codecs: ["PCMU"] } as const;

const aTrunk = (name: string, port: number, more: Partial<Trunk> = {}): Trunk => ({
  ...{ name, host: "127.0.0.1", port, transport: "udp", allowedAddresses: [], srtp: "off", register: false },
  ...{ keepAliveSeconds: 0, maxCalls: 10, callsPerSecond: 10, ...more },
});

async function anAgent(t: TestContext) {
  const agent = await createSipAgent({ trunks: [], bind: { address: "127.0.0.1", udpPort: 0 }, log() {} });
  t.after(agent.close);
  const rang: { trunk: string; to: string }[] = [];
  agent.onInvite((call) => {
    rang.push({ trunk: call.trunk, to: call.to });
    call.answer(LOCAL);
  });
  const call = (trunk: string, on: Partial<CallEvents> = {}) => {
    const ended = Promise.withResolvers<CallEnd>();
    const request = { from: EAST, to: "+12125550123", callId: randomUUID(), local: LOCAL };
    return { placed: agent.call(trunk, request, { ...on, ended: ended.resolve }), ended: ended.promise };
  };
  return { agent, rang, call };
}

test("a trunk that is added registers, and says goodbye when it is removed; another in its place waits for that", async (t) => {
  const { agent, call } = await anAgent(t);
  const registrar = await sipProvider(t, (method) => (method === "REGISTER" ? ["200 OK"] : ["404 Not Found"]));
  const trunk = aTrunk("own", registrar.port, { register: true, username: "acme", password: "x", contactUser: "c1" });
  agent.put(trunk);
  await until("it is registered", () => agent.trunkState("own").isRegistered);
  assert.match(header(registrar.of("REGISTER")[0]!, "contact")!, /^<sip:c1@/);

  agent.put({ ...trunk, contactUser: "c2" });
  await until("the other is registered", () => agent.trunkState("own").isRegistered);
  const said = registrar.of("REGISTER").map((one) => header(one, "contact")!.replace(/@.*(?=;expires)/, "@"));
  assert.deepEqual(said, ["<sip:c1@;expires=600", "<sip:c1@;expires=0", "<sip:c2@;expires=600"]);

  assert.equal((await call("own").ended).status, 404);
  agent.remove("own");
  await until("it has said goodbye", () => registrar.of("REGISTER").length === 4);
  assert.deepEqual([agent.room("own"), registrar.of("INVITE").length], [0, 1]);
  assert.equal((await call("own").ended).cause, "not_placed");
  assert.equal(registrar.of("INVITE").length, 1);
});

test("a call goes on when its trunk is removed, counts for the one in its place, and is hung up when all end", async (t) => {
  const { agent, call } = await anAgent(t);
  const peer = await sipProvider(t, (method) =>
    method === "INVITE" ? answeredAt(`sip:x@127.0.0.1:${peer.port}`) : method === "ACK" ? undefined : ["200 OK"],
  );
  const trunk = aTrunk("own", peer.port, { maxCalls: 1 });
  agent.put(trunk);
  const up: string[] = [];
  const { ended } = call("own", { answered: ({ address }) => void up.push(address) });
  await until("it is answered", () => up.length > 0);
  agent.put({ ...trunk, srtp: "optional" });
  assert.deepEqual([agent.trunkState("own").calls, agent.room("own")], [1, 0]);
  agent.remove("own");
  assert.equal(agent.count().calls, 1);
  await agent.close();
  assert.equal((await ended).cause, "we_hung_up");
  assert.equal(peer.of("BYE").length, 1);
});

test("two trunks of one provider's addresses are distinguished by the called number, and nobody's number is refused", async (t) => {
  const { agent, rang } = await anAgent(t);
  const allowedAddresses = [PROVIDERS];
  agent.put(aTrunk("east", 5_060, { allowedAddresses, numbers: [EAST] }));
  agent.put(aTrunk("west", 5_060, { allowedAddresses, numbers: [WEST] }));
  const provider = await udpSender(t, agent.port("udp")!, PROVIDERS);
  const ask = async (number: string, n: number) => {
    provider.send(sipRequest("INVITE", { uri: `sip:${number}@127.0.0.1`, callId: `n${n}` }));
    const of = () => provider.answers.filter(({ callId, status }) => callId === `n${n}` && status >= 200);
    return (await until("it is answered", () => of()[0])).status;
  };
  assert.deepEqual([await ask(WEST, 1), await ask(EAST.slice(1), 2), await ask(NOBODYS, 3)], [200, 200, 404]);
  assert.deepEqual(rang, [
    { trunk: "west", to: WEST },
    { trunk: "east", to: EAST },
  ]);
  agent.remove("west");
  assert.equal(await ask(WEST, 4), 404);
  const stranger = await udpSender(t, agent.port("udp")!, "127.0.0.66");
  stranger.send(sipRequest("INVITE", { uri: `sip:${EAST}@127.0.0.1`, callId: "s" }));
  assert.equal(await ask(EAST, 5), 200);
  assert.deepEqual(stranger.answers, []);
});

test("what a registrar sends to our contact is its trunk's, for the number in To, and from nowhere else", async (t) => {
  const { agent, rang } = await anAgent(t);
  const registrar = await sipProvider(t, () => ["200 OK"], PROVIDERS);
  const trunk = aTrunk("own", registrar.port, { host: PROVIDERS, register: true, username: "acme", password: "x" });
  agent.put({ ...trunk, contactUser: "c1", numbers: ["+12125550100"] });
  await until("it is registered", () => agent.trunkState("own").isRegistered);
  const toContact = sipRequest("INVITE", { uri: "sip:c1@127.0.0.1", callId: "r" });
  const stranger = await udpSender(t, agent.port("udp")!, "127.0.0.66");
  stranger.send(toContact.replace("Call-ID: r", "Call-ID: s"));
  const own = await udpSender(t, agent.port("udp")!, PROVIDERS);
  own.send(toContact);
  await until("it is answered", () => own.answers.some(({ status }) => status === 200));
  assert.deepEqual([rang, stranger.answers], [[{ trunk: "own", to: "+12125550100" }], []]);
});

test("a registrar that refuses is reported with its status", async (t) => {
  const { agent } = await anAgent(t);
  const registrar = await sipProvider(t, () => ["403 Forbidden"]);
  const refused: string[] = [];
  const trunk = aTrunk("own", registrar.port, { register: true, username: "acme", password: "x" });
  agent.put(trunk, { refused: (status, reason) => void refused.push(`${status} ${reason}`) });
  assert.deepEqual(await until("it is reported", () => refused.length > 0 && refused), ["403 Forbidden"]);
});

for (const [says, reason, text] of [
  [["607 Unwanted"], "marked_as_spam", "Unwanted"],
  [
    ["608 Rejected", 'Reason: SIP;cause=608;text="Reputation"'],
    "marked_as_spam",
    'Rejected; SIP;cause=608;text="Reputation"',
  ],
  [["603 Network Blocked"], "marked_as_spam", "Network Blocked"],
  [
    ["603 Decline", 'Reason: Q.850;cause=21;text="v=analytics1"'],
    "marked_as_spam",
    'Decline; Q.850;cause=21;text="v=analytics1"',
  ],
  [
    ["603 Decline", 'Reason: Q.850;cause=21;text="Call Rejected"'],
    "user_declined",
    'Decline; Q.850;cause=21;text="Call Rejected"',
  ],
] as const) {
  test(`a call that is refused with ${says.join(", ")} ends as ${reason}, in the carrier's words`, async (t) => {
    const { agent, call } = await anAgent(t);
    const peer = await sipProvider(t, (method) => (method === "INVITE" ? says : undefined));
    agent.put(aTrunk("own", peer.port));
    const end = await call("own").ended;
    assert.deepEqual([end.status, end.reason, end.text], [Number(says[0].slice(0, 3)), reason, text]);
  });
}

const { mayReach } = tenantHosts(["127.0.0.1"]);
for (const address of ["10.0.0.8", "169.254.169.254", "127.0.0.9", "0.0.0.0"]) {
  test(`no sound goes to ${address} where a tenant's trunk names it, in an answer, an offer or a later one`, async (t) => {
    const { agent, call } = await anAgent(t);
    const peer = await sipProvider(t, (method) =>
      method === "INVITE"
        ? answeredAt(`sip:x@127.0.0.1:${peer.port}`, address)
        : method === "ACK"
          ? undefined
          : ["200 OK"],
    );
    agent.put(aTrunk("own", peer.port, { mayReach, allowedAddresses: [PROVIDERS], numbers: ["+12125550100"] }));
    const heard: string[] = [];
    const ends: CallEnd[] = [];
    call("own", {
      answered: ({ address }) => void heard.push(address),
      earlyMedia: ({ address }) => void heard.push(address),
    }).ended.then((end) => ends.push(end));
    // A call that is taken never ends: this fails then, as the mutant of it must within its time.
    const end = await until("it has ended", () => ends[0]);
    assert.deepEqual([end.status, end.text, heard], [488, "the sound was to go to an address that is not public", []]);
    await until("it is hung up", () => peer.of("BYE").length === 1);

    const provider = await udpSender(t, agent.port("udp")!, PROVIDERS);
    const sdp = (where: string) =>
      `v=0\r\no=- 1 1 IN IP4 ${where}\r\ns=-\r\nc=IN IP4 ${where}\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n`;
    const offer = (callId: string, where: string, cseq = 1, to = "") =>
      sipRequest("INVITE", { callId, cseq, body: sdp(where), more: ["Content-Type: application/sdp"] }).replace(
        "To: <sip:+12125550100@127.0.0.1>",
        `To: <sip:+12125550100@127.0.0.1>${to}`,
      );
    const finalOf = (callId: string, cseq: number) =>
      until("it is answered", () =>
        provider.answers.find((one) => one.callId === callId && one.cseq === cseq && one.status >= 200),
      );
    provider.send(offer("private", address));
    assert.equal((await finalOf("private", 1)).status, 488);
    provider.send(offer("moved", "127.0.0.1"));
    const up = await finalOf("moved", 1);
    assert.equal(up.status, 200);
    const tag = `;tag=${up.to.params.get("tag")}`;
    provider.send(
      sipRequest("ACK", { callId: "moved" }).replace(
        "<sip:+12125550100@127.0.0.1>",
        `<sip:+12125550100@127.0.0.1>${tag}`,
      ),
    );
    provider.send(offer("moved", address, 2, tag));
    assert.equal((await finalOf("moved", 2)).status, 488);
  });
}

for (const status of ["300 Multiple Choices", "301 Moved Permanently", "302 Moved Temporarily", "305 Use Proxy"]) {
  test(`a call that is answered by ${status} ends as refused, and nobody is called in its place`, async (t) => {
    const { agent, call } = await anAgent(t);
    const elsewhere = await sipProvider(t, () => ["404 Not Found"]);
    const peer = await sipProvider(t, (method) =>
      method === "ACK" ? undefined : [status, `Contact: <sip:+12125550123@127.0.0.1:${elsewhere.port}>`],
    );
    agent.put(aTrunk("own", peer.port));
    const { cause, status: code, reason } = await call("own").ended;
    assert.deepEqual([cause, code, reason], ["refused", Number(status.slice(0, 3)), "sip_routing_error"]);
    await until("it is acknowledged", () => peer.of("ACK").length === 1);
    assert.deepEqual([peer.of("INVITE").length, elsewhere.asked.length], [1, 0]);
  });
}
