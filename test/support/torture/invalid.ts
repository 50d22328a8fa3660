import { OFFER, type TortureMessage, wire } from "./message.ts";

const SECTION = "3.1.2";

/** Section 3.1.2: wrong. */
export const INVALID: readonly TortureMessage[] = [
  {
    name: "badinv01",
    section: `${SECTION}.1`,
    asks: "400: separators with nothing between",
    fate: 400,
    bytes: wire(
      `INVITE sip:user@example.com SIP/2.0
To: sip:j.user@example.com
From: sip:caller@example.net;tag=134161461246
Max-Forwards: 7
Call-ID: badinv01.0ha0isndaksdjasdf3234nas
CSeq: 8 INVITE
Via: SIP/2.0/UDP 192.0.2.15;;,;,,
Contact: "Joe" <sip:joe@example.org>;;;;
Content-Length: {length}
Content-Type: application/sdp`,
      OFFER,
    ),
  },
  {
    name: "clerr",
    section: `${SECTION}.2`,
    asks: "400: longer than it is; on a stream the rest is waited for, not for ever",
    fate: 400,
    overTcp: { fates: [], waitsFor: "bytes" },
    bytes: wire(
      `INVITE sip:user@example.com SIP/2.0
Max-Forwards: 80
To: sip:j.user@example.com
From: sip:caller@example.net;tag=93942939o2
Contact: <sip:caller@hungry.example.net>
Call-ID: clerr.0ha0isndaksdjweiafasdk3
CSeq: 8 INVITE
Via: SIP/2.0/UDP host5.example.com;branch=z9hG4bK-39234-23523
Content-Type: application/sdp
Content-Length: 9999`,
      OFFER,
    ),
  },
  {
    name: "ncl",
    section: `${SECTION}.3`,
    asks: "400: a length below nothing; a stream is closed",
    fate: 400,
    overTcp: { fates: [400], isClosed: true },
    bytes: wire(
      `INVITE sip:user@example.com SIP/2.0
Max-Forwards: 254
To: sip:j.user@example.com
From: sip:caller@example.net;tag=32394234
Call-ID: ncl.0ha0isndaksdj2193423r542w35
CSeq: 0 INVITE
Via: SIP/2.0/UDP 192.0.2.53;branch=z9hG4bKkdjuw
Contact: <sip:caller@example53.example.net>
Content-Type: application/sdp
Content-Length: -999`,
      OFFER,
    ),
  },
  {
    name: "scalar02",
    section: `${SECTION}.4`,
    asks: "400: numbers past every limit",
    fate: 400,
    bytes: wire(`REGISTER sip:example.com SIP/2.0
Via: SIP/2.0/TCP host129.example.com;branch=z9hG4bK342sdfoi3
To: <sip:user@example.com>
From: <sip:user@example.com>;tag=239232jh3
CSeq: 36893488147419103232 REGISTER
Call-ID: scalar02.23o0pd9vanlq3wnrlnewofjas9ui32
Max-Forwards: 300
Expires: 1${"0".repeat(100)}
Contact: <sip:user@host129.example.com>
  ;expires=280297596632815
Content-Length: {length}`),
  },
  {
    name: "scalarlg",
    section: `${SECTION}.5`,
    asks: "dropped: an answer with numbers past every limit",
    fate: "dropped",
    bytes: wire(`SIP/2.0 503 Service Unavailable
Via: SIP/2.0/TCP host129.example.com;branch=z9hG4bKzzxdiwo34sw;received=192.0.2.129
To: <sip:user@example.com>
From: <sip:other@example.net>;tag=2easdjfejw
CSeq: 9292394834772304023312 OPTIONS
Call-ID: scalarlg.noase0of0234hn2qofoaf0232aewf2394r
Retry-After: 949302838503028349304023988
Warning: 1812 overture "In Progress"
Content-Length: {length}`),
  },
  {
    name: "quotbal",
    section: `${SECTION}.6`,
    asks: "400: a quote that is never closed",
    fate: 400,
    bytes: wire(
      `INVITE sip:user@example.com SIP/2.0
To: "Mr. J. User <sip:j.user@example.com>
From: sip:caller@example.net;tag=93334
Max-Forwards: 10
Call-ID: quotbal.aksdj
Contact: <sip:caller@host59.example.net>
CSeq: 8 INVITE
Via: SIP/2.0/UDP 192.0.2.59:5050;branch=z9hG4bKkdjuw39234
Content-Type: application/sdp
Content-Length: {length}`,
      OFFER,
    ),
  },
  {
    name: "ltgtruri",
    section: `${SECTION}.7`,
    asks: "400: a Request-URI in brackets",
    fate: 400,
    bytes: wire(
      `INVITE <sip:user@example.com> SIP/2.0
To: sip:user@example.com
From: sip:caller@example.net;tag=39291
Max-Forwards: 23
Call-ID: ltgtruri.1@192.0.2.5
CSeq: 1 INVITE
Via: SIP/2.0/UDP 192.0.2.5
Contact: <sip:caller@host5.example.net>
Content-Type: application/sdp
Content-Length: {length}`,
      OFFER,
    ),
  },
  {
    name: "lwsruri",
    section: `${SECTION}.8`,
    asks: "400: a space in the Request-URI",
    fate: 400,
    bytes: wire(
      `INVITE sip:user@example.com; lr SIP/2.0
To: sip:user@example.com;tag=3xfe-9921883-z9f
From: sip:caller@example.net;tag=231413434
Max-Forwards: 5
Call-ID: lwsruri.asdfasdoeoi2323-asdfwrn23-asd834rk423
CSeq: 2130706432 INVITE
Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKkdjuw2395
Contact: <sip:caller@host1.example.net>
Content-Type: application/sdp
Content-Length: {length}`,
      OFFER,
    ),
  },
  {
    name: "lwsstart",
    section: `${SECTION}.9`,
    asks: "400: two spaces where one belongs",
    fate: 400,
    bytes: wire(
      `INVITE  sip:user@example.com  SIP/2.0
Max-Forwards: 8
To: sip:user@example.com
From: sip:caller@example.net;tag=8814
Call-ID: lwsstart.dfknq234oi243099adsdfnawe3@example.com
CSeq: 1893884 INVITE
Via: SIP/2.0/UDP host1.example.com;branch=z9hG4bKkdjuw3923
Contact: <sip:caller@host1.example.net>
Content-Type: application/sdp
Content-Length: {length}`,
      OFFER,
    ),
  },
  {
    name: "trws",
    section: `${SECTION}.10`,
    asks: "400: spaces at the end of the request line",
    fate: 400,
    bytes: wire(`OPTIONS sip:remote-target@example.com SIP/2.0  ${""}
Via: SIP/2.0/TCP host1.example.com;branch=z9hG4bK299342093
To: <sip:remote-target@example.com>
From: <sip:local-resource@example.com>;tag=329429089
Call-ID: trws.oicu34958239neffasdhr2345r
Accept: application/sdp
CSeq: 238923 OPTIONS
Max-Forwards: 70
Content-Length: {length}`),
  },
  {
    name: "escruri",
    section: `${SECTION}.11`,
    asks: "400: headers in the Request-URI",
    fate: 400,
    bytes: wire(
      `INVITE sip:user@example.com?Route=%3Csip:example.com%3E SIP/2.0
To: sip:user@example.com
From: sip:caller@example.net;tag=341518
Max-Forwards: 7
Contact: <sip:caller@host39923.example.net>
Call-ID: escruri.23940-asdfhj-aje3br-234q098w-fawerh2q-h4n5
CSeq: 149209342 INVITE
Via: SIP/2.0/UDP host-of-the-hour.example.com;branch=z9hG4bKkdjuw
Content-Type: application/sdp
Content-Length: {length}`,
      OFFER,
    ),
  },
  {
    name: "baddate",
    section: `${SECTION}.12`,
    asks: "400, or taken without the date, which says nothing to us",
    fate: "taken",
    bytes: wire(
      `INVITE sip:user@example.com SIP/2.0
To: sip:user@example.com
From: sip:caller@example.net;tag=2234923
Max-Forwards: 70
Call-ID: baddate.239423mnsadf3j23lj42--sedfnm234
CSeq: 1392934 INVITE
Via: SIP/2.0/UDP host.example.com;branch=z9hG4bKkdjuw
Date: Fri, 01 Jan 2010 16:00:00 EST
Contact: <sip:caller@host5.example.net>
Content-Type: application/sdp
Content-Length: {length}`,
      OFFER,
    ),
  },
  {
    name: "regbadct",
    section: `${SECTION}.13`,
    asks: "400: a Contact with headers and no brackets",
    fate: 400,
    bytes: wire(`REGISTER sip:example.com SIP/2.0
To: sip:user@example.com
From: sip:user@example.com;tag=998332
Max-Forwards: 70
Call-ID: regbadct.k345asrl3fdbv@10.0.0.1
CSeq: 1 REGISTER
Via: SIP/2.0/UDP 135.180.130.133:5060;branch=z9hG4bKkdjuw
Contact: sip:user@example.com?Route=%3Csip:sip.example.com%3E
l: {length}`),
  },
  {
    name: "badaspec",
    section: `${SECTION}.14`,
    asks: "400: spaces within the brackets",
    fate: 400,
    bytes: wire(`OPTIONS sip:user@example.org SIP/2.0
Via: SIP/2.0/UDP host4.example.com:5060;branch=z9hG4bKkdju43234
Max-Forwards: 70
From: "Bell, Alexander" <sip:a.g.bell@example.com>;tag=433423
To: "Watson, Thomas" < sip:t.watson@example.org >
Call-ID: badaspec.sdf0234n2nds0a099u23h3hnnw009cdkne3
Accept: application/sdp
CSeq: 3923239 OPTIONS
l: {length}`),
  },
  {
    name: "baddn",
    section: `${SECTION}.15`,
    asks: "400, or answered: a single address is plain without its quotes",
    fate: 200,
    bytes: wire(`OPTIONS sip:t.watson@example.org SIP/2.0
Via: SIP/2.0/UDP c.example.com:5060;branch=z9hG4bKkdjuw
Max-Forwards: 70
From: Bell, Alexander <sip:a.g.bell@example.com>;tag=43
To: Watson, Thomas <sip:t.watson@example.org>
Call-ID: baddn.31415@c.example.com
Accept: application/sdp
CSeq: 3923239 OPTIONS
l: {length}`),
  },
  {
    name: "badvers",
    section: `${SECTION}.16`,
    asks: "505: another version",
    fate: 505,
    bytes: wire(`OPTIONS sip:t.watson@example.org SIP/7.0
Via: SIP/7.0/UDP c.example.com;branch=z9hG4bKkdjuw
Max-Forwards: 70
From: A. Bell <sip:a.g.bell@example.com>;tag=qweoiqpe
To: T. Watson <sip:t.watson@example.org>
Call-ID: badvers.31417@c.example.com
CSeq: 1 OPTIONS
l: {length}`),
  },
  {
    name: "mismatch01",
    section: `${SECTION}.17`,
    asks: "400: CSeq is of another method",
    fate: 400,
    bytes: wire(`OPTIONS sip:user@example.com SIP/2.0
To: sip:j.user@example.com
From: sip:caller@example.net;tag=34525
Max-Forwards: 6
Call-ID: mismatch01.dj0234sxdfl3
CSeq: 8 INVITE
Via: SIP/2.0/UDP host.example.com;branch=z9hG4bKkdjuw
l: {length}`),
  },
  {
    name: "mismatch02",
    section: `${SECTION}.18`,
    asks: "501 rather than 400: CSeq is of another method, and nobody knows this one",
    fate: 501,
    bytes: wire(
      `NEWMETHOD sip:user@example.com SIP/2.0
To: sip:j.user@example.com
From: sip:caller@example.net;tag=34525
Max-Forwards: 6
Call-ID: mismatch02.dj0234sxdfl3
CSeq: 8 INVITE
Contact: <sip:caller@host.example.net>
Via: SIP/2.0/UDP host.example.net;branch=z9hG4bKkdjuw
Content-Type: application/sdp
l: {length}`,
      OFFER,
    ),
  },
  {
    name: "bigcode",
    section: `${SECTION}.19`,
    asks: "dropped: an answer with a status of ten digits",
    fate: "dropped",
    bytes: wire(`SIP/2.0 4294967301 better not break the receiver
Via: SIP/2.0/UDP 192.0.2.105;branch=z9hG4bK2398ndaoe
Call-ID: bigcode.asdof3uj203asdnf3429uasdhfas3ehjasdfas9i
CSeq: 353494 INVITE
From: <sip:user@example.com>;tag=39ansfi3
To: <sip:user@example.edu>;tag=902jndnke3
Content-Length: {length}
Contact: <sip:user@host105.example.com>`),
  },
];
