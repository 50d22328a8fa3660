import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { header, headerList } from "#adapters/sip-messages/message.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import { type SipSender, sipRequest, tcpSender, udpSender } from "#test/support/calls/sip-sender.ts";
import { handClock } from "#test/support/time/hand-clock.ts";
import { until } from "#test/support/time/until.ts";
import { INVALID } from "#test/support/torture/invalid.ts";
import { MEANING } from "#test/support/torture/meaning.ts";
import type { Fate, TortureMessage } from "#test/support/torture/message.ts";
import { VALID } from "#test/support/torture/valid.ts";
import { VERSION_6 } from "#test/support/torture/version-6.ts";
import { createSipAgent } from "./agent.ts";
import type { CallEnd } from "./call.ts";

const OWN = "127.0.0.1";
/** Longer than anything is remembered for that nobody asks for: a transaction's 32 s, a connection's 10 s. */
const ALL_OVER_MS = 60_000;
/** A connection that says nothing for so long is closed: 20 minutes. */
const SILENT_MS = 25 * 60_000;
/** What whoever takes our calls says to each: nobody else says it. */
const TAKEN = 486;

const TABLES: Readonly<Record<string, { rfc: string; messages: readonly TortureMessage[]; are: number }>> = {
  "RFC 4475": { rfc: "4475", messages: [...VALID, ...INVALID, ...MEANING], are: 49 },
  "RFC 5118": { rfc: "5118", messages: VERSION_6, are: 12 },
};

async function anAgent(t: TestContext, more: Partial<Trunk> = {}) {
  const clock = handClock();
  const agent = await createSipAgent({
    trunks: [
      {
        ...{ name: "peer", host: OWN, transport: "udp", allowedAddresses: [OWN], srtp: "off", register: false },
        ...{ keepAliveSeconds: 0, maxCalls: 10, callsPerSecond: 10, ...more },
      },
    ],
    bind: { address: OWN, udpPort: 0, tcpPort: 0 },
    clock,
    log() {},
  });
  t.after(() => {
    const closed = agent.close();
    clock.pass(ALL_OVER_MS);
    return closed;
  });
  agent.onInvite((call) => call.reject(TAKEN));
  return { agent, clock };
}

/** All that came back for what was sent before: then the agent has answered a request that it always answers. */
async function fatesOf(sender: SipSender, probe: string): Promise<Fate[]> {
  sender.send(sipRequest("OPTIONS", { callId: probe }));
  const seen = () => sender.answers.some(({ callId }) => callId === probe);
  await until("the agent has read all", async () => seen() || sender.isClosed(), 10_000);
  return finalOf(sender, probe);
}

/** By their status, those too that repeat what was wrong with the request and so are wrong themselves. */
function finalOf({ answers, requests }: SipSender, probe: string): Fate[] {
  const wrong = requests.map((text) => Number(/^SIP\/2\.0 (\d{3}) /.exec(text)?.[1]));
  return [...answers.filter(({ callId }) => callId !== probe).map(({ status }) => status), ...wrong]
    .filter((status) => status >= 200)
    .map((status) => (status === TAKEN ? "taken" : status));
}

const wanted = (fate: Fate): Fate[] => (fate === "dropped" ? [] : [fate]);
const words = (fates: readonly Fate[]) => fates.join(", ") || "dropped";

for (const [title, { messages, are }] of Object.entries(TABLES)) {
  test(`${title}: each of its ${are} messages is answered or dropped as it asks, over UDP and over TCP`, async (t) => {
    assert.equal(messages.length, are);
    assert.equal(new Set(messages.map(({ name }) => name)).size, are);
    const { agent, clock } = await anAgent(t);
    const counts = new Map<string, number>();
    const wrong: string[] = [];
    const note = (message: TortureMessage, over: string, found: readonly Fate[], expected: readonly Fate[]) => {
      const [is, was] = [words(found), words(expected)];
      counts.set(`${over} ${is}`, (counts.get(`${over} ${is}`) ?? 0) + 1);
      t.diagnostic(`${message.section.padEnd(9)} ${message.name.padEnd(30)} ${over} ${is.padEnd(12)} ${message.asks}`);
      if (is !== was) wrong.push(`${message.name} over ${over}: ${is}, not ${was}`);
    };
    for (const message of messages) {
      const udp = await udpSender(t, agent.port("udp")!, OWN);
      udp.send(message.bytes);
      note(message, "UDP", await fatesOf(udp, `udp-${message.name}`), wanted(message.fate));
      // What was asked over UDP is not to be taken for the same.
      clock.pass(ALL_OVER_MS);

      const { fates, isClosed, waitsFor } = message.overTcp ?? { fates: wanted(message.fate) };
      const tcp = await tcpSender(t, agent.port("tcp")!, OWN);
      // From one that has said nothing yet so much is not waited for.
      if (waitsFor) await fatesOf(tcp, `before-${message.name}`);
      tcp.send(message.bytes);
      if (waitsFor || isClosed) {
        if (waitsFor) {
          await fatesOf(await tcpSender(t, agent.port("tcp")!, OWN), `tcp-${message.name}`);
          assert.equal(tcp.isClosed(), false, message.name);
          clock.pass(SILENT_MS);
        }
        await until(`${message.name}: it is closed`, async () => tcp.isClosed(), 10_000);
        note(message, "TCP", finalOf(tcp, `before-${message.name}`), fates);
      } else {
        note(message, "TCP", await fatesOf(tcp, `tcp-${message.name}`), fates);
        assert.equal(tcp.isClosed(), false, message.name);
      }
      clock.pass(ALL_OVER_MS);
    }
    t.diagnostic(`${title}: ${[...counts].map(([what, n]) => `${what}: ${n}`).join(" · ")}`);
    assert.deepEqual(wrong, []);
    assert.deepEqual(agent.count(), { calls: 0, dialogs: 0, client: 0, server: 0 }, "nothing is left of them");
  });
}

