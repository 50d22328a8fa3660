import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type client, until } from "#test/support/api/parley.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { type Gateway, receiptOf, type Script, smppGateway, textOf } from "#test/support/carriers/smpp/gateway.ts";
import { whole } from "#test/support/carriers/smpp/peer.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { openClient, startWorkers } from "#test/support/processes/worker-process.ts";

const CONTACT = "+12124440001";
const ANOTHER = "+12124440002";
const THROTTLED = 0x58;

/** A gateway, the service's own processes, and a live tenant's client; it is a working day's noon. */
async function atGateway(t: TestContext, script: Script = {}, workers = 1) {
  const gateway = await smppGateway(t, script);
  const env = { PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1", PARLEY_LIVE_CLOCK: "moved" };
  const service = await startApiProcess(t, env);
  const live = (await anotherTenant(service as never, "live")) as ReturnType<typeof client>;
  const sql = await openClient(t, service.databaseUrl);
  startWorkers(t, service, workers, env);
  const noon = workingNoon(new Date());
  await sql.query("update tenants set clock_offset_ms = $1 where mode = 'live'", [noon.getTime() - Date.now()]);
  const account = {
    ...{ name: "Gateway", kind: "smpp", credentials: { system_id: "parley", password: "secret" } },
    settings: { host: "127.0.0.1", port: gateway.port, per_second: 100, senders: [SENDER] },
  };
  return { gateway, live, sql, account };
}

/** A text from a phone, in one part. */
const says = (gateway: Gateway, from: string, text: string | Buffer, more: Record<string, unknown> = {}) =>
  gateway.deliver({
    ...{ source_addr: from.slice(1), source_addr_ton: 1, destination_addr: SENDER.slice(1), dest_addr_ton: 1 },
    ...{ short_message: text, ...more },
  });

test("from a new account with a gateway to a delivered text, a long one, a reply and a STOP in two parts, over the service's own processes", async (t) => {
  let throttled = 0;
  const { gateway, live, account } = await atGateway(t, {
    // Too fast at first; and its receipt is there before its answer.
    status(_, text) {
      if (throttled++ === 0) return THROTTLED;
      void gateway.deliver(receiptOf(text, { state: "DELIVRD" }));
      return 0;
    },
    answerAfterMs: 50,
  });
  const made = await live.post("/v1/carriers", account);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const path = `/v1/carriers/${made.body.carrier.carrier_id}`;
  const connected = (await live.post(`${path}/connect`, {})).body;
  assert.deepEqual([connected.carrier.status, connected.missing, connected.changes], ["connected", [], []]);
  assert.deepEqual(
    connected.numbers.map(({ phone_number }: { phone_number: string }) => phone_number),
    [SENDER],
  );
  const { checks } = (await live.post(`${path}/check`, {})).body;
  assert.deepEqual(
    checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok]),
    [
      ["credentials", true],
      ["tls", false],
    ],
  );
  const long = `A long one: ${"0123456789".repeat(30)} the end`;
  const { campaignId } = await aCampaign(live, {
    contacts: [{ phone_number: CONTACT, first_name: "Ann" }],
    agent: { reply_delay_ms: 0, starting_message: long },
  });
  const texts = () => whole(gateway.submitted).filter(({ to }) => to === CONTACT);
  const thread = async (phone = CONTACT) =>
    JSON.stringify((await live.get(`/v1/sms/threads/${encodeURIComponent(`${phone}_${campaignId}`)}`)).body);
  await until("the text is delivered", async () => (await thread()).includes('"delivered"'));
  assert.ok(texts()[0]!.text.startsWith(long), texts()[0]!.text);
  assert.ok(gateway.submitted.length >= 3, "in parts");

  assert.equal(await says(gateway, CONTACT, "Yes, tell me more"), 0);
  await until("the agent has answered", async () => texts().length === 2);
  // A STOP with more behind it, the second part first.
  const part = (n: number, text: string) => ({
    short_message: Buffer.concat([Buffer.from([5, 0, 3, 77, 2, n]), Buffer.from(text, "ascii")]),
  });
  assert.equal(await says(gateway, CONTACT, "", { esm_class: 0x40, ...part(2, "ing me, please") }), 0);
  assert.equal(await says(gateway, CONTACT, "", { esm_class: 0x40, ...part(1, "Stop text") }), 0);
  await until("the contact has opted out", async () => (await thread()).includes('"opted_out"'));
  await until("the STOP is confirmed, once", async () => texts().length === 3);
  assert.ok((await thread()).includes("Stop texting me, please"));
});

