import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { liveCommand } from "#app/command/live.ts";
import { wire } from "#app/context.ts";
import { parseId } from "#domain/values/id.ts";
import { changeScreening } from "#operations/compliance/change-screening.ts";
import { inMode } from "#store/accounts/tenants.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, startParley } from "#test/support/api/parley.ts";
import { anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import { root } from "#test/support/source/source.ts";

const TWILIO = { name: "Main", kind: "twilio", credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN } };

const run = promisify(execFile);

type Check = { name: string; ok: boolean; found: string | null; problem: string | null; remedy: string | null };

async function checksOf(client: Pick<Parley, "get">) {
  const { status, body } = await client.get("/v1/live-checks");
  assert.equal(status, 200, JSON.stringify(body));
  const checks: Check[] = body.checks;
  for (const { name, ok, problem, remedy } of checks) {
    assert.equal(ok, problem === null, name);
    if (ok) assert.equal(remedy, null, name);
  }
  assert.equal(
    body.is_ready,
    checks.every(({ ok }) => ok),
  );
  const of = (name: string) => checks.find((check) => check.name === name)!;
  return { body, of, failed: checks.filter(({ ok }) => !ok).map(({ name }) => name) };
}

/** A service that reaches Twilio at its stand-in, and itself by its own address. */
async function atTwilio(t: TestContext, env: Record<string, string> = {}) {
  const twilio = await startTwilio(t);
  twilio.addNumber(SENDER);
  const hosts = { "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url };
  const port = await aFreePort();
  const own = { PORT: String(port), PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}` };
  const api = await startParley(t, { PARLEY_CARRIER_HOSTS: JSON.stringify(hosts), ...own, ...env }, ["api"]);
  return { twilio, api, live: await anotherTenant(api, "live") };
}

test("in test mode one entry says that nothing real is reached", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { body, failed } = await checksOf(api);
  assert.deepEqual([body.mode, body.is_ready, failed], ["test", false, ["mode"]]);
  assert.match(body.checks[0].problem, /simulated phones/);
});

test("a live tenant without anything is said what to do, and each thing that is done turns ok", async (t) => {
  const { live, api } = await atTwilio(t, { PARLEY_FIRST_HOUR_TEXTS: "500" });
  const before = await checksOf(live);
  assert.deepEqual(before.failed, ["public_address", "carrier", "spend_limit", "do_not_call"]);
  assert.match(before.of("public_address").problem!, /your own network/);
  assert.equal(before.of("reachable").ok, true, "it reaches itself by its own address");
  assert.match(before.of("first_hour").found!, /500 campaign texts in its first hour: 50 at once/);
  assert.match(before.of("opt_out_text").found!, /no agent/);

  const { carrier_id } = (await live.post("/v1/carriers", TWILIO)).body.carrier;
  const added = await checksOf(live);
  assert.ok(added.body.checks.some(({ problem }: Check) => problem === "Main is not connected yet."));
  await live.post(`/v1/carriers/${carrier_id}/connect`, {});
  await live.patch("/v1/sending", { daily_spend_limit: "25.00" });
  await anAgent(live, { agent_name: "Sol", starting_message: "Hi {{first_name}}" });
  await anAgent(live, { agent_name: "Luz", starting_message: "Hi. Reply STOP to opt out." });
  const after = await checksOf(live);
  assert.deepEqual(after.failed, ["public_address", "opt_out_text", "do_not_call"]);
  assert.match(after.of("carrier").found!, /^Main is connected: 1 number, last checked a moment ago\.$/);
  assert.equal(after.body.checks.find(({ name }: Check) => name === "webhooks").carrier_id, carrier_id);
  assert.match(after.of("opt_out_text").problem!, /of: Sol\.$/);
  assert.match(after.of("spend_limit").found!, /^\$25\.00 a day of America\/New_York/);

  await live.post("/v1/sending/stop", {});
  assert.ok((await checksOf(live)).failed.includes("sending"));
  const other = await checksOf(await anotherTenant(api, "live"));
  assert.deepEqual(other.failed, before.failed, "another tenant's are its own");
});

test("a carrier that does not answer is a check that failed in time, and no other is held up", async (t) => {
  const { live, twilio } = await atTwilio(t);
  const { carrier_id } = (await live.post("/v1/carriers", TWILIO)).body.carrier;
  await live.post(`/v1/carriers/${carrier_id}/connect`, {});
  twilio.isSilent = true;
  const [one, two] = await Promise.all([checksOf(live), checksOf(live)]);
  assert.match(one.of("carrier_check").problem!, /^Main did not answer within 8 seconds/);
  assert.equal(one.of("quiet_hours").ok, true);
  assert.deepEqual(one.failed, two.failed);
});

test("parley live says the same in the terminal, and ends with 0 once all is right", async (t) => {
  const { live, api } = await atTwilio(t);
  const tenant = (await live.get("/v1/me")).body.tenant_id;
  const env = processEnv({ DATABASE_URL: api.databaseUrl, PARLEY_DATA_DIR: api.config.dataDir });
  const settings = {
    PARLEY_PUBLIC_URL: api.config.publicUrl,
    PARLEY_CARRIER_HOSTS: JSON.stringify(api.config.carrierHosts),
  };
  const args = [join(root, "bin/parley.ts"), "live", "--tenant", tenant];
  const child = await run(process.execPath, args, { env: { ...env, ...settings } }).catch((error) => error);
  assert.equal(child.code, 1, child.stderr);
  assert.match(child.stdout, /^ok {3}reachable: A request to .* came back to this service\.$/m);
  assert.match(child.stdout, /^FAIL carrier: No carrier is connected: .*\n {5}What to do: Connect an account/m);
  assert.match(child.stdout, /^Not ready: 4 of \d+ checks ask for something\.$/m);

  const { carrier_id } = (await live.post("/v1/carriers", TWILIO)).body.carrier;
  await live.post(`/v1/carriers/${carrier_id}/connect`, {});
  await live.patch("/v1/sending", { daily_spend_limit: "25.00" });
  const { ctx, close } = wire(api.config, api.databaseUrl, "parley live");
  t.after(close);
  const tenantId = await inMode(ctx.db, parseId("tenant", tenant)!, "live");
  await changeScreening(ctx, tenantId!, { requireConsent: "express", reason: "no list" });
  const said: string[] = [];
  // No test has a public address: this one is taken for one.
  const here = { ...ctx, publicAddress: { ...ctx.publicAddress, problem: () => undefined } };
  const command = liveCommand(
    (work) => work(here),
    (line) => said.push(line),
  );
  await command.parseAsync(["--tenant", tenant], { from: "user" });
  assert.equal(said.at(-1), "All is ready: real phones can be reached.", said.join("\n"));
  assert.equal(process.exitCode, undefined);
});

test("what answers in its place is not taken for this service", async (t) => {
  const other = createServer((_request, response) => response.end("Welcome\n"));
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { live } = await atTwilio(t, { PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}` });
  assert.match((await checksOf(live)).of("reachable").problem!, /was not this service \(status 200\)/);
  other.close();
  assert.match((await checksOf(live)).of("reachable").problem!, /Nothing answered at/);
});
