import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { header, type SipRequest } from "#adapters/sip-messages/message.ts";
import { parseMessage } from "#adapters/sip-messages/parse-message.ts";
import { sipRequest, udpSender } from "#test/support/calls/sip-sender.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { aCall, anAgent, until } from "./parley.ts";

/** A server that refuses every INVITE with this status line, and what came. */
async function refusing(owner: Owner, status: string, more: readonly string[] = []) {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  owner.after(() => void socket.close());
  const invites: SipRequest[] = [];
  socket.on("message", (bytes, from) => {
    const message = parseMessage(bytes, false);
    if (message.kind !== "request" || message.method !== "INVITE") return;
    invites.push(message);
    const lines = bytes
      .toString()
      .split("\r\n")
      .filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
    const answer = lines.map((line) => (line.startsWith("To:") ? `${line};tag=t` : line));
    const text = [`SIP/2.0 ${status}`, ...answer, ...more, "Content-Length: 0", "", ""].join("\r\n");
    socket.send(text, from.port, from.address);
  });
  return { port: socket.address().port, invites };
}

test("a call that the first proxy has no room for goes to the second, with the domain, the identity and the number as the trunk wants them", async (t) => {
  const full = await refusing(t, "503 No Channel");
  const second = await refusing(t, "404 Not Found", ['Reason: Q.850;cause=1;text="Unallocated number"']);
  const agent = await anAgent(t, {
    host: "carrier.example.com",
    proxies: [full, second].map(({ port }) => ({ host: "127.0.0.1", port })),
    fromDomain: "us.example.com",
    identity: { fromUser: "account7", header: "p-asserted-identity" },
    numberFormat: "digits",
  });
  const { end } = await aCall(t, agent, { displayName: "Acme" });
  await until(end, "the end");

  assert.equal(full.invites.length, 1);
  const [invite = assert.fail()] = second.invites;
  assert.equal(invite.uri, "sip:12125550123@carrier.example.com");
  assert.match(header(invite, "from")!, /^"Acme" <sip:account7@us\.example\.com>;tag=/);
  assert.equal(header(invite, "to"), "<sip:12125550123@carrier.example.com>");
  assert.equal(header(invite, "p-asserted-identity"), '"Acme" <sip:12125550100@us.example.com>');
  assert.equal(header(invite, "diversion"), undefined);
  assert.equal(end()!.reason, "invalid_destination");
  assert.equal(end()!.text, 'Not Found; Q.850;cause=1;text="Unallocated number"');
});

test("without options the number is in From with its plus, and no other header names it", async (t) => {
  const server = await refusing(t, "486 Busy Here");
  const agent = await anAgent(t, { port: server.port });
  const { end } = await aCall(t, agent);
  await until(end, "the end");
  const [invite = assert.fail()] = server.invites;
  assert.match(header(invite, "from")!, /^<sip:\+12125550100@127\.0\.0\.1>;tag=/);
  for (const name of ["p-asserted-identity", "p-preferred-identity", "diversion"])
    assert.equal(header(invite, name), undefined, name);
  assert.equal(end()!.text, "Busy Here");
});

const passport = (payload: object) =>
  ["e30", Buffer.from(JSON.stringify(payload)).toString("base64url"), "c2ln"].join(".");

for (const [what, more, expected] of [
  ["nothing", [], undefined],
  [
    "a verdict with the number",
    ["P-Asserted-Identity: <sip:+12125550123;verstat=TN-Validation-Passed@x.example>"],
    { level: null, verdict: "passed" },
  ],
  [
    "a verdict of the URI and an indicator",
    ["P-Asserted-Identity: <tel:+12125550123;verstat=TN-Validation-Failed>", "P-Attestation-Indicator: C"],
    { level: "C", verdict: "failed" },
  ],
  [
    "a signature that claims a level",
    [`Identity: ${passport({ attest: "B" })};info=<https://x.example/c.pem>;alg=ES256;ppt=shaken`],
    { level: "B", verdict: null },
  ],
  ["a signature that cannot be read", ["Identity: a.%%%.c;info=<https://x.example/c.pem>"], undefined],
] as const) {
  test(`of a call to us with ${what} about the caller's number that much is known`, async (t) => {
    const agent = await anAgent(t, { numbers: ["+12125550100"] });
    const sender = await udpSender(t, agent.port("udp")!, "127.0.0.1");
    const { promise, resolve } = Promise.withResolvers<[string, string, unknown]>();
    agent.onInvite((call) => {
      resolve([call.from, call.to, call.attestation]);
      call.reject(603);
    });
    // As carriers write them: ten digits, eleven digits.
    const text = sipRequest("INVITE", { uri: "sip:12125550100@127.0.0.1", callId: randomUUID(), more });
    sender.send(text.replace("From: <sip:+1", "From: <sip:"));
    assert.deepEqual(await promise, ["+12125550123", "+12125550100", expected]);
    await until(() => sender.answers.some(({ status }) => status === 603), "the refusal");
  });
}
