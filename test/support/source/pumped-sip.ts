import { isRtcp, readReports } from "#adapters/sip-audio/rtcp.ts";
import { payloadAt } from "#adapters/sip-audio/srtp.ts";
import { digitOfEvent } from "#adapters/sip-audio/telephone-event.ts";
import { bestChallenge, givenCredentials, provesPassword } from "#adapters/sip-messages/digest.ts";
import { streamFramer } from "#adapters/sip-messages/framer.ts";
import { parseNameAddr } from "#adapters/sip-messages/name-addr.ts";
import { answerOffer, type LocalMedia, readAnswer } from "#adapters/sip-messages/offer-answer.ts";
import { parseMessage, parseVia } from "#adapters/sip-messages/parse-message.ts";
import { parseSdp } from "#adapters/sip-messages/sdp.ts";
import { parseParams, splitOutside } from "#adapters/sip-messages/syntax.ts";
import { parseUri, userOf } from "#adapters/sip-messages/uri.ts";

/** What a reader is given: `before`, then `pump` again and again up to the length that is asked for, then `after`. */
export type Pump = { before?: string; pump: string; after?: string };

export type PumpedReader = {
  name: string;
  /** Characters of the longest text that it can be given, one a byte. */
  limit: number;
  run(text: string): unknown;
  pumps: readonly Pump[];
};

/** A datagram, which is dropped when it is longer. */
const DATAGRAM = 8_192;
/** A message of a connection. */
const STREAM = 65_535;
/** A header's line. */
const LINE = 2_048;
/** A packet of sound. */
const PACKET = 1_500;

/** Of one each, made once: what a test makes for every byte would be measured with it. */
const BYTES = Array.from({ length: 256 }, (_, byte) => Buffer.of(byte));

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");

const HEAD = [
  "INVITE sip:+12125550100@example.com SIP/2.0",
  "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKx",
  "From: <sip:a@example.com>;tag=1",
  "To: <sip:b@example.com>",
  "Call-ID: c1",
  "CSeq: 1 INVITE",
  "Contact: <sip:a@192.0.2.1>",
  "Max-Forwards: 70",
].join("\r\n");
const SDP_HEAD = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n";
const LOCAL: LocalMedia = {
  address: "192.0.2.2",
  port: 20_000,
  codecs: ["PCMU", "PCMA"],
  srtp: [{ suite: "AES_CM_128_HMAC_SHA1_80", key: "A".repeat(40) }],
};
const DESCRIPTION = { sessionId: "1", version: 1, direction: "sendrecv" } as const;
const RTP_HEAD = `\x80\0${"\0".repeat(10)}`;

/** Signs that a grammar of SIP's gives a meaning to. */
const SIGNS = [";", ",", '"', '\\"', "<", ">", " ", "\t", "%", "%41", "a", "a=", ";a=b", "@", ":", "[", "(", "\0", "é"];
const within = (before: string, after = ""): Pump[] => SIGNS.map((pump) => ({ before, pump, after }));

/** Header lines of a message, and what is within them. */
const MESSAGES: readonly Pump[] = [
  ...["Via: SIP/2.0/UDP a", 'To: "', "From: <sip:", "Contact: ", "CSeq: 1", "Content-Length: ", "X: "].flatMap((line) =>
    within(`${HEAD}\r\n${line}`, "\r\n\r\n"),
  ),
  ...[
    "a:b\r\n",
    "\r\n ",
    "\r\n",
    "\r",
    "\n",
    ":\r\n",
    "v:\r\n",
    "Contact: <sip:a@b>\r\n",
    "Via: SIP/2.0/UDP a\r\n",
  ].map((pump) => ({
    before: `${HEAD}\r\n`,
    pump,
    after: "\r\n\r\n",
  })),
  ...within("INVITE sip:", " SIP/2.0\r\n\r\n"),
  ...within("SIP/2.0 200 ", `\r\n${HEAD.slice(HEAD.indexOf("Via"))}\r\n\r\n`),
  ...within(""),
];

/**
 * What reads the bytes of strangers on the network, with texts that a pattern which tries every place anew, or a copy for every byte,
 * needs the square of their length for, or more. test/pumped-sip.test.ts doubles them.
 */
