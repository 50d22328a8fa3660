import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { client, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import {
  gets,
  handsetPath,
  moveClock,
  quiet,
  says,
  textsTo,
  threadOf,
  traffic,
} from "#test/support/messaging/handset.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Message = { kind: string; state: string; reason: string | null; text: string | null };

test("the phone simulator", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const scripted = (digits: number) => `+121255501${digits}`;
  const begun = async (phone: string) => {
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: phone }], agent: { reply_delay_ms: 0 } });
    return { campaignId, thread: () => threadOf(api, phone, campaignId) };
  };
  const stateOf = (thread: { messages: Message[] }) => thread.messages[0]!.state;

  for (const [digits, what, code] of [
    [20, "an unreachable handset", "30003"],
    [21, "a filtered text", "30007"],
    [22, "a landline", "30006"],
  ] as const) {
    await t.test(`number ${digits}: ${what} is undelivered, with the carrier's code`, async () => {
      const { thread } = await begun(scripted(digits));
      const failed = await until("it is undelivered", async () => {
        const found = await thread();
        return stateOf(found) === "undelivered" && found;
      });
      assert.equal(failed.messages[0].reason, code);
      assert.equal(failed.state, "failed");
    });
  }

  await t.test("number 23 says STOP", async () => {
    const { thread } = await begun(scripted(23));
    await until("it has opted out", async () => (await thread()).state === "opted_out");
  });

  await t.test("number 24 asks for HELP and gets it", async () => {
    await begun(scripted(24));
    assert.match((await gets(api, scripted(24), 2))[1]!, /Reply STOP to stop/);
  });

  await t.test("number 25 answers ten minutes later, by the tenant's clock", async () => {
    const { thread } = await begun(scripted(25));
    await gets(api, scripted(25), 1);
    await quiet(api);
    assert.equal((await thread()).messages.length, 1);
    await moveClock(api, { advance_ms: 601_000 });
    await gets(api, scripted(25), 2);
  });

  await t.test("number 26 asks to be called", async () => {
    const { thread } = await begun(scripted(26));
    await until("it has asked", async () =>
      (await thread()).messages.some(
        (message: Message) => message.kind === "inbound" && message.text?.includes("call me"),
      ),
    );
  });

  await t.test("number 40: a rate-limited text is sent once the carrier takes it", async () => {
    for (const phone of [scripted(40), "+13035550140", "+17025550140", "+19165550140"]) {
      const { thread } = await begun(phone);
      await until("it is delivered", async () => stateOf(await thread()) === "delivered");
      assert.equal((await textsTo(api, phone)).length, 1);
    }
  });

  await t.test("number 41: webhooks that come twice and in disorder count once", async () => {
    const { thread } = await begun(scripted(41));
    await gets(api, scripted(41), 2);
    await quiet(api);
    const { messages } = await thread();
    assert.equal(messages[0].state, "delivered");
    assert.equal(messages.filter((message: Message) => message.kind === "inbound").length, 1);
    assert.equal((await textsTo(api, scripted(41))).length, 2);
  });

  await t.test("number 42: a text whose reply was lost is not sent again", async () => {
    const { thread } = await begun(scripted(42));
    await until("it is delivered", async () => stateOf(await thread()) === "delivered");
    await quiet(api);
    assert.equal((await textsTo(api, scripted(42))).length, 1);
  });

  await t.test("numbers 00 to 19 converse", async () => {
    const { thread } = await begun(scripted(15));
    const done = await until("the conversation is over", async () => {
      const found = await thread();
      return found.state === "completed" && found;
    });
    assert.equal(done.outcome, "not_interested");
  });

  await t.test("a script of one's own replaces the number's", async () => {
    const phone = "+12125550143";
    const set = await api.put(handsetPath(phone), { says: ["I am scripted"], answer_delay_ms: 0 });
    assert.deepEqual([set.status, set.body.phone_number], [200, phone]);
    const { thread } = await begun(phone);
    await until("it has said so", async () =>
      (await thread()).messages.some((message: Message) => message.text === "I am scripted"),
    );
    await api.put(handsetPath("+12125550144"), { behavior: "landline" });
    const landline = await begun("+12125550144");
    await until("it is undelivered", async () => stateOf(await landline.thread()) === "undelivered");
  });

  await t.test("a script that cannot be is a 400 that names its field", async () => {
    const put = (body: unknown, phone = "+12125550145") => api.put(handsetPath(phone), body);
    const unknown = await put({ behavior: "explode" });
    assert.deepEqual(wrongFields(unknown), ["behavior"]);
    for (const name of ["deliver", "lost_reply", "voicemail", "call_screening", "hang_up", "invalid_number"]) {
      assert.ok(unknown.body.error.includes(`"${name}"`), `${name}: ${unknown.body.error}`);
    }
    assert.deepEqual(wrongFields(await put({ greeting: 1 })), ["greeting"]);
    assert.deepEqual(wrongFields(await put({ hangs_up_after_ms: 1.5 })), ["hangs_up_after_ms"]);
    assert.deepEqual(wrongFields(await put({ says: "hi" })), ["says"]);
    assert.deepEqual(wrongFields(await put({ answer_delay_ms: -1 })), ["answer_delay_ms"]);
    assert.deepEqual(wrongFields(await put({}, "911")), ["phone_number"]);
  });

  await t.test("a handset shows what arrived and what it said, oldest first", async () => {
    const phone = "+12124540001";
    await begun(phone);
    await gets(api, phone, 1);
    await says(api, phone, "Who is this?");
    await gets(api, phone, 2);
    const { body } = await api.get(handsetPath(phone));
    assert.deepEqual(body.calls, []);
    assert.deepEqual(
      body.messages.map((message: { direction: string; from: string; to: string }) => [
        message.direction,
        message.from,
        message.to,
      ]),
      [
        ["to_handset", SENDER, phone],
        ["from_handset", phone, SENDER],
        ["to_handset", SENDER, phone],
      ],
    );
    for (const message of body.messages) assert.match(message.at, /^\d{4}-.*\.\d{3}Z$/);
    assert.deepEqual([typeof body.messages[0].ref, body.messages[1].ref], ["string", null]);
    assert.deepEqual((await api.get(handsetPath("+12124540002"))).body.messages, []);
  });

  await t.test("a handset's text needs a number and words", async () => {
    const path = `${handsetPath("+12124540003")}/messages`;
    assert.deepEqual(wrongFields(await api.post(path, {})).sort(), ["text", "to_number"]);
    assert.deepEqual(wrongFields(await api.post(path, { to: "x", text: "Hi" })), ["to"]);
    const sent = await api.post(path, { to: SENDER, text: "" });
    assert.equal(sent.status, 201);
    assert.match(sent.body.carrier_id, /^sim_/);
  });

  await t.test("a handset's call needs a number, and is kept before it is answered", async () => {
    const phone = "+12124540004";
    const path = `${handsetPath(phone)}/calls`;
    assert.deepEqual(wrongFields(await api.post(path, {})), ["to_number"]);
    assert.deepEqual(wrongFields(await api.post(path, { to: "x" })), ["to"]);
    assert.deepEqual(wrongFields(await api.post(path, { to: SENDER, says: "Hi" })), ["says"]);
    assert.deepEqual(wrongFields(await api.post(path, { to: SENDER, says: [""] })), ["says[0]"]);
    assert.deepEqual((await api.get(handsetPath(phone))).body.calls, []);
    const called = await api.post(path, { to: SENDER, says: ["Hi, it's Ann."] });
    assert.equal(called.status, 201);
    assert.match(called.body.carrier_id, /^sim_\d+$/);
    const [{ at, outcome, carrier_id, ...call }] = (await api.get(handsetPath(phone))).body.calls;
    assert.match(at, /^\d{4}-.*\.\d{3}Z$/);
    assert.equal(typeof outcome, "string");
    assert.equal(carrier_id, called.body.carrier_id);
    const nothing = { call_duration_ms: 0, duration_ms: 0, heard: [], stage: null, microphone: null, said: [] };
    const numbers = { from_number: phone, from: phone, to_number: SENDER, to: SENDER };
    assert.deepEqual(call, { direction: "from_handset", ...numbers, ...nothing });
  });

  await t.test("the clock is read, and moves forward only", async () => {
    const before = (await api.get("/v1/simulator/clock")).body;
    assert.equal(before.success, true);
    const moved = (await api.post("/v1/simulator/clock", { advance_ms: 5_000 })).body;
    assert.ok(moved.offset_ms >= before.offset_ms + 5_000);
    const to = new Date(Date.parse(moved.now) + 60_000).toISOString();
    assert.ok(Date.parse((await api.post("/v1/simulator/clock", { to })).body.now) >= Date.parse(to));
    for (const [body, field] of [
      [{}, "advance_ms"],
      [{ advance_ms: 1, to }, "advance_ms"],
      [{ advance_ms: -1 }, "advance_ms"],
      [{ advance_ms: 1.5 }, "advance_ms"],
      [{ to: "2020-01-01T00:00:00Z" }, "to"],
      [{ to: "tomorrow" }, "to"],
    ] as const) {
      const answer = await api.post("/v1/simulator/clock", body);
      assert.deepEqual([answer.status, wrongFields(answer)], [400, [field]], JSON.stringify(body));
    }
  });

  await t.test("each tenant has a clock and a network of its own", async () => {
    const other = await anotherTenant(api);
    assert.equal((await other.get("/v1/simulator/clock")).body.offset_ms, 0);
    assert.deepEqual((await other.get(handsetPath("+12124540001"))).body.messages, []);
    assert.equal((await other.get("/v1/simulator/traffic")).body.accepted, 0);
  });

  await t.test("the carrier's count is clean after all this", async () => {
    const { success, powered_by, accepted, distinct, ...rest } = await traffic(api);
    assert.deepEqual([success, powered_by], [true, "Parley"]);
    assert.ok(accepted >= distinct && distinct > 10);
    const clean = { duplicates: 0, after_opt_out: 0, outside_window: 0 };
    assert.deepEqual(rest, { ...clean, calls: { accepted: 0, distinct: 0, ...clean } });
  });

  await t.test("a live key is refused on every path of it", async () => {
    const live = await anotherTenant(api, "live");
    const phone = handsetPath("+12124540001");
    for (const answer of [
      await live.get(phone),
      await live.put(phone, {}),
      await live.post(`${phone}/messages`, { to: SENDER, text: "Hi" }),
      await live.post(`${phone}/calls`, { to: SENDER }),
      await live.get("/v1/simulator/traffic"),
      await live.get("/v1/simulator/clock"),
      await live.post("/v1/simulator/clock", { advance_ms: 1 }),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [403, "test_key_required"]);
    }
  });
});

test("the clock that a test key moves is the test mode's alone", async (t) => {
  const trunk = JSON.stringify([{ name: "acme", host: "127.0.0.1", port: 9, numbers: ["+12125550100"] }]);
  const parley = await startParley(t, { PARLEY_SIP_TRUNKS: trunk }, ["api"]);
  const live = await anotherTenant(parley, "live");
  const made = await live.post("/v1/api-keys", { name: "Test", mode: "test" });
  const test = client(parley.url, made.body.api_key);
  assert.equal((await test.post("/v1/simulator/clock", { advance_ms: 3_600_000 })).status, 200);

  const bought = await live.post("/v1/voice/phone-numbers/purchase", { phone_number: "+12125550100" });

  assert.equal(bought.status, 201, JSON.stringify(bought.body));
  assert.equal((await test.get("/v1/simulator/clock")).body.offset_ms, 3_600_000);
  const sql = await openClient(t, parley.databaseUrl);
  const { rows } = await sql.query("select max(clock_offset_ms)::int as ms from tenants where mode = 'live'");
  assert.equal(rows[0].ms, 0);
});
