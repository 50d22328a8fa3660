import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { CODECS, type Codec } from "#adapters/sip-messages/formats.ts";
import { answerOffer, type RemoteMedia, readAnswer, writeOffer } from "#adapters/sip-messages/offer-answer.ts";
import { systemClock } from "#adapters/sip-transport/clock.ts";
import { FRAME_SAMPLES, sampleToUlaw } from "#domain/calls/g711.ts";
import { openRtpLeg } from "./rtp-leg.ts";
import { openRtpPort } from "./rtp-port.ts";

const range = [31_000, 31_998] as const;

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !isSo(); await pause(5)) assert.ok(Date.now() < end, `never: ${isSo}`);
}

const aPort = (codecs: readonly Codec[]) =>
  openRtpPort({ address: "127.0.0.1", range, codecs, hasSrtp: false, random: randomBytes });

/** What both agree on when one offers and the other answers. */
function agreed(offering: Awaited<ReturnType<typeof aPort>>, answering: Awaited<ReturnType<typeof aPort>>) {
  const description = { sessionId: "1", version: 1, direction: "sendrecv" } as const;
  const answer = answerOffer(writeOffer(offering.local, "off", description), answering.local, "off", [], description);
  assert.ok(answer.ok);
  const taken = readAnswer(answer.sdp, offering.local, "off", []);
  assert.ok(taken.ok);
  return { caller: taken.remote, called: answer.remote };
}

/** A caller that offers `codecs`, and somebody called who has all; what the called one hears, and the keys. */
async function aCall(t: TestContext, codecs: readonly Codec[]) {
  const [from, to] = [await aPort(codecs), await aPort(CODECS)];
  const { caller, called } = agreed(from, to);
  const pressed: string[] = [];
  const sending = openRtpLeg(from, caller, { clock: systemClock, random: randomBytes, press: (d) => pressed.push(d) });
  const hearing = openRtpLeg(to, called, { clock: systemClock, random: randomBytes });
  t.after(() => {
    sending.close();
    hearing.close();
  });
  const heard: { sequence: number; timestamp: number; bytes: number; wide: number }[] = [];
  const keys: string[] = [];
  hearing.listen({
    packet: (sequence, timestamp, payload, wide) =>
      void heard.push({ sequence, timestamp, bytes: payload.length, wide: wide?.length ?? 0 }),
    dtmf: (digit) => void keys.push(digit),
    ended() {},
  });
  sending.listen({ packet() {}, dtmf() {}, ended() {} });
  let said = 0;
  const say = async (frames: number) => {
    const before = heard.length;
    for (let i = 0; i < frames; i++) {
      const frame = Uint8Array.from({ length: FRAME_SAMPLES }, (_, k) =>
        sampleToUlaw(Math.round(6_000 * Math.sin((2 * Math.PI * 400 * (said * FRAME_SAMPLES + k)) / 8_000))),
      );
      said++;
      sending.send(frame);
      await until(() => heard.length > before + i);
    }
    return heard.slice(before);
  };
  return { from, to, sending, hearing, heard, keys, pressed, say, caller, called };
}

const DTMF_RATE: Readonly<Record<Codec, number | undefined>> = {
  opus: 48_000,
  G722: undefined,
  PCMU: undefined,
  PCMA: undefined,
};

for (const codec of CODECS) {
  test(`a call in ${codec} has frames of 20 ms on the session's clock, keys, and figures in milliseconds`, async (t) => {
    const call = await aCall(t, [codec]);
    assert.equal(call.called.codec, codec);
    assert.equal(call.called.dtmfClockRate, DTMF_RATE[codec]);
    const packets = await call.say(20);
    assert.deepEqual(new Set(packets.map(({ bytes }) => bytes)), new Set([FRAME_SAMPLES]));
    const isWide = codec === "opus" || codec === "G722";
    assert.equal(call.hearing.wideRate, isWide ? 16_000 : undefined);
    assert.deepEqual(new Set(packets.map(({ wide }) => wide)), new Set([isWide ? 2 * FRAME_SAMPLES : 0]));
    packets.slice(1).forEach(({ timestamp, sequence }, i) => {
      // On a busy machine there may be a pause between two.
      const step = (timestamp - packets[i]!.timestamp) >>> 0;
      assert.ok(step > 0 && step % FRAME_SAMPLES === 0, `${step}`);
      assert.equal((sequence - packets[i]!.sequence) & 0xffff, 1);
    });
    call.sending.dtmf("4#");
    await until(() => call.keys.length === 2);
    assert.deepEqual(call.keys, ["4", "#"]);
    const { received, lost, refused } = call.hearing.statistics();
    assert.ok(received > 20 && lost === 0 && refused === 0);
  });
}

