import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CODECS, type Codec } from "#adapters/sip-messages/formats.ts";
import { answerOffer, readAnswer, writeOffer } from "#adapters/sip-messages/offer-answer.ts";
import { decodeUlaw, encodeUlaw, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { BARESIP_CODECS, baresip } from "./baresip.ts";
import { share } from "./likeness.ts";
import { spoken } from "./line.ts";
import { ngCommands } from "./ng-commands.ts";
import { aCall, anAgent, aSound, nextCall, type Sound, until } from "./parley.ts";
import { missing } from "./programs.ts";
import { rtpengine } from "./rtpengine.ts";

/** The least share of the sound that arrives. Opus is no codec of waveforms: what it says sounds alike and looks less so. */
const LEAST: Readonly<Record<Codec, number>> = { opus: 0.8, G722: 0.95, PCMU: 0.98, PCMA: 0.98 };
/** Its recorder writes the last of it when the call is over. */
const RECORDED_WITHIN_MS = 5_000;

const ours = await spoken("Good morning. This is a call about your appointment on Thursday at ten.");
const theirs = await spoken(300, "Hello, yes, Thursday would be fine. Could you call me again in the afternoon?");
const inUlaw = (samples: Int16Array): Uint8Array => {
  const coded = new Uint8Array(samples.length);
  encodeUlaw(samples, coded);
  return coded;
};

/** What came, in order, as the session would have it without a jitter buffer. */
function heardBy(sound: Sound): Int16Array {
  const frames = [...sound.heard.entries()].toSorted(([a], [b]) => ((a - b) << 16) >> 16).map(([, frame]) => frame);
  const all = Buffer.concat(frames);
  const samples = new Int16Array(all.length);
  decodeUlaw(all, samples);
  return samples;
}

type Row = { peer: string; codec: Codec; weHear: number; theyHear: number; jitterMs: number; lost: number };

function show(t: TestContext, { peer, codec, weHear, theyHear, jitterMs, lost }: Row): void {
  const figures = `we hear ${weHear.toFixed(3)} | they hear ${theyHear.toFixed(3)} | jitter ${jitterMs.toFixed(1)} ms | lost ${lost}`;
  t.diagnostic(`| ${peer} | ${codec} | ${figures} |`);
}

function isHeard({ codec, weHear, theyHear }: Row): void {
  assert.ok(weHear >= LEAST[codec], `we hear ${weHear}`);
  assert.ok(theyHear >= LEAST[codec], `they hear ${theyHear}`);
}

/** Both speak at once, until either has said all. */
async function withBaresip(owner: Owner, codec: Codec, isCalledByUs: boolean): Promise<Row> {
  const phone = await baresip(owner, { source: theirs, codecs: [BARESIP_CODECS[codec]] });
  const agent = await anAgent(owner, { port: phone.port });
  // It chooses of what we offer, and we of what it offers.
  const calling = isCalledByUs
    ? aCall(owner, agent, { to: "phone" }, false, CODECS)
    : nextCall(owner, agent, (call, sound) => call.answer(sound.port.local), false, CODECS);
  if (!isCalledByUs) phone.command("dial", `sip:+12125550100@127.0.0.1:${agent.port("udp")}`);
  const { call, events, sound } = await calling;
  await until(() => events.includes("answered"), "answered");
  await sound.say(inUlaw(ours));
  await until(() => sound.heard.size * FRAME_SAMPLES >= theirs.length, "all of theirs");
  const { jitterMs, lost } = sound.leg()!.statistics();
  call.hangup();
  await until(() => phone.events.some(({ type }) => type === "CALL_CLOSED"), "the telephone knows");
  await until(() => phone.heard().length >= ours.length - 4_000, "its recording", RECORDED_WITHIN_MS);
  const weHear = share(theirs, heardBy(sound)).likeness;
  const theyHear = share(ours, phone.heard()).likeness;
  const peer = isCalledByUs ? "baresip, called by us" : "baresip, calls us";
  return { peer, codec, weHear, theyHear, jitterMs, lost };
}

for (const codec of CODECS) {
  for (const isCalledByUs of [true, false]) {
    const way = isCalledByUs ? "that we call" : "that calls us";
    test(`${codec} with a baresip ${way}: both are heard`, { skip: missing("baresip") }, async (t) => {
      await heldAgain(t, async (owner) => {
        const row = await withBaresip(owner, codec, isCalledByUs);
        show(t, row);
        isHeard(row);
      });
    });
  }
}

/** A side in `codec` and one in G.711, with rtpengine between them, which makes one of the other: theirs are other hands' codecs. */
async function throughRtpengine(owner: Owner, codec: Codec): Promise<Row> {
  const ask = await ngCommands(owner, await rtpengine(owner));
  const other: Codec = codec === "PCMU" ? "PCMA" : "PCMU";
  const [a, b] = [await aSound(owner, false, [codec]), await aSound(owner, false, [other])];
  const description = { sessionId: "1", version: 1, direction: "sendrecv" } as const;
  const ids = { "call-id": `call-${codec}`, "from-tag": "a" };
  const usual = { replace: ["origin"], "rtcp-mux": ["demux"], ICE: "remove", "transport-protocol": "RTP/AVP" };
  const offer = await ask("offer", {
    ...{ ...ids, ...usual, sdp: writeOffer(a.port.local, "off", description) },
    codec: { mask: ["all"], transcode: [other] },
  });
  const answer = answerOffer(offer.sdp!, b.port.local, "off", [], description);
  assert.ok(answer.ok, `${offer.sdp}`);
  const back = await ask("answer", { ...ids, ...usual, "to-tag": "b", sdp: answer.sdp });
  const agreed = readAnswer(back.sdp!, a.port.local, "off", []);
  assert.ok(agreed.ok, `${back.sdp}`);
  assert.equal(agreed.remote.codec, codec);
  assert.equal(answer.remote.codec, other);
  a.open(agreed.remote);
  b.open(answer.remote);
  await Promise.all([a.say(inUlaw(ours)), b.say(inUlaw(theirs))]);
  await until(() => a.heard.size > 100 && b.heard.size > 100, "heard");
  const { jitterMs, lost } = a.leg()!.statistics();
  const weHear = share(theirs, heardBy(a)).likeness;
  const theyHear = share(ours, heardBy(b)).likeness;
  return { peer: `rtpengine to ${other}`, codec, weHear, theyHear, jitterMs, lost };
}

for (const codec of CODECS) {
  test(`${codec} through rtpengine, which makes G.711 of it and back: both are heard`, {
    skip: missing("rtpengine"),
  }, async (t) => {
    await heldAgain(t, async (owner) => {
      const row = await throughRtpengine(owner, codec);
      show(t, row);
      isHeard(row);
    });
  });
}

test("a trunk that takes keys by INFO gets them so, in order", { skip: missing("baresip") }, async (t) => {
  await heldAgain(t, async (owner) => {
    const phone = await baresip(owner);
    const agent = await anAgent(owner, { port: phone.port, dtmf: "info" });
    const { call, events } = await aCall(owner, agent, { to: "phone" });
    await until(() => events.includes("answered"), "answered");
    call.press("15#");
    const keys = () => [...phone.said().matchAll(/received DTMF: '(.)'/g)].map(([, key]) => key);
    await until(() => keys().length === 3, "our keys");
    assert.deepEqual(keys(), ["1", "5", "#"]);
    call.hangup();
  });
});
