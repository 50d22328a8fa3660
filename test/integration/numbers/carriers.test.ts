import assert from "node:assert/strict";
import { test } from "node:test";
import { liveTenant } from "#domain/accounts/modes.ts";
import { publicId } from "#domain/values/id.ts";
import { resumeCampaign } from "#operations/campaigns/control-campaign.ts";
import { contextFor } from "#operations/context.ts";
import { deleteCarrier, updateCarrier } from "#operations/numbers/change-carrier.ts";
import { checkCarrier, connectCarrier, rotateCarrier } from "#operations/numbers/connect-carrier.ts";
import { createCarrier } from "#operations/numbers/create-carrier.ts";
import { getCarrier, listCarriers } from "#operations/numbers/read-carriers.ts";
import { webhookReader } from "#operations/numbers/read-webhook.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import type { WebhookRequest } from "#ports/carrier-account.ts";
import type { Tx } from "#store/database/db.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import {
  aLiveAccount,
  aLiveCampaign,
  CREDENTIALS,
  type LiveAccount,
  signal,
} from "#test/support/messaging/live-account.ts";

async function drainAll({ ctx, caller, client }: LiveAccount): Promise<void> {
  const { rows } = await client.query("select id from lanes where tenant_id = $1", [caller.tenantId]);
  for (const { id } of rows) await drainLane(ctx, { tenantId: caller.tenantId, laneId: id }, signal());
}

test("a test key has no account: neither the type nor the operations give it one", async (t) => {
  const here = await aLiveAccount(t);
  const { ctx, caller, account } = here;
  const { accounts } = ctx.carriers;
  assert.equal(liveTenant({ tenantId: caller.tenantId, mode: "test" }), undefined);
  const asTest = { ...caller, mode: "test" as const };
  for (const refused of [
    createCarrier(ctx, asTest, {
      kind: "twilio",
      name: "T",
      organizationId: null,
      credentials: CREDENTIALS,
      settings: {},
    }),
    getCarrier(ctx, asTest, account.id),
    listCarriers(ctx, asTest, { before: account.id, limit: 10 }),
    connectCarrier(ctx, asTest, account.id, { replace: false, dryRun: false }, signal()),
    checkCarrier(ctx, asTest, account.id, undefined, signal()),
    rotateCarrier(ctx, asTest, account.id, CREDENTIALS, signal()),
    deleteCarrier(ctx, asTest, account.id),
  ]) {
    await assert.rejects(refused, { code: "live_key_required", status: 403 });
  }
  // @ts-expect-error An id that nobody has found to be a live tenant's opens nothing.
  const opened = accounts.open(caller.tenantId, account.carrier, { tx: ctx.db });
  assert.ok(await opened);
});

test("an account keeps its credentials sealed, its numbers with what they can do, and each number on one account", async (t) => {
  const { ctx, caller, client, account, vendor } = await aLiveAccount(t);
  const { rows } = await client.query("select credentials from carrier_accounts");
  assert.deepEqual(Object.keys(rows[0].credentials).sort(), ["account_sid", "auth_token"]);
  assert.equal(
    rows[0].credentials.auth_token,
    `carrier_accounts|${caller.tenantId}|${account.carrier}|credentials.auth_token=right`,
  );
  assert.deepEqual([account.status, account.numbers_count], ["connected", 1]);
  const numbers = await client.query("select phone, carrier, sms, mms, voice from phone_numbers");
  assert.deepEqual(numbers.rows, [{ phone: SENDER, carrier: account.carrier, sms: true, mms: false, voice: true }]);

  const given = {
    kind: "twilio",
    name: "Second",
    organizationId: null,
    credentials: CREDENTIALS,
    settings: {},
  } as const;
  const second = await createCarrier(ctx, caller, given);
  const { missing, account: after } = await connectCarrier(
    ctx,
    caller,
    second.id,
    { replace: false, dryRun: false },
    signal(),
  );
  assert.equal(after.numbers_count, 0);
  assert.ok(missing.includes(`${SENDER} is a number of another account here: remove it there first`), missing.join());
  assert.ok(missing.some((sentence) => sentence.includes("PARLEY_PUBLIC_URL")));

  await deleteCarrier(ctx, caller, account.id);
  await assert.rejects(getCarrier(ctx, caller, account.id), { code: "not_found" });
  await connectCarrier(ctx, caller, second.id, { replace: false, dryRun: false }, signal());
  assert.equal((await getCarrier(ctx, caller, second.id)).numbers_count, 1);
  vendor.numbers = [];
  const later = { ...ctx, now: () => new Date(ctx.now().getTime() + 1_000) };
  await connectCarrier(later, caller, second.id, { replace: false, dryRun: false }, signal());
  assert.equal((await getCarrier(ctx, caller, second.id)).numbers_count, 0);
});

