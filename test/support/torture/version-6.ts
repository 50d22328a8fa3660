import { type TortureMessage, wire } from "./message.ts";

const REST = `To: sip:user@example.com
From: sip:user@example.com;tag=81x2
Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111
Call-ID: SSG9559905523997077@hlau_4100
Max-Forwards: 70
Contact: "Caller" <sip:caller@[2001:db8::1]>
CSeq: 98176 REGISTER
Content-Length: {length}`;
const register = (uri: string, callId: string) =>
  wire(`REGISTER ${uri} SIP/2.0\n${REST.replace("SSG9559905523997077", callId)}`);
const bye = (via: string, callId: string) =>
  wire(`BYE sip:[2001:db8::10] SIP/2.0
To: sip:user@example.com;tag=bd76ya
From: sip:user@example.com;tag=81x2
${via}
Call-ID: ${callId}@hlau_4100
Max-Forwards: 70
CSeq: 201 BYE
Content-Length: {length}`);
const invite = (head: { via: string; contact: string; callId: string }, body: string) =>
  wire(
    `INVITE sip:user@[2001:db8::10] SIP/2.0
To: sip:user@[2001:db8::10]
From: sip:user@example.com;tag=81x2
${head.via}
Call-ID: ${head.callId}@hlau_4100
Contact: "Caller" <${head.contact}>
CSeq: 8612 INVITE
Max-Forwards: 70
Content-Type: application/sdp
Content-Length: {length}`,
    body,
  );
const options = (host: string, callId: string) =>
  wire(`OPTIONS sip:user@${host} SIP/2.0
To: sip:user@${host}
From: sip:user@example.com;tag=810x2
Via: SIP/2.0/UDP lab1.east.example.com;branch=z9hG4bKas3-111
Call-ID: ${callId}@hlau_4100
CSeq: 689 OPTIONS
Max-Forwards: 70
Content-Length: {length}`);

/** RFC 5118: addresses of version 6, and both in one message. */
export const VERSION_6: readonly TortureMessage[] = [
  {
    name: "ipv6-good",
    section: "4.1",
    asks: "understood; we are no registrar",
    fate: 405,
    bytes: register("sip:[2001:db8::10]", "good"),
  },
  {
    name: "ipv6-bad",
    section: "4.2",
    asks: "400: no brackets around the address",
    fate: 400,
    bytes: register("sip:2001:db8::10", "bad"),
  },
  {
    name: "port-ambiguous",
    section: "4.3",
    asks: "understood: within the brackets it is no port",
    fate: 405,
    bytes: register("sip:[2001:db8::10:5070]", "ambiguous"),
  },
  {
    name: "port-unambiguous",
    section: "4.4",
    asks: "understood: behind the brackets it is a port",
    fate: 405,
    bytes: register("sip:[2001:db8::10]:5070", "unambiguous"),
  },
  {
    name: "via-received-param-with-delim",
    section: "4.5",
    asks: "understood, with brackets; of no call of ours",
    fate: 481,
    bytes: bye("Via: SIP/2.0/UDP [2001:db8::9:1];received=[2001:db8::9:255];branch=z9hG4bKas3-112", "delim"),
  },
  {
    name: "via-received-param-no-delim",
    section: "4.5",
    asks: "understood, without brackets; of no call of ours",
    fate: 481,
    bytes: bye("Via: SIP/2.0/UDP [2001:db8::9:1];received=2001:db8::9:255;branch=z9hG4bKas3", "no-delim"),
  },
  {
    name: "ipv6-in-sdp",
    section: "4.6",
    asks: "taken",
    fate: "taken",
    bytes: invite(
      {
        via: "Via: SIP/2.0/UDP [2001:db8::20];branch=z9hG4bKas3-113",
        contact: "sip:caller@[2001:db8::20]",
        callId: "in-sdp",
      },
      `v=0
o=assistant 971731711378798081 0 IN IP6 2001:db8::20
s=Live video feed for today's meeting
c=IN IP6 2001:db8::20
t=3338481189 3370017201
m=audio 6000 RTP/AVP 2
a=rtpmap:2 G726-32/8000
m=video 6024 RTP/AVP 107
a=rtpmap:107 H263-1998/90000
`,
    ),
  },
  {
    name: "mult-ip-in-header",
    section: "4.7",
    asks: "understood, both kinds in its Vias; of no call of ours",
    fate: 481,
    bytes: bye(
      `Via: SIP/2.0/UDP [2001:db8::9:1]:6050;branch=z9hG4bKas3-111
Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKjhja8781hjuaij65144
Via: SIP/2.0/TCP [2001:db8::9:255];branch=z9hG4bK451jj;received=192.0.2.200`,
      "mult",
    ),
  },
  {
    name: "mult-ip-in-sdp",
    section: "4.8",
    asks: "taken: one stream of each kind",
    fate: "taken",
    bytes: invite(
      {
        via: "Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-114",
        contact: "sip:caller@[2001:db8::9:1]",
        callId: "mult-sdp",
      },
      `v=0
o=bob 280744730 28977631 IN IP4 host.example.com
s=
t=0 0
m=audio 22334 RTP/AVP 0
c=IN IP4 192.0.2.1
m=video 6024 RTP/AVP 107
c=IN IP6 2001:db8::1
a=rtpmap:107 H263-1998/90000
`,
    ),
  },
  {
    name: "ipv4-mapped-ipv6",
    section: "4.9",
    asks: "taken: an address of version 4 within one of version 6",
    fate: "taken",
    bytes: invite(
      {
        via: `Via: SIP/2.0/UDP [::ffff:192.0.2.10]:19823;branch=z9hG4bKbh19
Via: SIP/2.0/UDP [::ffff:192.0.2.2];branch=z9hG4bKas3-111`,
        contact: "sip:user@[::ffff:192.0.2.2]",
        callId: "mapped",
      },
      `v=0
o=assistant 971731711378798081 0 IN IP6 ::ffff:192.0.2.2
s=Call me soon, please!
c=IN IP6 ::ffff:192.0.2.2
t=3338481189 3370017201
m=audio 6000 RTP/AVP 2
a=rtpmap:2 G726-32/8000
m=video 6024 RTP/AVP 107
a=rtpmap:107 H263-1998/90000
`,
    ),
  },
  {
    name: "ipv6-bug-abnf-3-colons",
    section: "4.10",
    asks: "answered: older grammar had a colon too many",
    fate: 200,
    bytes: options("[2001:db8:::192.0.2.1]", "three"),
  },
  {
    name: "ipv6-correct-abnf-2-colons",
    section: "4.10",
    asks: "answered",
    fate: 200,
    bytes: options("[2001:db8::192.0.2.1]", "two"),
  },
];