const named = (name: string) => [...VALID, ...INVALID, ...MEANING].find((message) => message.name === name)!;

test("what a tortuous request has is in its answer as it came", async (t) => {
  const { agent } = await anAgent(t);
  const sender = await udpSender(t, agent.port("udp")!, OWN);
  sender.send(named("transports").bytes);
  const transports = await sender.answer(0);
  assert.deepEqual(
    headerList(transports, "via").map((via) => via.split(" ")[0]),
    ["SIP/2.0/UDP", "SIP/2.0/SCTP", "SIP/2.0/TLS", "SIP/2.0/UNKNOWN", "SIP/2.0/TCP"],
  );
  sender.send(named("bext01").bytes);
  const extensions = await sender.answer(1);
  assert.equal(header(extensions, "unsupported"), "nothingSupportsThis, nothingSupportsThisEither");
  sender.send(named("wsinv").bytes);
  const spaces = await sender.answer(2);
  assert.deepEqual(
    [spaces.status, spaces.to.params.get("tag"), spaces.from.display, spaces.callId, spaces.cseq],
    [481, "1918181833n", 'J Rosenberg \\"', "wsinv.ndaksdj@192.0.2.1", 9],
  );
});

test("RFC 4475, 3.2.1: two requests whose branch says nothing are two", async (t) => {
  const { agent } = await anAgent(t);
  const sender = await udpSender(t, agent.port("udp")!, OWN);
  const { bytes } = named("badbranch");
  sender.send(bytes);
  sender.send(bytes.toString("latin1").replace("badbranch.", "another."));
  await sender.answer(1);
  assert.deepEqual(
    sender.answers.map(({ callId }) => callId.split(".")[0]),
    ["badbranch", "another"],
  );
});

test("RFC 4475, 3.3.7: a caller with credentials of a scheme that nobody knows is asked for ours", async (t) => {
  const inboundCredentials = { username: "office", password: "long-enough" };
  const { agent } = await anAgent(t, { inboundCredentials, allowedAddresses: [] });
  const sender = await tcpSender(t, agent.port("tcp")!, OWN);
  sender.send(sipRequest("INVITE", { more: ["Authorization: NoOneKnowsThisScheme opaque-data=here"] }));
  assert.equal((await sender.answer(0)).status, 401);
});

/** Calls a sender of ours, which says what is given instead of an answer to the INVITE. */
async function answeredBy(t: TestContext, say: (headers: readonly string[]) => readonly Buffer[]) {
  const peer = await udpSender(t, 9, OWN);
  const { agent, clock } = await anAgent(t, { port: peer.port });
  const events: string[] = [];
  let end: CallEnd | undefined;
  const local = { address: OWN, port: 4_000, codecs: ["PCMU"] } as unknown as Parameters<typeof agent.call>[1]["local"];
  agent.call(
    "peer",
    { from: "+12125550100", to: "+12125550123", callId: "torture", local },
    {
      proceeding: () => void events.push("proceeding"),
      answered: () => void events.push("answered"),
      ended(why) {
        events.push("ended");
        end = why;
      },
    },
  );
  const invite = await until("the INVITE is there", async () => peer.requests[0], 10_000);
  const own = invite.split("\r\n").filter((line) => /^(via|from|to|call-id|cseq):/i.test(line));
  const back = await udpSender(t, agent.port("udp")!, OWN);
  for (const bytes of say(own)) back.send(bytes);
  back.send(sipRequest("OPTIONS", { callId: "probe" }));
  await back.answer(0);
  return { events, end: () => end, clock, agent };
}

/** One of the RFC's answers, to what was asked: its own headers but for those by which an answer is known. */
function answering(name: string, own: readonly string[], keep: RegExp = /^$/): Buffer {
  const [head, body] = named(name)
    .bytes.toString("latin1")
    .split(/\r\n\r\n(.*)/s) as [string, string];
  const [start, ...lines] = head.split("\r\n");
  const names = /^(via|from|to|call-id|cseq):/i;
  const kept = lines.filter((line) => !names.test(line) || keep.test(line));
  const ours = own.filter((line) => !(keep.test(line) && !/^via/i.test(line)));
  return Buffer.from(
    [start, ...ours.map((line) => (/^to:/i.test(line) ? `${line};tag=9` : line)), ...kept, "", body].join("\r\n"),
    "latin1",
  );
}

test("RFC 4475, 3.1.1.12 and 13: an answer counts whatever its words are, or none", async (t) => {
  const { events } = await answeredBy(t, (own) => [answering("noreason", own), answering("unreason", own)]);
  assert.deepEqual(events, ["proceeding", "answered"]);
});

test("RFC 4475, 3.1.2.5, 3.1.2.19 and 3.3.10: an answer with numbers past every limit or a second Via is none", async (t) => {
  const { events } = await answeredBy(t, (own) => [
    answering("scalarlg", own, /^cseq/i),
    answering("bigcode", own),
    answering("bcast", own, /^via: \S+ 255/i),
  ]);
  assert.deepEqual(events, []);
});

test("a refusal that asks to wait for longer than there is time is waited for no longer than a day", async (t) => {
  const { events, end } = await answeredBy(t, (own) => [answering("scalarlg", own)]);
  assert.deepEqual(events, ["ended"]);
  assert.deepEqual([end()!.status, end()!.retryAfterMs], [503, 86_400_000]);
});
