import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "#test/support/processes/processor-ms.ts";
import { header, headerList, type SipMessage } from "./message.ts";
import { parseMessage } from "./parse-message.ts";
import { userOf } from "./uri.ts";

/** Lines as a message; a Content-Length is added unless the lines have one. */
function message(head: string, body = ""): Buffer {
  const lines = head.trim().split("\n").join("\r\n");
  const length = /^(content-length|l)\s*:/im.test(head) ? "" : `\r\nContent-Length: ${Buffer.byteLength(body)}`;
  return Buffer.from(`${lines}${length}\r\n\r\n${body}`, "latin1");
}

function parsed(bytes: Buffer): SipMessage {
  const message = parseMessage(bytes, false);
  assert.notEqual(message.kind, "malformed", message.kind === "malformed" ? message.why : "");
  return message as SipMessage;
}

const REST = `To: sip:user@example.com
From: sip:caller@example.net;tag=341
Max-Forwards: 6
Call-ID: torture.1@example.net
CSeq: 8 INVITE
Via: SIP/2.0/UDP host.example.net;branch=z9hG4bKkdjuw
Contact: <sip:caller@host.example.net>`;
const invite = (changes: Record<string, string> = {}, start = "INVITE sip:user@example.com SIP/2.0") =>
  message(
    `${start}\n${REST.split("\n")
      .map((line) => changes[line.split(":")[0]!] ?? line)
      .join("\n")}`,
  );

test("RFC 4475, 3.1.1.1: a short tortuous INVITE is understood", () => {
  const request = parsed(
    message(`INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0
TO :
 sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n
from   : "J Rosenberg \\\\\\""       <sip:jdrosen@example.com>
  ;
  tag = 98asjd8
MaX-fOrWaRdS: 0068
Call-ID: wsinv.ndaksdj@192.0.2.1
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
m:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =
      newvalue ;
  secondparam ; q = 0.33`),
  );

  assert.equal(request.to.params.get("tag"), "1918181833n");
  assert.equal(request.from.display, 'J Rosenberg \\"');
  assert.equal(request.from.params.get("tag"), "98asjd8");
  assert.deepEqual([request.cseq, request.via.host, request.via.params.get("branch")], [9, "192.0.2.2", "390skdjuw"]);
  assert.equal(headerList(request, "via").length, 3);
  assert.equal(header(request, "subject"), "");
  assert.equal(header(request, "newfangledheader"), "newfangled value continued newfangled value");
});

test("RFC 4475, 3.1.1: what is unusual and right is taken", () => {
  const odd = "!interesting-Method0123456789_*+`.%indeed'~";
  const uri =
    "sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-it)@example.com";
  const intmeth = parsed(invite({ CSeq: `CSeq: 139122385 ${odd}` }, `${odd} ${uri} SIP/2.0`));
  assert.equal(intmeth.method, odd);

  const esc01 = parsed(
    invite({ To: "To: sip:%75se%72@example.com" }, "INVITE sip:sips%3Auser%40example.com@example.net SIP/2.0"),
  );
  assert.equal(userOf(esc01.to.parsed!), "user");

  const escnull = parsed(
    invite({ To: "To: sip:null-%00-null@example.com", Contact: "Contact: <sip:%00@host5.example.com>" }),
  );
  assert.equal(userOf(escnull.to.parsed!), "null-\0-null");

  const lwsdisp = parsed(invite({ From: "From: caller<sip:caller@example.com>;tag=323" }));
  assert.deepEqual([lwsdisp.from.display, lwsdisp.from.params.get("tag")], ["caller", "323"]);

  const semiuri = parsed(invite({}, "INVITE sip:user;par=u%40example.net@example.com SIP/2.0"));
  assert.equal(semiuri.kind, "request");

  const dblreq = parsed(Buffer.concat([invite(), Buffer.from("INVITE sip:joe@example.com SIP/2.0\r\n\r\n")]));
  assert.equal(dblreq.body.length, 0);

  const unreason = parsed(message(`SIP/2.0 200 = 2**3 * 5**2 \xd0\xbd\xd0\xbe\n${REST}`));
  assert.equal(unreason.kind === "response" && unreason.status, 200);
  const noreason = parsed(message(`SIP/2.0 100 \n${REST}`));
  assert.equal(noreason.kind === "response" && noreason.reason, "");
});

test("RFC 4475, 3.1.1.7: a request with long values is taken", () => {
  const long = "a".repeat(600);
  const longreq = parsed(invite({ To: `To: "${long}" <sip:user@example.com:5060;${long}=${long}>` }));
  assert.equal(longreq.to.display, long);
});

test("a header of more than 2 kB and more than a hundred of them are refused with 400, where there is enough to answer by", () => {
  const lines = (n: number) => Array.from({ length: n }, (_, i) => `X-${i}: x`).join("\n");
  const start = "INVITE sip:user@example.com SIP/2.0";
  const whyOf = (bytes: Buffer) => {
    const message = parseMessage(bytes, false);
    return message.kind === "malformed"
      ? `${message.status} ${message.why}, ${message.message ? "answered" : "dropped"}`
      : "taken";
  };
  // Content-Length is the last of a hundred.
  const rest = REST.split("\n").length;
  assert.equal(whyOf(message(`${start}\n${REST}\n${lines(99 - rest)}`)), "taken");
  assert.equal(whyOf(message(`${start}\n${REST}\n${lines(100 - rest)}`)), "400 too many headers, answered");
  assert.equal(
    whyOf(message(`${start}\n${lines(100)}\n${REST}`)),
    "400 a mandatory header is missing or malformed, dropped",
  );
  assert.equal(whyOf(message(`${start}\n${REST}\nX: ${"x".repeat(2_045)}`)), "taken");
  assert.equal(whyOf(message(`${start}\n${REST}\nX: ${"x".repeat(2_046)}`)), "400 a header is too long, answered");
  assert.equal(whyOf(message(`${start}\n${REST}\nX: ${"x\n ".repeat(1_023)}y`)), "400 a header is too long, answered");
  assert.equal(
    whyOf(invite({ To: `To: <sip:a@b>;${"a".repeat(2_048)}` })),
    "400 a mandatory header is missing or malformed, answered",
  );
  assert.equal(whyOf(message(`INVITE sip:${"a".repeat(2_040)} SIP/2.0\n${REST}`)), "400 start line too long, dropped");
});

test("no broken copy of a message throws, or is slow", () => {
  const whole = invite();
  let seed = 1;
  const chance = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let i = 0; i < 20_000; i++) {
    const broken = Buffer.from(whole);
    for (let times = chance(8); times >= 0; times--) broken[chance(broken.length)] = chance(256);
    parseMessage(broken.subarray(0, 1 + chance(broken.length)), i % 2 === 0);
  }
  const ms = processorMs(() => {
    for (const char of [";", ",", '"', "<", " ", "\r\n ", "%", "a:"]) {
      parseMessage(invite({ To: `To: ${char.repeat(30_000 / char.length)}` }), false);
      parseMessage(invite({ Via: `Via: SIP/2.0/UDP a${char.repeat(30_000 / char.length)}` }), false);
    }
  });
  // A pattern that tries every place anew takes minutes.
  assert.ok(ms < 10_000, `${ms} ms`);
});