test("who is limited to organizations sees accounts of theirs and of the whole tenant, and changes none of the latter", async (t) => {
  const { ctx, caller, account, live } = await aLiveAccount(t);
  const { body } = await live.post("/v1/organizations", { name: "Acme" });
  assert.equal(typeof body.unique_id, "string");
  const limited = contextFor(ctx, { organizations: [ctx.newId()] });
  assert.equal((await getCarrier(limited, caller, account.id)).name, "Main");
  await assert.rejects(updateCarrier(limited, caller, account.id, { name: "Mine" }));
  assert.equal((await getCarrier(ctx, caller, account.id)).name, "Main");
});

test("an account is opened once a revision, and the next text after a change leaves with the new credentials", async (t) => {
  const here = await aLiveAccount(t);
  const { ctx, caller, vendor, account } = here;
  await aLiveCampaign(here, 3);
  const before = vendor.opened.length;
  await drainAll(here);
  assert.equal(vendor.taken.length, 3);
  assert.equal(vendor.opened.length, before, "what was opened to connect it is used");

  vendor.token = "newer";
  const refused = rotateCarrier(ctx, caller, account.id, { ...CREDENTIALS, auth_token: "wrong" }, signal());
  await assert.rejects(refused, { code: "carrier_problem", message: "The token is refused" });
  assert.equal((await getCarrier(ctx, caller, account.id)).revision, account.revision);
  const rotated = await rotateCarrier(ctx, caller, account.id, { ...CREDENTIALS, auth_token: "newer" }, signal());
  assert.deepEqual([rotated.revision, rotated.status], [account.revision + 1, "connected"]);
  await aLiveCampaign(here, 5);
  await drainAll(here);
  const later = vendor.taken.slice(3);
  assert.ok(later.length > 0 && later.every(({ token }) => token === "newer"));
});

test("an account stays the account that it is, and where it is while a text by it is in doubt", async (t) => {
  const here = await aLiveAccount(t);
  const { ctx, caller, client, account } = here;
  const other = { ...CREDENTIALS, account_sid: `AC${"1".repeat(32)}` };
  await assert.rejects(rotateCarrier(ctx, caller, account.id, other, signal()), {
    code: "invalid_request",
    message: /credentials\.account_sid is another account: add it as its own/,
  });
  await aLiveCampaign(here, 1);
  await drainAll(here);
  const move = { settings: { region: "ie1", edge: "dublin" } };
  for (const state of ["uncertain", "in_flight"]) {
    await client.query("update attempts set state = $1", [state]);
    await assert.rejects(updateCarrier(ctx, caller, account.id, move), { code: "conflict", message: /on their way/ });
  }
  await updateCarrier(ctx, caller, account.id, { name: "Renamed" });
  await client.query("update attempts set state = 'accepted'");
  assert.deepEqual((await updateCarrier(ctx, caller, account.id, move)).settings, move.settings);
});

