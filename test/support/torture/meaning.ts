import { OFFER, type TortureMessage, wire } from "./message.ts";

/** Sections 3.2 to 3.4: well formed, and asking for what cannot be done, or said as it was before RFC 3261. */
export const MEANING: readonly TortureMessage[] = [
  {
    name: "badbranch",
    section: "3.2.1",
    asks: "answered by what older rules tell requests apart by",
    fate: 200,
    bytes: wire(`OPTIONS sip:user@example.com SIP/2.0
To: sip:user@example.com
From: sip:caller@example.org;tag=33242
Max-Forwards: 3
Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK
Accept: application/sdp
Call-ID: badbranch.sadonfo23i420jv0as0derf3j3n
CSeq: 8 OPTIONS
l: {length}`),
  },
  {
    name: "insuf",
    section: "3.3.1",
    asks: "400: no Call-ID, From or To",
    fate: 400,
    bytes: wire(
      `INVITE sip:user@example.com SIP/2.0
CSeq: 193942 INVITE
Via: SIP/2.0/UDP 192.0.2.95;branch=z9hG4bKkdj.insuf
Content-Type: application/sdp
l: {length}`,
      OFFER,
    ),
  },
  {
    name: "unkscm",
    section: "3.3.2",
    asks: "416: a scheme that nobody knows",
    fate: 416,
    bytes: wire(`OPTIONS nobodyKnowsThisScheme:totallyopaquecontent SIP/2.0
To: sip:user@example.com
From: sip:caller@example.net;tag=384
Max-Forwards: 3
Call-ID: unkscm.nasdfasser0q239nwsdfasdkl34
CSeq: 3923423 OPTIONS
Via: SIP/2.0/TCP host9.example.com;branch=z9hG4bKkdjuw39234
Content-Length: {length}`),
  },
  {
    name: "novelsc",
    section: "3.3.3",
    asks: "416: a scheme that is none of a telephone's",
    fate: 416,
    bytes: wire(`OPTIONS soap.beep://192.0.2.103:3002 SIP/2.0
To: sip:user@example.com
From: sip:caller@example.net;tag=384
Max-Forwards: 3
Call-ID: novelsc.asdfasser0q239nwsdfasdkl34
CSeq: 3923423 OPTIONS
Via: SIP/2.0/TCP host9.example.com;branch=z9hG4bKkdjuw39234
Content-Length: {length}`),
  },
  {
    name: "unksm2",
    section: "3.3.4",
    asks: "understood, with schemes of others in its headers; we are no registrar",
    fate: 405,
    bytes: wire(`REGISTER sip:example.com SIP/2.0
To: isbn:2983792873
From: <http://www.example.com>;tag=3234233
Call-ID: unksm2.daksdj@hyphenated-host.example.com
CSeq: 234902 REGISTER
Max-Forwards: 70
Via: SIP/2.0/UDP 192.0.2.21:5060;branch=z9hG4bKkdjuw
Contact: <name:John_Smith>
l: {length}`),
  },
  {
    name: "bext01",
    section: "3.3.5",
    asks: "420, with what is not supported",
    fate: 420,
    bytes: wire(`OPTIONS sip:user@example.com SIP/2.0
To: sip:j_user@example.com
From: sip:caller@example.net;tag=242etr
Max-Forwards: 6
Call-ID: bext01.0ha0isndaksdj
Require: nothingSupportsThis, nothingSupportsThisEither
Proxy-Require: noProxiesSupportThis, norDoAnyProxiesSupportThis
CSeq: 8 OPTIONS
Via: SIP/2.0/TLS fold-and-staple.example.com;branch=z9hG4bKkdjuw
Content-Length: {length}`),
  },
  {
    name: "invut",
    section: "3.3.6",
    asks: "415: a body that nobody can read",
    fate: 415,
    bytes: wire(
      `INVITE sip:user@example.com SIP/2.0
Contact: <sip:caller@host5.example.net>
To: sip:j.user@example.com
From: sip:caller@example.net;tag=8392034
Max-Forwards: 70
Call-ID: invut.0ha0isndaksdjadsfij34n23d
CSeq: 235448 INVITE
Via: SIP/2.0/UDP somehost.example.com;branch=z9hG4bKkdjuw
Content-Type: application/unknownformat
Content-Length: {length}`,
      `<audio>
 <pcmu port="443"/>
</audio>
`,
    ),
  },
  {
    name: "regaut01",
    section: "3.3.7",
    asks: "as if it had no credentials; we are no registrar",
    fate: 405,
    bytes: wire(`REGISTER sip:example.com SIP/2.0
To: sip:j.user@example.com
From: sip:j.user@example.com;tag=87321hj23128
Max-Forwards: 8
Call-ID: regaut01.0ha0isndaksdj
CSeq: 9338 REGISTER
Via: SIP/2.0/TCP 192.0.2.253;branch=z9hG4bKkdjuw
Authorization: NoOneKnowsThisScheme opaque-data=here
Content-Length:{length}`),
  },
  {
    name: "multi01",
    section: "3.3.8",
    asks: "400: twice what may come once",
    fate: 400,
    bytes: wire(
      `INVITE sip:user@company.com SIP/2.0
Contact: <sip:caller@host25.example.net>
Via: SIP/2.0/UDP 192.0.2.25;branch=z9hG4bKkdjuw
Max-Forwards: 70
CSeq: 5 INVITE
Call-ID: multi01.98asdh@192.0.2.1
CSeq: 59 INVITE
Call-ID: multi01.98asdh@192.0.2.2
From: sip:caller@example.com;tag=3413415
To: sip:user@example.com
To: sip:other@example.net
From: sip:caller@example.net;tag=2923420123
Content-Type: application/sdp
l: {length}
Contact: <sip:caller@host36.example.net>
Max-Forwards: 5`,
      OFFER,
    ),
  },
  {
    name: "mcl01",
    section: "3.3.9",
    asks: "400: two lengths; a stream is closed",
    fate: 400,
    overTcp: { fates: [400], isClosed: true },
    bytes: wire(
      `OPTIONS sip:user@example.com SIP/2.0
Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bK293423
To: sip:user@example.com
From: sip:other@example.net;tag=3923942
Call-ID: mcl01.fhn2323orihawfdoa3o4r52o3irsdf
CSeq: 15932 OPTIONS
Content-Length: 13
Max-Forwards: 60
Content-Length: 5
Content-Type: text/plain`,
      Buffer.from("There's no way to know how many octets are supposed to be here.\r\n"),
    ),
  },
  {
    name: "bcast",
    section: "3.3.10",
    asks: "dropped: an answer with a second Via, to everybody",
    fate: "dropped",
    bytes: wire(
      `SIP/2.0 200 OK
Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK1324923
Via: SIP/2.0/UDP 255.255.255.255;branch=z9hG4bK1saber23
Call-ID: bcast.0384840201234ksdfak3j2erwedfsASdf
CSeq: 35 INVITE
From: sip:user@example.com;tag=11141343
To: sip:user@example.edu;tag=2229
Content-Length: {length}
Content-Type: application/sdp
Contact: <sip:user@host28.example.com>`,
      OFFER,
    ),
  },
  {
    name: "zeromf",
    section: "3.3.11",
    asks: "answered: who is called by it sends it no further",
    fate: 200,
    bytes: wire(`OPTIONS sip:user@example.com SIP/2.0
To: sip:user@example.com
From: sip:caller@example.net;tag=3ghsd41
Call-ID: zeromf.jfasdlfnm2o2l43r5u0asdfas
CSeq: 39234321 OPTIONS
Via: SIP/2.0/UDP host1.example.com;branch=z9hG4bKkdjuw2349i
Max-Forwards: 0
Content-Length: {length}`),
  },
  {
    name: "cparam01",
    section: "3.3.12",
    asks: "understood: the parameter is the header's; we are no registrar",
    fate: 405,
    bytes: wire(`REGISTER sip:example.com SIP/2.0
Via: SIP/2.0/UDP saturn.example.com:5060;branch=z9hG4bKkdjuw
Max-Forwards: 70
From: sip:watson@example.com;tag=DkfVgjkrtMwaerKKpe
To: sip:watson@example.com
Call-ID: cparam01.70710@saturn.example.com
CSeq: 2 REGISTER
Contact: sip:+19725552222@gw1.example.net;unknownparam
l: {length}`),
  },
  {
    name: "cparam02",
    section: "3.3.13",
    asks: "understood: the parameter is the address's; we are no registrar",
    fate: 405,
    bytes: wire(`REGISTER sip:example.com SIP/2.0
Via: SIP/2.0/UDP saturn.example.com:5060;branch=z9hG4bKkdjuw
Max-Forwards: 70
From: sip:watson@example.com;tag=838293
To: sip:watson@example.com
Call-ID: cparam02.70710@saturn.example.com
CSeq: 3 REGISTER
Contact: <sip:+19725552222@gw1.example.net;unknownparam>
l: {length}`),
  },
  {
    name: "regescrt",
    section: "3.3.14",
    asks: "understood: headers within the brackets are the address's; we are no registrar",
    fate: 405,
    bytes: wire(`REGISTER sip:example.com SIP/2.0
To: sip:user@example.com
From: sip:user@example.com;tag=8
Max-Forwards: 70
Call-ID: regescrt.k345asrl3fdbv@192.0.2.1
CSeq: 14398234 REGISTER
Via: SIP/2.0/UDP host5.example.com;branch=z9hG4bKkdjuw
M: <sip:user@example.com?Route=%3Csip:sip.example.com%3E>
L:{length}`),
  },
  {
    name: "sdp01",
    section: "3.3.15",
    asks: "406: what we would answer with is not accepted",
    fate: 406,
    bytes: wire(
      `INVITE sip:user@example.com SIP/2.0
To: sip:j_user@example.com
Contact: <sip:caller@host15.example.net>
From: sip:caller@example.net;tag=234
Max-Forwards: 5
Call-ID: sdp01.ndaksdj9342dasdd
Accept: text/nobodyKnowsThis
CSeq: 8 INVITE
Via: SIP/2.0/UDP 192.0.2.15;branch=z9hG4bKkdjuw
Content-Length: {length}
Content-Type: application/sdp`,
      OFFER,
    ),
  },
  {
    name: "inv2543",
    section: "3.4.1",
    asks: "taken, as it was before RFC 3261: no branch, no tag, no Max-Forwards",
    fate: "taken",
    bytes: wire(
      `INVITE sip:UserB@example.com SIP/2.0
Via: SIP/2.0/UDP iftgw.example.com
From: <sip:+13035551111@ift.client.example.net;user=phone>
Record-Route: <sip:UserB@example.com;maddr=ss1.example.com>
To: sip:+16505552222@ss1.example.net;user=phone
Call-ID: inv2543.1717@ift.client.example.com
CSeq: 56 INVITE
Contact: <sip:+13035551111@ift.client.example.net>
Content-Type: application/sdp
Content-Length: {length}`,
      OFFER,
    ),
  },
];
