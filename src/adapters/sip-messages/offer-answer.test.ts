import assert from "node:assert/strict";
import { test } from "node:test";
import { CODECS, type Codec } from "./formats.ts";
import { answerOffer, type LocalMedia, readAnswer, writeOffer } from "./offer-answer.ts";

const description = { sessionId: "1", version: 1, direction: "sendrecv" } as const;
const us = (...codecs: Codec[]): LocalMedia => ({ address: "192.0.2.1", port: 4_000, codecs });

const sdp = (formats: string, ...lines: string[]): string =>
  [
    "v=0",
    "o=- 1 1 IN IP4 192.0.2.2",
    "s=-",
    "c=IN IP4 192.0.2.2",
    "t=0 0",
    `m=audio 5000 RTP/AVP ${formats}`,
    ...lines,
    "",
  ].join("\r\n");

const answered = (offer: string, ...codecs: Codec[]) => answerOffer(offer, us(...codecs), "off", [], description);

test("an offer has the codecs in their order, and keys on the clock of each", () => {
  const text = writeOffer(us("opus", "G722", "PCMU", "PCMA"), "off", description);
  assert.match(text, /^m=audio 4000 RTP\/AVP 107 9 0 8 102 101\r$/m);
  for (const line of [
    "a=rtpmap:107 opus/48000/2",
    "a=rtpmap:9 G722/8000",
    "a=rtpmap:102 telephone-event/48000",
    "a=rtpmap:101 telephone-event/8000",
  ])
    assert.ok(text.includes(`\r\n${line}\r\n`), line);
  assert.match(text, /^a=fmtp:107 .*useinbandfec=1/m);
  assert.match(writeOffer(us("PCMU", "PCMA"), "off", description), /^m=audio 4000 RTP\/AVP 0 8 101\r$/m);
});

test("an offer is answered with the first of its codecs that we have, under its payload type", () => {
  const offer = sdp(
    "96 9 0 8 100 101",
    "a=rtpmap:96 OPUS/48000/2",
    "a=fmtp:96 useinbandfec=1;maxaveragebitrate=16000; cbr=1",
    "a=rtpmap:100 telephone-event/48000",
    "a=rtpmap:101 telephone-event/8000",
  );
  const opus = answered(offer, "PCMU", "G722", "opus");
  assert.ok(opus.ok);
  assert.equal(opus.remote.codec, "opus");
  assert.equal(opus.remote.payloadType, 96);
  assert.deepEqual(opus.remote.opus, { fec: true, maxBitrate: 16_000, isConstant: true });
  assert.deepEqual(
    [opus.remote.dtmfPayloadType, opus.remote.dtmfClockRate, opus.remote.dtmfAlso],
    [100, 48_000, [101]],
  );
  assert.match(opus.sdp, /^m=audio 4000 RTP\/AVP 96 100\r$/m);
  assert.match(opus.sdp, /^a=rtpmap:96 opus\/48000\/2\r$/m);

  const wide = answered(offer, "PCMA", "G722");
  assert.ok(wide.ok);
  assert.deepEqual([wide.remote.codec, wide.remote.payloadType, wide.remote.dtmfPayloadType], ["G722", 9, 101]);
  assert.equal(wide.remote.dtmfClockRate, undefined);
  assert.match(wide.sdp, /^m=audio 4000 RTP\/AVP 9 101\r$/m);

  const none = answered(sdp("96", "a=rtpmap:96 opus/48000/2"), "PCMU");
  assert.deepEqual(none, { ok: false, why: "no codec in common" });
});

test("an answer to ours names what comes, under our payload types and its own", () => {
  const local = us("opus", "G722", "PCMU");
  const taken = readAnswer(
    sdp("111 0 101", "a=rtpmap:111 opus/48000/2", "a=rtpmap:101 telephone-event/8000"),
    local,
    "off",
    [],
  );
  assert.ok(taken.ok);
  assert.deepEqual([taken.remote.codec, taken.remote.payloadType], ["opus", 111]);
  assert.deepEqual(taken.remote.accepts, [
    { codec: "opus", payloadType: 107 },
    { codec: "PCMU", payloadType: 0 },
    { codec: "opus", payloadType: 111 },
    { codec: "PCMU", payloadType: 0 },
  ]);
  assert.deepEqual([taken.remote.dtmfPayloadType, taken.remote.dtmfClockRate], [101, undefined]);
});

test("absurd maps and parameters are passed over", () => {
  const absurd = [
    sdp("96 0", "a=rtpmap:96 opus/48000"),
    sdp("96 0", "a=rtpmap:96 opus/8000/2"),
    sdp("96 0", "a=rtpmap:96 opus/48000/2/9", "a=rtpmap:0"),
    sdp("300 0", "a=rtpmap:300 opus/48000/2"),
    sdp("72 0", "a=rtpmap:72 opus/48000/2"),
    sdp("-1 0", "a=rtpmap:-1 opus/48000/2", "a=rtpmap:", "a=rtpmap"),
    sdp("9 0", "a=rtpmap:9 L16/44100/2"),
    sdp("0 96", "a=rtpmap:96 opus/48000/2"),
  ];
  for (const offer of absurd) {
    const taken = answered(offer, ...CODECS);
    assert.ok(taken.ok, offer);
    assert.equal(taken.remote.codec, "PCMU", offer);
  }
  for (const fmtp of [
    "a=fmtp:96",
    "a=fmtp:96 ;;;=;useinbandfec",
    "a=fmtp:96 maxaveragebitrate=0",
    "a=fmtp:96 maxaveragebitrate=99999999999999999999",
    "a=fmtp:96 maxaveragebitrate=-1;useinbandfec=2",
    `a=fmtp:96 ${"x=y;".repeat(400)}`,
    "a=fmtp:97 useinbandfec=1",
  ]) {
    const taken = answered(sdp("96", "a=rtpmap:96 opus/48000/2", fmtp), "opus");
    assert.ok(taken.ok, fmtp);
    assert.deepEqual(taken.remote.opus, { fec: false }, fmtp);
  }
});

test("descriptions that were damaged anywhere are answered or refused, and what is answered can be read", () => {
  const whole = writeOffer(us(...CODECS), "off", description);
  let x = 3;
  const chance = (below: number) => {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((x / 2 ** 32) * below);
  };
  let answers = 0;
  for (let i = 0; i < 3_000; i++) {
    const characters = [...whole];
    for (let k = 0; k <= chance(4); k++) {
      const at = chance(characters.length);
      if (chance(2) === 0) characters.splice(at, 1 + chance(20));
      else characters.splice(at, 0, ["\r\n", "a=rtpmap:", "/", " 9", "48000", "\0", "é", ";"][chance(8)]!);
    }
    const taken = answered(characters.join(""), ...CODECS);
    if (!taken.ok) continue;
    answers++;
    assert.ok(CODECS.includes(taken.remote.codec));
    assert.ok(Number.isInteger(taken.remote.payloadType) && taken.remote.payloadType < 128);
    assert.ok(readAnswer(taken.sdp, us(...CODECS), "off", []).ok, taken.sdp);
  }
  assert.ok(answers > 1_000, `${answers}`);
});