test("a re-INVITE to another codec and back changes what is sent, and the session's clock goes on", async (t) => {
  const call = await aCall(t, ["opus", "PCMU"]);
  await call.say(10);
  const narrow = await aPort(["PCMU"]);
  t.after(narrow.close);
  const plain = agreed({ ...narrow, local: { ...call.from.local, codecs: ["PCMU"] } }, call.to);
  const lastOfOpus = call.heard.at(-1)!;
  call.hearing.update(plain.called);
  call.sending.update(plain.caller);
  const [first, ...more] = await call.say(10);
  const step = (first!.timestamp - lastOfOpus.timestamp) >>> 0;
  assert.ok(step > 0 && step % FRAME_SAMPLES === 0, `${step}`);
  assert.equal(((more.at(-1)!.timestamp - first!.timestamp) >>> 0) % FRAME_SAMPLES, 0);
  call.hearing.update(call.called);
  call.sending.update(call.caller);
  const back = await call.say(5);
  assert.equal(((back.at(-1)!.timestamp - back[0]!.timestamp) >>> 0) % FRAME_SAMPLES, 0);
  assert.equal(call.hearing.statistics().refused, 0);
});

test("payload types that nobody agreed on are no sound, and what is no Opus is refused and counted", async (t) => {
  const port = await aPort(["opus", "PCMU"]);
  const stranger = createSocket("udp4");
  stranger.bind(0, "127.0.0.1");
  await once(stranger, "listening");
  t.after(() => stranger.close());
  const at = stranger.address().port;
  const remote: RemoteMedia = {
    ...{ address: "127.0.0.1", port: at, rtcpPort: at, isRtcpMuxed: true, from: [], hears: true, speaks: true },
    codec: "opus",
    payloadType: 107,
    accepts: [{ codec: "opus", payloadType: 107 }],
    opus: { fec: true },
  };
  const leg = openRtpLeg(port, remote, { clock: systemClock, random: randomBytes });
  t.after(() => leg.close());
  const heard: number[] = [];
  leg.listen({ packet: (sequence) => void heard.push(sequence), dtmf() {}, ended() {} });
  let sequence = 100;
  const send = (payloadType: number, payload: Buffer) => {
    const packet = Buffer.alloc(12 + payload.length);
    packet[0] = 0x80;
    packet[1] = payloadType;
    packet.writeUInt16BE(sequence++ & 0xffff, 2);
    packet.writeUInt32BE((sequence * 960) >>> 0, 4);
    packet.writeUInt32BE(7, 8);
    payload.copy(packet, 12);
    stranger.send(packet, port.local.port, "127.0.0.1");
  };
  // Nobody agreed on G.722, on these numbers, or on comfort noise.
  for (const type of [1, 3, 9, 13, 18, 63, 96, 111, 127]) send(type, randomBytes(160));
  // Code 3 with a count of frames that cannot be, lengths that lie, and two frames of equal size of which half is missing.
  for (const bytes of [
    [0x0b, 0xff],
    [0x0b, 0x3f, 0xff, 0xff],
    [0x0a, 0xfc],
    [0x09, 1],
  ])
    send(107, Buffer.from(bytes));
  await until(() => leg.statistics().received === 13);
  assert.deepEqual(heard, []);
  assert.equal(leg.statistics().refused, 4);
  send(0, Buffer.alloc(160, 0xff));
  await until(() => heard.length === 1);
});

test("keys go by the signalling where the description says so, and not with the sound", async (t) => {
  const call = await aCall(t, ["PCMU"]);
  call.sending.update({ ...call.caller, dtmfByInfo: true });
  call.sending.dtmf("12x*a");
  assert.deepEqual(call.pressed, ["12*A"]);
  await call.say(3);
  assert.deepEqual(call.keys, []);
});