test("a STOP in the first of two parts is obeyed though the second never comes", async (t) => {
  const { gateway, live, sql, account } = await atGateway(t);
  const { carrier_id } = (await live.post("/v1/carriers", account)).body.carrier;
  await live.post(`/v1/carriers/${carrier_id}/connect`, {});
  await aCampaign(live, { contacts: [{ phone_number: ANOTHER }], agent: { reply_delay_ms: 60_000 } });
  await until("the first text is at the gateway", async () => gateway.submitted.length === 1);
  const short_message = Buffer.concat([Buffer.from([5, 0, 3, 9, 2, 1]), Buffer.from("STOP", "ascii")]);
  assert.equal(await says(gateway, ANOTHER, "", { esm_class: 0x40, short_message }), 0);
  await sql.query("update inbound_parts set received_at = received_at - interval '2 minutes'");
  await until("the STOP is confirmed", async () => gateway.submitted.length === 2);
  assert.match(textOf(gateway.submitted[1]!), /unsubscribed/i);
  const { rows } = await sql.query("select opted_out_at is not null as out from consents where phone = $1", [ANOTHER]);
  assert.deepEqual(rows, [{ out: true }]);
  const inbound = await sql.query("select text from messages where direction = 'inbound'");
  assert.deepEqual(inbound.rows, [{ text: "STOP" }]);
});

test("what is wrong with an account is named, and a gateway's refusal is said in words", async (t) => {
  const { gateway, live, account } = await atGateway(t, { bindStatus: () => 0x0e }, 0);
  const wrong = async (settings: object) =>
    wrongFields(await live.post("/v1/carriers", { ...account, settings: { ...account.settings, ...settings } }));
  assert.deepEqual(await wrong({ host: "10.0.0.1" }), ["settings.host"]);
  assert.deepEqual(await wrong({ senders: [] }), ["settings.senders"]);
  assert.deepEqual(await wrong({ encoding: "morse" }), ["settings.encoding"]);
  const { carrier_id } = (await live.post("/v1/carriers", account)).body.carrier;
  const refused = await live.post(`/v1/carriers/${carrier_id}/connect`, {});
  assert.equal(refused.body.code, "carrier_problem");
  assert.match(refused.body.error, /password is wrong \(0x0000000E\)/);
  assert.equal((await live.get(`/v1/carriers/${carrier_id}`)).body.carrier.status, "problem");
  assert.equal(gateway.submitted.length, 0);
});

test("a gateway that refuses the bind while nothing is due has the account in trouble, and a repaired one carries on", async (t) => {
  const { gateway, live, account } = await atGateway(t);
  const { carrier_id } = (await live.post("/v1/carriers", account)).body.carrier;
  const shown = async () => (await live.get(`/v1/carriers/${carrier_id}`)).body.carrier;
  await live.post(`/v1/carriers/${carrier_id}/connect`, {});
  await until("the worker has the session", async () => gateway.binds.length === 2);
  gateway.script.bindStatus = () => 0x0e;
  gateway.reset();
  await until("it is shown", async () => (await shown()).status === "problem");
  assert.match((await shown()).problem, /does not take the account's credentials any more \(0x0000000E\)/);
  gateway.script.bindStatus = () => 0;
  await live.post(`/v1/carriers/${carrier_id}/connect`, {});
  assert.equal((await shown()).status, "connected");
  await aCampaign(live, { contacts: [{ phone_number: CONTACT }] });
  await until("texts leave again", async () => gateway.submitted.length === 1);
});
