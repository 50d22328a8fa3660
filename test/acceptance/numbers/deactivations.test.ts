import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { readDeactivations } from "#operations/compliance/read-deactivations.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { ACCOUNT_SID, AUTH_TOKEN, DEACTIVATIONS_HOST, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";

const DAY_MS = 86_400_000;
const [GIVEN_UP, KEPT, LATER, UNKNOWN] = ["+12124441000", "+12124441001", "+12124441002", "+12124449999"] as const;
/** Far from midnight, at which another day's list is asked for. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const dayBefore = (days: number) => new Date(NOON - days * DAY_MS).toISOString().slice(0, 10);

/** A live tenant with a campaign over Twilio's stand-in, whose account reads the lists of given-up numbers where it says so. */
async function aTenant(t: TestContext, settings: object) {
  const twilio = await startTwilio(t);
  twilio.addNumber(SENDER);
  const hosts = {
    "api.twilio.com": twilio.url,
    "messaging.twilio.com": twilio.url,
    [DEACTIVATIONS_HOST]: twilio.url,
  };
  const api = await startParley(t, { PARLEY_CARRIER_HOSTS: JSON.stringify(hosts) }, ["api"]);
  const live = await anotherTenant(api, "live");
  const credentials = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
  const made = await live.post("/v1/carriers", { kind: "twilio", name: "Main", credentials, settings });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal((await live.post(`/v1/carriers/${made.body.carrier.carrier_id}/connect`, {})).status, 200);
  await aCampaign(live, { contacts: [GIVEN_UP, KEPT, LATER].map((phone_number) => ({ phone_number })) });
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const signal = new AbortController().signal;
  return {
    ...{ twilio, api, live },
    /** What a worker's sweep does, at a later time. */
    read: (hours = 0) => readDeactivations({ ...ctx, now: () => new Date(NOON + hours * 3_600_000) }, signal),
    asked: () => twilio.requests.filter(({ path }) => path === "/v1/Deactivations").length,
    ruleOf: async (phone: string) =>
      (await live.get(`/v1/contactability?phone_number=${encodeURIComponent(phone)}`)).body.rule?.id,
    historyOf: async (phone: string) =>
      (await live.get(`/v1/consents/${encodeURIComponent(phone)}`)).body.consent.history as {
        source: string;
        at: string;
      }[],
  };
}

test("given-up numbers that the tenant knows get nothing more until there is a consent from afterwards; a list counts once", async (t) => {
  const { twilio, live, read, asked, ruleOf, historyOf } = await aTenant(t, { deactivations: true });
  const consent = {
    basis: "express",
    source: "web form",
    obtained_at: new Date(Date.now() - 30 * DAY_MS).toISOString(),
  };
  const put = (phone: string, more = {}) =>
    live.request("PUT", `/v1/consents/${encodeURIComponent(phone)}`, { ...consent, ...more });
  assert.equal((await put(GIVEN_UP)).status, 200);
  twilio.deactivated.set(dayBefore(1), [GIVEN_UP, LATER.slice(1), UNKNOWN, "", "no number"]);
  await read();
  assert.equal(await ruleOf(GIVEN_UP), "deactivated_number");
  assert.equal(await ruleOf(LATER), "deactivated_number", "one without a plus");
  assert.notEqual(await ruleOf(KEPT), "deactivated_number");
  const ended = (await historyOf(GIVEN_UP)).filter(({ source }) => source === "deactivated");
  assert.deepEqual(
    ended.map(({ at }) => at.slice(0, 10)),
    [dayBefore(1)],
  );
  assert.deepEqual(await historyOf(UNKNOWN), [], "whom the tenant does not know is not noted");
  await read();
  await read(2);
  assert.equal(asked(), 1, "a day's list is read once");
  assert.equal((await historyOf(GIVEN_UP)).filter(({ source }) => source === "deactivated").length, 1);
  assert.equal((await put(GIVEN_UP, { obtained_at: new Date().toISOString() })).status, 200);
  assert.notEqual(await ruleOf(GIVEN_UP), "deactivated_number", "whoever has it now has consented");
});

test("a list that is not there yet is asked for again in an hour, and missed days are made up for", async (t) => {
  const { twilio, read, asked, ruleOf } = await aTenant(t, { deactivations: true });
  await read();
  assert.equal(asked(), 1);
  await read(0.5);
  assert.equal(asked(), 1);
  twilio.deactivated.set(dayBefore(1), [KEPT]);
  await read(1.1);
  assert.deepEqual([asked(), await ruleOf(KEPT)], [2, "deactivated_number"]);
  twilio.deactivated.set(dayBefore(0), [GIVEN_UP]);
  twilio.deactivated.set(dayBefore(-1), []);
  await read(48);
  assert.deepEqual([asked(), await ruleOf(GIVEN_UP)], [4, "deactivated_number"]);
});

test("an account that has not asked for it reads no list", async (t) => {
  const { twilio, read, asked, ruleOf } = await aTenant(t, {});
  twilio.deactivated.set(dayBefore(1), [GIVEN_UP]);
  await read();
  assert.equal(asked(), 0);
  assert.notEqual(await ruleOf(GIVEN_UP), "deactivated_number");
});
