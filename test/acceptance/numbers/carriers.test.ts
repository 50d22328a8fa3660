import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { aPerson } from "#test/support/accounts/person.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, type client, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { openClient, startWorkers } from "#test/support/processes/worker-process.ts";

const CONTACT = "+12124440001";
const CREDENTIALS = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
const TWILIO = { name: "Main", kind: "twilio", credentials: CREDENTIALS };
const NEVER = "carrier_00000000000000000000000001";

const code = ({ status, body }: Answer) => [status, body.code];

/** A service that reaches Twilio at its stand-in, and a live tenant's client of it. */
async function atTwilio(t: TestContext, more: Record<string, string> = {}) {
  const twilio = await startTwilio(t);
  twilio.addNumber(SENDER);
  const hosts = { "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url };
  const env = { PARLEY_CARRIER_HOSTS: JSON.stringify(hosts), PARLEY_PUBLIC_URL: "https://parley.example" };
  const api = await startParley(t, { ...env, ...more }, ["api"]);
  return { twilio, api, live: await anotherTenant(api, "live") };
}

test("an account is added, read, listed, changed and removed, and its credentials never come back", async (t) => {
  const { live, api } = await atTwilio(t);
  const made = await live.post("/v1/carriers", TWILIO);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { carrier } = made.body;
  assert.deepEqual([carrier.status, carrier.numbers_count, carrier.problem], ["new", 0, null]);
  assert.equal(carrier.webhook_url, `https://parley.example/carrier/${carrier.carrier_id}/`);
  const path = `/v1/carriers/${carrier.carrier_id}`;
  assert.deepEqual((await live.get(path)).body.carrier, carrier);
  assert.deepEqual((await live.get("/v1/carriers")).body.carriers, [carrier]);
  const changed = await live.patch(path, { name: "Second", settings: { edge: "dublin", region: "ie1" } });
  assert.deepEqual(
    [changed.body.carrier.name, changed.body.carrier.settings],
    ["Second", { edge: "dublin", region: "ie1" }],
  );
  const sql = await openClient(t, api.databaseUrl);
  const { rows } = await sql.query("select credentials::text from carrier_accounts");
  const written = JSON.stringify([made, changed, await live.get(path), await live.get("/v1/requests"), rows]);
  assert.ok(!written.includes(AUTH_TOKEN) && !written.includes(ACCOUNT_SID));
  assert.equal((await live.delete(path)).body.carrier_id, carrier.carrier_id);
  assert.deepEqual(code(await live.get(path)), [404, "not_found"]);
});

test("every wrong field is named, and nothing is kept", async (t) => {
  const { live } = await atTwilio(t);
  const wrong = async (more: object) => wrongFields(await live.post("/v1/carriers", { ...TWILIO, ...more }));
  assert.deepEqual(await wrong({ kind: "pigeon" }), ["kind"]);
  assert.deepEqual(await wrong({ credentials: {} }), ["credentials.account_sid", "credentials.auth_token"]);
  assert.deepEqual(await wrong({ credentials: { ...CREDENTIALS, account_sid: "AC1" } }), ["credentials.account_sid"]);
  assert.deepEqual(await wrong({ credentials: { ...CREDENTIALS, auth_token: 7 } }), ["credentials.auth_token"]);
  assert.deepEqual(await wrong({ credentials: { ...CREDENTIALS, password: "x" } }), ["credentials.password"]);
  assert.deepEqual(await wrong({ settings: { region: 1 } }), ["settings.region"]);
  assert.deepEqual(await wrong({ settings: { colour: "red" } }), ["settings.colour"]);
  assert.deepEqual(await wrong({ name: " " }), ["name"]);
  assert.deepEqual(code(await live.post("/v1/carriers", { ...TWILIO, organization_id: "org_1" })), [404, "not_found"]);
  assert.equal((await live.get("/v1/carriers")).body.count, 0);
});

test("accounts are of live mode, and another tenant's read like none that ever was", async (t) => {
  const { api, live } = await atTwilio(t);
  const { carrier_id } = (await live.post("/v1/carriers", TWILIO)).body.carrier;
  const other = await anotherTenant(api, "live");
  const asks = (id: string) =>
    [
      ["GET", `/v1/carriers/${id}`],
      ["PATCH", `/v1/carriers/${id}`, { name: "Mine" }],
      ["DELETE", `/v1/carriers/${id}`],
      ["POST", `/v1/carriers/${id}/connect`, {}],
      ["POST", `/v1/carriers/${id}/check`, {}],
      ["POST", `/v1/carriers/${id}/rotate`, { credentials: CREDENTIALS }],
    ] as const;
  const never = asks(NEVER);
  for (const [i, [method, path, body]] of asks(carrier_id).entries()) {
    const [foreign, random] = [
      await other.request(method, path, body),
      await other.request(method, never[i]![1], body),
    ];
    assert.deepEqual([foreign.status, foreign.body.error], [404, "Carrier not found"], `${method} ${path}`);
    assert.equal(random.body.error, foreign.body.error);
    assert.deepEqual(code(await api.request(method, path, body)), [403, "live_key_required"], `${method} ${path}`);
  }
  assert.equal((await other.get("/v1/carriers")).body.count, 0);
  assert.deepEqual(code(await api.get("/v1/carriers")), [403, "live_key_required"]);
  assert.deepEqual(code(await api.post("/v1/carriers", TWILIO)), [403, "live_key_required"]);
  const ann = await aPerson(api, "admin", live);
  await ann.ask("PATCH", "/v1/session", { mode: "live" });
  assert.equal((await ann.ask("GET", `/v1/carriers/${carrier_id}`)).body.carrier.name, "Main");
});

test("connecting says what will change, changes it, and imports the numbers; a foreign webhook stays without replace", async (t) => {
  const { live, twilio } = await atTwilio(t);
  const foreign = twilio.addNumber("+12125550101", { sms_url: "https://other.example/sms" });
  const { carrier_id } = (await live.post("/v1/carriers", TWILIO)).body.carrier;
  const connect = (body: object) => live.post(`/v1/carriers/${carrier_id}/connect`, body);
  const preview = await connect({ dry_run: true });
  assert.equal(preview.status, 200, JSON.stringify(preview.body));
  assert.deepEqual(preview.body.changes.map((change: { foreign: boolean }) => change.foreign).sort(), [false, true]);
  assert.equal(preview.body.carrier.status, "new");
  const first = (await connect({})).body;
  assert.deepEqual([first.carrier.status, first.carrier.numbers_count], ["connected", 2]);
  assert.equal(twilio.numbers[0]!.sms_url, `https://parley.example/carrier/${carrier_id}/sms`);
  assert.equal(foreign.sms_url, "https://other.example/sms");
  await connect({ replace: true });
  assert.equal(foreign.sms_url, twilio.numbers[0]!.sms_url);
  const checked = (await live.post(`/v1/carriers/${carrier_id}/check`, {})).body;
  assert.ok(checked.checks.length > 0 && checked.carrier.last_checked_at !== null);

  const refused = await live.post(`/v1/carriers/${carrier_id}/rotate`, {
    credentials: { ...CREDENTIALS, auth_token: "f".repeat(32) },
  });
  assert.deepEqual(code(refused), [422, "carrier_problem"]);
  assert.equal((await live.get(`/v1/carriers/${carrier_id}`)).body.carrier.status, "connected");
  const right = await live.post(`/v1/carriers/${carrier_id}/rotate`, { credentials: CREDENTIALS });
  assert.equal(right.status, 200, JSON.stringify(right.body));
});

test("a live campaign is refused while its sender is on no connected account", async (t) => {
  const { live } = await atTwilio(t);
  const { organizationId, userId, agentId } = await anAgent(live);
  const campaign = {
    ...{ campaign_name: "Live", organization_id: organizationId, user_id: userId, sms_agent_id: agentId },
    ...{ svc_sms_number: SENDER, contacts: [{ phone_number: CONTACT }] },
  };
  const refused = await live.post("/v1/campaigns", campaign);
  assert.deepEqual(code(refused), [400, "sms_not_enabled"]);
  assert.equal(refused.body.error, "svc_sms_number is on no carrier account: connect one that has the number");
});

test("whoever cannot prove to be the carrier gets one and the same 403, and is counted", async (t) => {
  const { api, live, twilio } = await atTwilio(t);
  const { carrier_id } = (await live.post("/v1/carriers", TWILIO)).body.carrier;
  const post = (id: string, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/carrier/${id}/sms`, { method: "POST", body: new URLSearchParams({ Body: "Hi" }), headers });
  const seen = new Set<string>();
  for (const answer of [
    await post(carrier_id),
    await post(carrier_id, { "x-twilio-signature": "d3Jvbmc=" }),
    await post(NEVER, { "x-twilio-signature": "d3Jvbmc=" }),
    await post("nonsense"),
    await twilio.webhook(`${api.url}/carrier/${carrier_id}/sms`, { Body: "Hi" }, "f".repeat(32)),
  ]) {
    seen.add(`${answer.status} ${answer.headers.get("content-type")} ${await answer.text()}`);
  }
  assert.deepEqual([...seen], ["403 text/plain; charset=utf-8 Forbidden\n"]);
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  assert.match(metrics, /^parley_carrier_webhooks_total\{outcome="refused"\} 5$/m);
});

test("an address that sends too much of that is put off, and what the carrier has signed is taken from it still", async (t) => {
  const { api, live, twilio } = await atTwilio(t, { PARLEY_AUTH_FAILURE_LIMIT: "5" });
  const { carrier_id } = (await live.post("/v1/carriers", TWILIO)).body.carrier;
  const sms = `${api.url}/carrier/${carrier_id}/sms`;
  const signedAt = `https://parley.example/carrier/${carrier_id}/sms`;
  const aText = (i: number) => ({
    ...{ AccountSid: CREDENTIALS.account_sid, ApiVersion: "2010-04-01", From: CONTACT, To: SENDER, Body: "Hi" },
    ...{ MessageSid: `SM${String(i).padStart(32, "0")}`, NumMedia: "0", NumSegments: "1" },
  });
  const wrong = (id: string) =>
    fetch(`${api.url}/carrier/${id}/sms`, { method: "POST", headers: { "x-twilio-signature": "d3Jvbmc=" } });
  const answers = [];
  for (let i = 0; i < 8; i++) answers.push(await wrong(i % 2 === 0 ? carrier_id : NEVER));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [403, 403, 403, 403, 403, 429, 429, 429],
  );
  assert.equal(answers[7]!.headers.get("retry-after"), "60");
  for (let i = 0; i < 20; i++) {
    const good = await twilio.webhook(signedAt, aText(i), undefined, sms);
    assert.equal(good.status, 200);
  }
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  for (const [outcome, n] of Object.entries({ taken: 20, refused: 5, limited: 3 })) {
    assert.match(metrics, new RegExp(`^parley_carrier_webhooks_total\\{outcome="${outcome}"\\} ${n}$`, "m"));
  }
});

test("from a new account with Twilio to a delivered text, a reply and a STOP, over the service's own processes", async (t) => {
  const twilio = await startTwilio(t);
  twilio.addNumber(SENDER);
  const port = await aFreePort();
  const env = {
    PORT: String(port),
    PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    PARLEY_CARRIER_HOSTS: JSON.stringify({ "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url }),
    PARLEY_LIVE_CLOCK: "moved",
  };
  const service = await startApiProcess(t, env);
  const live = await anotherTenant(service as never, "live");
  const sql = await openClient(t, service.databaseUrl);
  startWorkers(t, service, 1, env);
  // A working day's noon in every window of the mainland.
  const noon = workingNoon(new Date());
  await sql.query("update tenants set clock_offset_ms = $1 where mode = 'live'", [noon.getTime() - Date.now()]);

  const { carrier_id } = (await live.post("/v1/carriers", TWILIO)).body.carrier;
  const connected = (await live.post(`/v1/carriers/${carrier_id}/connect`, {})).body;
  assert.deepEqual([connected.carrier.status, connected.missing], ["connected", []]);
  const { campaignId } = await aCampaign(live as ReturnType<typeof client>, {
    contacts: [{ phone_number: CONTACT, first_name: "Ann" }],
    agent: { reply_delay_ms: 0 },
  });
  const texts = () => twilio.messages.filter(({ to }) => to === CONTACT).length;
  await until("the first text is at Twilio", async () => texts() === 1);
  assert.equal((await twilio.report(twilio.messages[0]!, "delivered")).status, 200);
  const thread = async () => {
    const path = `/v1/sms/threads/${encodeURIComponent(`${CONTACT}_${campaignId}`)}`;
    return (await live.get(path)).body;
  };
  await until("the text is delivered", async () => JSON.stringify(await thread()).includes('"delivered"'));

  const says = (text: string, sid: string) =>
    twilio.webhook(String(twilio.numbers[0]!.sms_url), {
      ...{ AccountSid: ACCOUNT_SID, ApiVersion: "2010-04-01", From: CONTACT, To: SENDER, Body: text },
      ...{ MessageSid: `SM${sid.repeat(32)}`, SmsSid: `SM${sid.repeat(32)}`, NumMedia: "0", NumSegments: "1" },
    });
  assert.equal((await says("Yes, tell me more", "c")).status, 200);
  await until("the agent has answered", async () => texts() === 2);
  assert.equal((await says("STOP", "d")).status, 200);
  assert.equal((await says("STOP", "d")).status, 200, "a second delivery is taken, and counts once");
  await until("the contact has opted out", async () => JSON.stringify(await thread()).includes('"opted_out"'));
  await until("the STOP is confirmed, once", async () => texts() === 3);
  const opened = twilio.messages.filter(({ to }) => to === CONTACT).map(({ body }) => body);
  assert.equal(new Set(opened).size, 3, "each text once");
});