export const PUMPED_SIP: readonly PumpedReader[] = [
  {
    name: "parseMessage, of a datagram",
    limit: DATAGRAM,
    run: (text) => parseMessage(bytesOf(text), false),
    pumps: MESSAGES,
  },
  {
    name: "parseMessage, of a connection",
    limit: STREAM,
    run: (text) => parseMessage(bytesOf(text), true),
    pumps: MESSAGES,
  },
  {
    name: "streamFramer, a byte at a time",
    limit: STREAM,
    run(text) {
      const framer = streamFramer({ message() {}, ping() {} });
      for (const byte of bytesOf(text)) if (!framer.push(BYTES[byte]!)) break;
    },
    pumps: [
      { before: `${HEAD}\r\nX: `, pump: "a" },
      { before: `${HEAD}\r\nContent-Length: 60000\r\n\r\n`, pump: "a" },
      { pump: "\r\n" },
      { before: HEAD, pump: "\r\n " },
      { pump: `${HEAD}\r\nContent-Length: 0\r\n\r\n` },
    ],
  },
  {
    name: "streamFramer, at once",
    limit: STREAM,
    run: (text) => streamFramer({ message() {}, ping() {} }).push(bytesOf(text)),
    pumps: [
      { pump: "\r\n" },
      { pump: "\r\n\r\n" },
      { pump: "a\r\nl:0\r\n\r\n" },
      { before: "a\r\n", pump: "l: \r\n ", after: "\r\n\r\n" },
      { before: "a\r\nl:", pump: "\r\n ", after: "x\r\n\r\n" },
    ],
  },
  {
    name: "parseVia",
    limit: LINE,
    run: parseVia,
    pumps: ["SIP", "SIP/2.0", "SIP/2.0/UDP", "SIP/2.0/UDP a", "SIP/2.0/UDP a:1", "SIP/2.0/UDP a;branch="].flatMap(
      (text) => within(text, "!"),
    ),
  },
  {
    name: "parseNameAddr",
    limit: LINE,
    run: parseNameAddr,
    pumps: ["", '"', "<", "<sip:", "sip:", '"a" <sip:b>;tag=', "a <tel:"].flatMap((text) => within(text, ">!")),
  },
  {
    name: "parseUri",
    limit: LINE,
    run(text) {
      const uri = parseUri(text);
      return uri && userOf(uri);
    },
    pumps: ["", "sip:", "sip:a@", "sip:a@b:", "sip:a@b;", "sip:a@b?", "tel:", "tel:+1;"].flatMap((text) =>
      within(text, "!"),
    ),
  },
  {
    name: "splitOutside and parseParams",
    limit: STREAM,
    run: (text) => [splitOutside(text, ","), parseParams(text)],
    pumps: within(""),
  },
  {
    name: "digest: a challenge and what answers one",
    limit: LINE,
    run(text) {
      bestChallenge([text]);
      const given = givenCredentials(text);
      return given && provesPassword(given, "secret", "INVITE");
    },
    pumps: [
      "",
      "Digest",
      "Digest ",
      'Digest username="',
      'Digest username=a,realm=b,nonce=c,qop=auth,response="',
    ].flatMap((text) => within(text, '"')),
  },
  {
    name: "session descriptions",
    limit: STREAM,
    run(text) {
      answerOffer(text, LOCAL, "optional", [], DESCRIPTION);
      return [parseSdp(text), readAnswer(text, LOCAL, "optional", [])];
    },
    pumps: [
      ...[
        "m=audio ",
        "m=audio 1 RTP/AVP ",
        "a=rtpmap:0 ",
        "a=crypto:1 ",
        "a=crypto:1 a inline:",
        "c=IN IP4 ",
        "a=ssrc:",
      ].flatMap((line) => within(`${SDP_HEAD}m=audio 2000 RTP/AVP 0 8 101\r\n${line}`)),
      ...[
        "\r\n",
        "\r",
        "\n",
        "a=x\r\n",
        "m=audio 1 RTP/AVP 0\r\n",
        "a=rtpmap:0 PCMU/8000\r\n",
        "a=ssrc:1 a\r\n",
        " 0",
      ].map((pump) => ({
        before: `${SDP_HEAD}m=audio 2000 RTP/AVP 0`,
        pump,
      })),
      {
        before: `${SDP_HEAD}m=audio 2000 RTP/AVP 0\r\n`,
        pump: `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${"A".repeat(40)}|\r\n`,
      },
    ],
  },
  {
    name: "RTP: where the payload begins",
    limit: PACKET,
    run: (text) => payloadAt(bytesOf(text)),
    pumps: [
      { before: RTP_HEAD, pump: "a" },
      { before: `\x8f${RTP_HEAD.slice(1)}`, pump: "\0" },
      { before: `\x90${RTP_HEAD.slice(1)}`, pump: "\xff" },
    ],
  },
  {
    name: "RTCP: the reports of a packet",
    limit: PACKET,
    run(text) {
      const packet = bytesOf(text);
      return isRtcp(packet) && readReports(packet);
    },
    pumps: [
      { pump: "\x80\xc9\0\x01\0\0\0\0" },
      { pump: "\x80\xca\0\0" },
      { pump: "\x9f\xc8\0\x01\0\0\0\0" },
      { before: "\x9f\xc9\x01\x70", pump: "\0" },
      { pump: "\xff" },
    ],
  },
  {
    name: "telephone-event: the key of a packet",
    limit: PACKET,
    run: (text) => digitOfEvent(bytesOf(text)),
    pumps: [{ pump: "\0" }, { pump: "\xff" }, { pump: "\x05\x0a\0\xa0" }],
  },
];
