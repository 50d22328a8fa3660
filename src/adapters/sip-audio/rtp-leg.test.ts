import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { answerOffer, readAnswer, type SrtpSuite, writeOffer } from "#adapters/sip-messages/offer-answer.ts";
import { systemClock } from "#adapters/sip-transport/clock.ts";
import { FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { openRtpLeg } from "./rtp-leg.ts";
import { openRtpPort } from "./rtp-port.ts";

const parts = { clock: systemClock, random: randomBytes };
const description = { sessionId: "1", version: 1, direction: "sendrecv" } as const;

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !isSo(); await pause(5)) assert.ok(Date.now() < end, `never: ${isSo}`);
}

async function aPort(suites: readonly SrtpSuite[]) {
  const range = [30_000, 30_998] as const;
  const codecs = ["PCMU"] as const;
  const port = await openRtpPort({ address: "127.0.0.1", range, codecs, hasSrtp: true, random: randomBytes });
  return { ...port, local: { ...port.local, srtp: port.local.srtp!.filter(({ suite }) => suites.includes(suite)) } };
}

/** Two legs that have agreed on a call by SDP, with a wire between on which each of the caller's packets is seen. */
async function aCall(t: TestContext, suites: { caller: readonly SrtpSuite[]; called: readonly SrtpSuite[] }) {
  const [caller, called] = [await aPort(suites.caller), await aPort(suites.called)];
  const wire = createSocket("udp4");
  wire.bind(0, "127.0.0.1");
  await once(wire, "listening");
  t.after(() => wire.close());
  const offer = writeOffer(caller.local, "required", description);
  const answer = answerOffer(offer, called.local, "required", [], description);
  assert.ok(answer.ok);
  const taken = readAnswer(answer.sdp, caller.local, "required", []);
  assert.ok(taken.ok);
  const from = openRtpLeg(caller, { ...taken.remote, port: wire.address().port }, parts);
  const to = openRtpLeg(called, answer.remote, parts);
  t.after(() => {
    from.close();
    to.close();
  });
  const heard: Buffer[] = [];
  to.listen({
    packet: (_sequence, _timestamp, payload) => void heard.push(Buffer.from(payload)),
    dtmf() {},
    ended() {},
  });
  from.listen({ packet() {}, dtmf() {}, ended() {} });
  const packets: Buffer[] = [];
  wire.on("message", (packet) => void packets.push(Buffer.from(packet)));
  const send = (packet: Buffer) => wire.send(packet, called.local.port, "127.0.0.1");
  const say = async (frame: Uint8Array): Promise<Buffer> => {
    const before = packets.length;
    from.send(frame);
    await until(() => packets.length > before);
    return packets.at(-1)!;
  };
  return { answer, taken, to, heard, send, say };
}

const both = ["AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32"] as const;

for (const { title, caller, called, suite, tagBytes, line } of [
  { title: "the longer tag where both know both", caller: both, called: both, suite: both[0], tagBytes: 10, line: 1 },
  {
    title: "the shorter where the caller knows no other",
    caller: [both[1]],
    called: both,
    suite: both[1],
    tagBytes: 4,
    line: 1,
  },
  {
    title: "the shorter where the called knows no other",
    caller: both,
    called: [both[1]],
    suite: both[1],
    tagBytes: 4,
    line: 2,
  },
]) {
  test(`two legs agree on ${title}; a packet that comes again, or was changed, is dropped`, async (t) => {
    const { answer, taken, to, heard, send, say } = await aCall(t, { caller, called });
    assert.deepEqual([answer.remote.srtp?.suite, taken.remote.srtp?.suite], [suite, suite]);
    // By the number that the line has in the offer (RFC 4568, 5.1.2).
    assert.ok(answer.sdp.includes(`a=crypto:${line} ${suite} inline:`), answer.sdp);
    const frames = Array.from({ length: 4 }, () => randomBytes(FRAME_SAMPLES));

    const first = await say(frames[0]!);
    assert.equal(first.length, 12 + FRAME_SAMPLES + tagBytes);
    assert.ok(!first.includes(frames[0]!), "it is not to be read on the way");
    send(first);
    await until(() => heard.length >= 1);

    const second = await say(frames[1]!);
    const forgeries = [12, 40, second.length - 1].map((at) => {
      const forged = Buffer.from(second);
      forged[at]! ^= 1;
      return forged;
    });
    // The header is signed as well: another number or source makes it no other packet.
    const renumbered = Buffer.from(second);
    renumbered.writeUInt16BE((renumbered.readUInt16BE(2) + 7) & 0xffff, 2);
    for (const packet of [first, ...forgeries, renumbered, first]) send(packet);
    await until(() => to.statistics().refused === 6);
    assert.equal(heard.length, 1);

    // The true one is no worse off for the forgeries before it.
    send(second);
    const [third, fourth] = [await say(frames[2]!), await say(frames[3]!)];
    send(fourth);
    send(third);
    send(third);
    await until(() => heard.length >= 4 && to.statistics().refused === 7);
    assert.deepEqual(heard, [frames[0], frames[1], frames[3], frames[2]]);
  });
}
