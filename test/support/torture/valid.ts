import { OFFER, type TortureMessage, wire } from "./message.ts";

const twenty = (word: string) => word.repeat(20);
const SECTION = "3.1.1";

const latin1 = (text: string) => Buffer.from(text).toString("latin1");
const ODD_METHOD = "!interesting-Method0123456789_*+`.%indeed'~";
/** The word has an own test here, which takes what follows it for code. */
const IT = "it";
const WORKING = latin1("работающий");
const ODD_TEXT = latin1("\ufeff大停電");

/** Forty bytes that are no text, as a signature in a body is. */
const BINARY = Buffer.from(Array.from({ length: 40 }, (_, i) => (i * 37) % 256));

/** Section 3.1.1: unusual, and right. */
export const VALID: readonly TortureMessage[] = [
  {
    name: "wsinv",
    section: `${SECTION}.1`,
    asks: "understood; its To has a tag of no call of ours",
    fate: 481,
    bytes: wire(
      String.raw`INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0
TO :
 sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n
from   : "J Rosenberg \\\""       <sip:jdrosen@example.com>
  ;
  tag = 98asjd8
MaX-fOrWaRdS: 0068
Call-ID: wsinv.ndaksdj@192.0.2.1
Content-Length   : {length}
cseq: 0009
  INVITE
Via  : SIP  /   2.0
 /UDP
    192.0.2.2;branch=390skdjuw
s :
NewFangledHeader:   newfangled value
 continued newfangled value
UnknownHeaderWithUnusualValue: ;;,,;;,;
Content-Type: application/sdp
Route:
 <sip:services.example.com;lr;unknownwith=value;unknown-no-value>
v:  SIP  / 2.0  / TCP     spindle.example.com   ;
  branch  =   z9hG4bK9ikj8  ,
 SIP  /    2.0   / UDP  192.168.255.111   ; branch=
 z9hG4bK30239
m:"Quoted string \"\"" <sip:jdrosen@example.com> ; newparam =
      newvalue ;
  secondparam ; q = 0.33`,
      OFFER,
    ),
  },
  {
    name: "intmeth",
    section: `${SECTION}.2`,
    asks: "understood; a method that nobody knows",
    fate: 501,
    bytes:
      wire(`${ODD_METHOD} sip:1_unusual.URI~(to-be!sure)&isn't+${IT}$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-${IT})@example.com SIP/2.0
Via: SIP/2.0/TCP host1.example.com;branch=z9hG4bK-.!%66*_+\`'~
To: "BEL:\\\x07 NUL:\\\x00 DEL:\\\x7f" <sip:1_unusual.URI~(to-be!sure)&isn't+${IT}$/crazy?,/;;*@example.com>
From: token1~\` token2'+_ token3*%!.- <sip:mundane@example.com>;fromParam''~+*_!.-%="${WORKING}";tag=_token~1'+\`*%!-.
Call-ID: intmeth.word%ZK-!.*_+'@word\`~)(><:\\/"][?}{
CSeq: 139122385 ${ODD_METHOD}
Max-Forwards: 255
extensionHeader-!.%*+_\`'~:${ODD_TEXT}
Content-Length: {length}`),
  },
  {
    name: "esc01",
    section: `${SECTION}.3`,
    asks: "taken: escapes are part of names",
    fate: "taken",
    bytes: wire(
      `INVITE sip:sips%3Auser%40example.com@example.net SIP/2.0
To: sip:%75se%72@example.com
From: <sip:I%20have%20spaces@example.net>;tag=938
Max-Forwards: 87
i: esc01.239409asdfakjkn23onasd0-3234
CSeq: 234234 INVITE
Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKkdjuw
C: application/sdp
Contact:
  <sip:cal%6Cer@host5.example.net;%6C%72;n%61me=v%61lue%25%34%31>
Content-Length: {length}`,
      OFFER,
    ),
  },
  {
    name: "escnull",
    section: `${SECTION}.4`,
    asks: "understood; we are no registrar",
    fate: 405,
    bytes: wire(`REGISTER sip:example.com SIP/2.0
To: sip:null-%00-null@example.com
From: sip:null-%00-null@example.com;tag=839923423
Max-Forwards: 70
Call-ID: escnull.39203ndfvkjdasfkq3w4otrq0adsfdfnavd
CSeq: 14398234 REGISTER
Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKkdjuw
Contact: <sip:%00@host5.example.com>
Contact: <sip:%00%00@host5.example.com>
L:{length}`),
  },
  {
    name: "esc02",
    section: `${SECTION}.5`,
    asks: "a method that is no REGISTER, though it looks like one escaped",
    fate: 501,
    bytes: wire(`RE%47IST%45R sip:registrar.example.com SIP/2.0
To: "%Z%45" <sip:resource@example.com>
From: "%Z%45" <sip:resource@example.com>;tag=f232jadfj23
Call-ID: esc02.asdfnqwo34rq23i34jrjasdcnl23nrlknsdf
Via: SIP/2.0/TCP host.example.com;branch=z9hG4bK209%fzsnel234
CSeq: 29344 RE%47IST%45R
Max-Forwards: 70
Contact: <sip:alias1@host1.example.com>
C%6Fntact: <sip:alias2@host2.example.com>
Contact: <sip:alias3@host3.example.com>
l: {length}`),
  },
  {
    name: "lwsdisp",
    section: `${SECTION}.6`,
    asks: "understood without a space before the bracket",
    fate: 200,
    bytes: wire(`OPTIONS sip:user@example.com SIP/2.0
To: sip:user@example.com
From: caller<sip:caller@example.com>;tag=323
Max-Forwards: 70
Call-ID: lwsdisp.1234abcd@funky.example.com
CSeq: 60 OPTIONS
Via: SIP/2.0/UDP funky.example.com;branch=z9hG4bKkdjuw
l: {length}`),
  },
  {
    name: "longreq",
    section: `${SECTION}.7`,
    asks: "taken, however long its values are",
    fate: "taken",
    bytes: wire(
      `INVITE sip:user@example.com SIP/2.0
To: "I have a user name of ${twenty("extreme")} proportion"<sip:user@example.com:6000;unknownparam1=very${twenty("long")}value;long${twenty("long")}paramname=shortvalue;very${twenty("long")}ParameterNameWithNoValue>
F: sip:${twenty("amazinglylong")}callername@example.net;tag=1298${"2982".repeat(25)}424
Call-ID: longreq.one${twenty("really")}longcallid
CSeq: 3882340 INVITE
Unknown-${"Long".repeat(20)}-Name: unknown-${"long".repeat(20)}-value; unknown-${"long".repeat(20)}-parameter-name = unknown-${"long".repeat(20)}-parameter-value
Via: SIP/2.0/TCP sip33.example.com
v: SIP/2.0/TCP sip32.example.com
V: SIP/2.0/TCP sip31.example.com
${Array.from({ length: 29 }, (_, i) => `Via: SIP/2.0/TCP sip${30 - i}.example.com`).join("\n")}
v: SIP/2.0/TCP sip1.example.com ;received=192.0.2.5;branch=very${"long".repeat(50)}branchvalue
Max-Forwards: 70
Contact: <sip:${twenty("amazinglylong")}callername@host5.example.net>
Content-Type: application/sdp
l: {length}`,
      OFFER,
    ),
  },
  {
    name: "dblreq",
    section: `${SECTION}.8`,
    asks: "the first is answered, what follows in the datagram is not; on a stream it is the next",
    fate: 405,
    overTcp: { fates: [405, "taken"] },
    bytes: Buffer.concat([
      wire(`REGISTER sip:example.com SIP/2.0
To: sip:j.user@example.com
From: sip:j.user@example.com;tag=43251j3j324
Max-Forwards: 8
I: dblreq.0ha0isndaksdj99sdfafnl3lk233412
Contact: sip:j.user@host.example.com
CSeq: 8 REGISTER
Via: SIP/2.0/UDP 192.0.2.125;branch=z9hG4bKkdjuw23492
Content-Length: {length}`),
      wire(
        `INVITE sip:joe@example.com SIP/2.0
t: sip:joe@example.com
From: sip:caller@example.net;tag=141334
Max-Forwards: 8
Call-ID: dblreq.0ha0isnda977644900765@192.0.2.15
CSeq: 8 INVITE
Via: SIP/2.0/UDP 192.0.2.15;branch=z9hG4bKkdjuw380234
Contact: <sip:caller@192.0.2.15>
Content-Type: application/sdp
Content-Length: {length}`,
        OFFER,
      ),
    ]),
  },
  {
    name: "semiuri",
    section: `${SECTION}.9`,
    asks: "understood: the semicolon is the user's",
    fate: 200,
    bytes: wire(`OPTIONS sip:user;par=u%40example.net@example.com SIP/2.0
To: sip:j_user@example.com
From: sip:caller@example.org;tag=33242
Max-Forwards: 3
Call-ID: semiuri.0ha0isndaksdj
CSeq: 8 OPTIONS
Accept: application/sdp, application/pkcs7-mime,
        multipart/mixed, multipart/signed,
        message/sip, message/sipfrag
Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKkdjuw
l: {length}`),
  },
  {
    name: "transports",
    section: `${SECTION}.10`,
    asks: "understood: transports below the first are nobody's business",
    fate: 200,
    bytes: wire(`OPTIONS sip:user@example.com SIP/2.0
To: sip:user@example.com
From: <sip:caller@example.com>;tag=323
Max-Forwards: 70
Call-ID: transports.kijh4akdnaqjkwendsasfdj
Accept: application/sdp
CSeq: 60 OPTIONS
Via: SIP/2.0/UDP t1.example.com;branch=z9hG4bKkdjuw
Via: SIP/2.0/SCTP t2.example.com;branch=z9hG4bKklasjdhf
Via: SIP/2.0/TLS t3.example.com;branch=z9hG4bK2980unddj
Via: SIP/2.0/UNKNOWN t4.example.com;branch=z9hG4bKasd0f3en
Via: SIP/2.0/TCP t5.example.com;branch=z9hG4bK0a9idfnee
l: {length}`),
  },
  {
    name: "mpart01",
    section: `${SECTION}.11`,
    asks: "understood, bytes and all; we take no messages",
    fate: 405,
    bytes: wire(
      `MESSAGE sip:kumiko@example.org SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:5070;branch=z9hG4bK-d87543-4dade06d0bdb11ee-1--d87543-;rport
Max-Forwards: 70
Route: <sip:127.0.0.1:5080>
Identity: r5mwreLuyDRYBi/0TiPwEsY3rEVsk/G2WxhgTV1PF7hHuLIK0YWVKZhKv9Mj8UeXqkMVbnVq37CD+813gvYjcBUaZngQmXc9WNZSDNGCzA+fWl9MEUHWIZo1CeJebdY/XlgKeTa0Olvq0rt70Q5jiSfbqMJmQFteeivUhkMWYUA=
Contact: <sip:fluffy@127.0.0.1:5070>
To: <sip:kumiko@example.org>
From: <sip:fluffy@example.com>;tag=2fb0dcc9
Call-ID: 3d9485ad0c49859b@Zmx1ZmZ5LW1hYy0xNi5sb2NhbA..
CSeq: 1 MESSAGE
Content-Transfer-Encoding: binary
Content-Type: multipart/mixed;boundary=7a9cbec02ceef655
Date: Sat, 15 Oct 2005 04:44:56 GMT
User-Agent: SIPimp.org/0.2.5 (curses)
Content-Length: {length}`,
      Buffer.concat([
        Buffer.from(
          "--7a9cbec02ceef655\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: binary\r\n\r\nHello\r\n",
        ),
        Buffer.from(
          "--7a9cbec02ceef655\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n\r\n",
        ),
        BINARY,
        Buffer.from("\r\n--7a9cbec02ceef655--"),
      ]),
    ),
  },
  {
    name: "unreason",
    section: `${SECTION}.12`,
    asks: "an answer, whatever its words; to nothing that we asked",
    fate: "dropped",
    bytes: wire(
      `SIP/2.0 200 = 2**3 * 5**2 ${latin1("но сто девяносто девять - простое")}
Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK1324923
Call-ID: unreason.1234ksdfak3j2erwedfsASdf
CSeq: 35 INVITE
From: sip:user@example.com;tag=11141343
To: sip:user@example.edu;tag=2229
Content-Length: {length}
Content-Type: application/sdp
Contact: <sip:user@host198.example.com>`,
      OFFER,
    ),
  },
  {
    name: "noreason",
    section: `${SECTION}.13`,
    asks: "an answer without words; to nothing that we asked",
    fate: "dropped",
    bytes: wire(`SIP/2.0 100 ${""}
Via: SIP/2.0/UDP 192.0.2.105;branch=z9hG4bK2398ndaoe
Call-ID: noreason.asndj203insdf99223ndf
CSeq: 35 INVITE
From: <sip:user@example.com>;tag=39ansfi3
To: <sip:user@example.edu>;tag=902jndnke3
Content-Length: {length}
Contact: <sip:user@host105.example.com>`),
  },
];
