import assert from "node:assert/strict";
import { test } from "node:test";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { baresip, certificate } from "./baresip.ts";
import { aCall, anAgent, nextCall, until } from "./parley.ts";
import { missing } from "./programs.ts";
import { PHONE, source, talk } from "./talk.ts";

const skip = missing("baresip");

/** They take half a second. Those that were lost never come. */
const KEYS_WITHIN_MS = 5_000;

test("baresip and we hear each other, sample for sample", { skip }, async (t) => {
  await heldAgain(t, async (owner) => {
    const phone = await baresip(owner, { source });
    await talk(owner, await anAgent(owner, { port: phone.port }), phone);
  });
});

test("over TLS with SRTP baresip and we hear each other, and without a trusted certificate there is no call", {
  skip,
}, async (t) => {
  const { cert, key } = certificate();
  await heldAgain(t, async (owner) => {
    const phone = await baresip(owner, { source, tls: { cert: key + cert }, account: ";mediaenc=srtp-mand" });
    const secure = { port: phone.tlsPort, transport: "tls", srtp: "required" } as const;
    const agent = await anAgent(owner, { ...secure, tls: { ca: cert } });
    assert.equal((await talk(owner, agent, phone, true)).refused, 0);

    const wary = await anAgent(owner, secure);
    const refused = await aCall(owner, wary, PHONE, true);
    await until(() => refused.end(), "refused");
    assert.equal(refused.end()?.cause, "unreachable");
    assert.equal(refused.end()?.mayHaveArrived, false);
  });
});

test("with the shorter tag of SRTP alone baresip and we hear each other", { skip }, async (t) => {
  await heldAgain(t, async (owner) => {
    const phone = await baresip(owner, { source, account: ";mediaenc=srtp-mand" });
    const agent = await anAgent(owner, { port: phone.port, srtp: "required" });
    await talk(owner, agent, phone, "AES_CM_128_HMAC_SHA1_32");
  });
});

test("keys arrive both ways, a hold is agreed to, and a transfer is reported", { skip }, async (t) => {
  await heldAgain(t, async (owner) => {
    const phone = await baresip(owner);
    const third = await baresip(owner);
    const agent = await anAgent(owner, { port: phone.port });
    const { call, events, sound } = await aCall(owner, agent, PHONE);
    await until(() => events.includes("answered"), "answered");

    sound.leg()!.dtmf("15#");
    const received = (key: string) => phone.said().includes(`received event: '${key}' (end=0)`);
    await until(() => [..."15#"].every(received), "our keys", KEYS_WITHIN_MS);
    phone.command("sndcode", "7");
    await until(() => sound.digits.length > 0, "their key", KEYS_WITHIN_MS);
    assert.deepEqual(sound.digits, ["7"]);

    phone.command("hold");
    await until(() => events.includes("held"), "held");
    phone.command("resume");
    await until(() => events.includes("taken up"), "taken up");
    assert.equal(await call.hold(true), true);
    assert.equal(await call.hold(false), true);

    call.refer(`sip:phone@127.0.0.1:${third.port}`);
    await until(() => events.includes("transferred 200 for good"), "transferred");
    call.hangup();
  });
});

test("baresip calls us, hears us and hangs up", { skip }, async (t) => {
  const phone = await baresip(t, { source });
  const agent = await anAgent(t, { port: phone.port });
  const called = nextCall(t, agent, (call, sound) => call.answer(sound.port.local));
  phone.command("dial", `sip:+12125550100@127.0.0.1:${agent.port("udp")}`);
  const { call, events, sound } = await called;
  await until(() => sound.heard.size > 20, "heard");
  phone.command("hangup");
  await until(() => events.at(-1) === "ended: they_hung_up", "ended");
  assert.equal(call.to, "+12125550100");
});
