import assert from "node:assert/strict";
import { test } from "node:test";
import { carrierCommand } from "#app/command/carrier-command.ts";
import { wire } from "#app/context.ts";
import { parseId } from "#domain/values/id.ts";
import { listLoans } from "#operations/accounts/lend-carrier.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";

const NUMBERS = ["+12125550101", "+12125550102"];

test("parley carrier lends an account with limits, gives numbers, lists both, takes a number back and ends the loan, and says what is wrong", async (t) => {
  const twilio = await startTwilio(t);
  for (const phone of NUMBERS) twilio.addNumber(phone);
  const hosts = { "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url };
  const env = { PARLEY_PUBLIC_URL: "https://parley.example", PARLEY_CARRIER_HOSTS: JSON.stringify(hosts) };
  const service = await startParley(t, env, ["api"]);
  const [host, ann] = [await anotherTenant(service, "live"), await anotherTenant(service, "live")];
  const credentials = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
  const made = await host.post("/v1/carriers", { name: "Main", kind: "twilio", credentials });
  const { carrier_id: account } = made.body.carrier;
  assert.equal((await host.post(`/v1/carriers/${account}/connect`, {})).status, 200);
  const tenant = (await ann.get("/v1/me")).body.tenant_id as string;
  const { ctx, close } = wire(service.config, service.databaseUrl, "host");
  t.after(close);

  /** What the command prints. */
  const parley = async (...args: string[]): Promise<string> => {
    const lines: string[] = [];
    const command = carrierCommand(
      (work) => work(ctx),
      (line) => lines.push(line),
    ).exitOverride();
    command.configureOutput({ writeErr: () => {} });
    for (const each of command.commands) each.exitOverride().configureOutput({ writeErr: () => {} });
    await command.parseAsync(args, { from: "user" });
    return lines.join("\n");
  };
  const seen = async () => (await ann.get("/v1/carriers")).body.carriers[0];

  for (const [wrong, message] of [
    [["lend", account], /--tenant/],
    [["lend", "carrier_none", "--tenant", tenant], /not an account's id/],
    [["lend", account, "--tenant", "tnt_none"], /--tenant is not a tenant's id/],
    [["lend", account, "--tenant", tenant, "--per-day", "1.5"], /--per-day must be a whole number/],
    [["lend", account, "--tenant", tenant, "--per-second", "0"], /--per-second must be a number above 0/],
    [["lend", account, "--tenant", tenant, "--calls-at-once", "0.5"], /--calls-at-once must be a whole number/],
    [["lend", account, "--tenant", tenant, "--calls-at-once", "5"], /set its setting voice to stream/],
    [["lend", account, "--tenant", tenant, "--messaging", "other"], /without a setting messaging_profile_id/],
    [["give", account, "--tenant", tenant, NUMBERS[0]!], /not lent to this tenant/],
    [["give", account, "--tenant", tenant, "5550101"], /number/],
    [["end", account, "--tenant", tenant], /not lent to this tenant/],
  ] as const)
    await assert.rejects(parley(...wrong), message);
  assert.equal(await seen(), undefined, "nothing was lent");
  assert.equal(await parley("list", account), "");

  const lent = await parley("lend", account, "--tenant", tenant, "--name", "Texts", "--per-second", "2.5");
  const lentAs = (await seen()).carrier_id;
  assert.equal(lent, `${tenant} has it as ${lentAs}: 2.5 texts a second, any a day, no calls at once`);
  const service_sid = `MG${"0".repeat(32)}`;
  const more = ["--per-second", "none", "--per-day", "100", "--messaging", service_sid];
  assert.match(await parley("lend", account, "--tenant", tenant, ...more), /any texts a second, 100 a day/);
  const settings = async () => (await listLoans(ctx, parseId("carrier", account)!))[0]!.loan.settings;
  assert.deepEqual(
    [(await seen()).name, (await seen()).settings],
    ["Texts", {}],
    "settings are not the tenant's to see",
  );
  assert.deepEqual(await settings(), { messaging_service_sid: service_sid });
  await parley("lend", account, "--tenant", tenant, "--messaging", "none");
  assert.deepEqual(await settings(), {});
  assert.equal((await host.patch(`/v1/carriers/${account}`, { settings: { voice: "stream" } })).status, 200);
  assert.match(await parley("lend", account, "--tenant", tenant, "--calls-at-once", "5"), /5 calls at once$/);
  assert.equal((await seen()).shared.calls_at_once, 5);
  assert.match(await parley("lend", account, "--tenant", tenant, "--calls-at-once", "none"), /no calls at once$/);

  const given = await parley("give", account, "--tenant", tenant, ...NUMBERS);
  assert.equal(given, `${tenant} has now ${NUMBERS.join(", ")}`);
  assert.equal(
    await parley("list", account),
    `${tenant} as ${lentAs} (Texts): any texts a second, 100 a day, no calls at once; ${NUMBERS.join(", ")}`,
  );
  await parley("take-back", account, "--tenant", tenant, NUMBERS[0]!);
  assert.equal((await seen()).numbers_count, 1);
  assert.equal(await parley("end", account, "--tenant", tenant), `${tenant} has it no more`);
  assert.equal(await seen(), undefined);
  assert.equal((await host.get(`/v1/carriers/${account}`)).body.carrier.numbers_count, 2);
  assert.equal(await parley("list", account), "");
});