test("a check calls a real phone alone, nobody who must not be called, and nobody while all is stopped", async (t) => {
  const { ctx, caller, client, account, live } = await aLiveAccount(t);
  const [to, wrong] = ["+12124440123", { code: "invalid_request", status: 400 }];
  const check = (phone: string) => checkCarrier(ctx, caller, account.id, phone, signal());
  for (const none of ["911", "+1911", "988", "sip:x@y.example", "12"]) await assert.rejects(check(none), wrong);
  assert.ok((await check(to)).checks.length > 0);

  assert.ok((await live.post("/v1/dnc/add", { phone_number: to })).status < 300);
  await assert.rejects(check("(212) 444-0123"), { ...wrong, message: "to is on the do-not-call list" });
  await client.query("delete from do_not_call");
  await client.query("update consents set opted_out_at = now() where phone = $1", [to]);
  await assert.rejects(check(to), { ...wrong, message: "to has opted out" });
  await client.query("update consents set opted_out_at = null");
  await client.query("update tenants set sending_stopped_at = now() where id = $1", [caller.tenantId]);
  await assert.rejects(check(to), { code: "conflict", status: 409 });
  assert.ok((await checkCarrier(ctx, caller, account.id, undefined, signal())).checks.length > 0);
});

test("an account that the carrier has suspended is suspended, until a check finds it active", async (t) => {
  const { ctx, caller, vendor, account } = await aLiveAccount(t);
  const check = async () => (await checkCarrier(ctx, caller, account.id, undefined, signal())).account;
  Object.assign(vendor, { trouble: "It waits for an invoice to be paid", isSuspended: true });
  const suspended = await check();
  assert.deepEqual([suspended.status, suspended.problem], ["suspended", "It waits for an invoice to be paid"]);
  vendor.isSuspended = false;
  for (const found of ["The account is a trial: it texts verified numbers only", null]) {
    vendor.trouble = found;
    assert.equal((await check()).status, "connected");
  }
});

test("credentials that are revoked in mid-campaign pause it with the reason, and after a rotate it goes on with nothing twice", async (t) => {
  const here = await aLiveAccount(t);
  const { ctx, caller, vendor, account, client } = here;
  const campaignId = await aLiveCampaign(here, 5);
  vendor.token = "revoked";
  await drainAll(here);
  const { rows } = await client.query("select status, pause_reason from campaigns");
  assert.deepEqual(rows, [{ status: "paused", pause_reason: "carrier_key_refused" }]);
  const troubled = await getCarrier(ctx, caller, account.id);
  assert.equal(troubled.status, "problem");
  assert.match(troubled.problem!, /credentials any more \(20003\)/);
  assert.equal(vendor.taken.length, 0);
  await assert.rejects(resumeCampaign(ctx, caller, campaignId), { code: "conflict", message: /Main has a problem/ });
  await assert.rejects(aLiveCampaign(here, 1), { code: "sms_not_enabled", message: /^svc_sms_number cannot send: / });
  await assert.rejects(deleteCarrier(ctx, caller, account.id), { code: "conflict" });

  await rotateCarrier(ctx, caller, account.id, { ...CREDENTIALS, auth_token: "revoked" }, signal());
  await resumeCampaign(ctx, caller, campaignId);
  await client.query("update lanes set held_until = null");
  await client.query("update messages set due_at = $1 where state = 'scheduled'", [ctx.now()]);
  await drainAll(here);
  const phones = vendor.taken.map(({ text }) => text.to);
  assert.deepEqual([phones.length, new Set(phones).size], [5, 5]);
});

test("a live campaign is refused whose sender is on no account, or on one that is not connected", async (t) => {
  const here = await aLiveAccount(t);
  const { client } = here;
  await client.query("update carrier_accounts set status = 'new'");
  await assert.rejects(aLiveCampaign(here, 1), { code: "sms_not_enabled", message: /Main is not connected yet/ });
  await client.query("update carrier_accounts set status = 'connected'");
  await client.query("update phone_numbers set sms = false");
  await assert.rejects(aLiveCampaign(here, 1), { code: "sms_not_enabled", message: /for calls alone/ });
  await client.query("delete from phone_numbers");
  await assert.rejects(aLiveCampaign(here, 1), { code: "sms_not_enabled", message: /is on no carrier account/ });
});

