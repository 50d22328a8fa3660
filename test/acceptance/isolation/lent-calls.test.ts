import assert from "node:assert/strict";
import { test } from "node:test";
import { endLoan, giveNumbers, lendCarrier, takeNumbersBack } from "#operations/accounts/lend-carrier.ts";
import { type client, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { threeTenants } from "#test/support/carriers/shared-account.ts";
import { type PlacedCall, streamOf } from "#test/support/carriers/twilio/calls.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { startWithStreams } from "#test/support/carriers/twilio/streams.ts";

type Client = ReturnType<typeof client>;

const NUMBERS = { host: "+12125550100", ann: "+12125550101", bob: "+12125550102" };
const CALLER = "+12125550199";
const GREETING = "Hello?";
const contact = (n: number) => `+1212444000${n}`;

test("two tenants call and are called over a shared account, each within its limit, with its own number, and nobody hears of the other's", {
  timeout: 540_000,
}, async (t) => {
  const twilio = await startTwilio(t);
  for (const phone of Object.values(NUMBERS)) twilio.addNumber(phone);
  const { service } = await startWithStreams(t, twilio, [GREETING]);
  const credentials = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
  const shared = await threeTenants(t, service, { kind: "twilio", credentials });
  const { host, ann, bob, sql, ctx, loans, carrier_id } = shared;
  const agents = { ann: await aVoiceAgent(ann), bob: await aVoiceAgent(bob) };
  const call = (them: Client, whose: "ann" | "bob", to_number: string) =>
    them.post("/v1/voice/calls", {
      voice_agent_id: agents[whose].voiceAgentId,
      from_number: NUMBERS[whose],
      to_number,
    });
  const stateOf = async (them: Client, callId: string) => (await them.get(`/v1/voice/calls/${callId}`)).body.call;
  const over = (them: Client, callId: string) =>
    until(
      "it is over",
      async () => {
        const call = await stateOf(them, callId);
        return !["registered", "ongoing"].includes(call.call_status) && call;
      },
      120_000,
    );
  const talksTo = (phone: string) =>
    until("the agent speaks", async () =>
      twilio.calls.calls.find(
        ({ to, loudFrames, status }) => to === phone && loudFrames > 20 && status !== "completed",
      ),
    );
  for (let n = 0; n < 9; n++) twilio.calls.telephones.set(contact(n), { does: "answers", greeting: GREETING });

  await t.test("an account is lent for texts alone until its owner says how many calls may go on by it", async () => {
    const limits = { calls_at_once: 1 };
    await assert.rejects(lendCarrier(ctx, loans.ann, { limits }), { code: "conflict", message: /voice to stream/ });
    assert.equal((await host.patch(`/v1/carriers/${carrier_id}`, { settings: { voice: "stream" } })).status, 200);
    assert.equal((await host.post(`/v1/carriers/${carrier_id}/connect`, {})).status, 200);
    await lendCarrier(ctx, loans.ann, { name: "Lines" });
    await lendCarrier(ctx, loans.bob, { limits });
    await giveNumbers(ctx, loans.ann, [NUMBERS.ann]);
    await giveNumbers(ctx, loans.bob, [NUMBERS.bob]);
    const refused = await call(ann, "ann", contact(0));
    assert.equal(refused.status, 400);
    assert.match(
      refused.body.error,
      /^from_number cannot call: Lines is an account of who runs this service, lent to you for texts alone/,
    );
    const campaign = await ann.post("/v1/voice/campaigns", {
      ...{ leads: [{ phone_number: contact(0) }], voice_agent_id: agents.ann.voiceAgentId },
      agent_outbound_number: NUMBERS.ann,
    });
    assert.equal(campaign.status, 400);
    assert.match(campaign.body.error, /^\+12125550101 cannot call: Lines is/);
    await lendCarrier(ctx, loans.ann, { limits });
    const [seen] = (await ann.get("/v1/carriers")).body.carriers;
    assert.deepEqual(seen.shared, { texts_per_second: null, texts_per_day: null, calls_at_once: 1 });
    const stolen = await ann.post("/v1/voice/calls", {
      ...{ voice_agent_id: agents.ann.voiceAgentId, from_number: NUMBERS.bob, to_number: contact(0) },
    });
    assert.match(stolen.body.error, /is on no carrier account/);
  });

  await t.test(
    "one call goes on at once; the other tenant's go on beside it, and what waits is placed after",
    async () => {
      const first = (await call(ann, "ann", contact(1))).body.call.call_id;
      const talk = await talksTo(contact(1));
      const second = (await call(ann, "ann", contact(2))).body.call.call_id;
      const bobs = (await call(bob, "bob", contact(1))).body.call.call_id;
      const bobsTalk = await until("Bob's agent speaks too", async () =>
        twilio.calls.calls.find(({ from, loudFrames }) => from === NUMBERS.bob && loudFrames > 20),
      );
      assert.deepEqual([talk.from, bobsTalk.from], [NUMBERS.ann, NUMBERS.bob]);
      const isPlaced = (phone: string) => twilio.calls.calls.some(({ to }) => to === phone);
      assert.equal(isPlaced(contact(2)), false, "it waits for the first to end");
      const [annsName, bobsName] = [
        (await ann.get("/v1/carriers")).body.carriers[0].carrier_id,
        (await bob.get("/v1/carriers")).body.carriers[0].carrier_id,
      ];
      for (const [one, name] of [
        [talk, annsName],
        [bobsTalk, bobsName],
      ] as [PlacedCall, string][]) {
        assert.ok(one.callback!.includes(`/carrier/${name}/call/`), one.callback);
        assert.ok(streamOf(one.twiml)!.endsWith(`/carrier/${name}/stream`), one.twiml);
      }
      await assert.rejects(takeNumbersBack(ctx, loans.ann, [NUMBERS.ann]), { code: "conflict", message: /going on/ });
      await assert.rejects(endLoan(ctx, loans.ann), { code: "conflict", message: /going on/ });
      twilio.calls.hangUp(talk);
      assert.equal((await over(ann, first)).disconnection_reason, "user_hangup");
      twilio.calls.hangUp(await talksTo(contact(2)));
      twilio.calls.hangUp(bobsTalk);
      assert.equal((await over(ann, second)).call_status, "ended");
      assert.equal((await over(bob, bobs)).call_status, "ended");
      assert.equal((await ann.get(`/v1/voice/calls/${bobs}`)).status, 404);
    },
  );

  await t.test("a campaign and single calls keep to the limit together", async () => {
    await lendCarrier(ctx, loans.ann, { limits: { calls_at_once: 2 } });
    const before = twilio.calls.calls.length;
    let most = 0;
    const going = () => twilio.calls.calls.slice(before).filter(({ status }) => status !== "completed");
    const { status, body } = await ann.post("/v1/voice/campaigns", {
      leads: [3, 4].map((n) => ({ phone_number: contact(n) })),
      voice_agent_id: agents.ann.voiceAgentId,
      agent_outbound_number: NUMBERS.ann,
      ...{ max_concurrent_calls: 10, calls_per_second: 10 },
    });
    assert.equal(status, 202, JSON.stringify(body));
    assert.equal((await call(ann, "ann", contact(5))).status, 201);
    await until(
      "all three were had",
      async () => {
        most = Math.max(most, going().length);
        const talk = going().find(({ loudFrames }) => loudFrames > 20);
        if (talk) twilio.calls.hangUp(talk);
        return twilio.calls.calls.length === before + 3 && going().length === 0;
      },
      120_000,
    );
    assert.ok(most <= 2, `${most} at once`);
  });

  await t.test("a call to a number is its tenant's, and one too many is busy", async () => {
    const linked = await bob.post(`/v1/voice/phone-numbers/${encodeURIComponent(NUMBERS.bob)}/update-agent`, {
      agent_id: agents.bob.agentId,
    });
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const url = String(twilio.numbers.find(({ phone_number }) => phone_number === NUMBERS.bob)!.voice_url);
    assert.equal(url, `${service.url}/carrier/${carrier_id}/voice`);
    const callIn = (n: number) =>
      twilio.calls.callIn(
        url,
        { from: CALLER, to: NUMBERS.bob, sid: `CA${`d${n}`.repeat(16)}` },
        { does: "answers", greeting: GREETING },
      );
    const taken = await callIn(1);
    assert.ok(streamOf(taken.twiml), taken.twiml);
    assert.ok(!taken.twiml.includes(carrier_id), "its sound comes by Bob's name for the account");
    await until("Bob's agent speaks", async () => taken.loudFrames > 20);
    assert.match((await callIn(2)).twiml, /<Reject reason="busy"/);
    twilio.calls.hangUp(taken);
    const inbound = async (them: Client, { organizationId }: { organizationId: string }) =>
      (await them.get(`/v1/voice/calls?organization_id=${organizationId}`)).body.calls.filter(
        (one: { direction: string }) => one.direction === "inbound",
      );
    const [kept, ...more] = await inbound(bob, agents.bob);
    assert.deepEqual([kept.from_number, kept.to_number, more.length], [CALLER, NUMBERS.bob, 0]);
    assert.equal((await over(bob, kept.call_id)).disconnection_reason, "user_hangup");
    assert.deepEqual(await inbound(ann, agents.ann), []);
  });

  await t.test("nobody is called from a number that the tenant has no more", async () => {
    const before = twilio.calls.calls.length;
    const hold = (until: string) =>
      sql.query(`update dial_lanes set broken_until = ${until}, next_due_at = now() where tenant_id = $1`, [
        loans.ann.tenant,
      ]);
    await hold("now() + interval '1 hour'");
    const placed = await call(ann, "ann", contact(8));
    assert.equal(placed.status, 201, JSON.stringify(placed.body));
    const moved = placed.body.call.call_id;
    await until("the number is the owner's again", () =>
      takeNumbersBack(ctx, loans.ann, [NUMBERS.ann]).then(
        () => true,
        () => false,
      ),
    );
    await hold("null");
    assert.equal((await over(ann, moved)).call_status, "not_connected");
    const { rows } = await sql.query("select rule from dials where tenant_id = $1 and phone = $2", [
      loans.ann.tenant,
      contact(8),
    ]);
    assert.deepEqual(rows, [{ rule: "carrier_removed" }]);
    assert.equal(twilio.calls.calls.length, before);
  });
});