test("a webhook is read by the account's credentials as they are now, for a day by those before, and by nobody else's", async (t) => {
  const { ctx, caller, vendor, account } = await aLiveAccount(t);
  const read = webhookReader(ctx);
  const request = (token: string): WebhookRequest => ({
    ...{ path: "sms", url: "https://parley.example/carrier", body: Buffer.from("raw"), now: ctx.now() },
    headers: { "x-token": token },
  });
  assert.equal((await read(account.carrier, request("right")))?.events.answer.body, "raw");
  assert.equal(await read(account.carrier, request("wrong")), undefined);
  assert.equal(await read(account.carrier.replace(/.$/, "z"), request("right")), undefined);
  assert.equal(await read("carrier_nonsense", request("right")), undefined);
  vendor.token = "newer";
  await rotateCarrier(ctx, caller, account.id, { ...CREDENTIALS, auth_token: "newer" }, signal());
  assert.ok(await read(account.carrier, request("newer")), "at once, though the older ones are still known");
  assert.ok(await read(account.carrier, request("right")), "the carrier may sign with the former ones for a while");
  assert.equal(await read(account.carrier, request("wrong")), undefined);
  const aDayLater = webhookReader({ ...ctx, now: () => new Date(ctx.now().getTime() + 25 * 3_600_000) });
  assert.ok(await aDayLater(account.carrier, request("newer")));
  assert.equal(await aDayLater(account.carrier, request("right")), undefined);
  await deleteCarrier(ctx, caller, account.id);
  assert.equal(await read(account.carrier, request("wrong")), undefined);
});

test("webhooks of nobody cost one statement for all, and those with wrong signatures next to none; a good one is taken meanwhile", async (t) => {
  const { ctx, caller, vendor, account } = await aLiveAccount(t);
  const run: string[] = [];
  const counted = <K extends "rows" | "first">(method: K) =>
    ((statement: Parameters<Tx[K]>[0], values: Parameters<Tx[K]>[1]) => {
      run.push(statement.name);
      return ctx.db[method](statement, values);
    }) as Tx[K];
  const read = webhookReader({ ...ctx, db: { ...ctx.db, rows: counted("rows"), first: counted("first") } });
  const request = (token: string): WebhookRequest => ({
    ...{ path: "sms", url: "https://parley.example/carrier", body: Buffer.from("raw"), now: ctx.now() },
    headers: { "x-token": token },
  });
  const statements = async (work: Promise<unknown>[]) => {
    run.length = 0;
    const answers = await Promise.all(work);
    return { refused: answers.filter((answer) => answer === undefined).length, n: run.length };
  };
  const nobodys = Array.from({ length: 500 }, () => publicId("carrier", ctx.newId()));

  assert.ok(await read(account.carrier, request("right")));
  const first = await statements(nobodys.map((id) => read(id, request("right"))));
  assert.equal(first.refused, 500);
  assert.ok(first.n <= 2, `${first.n} statements`);
  assert.deepEqual(await statements(nobodys.map((id) => read(id, request("right")))), { refused: 500, n: 0 });
  const wrong = await statements(nobodys.map(() => read(account.carrier, request("wrong"))));
  assert.equal(wrong.refused, 500);
  // Its tenant, the account, who lends it, and what it was before.
  assert.ok(wrong.n <= 4, `${wrong.n} statements: ${run}`);
  assert.deepEqual(await statements(nobodys.map(() => read(account.carrier, request("right")))), { refused: 0, n: 0 });

  const patient = { isPatient: true };
  const others = Array.from({ length: 500 }, () => publicId("carrier", ctx.newId()));
  const late = statements([...others, ...others].map((id) => read(id, request("right"), patient)));
  assert.ok(await read(account.carrier, request("right"), patient), "what is signed by the carrier waits for nobody");
  const { refused, n } = await late;
  assert.equal(refused, 1_000);
  // Those that come while the first are looked up are looked up together.
  assert.ok(n <= 2, `${n} statements`);
  vendor.token = "newer";
  await rotateCarrier(ctx, caller, account.id, { ...CREDENTIALS, auth_token: "newer" }, signal());
  assert.ok(await read(account.carrier, request("newer"), patient));
});
