import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { settleOrders } from "#operations/numbers/settle-orders.ts";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { anAgent } from "#test/support/campaigns/campaign.ts";
import { addProfile } from "#test/support/carriers/telnyx/account.ts";
import { completeOrder } from "#test/support/carriers/telnyx/resources.ts";
import { startTelnyx } from "#test/support/carriers/telnyx/server.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const PATH = "/v1/voice/phone-numbers";
const OWN = "+12125550100";
const ALL = { sms: true, mms: true, voice: true };

const code = ({ status, body }: Answer) => [status, body.code];
const numberPath = (phone: string) => `${PATH}/${encodeURIComponent(phone)}`;

/** A live tenant whose service reaches Twilio and Telnyx at stand-ins that have numbers to give out. */
async function aTenant(t: TestContext) {
  const twilio = await startTwilio(t);
  const telnyx = await startTelnyx();
  t.after(() => telnyx.close());
  twilio.addNumber(OWN);
  twilio.stock.push("+12125550111", "+12125550112", "+14165550111");
  telnyx.account.stock.push("+15125550001", "+15125550002", "+15125550003");
  const hosts = {
    "api.twilio.com": twilio.url,
    "messaging.twilio.com": twilio.url,
    "api.telnyx.com": telnyx.url,
  };
  const env = { PARLEY_CARRIER_HOSTS: JSON.stringify(hosts), PARLEY_PUBLIC_URL: "https://parley.example" };
  const api = await startParley(t, env, ["api"]);
  const live = await anotherTenant(api, "live");
  const { organizationId: organization_id, agentId, userId } = await anAgent(live);
  const add = async (account: { kind: string; credentials: object; name: string; settings?: object }) => {
    const { body } = await live.post("/v1/carriers", account);
    const id = String(body.carrier.carrier_id);
    const connected = await live.post(`/v1/carriers/${id}/connect`, {});
    assert.equal(connected.status, 200, JSON.stringify(connected.body));
    return id;
  };
  return {
    ...{ twilio, telnyx, api, live, organization_id, agentId, userId },
    addTwilio: (settings = {}) =>
      add({
        ...{ kind: "twilio", name: "Main", settings },
        credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN },
      }),
    addTelnyx: () => {
      addProfile(telnyx.account);
      const credentials = { api_key: telnyx.apiKey, public_key: telnyx.publicKey };
      return add({ kind: "telnyx", name: "Second", credentials });
    },
    listed: async () => {
      const { body } = await live.get(`${PATH}?organization_id=${organization_id}&limit=100`);
      return body.phone_numbers as Record<string, unknown>[];
    },
    found: async (query: string) => {
      const answer = await live.get(`${PATH}/search?${query}`);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.phone_numbers.map((one: { phone_number: string }) => one.phone_number) as string[];
    },
    buy: (phone_number: string, more: object = {}, key?: string) =>
      live.request(
        "POST",
        `${PATH}/purchase`,
        { phone_number, organization_id, ...more },
        {
          headers: key === undefined ? {} : { "idempotency-key": key },
        },
      ),
  };
}

test("without an account a live tenant has no numbers to buy, and reads what to do; a test tenant keeps the simulator", async (t) => {
  const { live, api, addTwilio, twilio } = await aTenant(t);
  const refused = await live.get(`${PATH}/search?area_code=212`);
  assert.deepEqual(code(refused), [400, "voice_not_enabled"]);
  assert.match(refused.body.error, /connect an account with Twilio or Telnyx/);
  assert.deepEqual(code(await live.post(`${PATH}/create`, { area_code: "212" })), [400, "voice_not_enabled"]);
  const carrier_id = await addTwilio();
  const before = twilio.requests.length;
  assert.equal((await api.get(`${PATH}/search?area_code=212&limit=3`)).body.count, 3);
  assert.equal((await api.post(`${PATH}/create`, { area_code: "212" })).status, 201);
  assert.deepEqual(wrongFields(await api.post(`${PATH}/create`, { area_code: "212", carrier_id })), ["carrier_id"]);
  assert.equal(twilio.requests.length, before, "a test key's requests reach no carrier");
});

test("numbers are searched, bought, listed with their account and what they can, and given back at Twilio", async (t) => {
  const { twilio, addTwilio, listed, found, buy, live, organization_id } = await aTenant(t);
  const carrier_id = await addTwilio();
  assert.deepEqual(await found("area_code=212"), ["+12125550111", "+12125550112"]);
  assert.deepEqual(await found("area_code=416"), ["+14165550111"], "Canada has its own list");
  const bought = await buy("+12125550111");
  assert.equal(bought.status, 201, JSON.stringify(bought.body));
  assert.equal(twilio.numbers.at(-1)!.sms_url, `https://parley.example/carrier/${carrier_id}/sms`);
  const [newest] = await listed();
  assert.deepEqual(
    [newest!.phone_number, newest!.carrier_id, newest!.carrier_name, newest!.capabilities, newest!.organization_id],
    ["+12125550111", carrier_id, "Main", ALL, organization_id],
  );
  const again = await buy("+12125550111");
  assert.deepEqual([again.status, twilio.numbers.length], [201, 2], "one that is the tenant's already stays so");
  const any = await live.post(`${PATH}/create`, { area_code: "212", organization_id });
  assert.deepEqual([any.status, any.body.phone_number], [201, "+12125550112"]);
  assert.deepEqual(code(await live.post(`${PATH}/create`, { area_code: "212" })), [500, "no_numbers_available"]);
  assert.deepEqual(wrongFields(await buy("+12125550199")), ["phone_number"]);
  const gone = await live.delete(numberPath("+12125550112"));
  assert.equal(gone.status, 200, JSON.stringify(gone.body));
  assert.deepEqual(
    twilio.numbers.map(({ phone_number }) => phone_number),
    [OWN, "+12125550111"],
  );
  assert.equal((await listed()).length, 2);
});

test("a number that a text campaign goes out by is not given back", async (t) => {
  const { addTwilio, live, twilio, organization_id, agentId, userId } = await aTenant(t);
  await addTwilio();
  const campaign = {
    ...{ campaign_name: "Live", organization_id, user_id: userId, sms_agent_id: agentId },
    ...{ svc_sms_number: OWN, contacts: [{ phone_number: "+12124440001" }] },
  };
  assert.equal((await live.post("/v1/campaigns", campaign)).status, 202);
  assert.deepEqual(code(await live.delete(numberPath(OWN))), [409, "conflict"]);
  assert.equal(twilio.numbers.length, 1);
});

test("with several accounts the request names one; one that cannot be used is refused in words", async (t) => {
  const { addTwilio, addTelnyx, buy, found, live, api, organization_id } = await aTenant(t);
  const [first, second] = [await addTwilio(), await addTelnyx()];
  const unclear = await buy("+15125550001");
  assert.deepEqual(wrongFields(unclear), ["carrier_id"]);
  assert.ok(unclear.body.error.includes(`Main (${first}), Second (${second})`));
  assert.deepEqual(wrongFields(await live.get(`${PATH}/search?area_code=512`)), ["carrier_id"]);
  assert.equal((await found(`area_code=512&carrier_id=${second}`)).length, 3);
  assert.equal((await buy("+15125550001", { carrier_id: second })).status, 201);
  const any = { area_code: "512", organization_id, carrier_id: second };
  assert.equal((await live.post(`${PATH}/create`, any)).status, 201);
  assert.deepEqual(code(await buy("+15125550003", { carrier_id: "carrier_1" })), [404, "not_found"]);
  const other = await anotherTenant(api, "live");
  for (const path of [`${PATH}/purchase`, `${PATH}/create`]) {
    const foreign = { phone_number: "+15125550003", area_code: "512", carrier_id: second };
    assert.deepEqual(code(await other.post(path, foreign)), [404, "not_found"]);
  }
  assert.deepEqual(code(await other.get(`${PATH}/search?carrier_id=${second}`)), [404, "not_found"]);
  const unconnected = await live.post("/v1/carriers", {
    ...{ kind: "twilio", name: "Third" },
    credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN },
  });
  const { carrier_id } = unconnected.body.carrier;
  const refused = await buy("+15125550003", { carrier_id });
  assert.deepEqual(code(refused), [409, "conflict"]);
  assert.match(refused.body.error, /the carrier account Third is not connected yet/);
});

test("an answer that is lost after the purchase buys nothing twice: the carrier's list says whose the number is", async (t) => {
  const { twilio, telnyx, addTwilio, addTelnyx, buy, listed } = await aTenant(t);
  const [first, second] = [await addTwilio(), await addTelnyx()];
  twilio.next(/^POST .*IncomingPhoneNumbers\.json$/, "lose");
  assert.equal((await buy("+12125550111", { carrier_id: first }, "one")).status, 201);
  telnyx.next(/^POST \/v2\/number_orders$/, "lose");
  assert.equal((await buy("+15125550001", { carrier_id: second }, "two")).status, 201);
  assert.deepEqual([twilio.numbers.length, telnyx.account.orders.length], [2, 1]);
  const posts = () =>
    twilio.requests.filter(({ method, path }) => method === "POST" && /Incoming.*s\.json$/.test(path));
  assert.equal(posts().length, 1);
  const can = new Map((await listed()).map((one) => [one.phone_number, one.capabilities]));
  assert.deepEqual([can.get("+12125550111"), can.get("+15125550001")], [ALL, ALL]);
});

/** What a worker's sweep does, at a later time. */
async function aPoll(
  t: TestContext,
  { config, databaseUrl }: { config: Parameters<typeof wire>[0]; databaseUrl: string },
) {
  const { ctx, close } = wire(config, databaseUrl, "test");
  t.after(close);
  return (minutes: number) => settleOrders({ ...ctx, now: () => new Date(Date.now() + minutes * 60_000) });
}

test("what the carrier did not say is settled by the poll: bought where its list has the number, dropped where it never had", async (t) => {
  const { twilio, addTwilio, buy, listed, found, api } = await aTenant(t);
  await addTwilio();
  const [list, order] = [/^GET .*IncomingPhoneNumbers\.json$/, /^POST .*IncomingPhoneNumbers\.json$/];
  const unsure = async (phone: string, what: "lose" | "fail") => {
    twilio.next(list, "pass");
    twilio.next(order, what);
    twilio.next(list, 20404);
    const answer = await buy(phone, {}, phone);
    assert.deepEqual(code(answer), [409, "order_pending"]);
    assert.match(answer.body.error, /did not say whether the number was bought/);
  };
  await unsure("+12125550111", "lose");
  await unsure("+12125550112", "fail");
  assert.equal((await listed()).length, 1);
  assert.deepEqual(await found("area_code=212"), [], "what is being bought is not offered");
  const poll = await aPoll(t, api);
  await poll(0);
  assert.equal((await listed()).length, 1, "the request may be at it still");
  await poll(2);
  const [newest] = await listed();
  assert.deepEqual([newest!.phone_number, newest!.capabilities], ["+12125550111", ALL]);
  assert.deepEqual(await found("area_code=212"), []);
  await poll(20);
  assert.deepEqual(await found("area_code=212"), ["+12125550112"], "it was never taken, and may be had");
  const again = await buy("+12125550112", {}, "+12125550112");
  assert.deepEqual([again.status, twilio.numbers.length], [201, 3], "the same key runs again");
});

test("a request for any number that is repeated gets what it has ordered, before the poll and after it, and once", async (t) => {
  const { twilio, addTwilio, api, live, organization_id } = await aTenant(t);
  await addTwilio();
  const create = (more: object = { organization_id }) => live.post(`${PATH}/create`, { area_code: "212", ...more });
  const [list, order] = [/^GET .*IncomingPhoneNumbers\.json$/, /^POST .*IncomingPhoneNumbers\.json$/];
  const lost = async () => {
    twilio.next(list, "pass");
    twilio.next(order, "lose");
    twilio.next(list, 20404);
    assert.deepEqual(code(await create()), [409, "order_pending"]);
  };
  const bought = async (...more: object[]) => (await create(...more)).body.phone_number;
  await lost();
  assert.equal(await bought(), "+12125550111", "at once");
  twilio.stock.push("+12125550113", "+12125550114");
  await lost();
  const poll = await aPoll(t, api);
  await poll(2);
  assert.equal(await bought({}), "+12125550113", "another owner's request buys its own");
  assert.equal(await bought(), "+12125550112", "what the poll has settled");
  assert.equal(await bought(), "+12125550114", "which nobody gets twice");
  assert.equal(twilio.numbers.length, 5);
});

test("an order that was tried again lately is not dropped, however old it is", async (t) => {
  const { twilio, addTwilio, buy, found, api } = await aTenant(t);
  await addTwilio();
  const [list, order] = [/^GET .*IncomingPhoneNumbers\.json$/, /^POST .*IncomingPhoneNumbers\.json$/];
  const unsure = async () => {
    twilio.next(list, "pass");
    twilio.next(order, "fail");
    twilio.next(list, 20404);
    assert.deepEqual(code(await buy("+12125550111")), [409, "order_pending"]);
  };
  await unsure();
  const client = await openClient(t, api.databaseUrl);
  await client.query("update phone_numbers set created_at = created_at - interval '1 hour' where bought_at is null");
  await unsure();
  const poll = await aPoll(t, api);
  await poll(2);
  assert.deepEqual(await found("area_code=212"), ["+12125550112"], "it is ordered still");
  await poll(20);
  assert.equal((await found("area_code=212")).length, 2);
});

test("an order that is pending for long says so after 20 s; the number comes by itself, or the request goes on with the same order", async (t) => {
  const { telnyx, addTelnyx, buy, listed, api } = await aTenant(t);
  await addTelnyx();
  telnyx.account.orderReads = null;
  const [one, two] = ["+15125550001", "+15125550002"];
  for (const answer of await Promise.all([buy(one, {}, "one"), buy(two, {}, "two")])) {
    assert.deepEqual(code(answer), [409, "order_pending"]);
    assert.match(answer.body.error, /has not completed it within 20 seconds: the number comes by itself/);
  }
  const poll = await aPoll(t, api);
  await poll(2);
  assert.equal((await listed()).length, 0);
  for (const { id } of telnyx.account.orders) completeOrder(telnyx.account, id);
  assert.equal((await buy(one, {}, "one")).status, 201);
  await poll(4);
  const numbers = await listed();
  assert.deepEqual(numbers.map(({ phone_number }) => phone_number).sort(), [one, two]);
  assert.ok(numbers.every(({ capabilities }) => (capabilities as typeof ALL).sms));
  assert.equal(telnyx.account.orders.length, 2, "nothing was ordered twice");
  const [profile] = telnyx.account.profiles;
  assert.ok(telnyx.account.numbers.every((number) => number.messaging_profile_id === profile!.id));
});

test("a number that is bought while the account is being connected stays", async (t) => {
  const { twilio, addTwilio, buy, listed, live } = await aTenant(t);
  const carrier_id = await addTwilio();
  // The list of numbers is read before the purchase, and what it lacks is dropped after it.
  const reading = Promise.withResolvers<void>();
  const held = twilio.hold(/^GET .*IncomingPhoneNumbers\.json$/, reading.promise);
  const connecting = live.post(`/v1/carriers/${carrier_id}/connect`, {});
  await held;
  assert.equal((await buy("+12125550111")).status, 201);
  reading.resolve();
  assert.equal((await connecting).status, 200);
  assert.deepEqual((await listed()).map(({ phone_number }) => phone_number).sort(), [OWN, "+12125550111"]);
  twilio.numbers.pop();
  await live.post(`/v1/carriers/${carrier_id}/connect`, {});
  assert.deepEqual(
    (await listed()).map(({ phone_number }) => phone_number),
    [OWN],
    "what the account has no more goes",
  );
});

test("what a carrier refuses is said in words, whatever its code, and nothing is bought", async (t) => {
  const { twilio, telnyx, addTwilio, addTelnyx, buy, live } = await aTenant(t);
  const [first, second] = [await addTwilio(), await addTelnyx()];
  twilio.next(/^POST .*IncomingPhoneNumbers\.json$/, 29999);
  const unknown = await buy("+12125550111", { carrier_id: first }, "one");
  assert.deepEqual(code(unknown), [422, "carrier_problem"]);
  assert.match(unknown.body.error, /^Twilio refused the request: .*29999/);
  telnyx.next(/^POST \/v2\/number_orders$/, { refuse: "20100", status: 402 });
  const broke = await buy("+15125550001", { carrier_id: second }, "two");
  assert.deepEqual(code(broke), [422, "carrier_problem"]);
  assert.match(broke.body.error, /^Telnyx refuses this: .*\(20100\)/);
  twilio.next(/^DELETE /, 29998);
  const kept = await live.delete(numberPath(OWN));
  assert.deepEqual([...code(kept), twilio.numbers.length], [422, "carrier_problem", 1]);
  telnyx.next(/available_phone_numbers/, { refuse: "99999" });
  const search = await live.get(`${PATH}/search?area_code=512&carrier_id=${second}`);
  assert.deepEqual(code(search), [422, "carrier_problem"]);
  assert.equal((await buy("+12125550111", { carrier_id: first }, "three")).status, 201);
});

test("a purchase that is refused by the credentials has the account say so, and nothing more is ordered by it until it is repaired", async (t) => {
  const { twilio, live, buy, addTwilio } = await aTenant(t);
  const id = await addTwilio();
  twilio.next(/^POST .*IncomingPhoneNumbers/, 20003);
  assert.deepEqual(code(await buy("+12125550111")), [422, "carrier_problem"]);
  const { carrier } = (await live.get(`/v1/carriers/${id}`)).body;
  assert.equal(carrier.status, "problem");
  assert.match(carrier.problem, /does not take the account's credentials any more/);
  assert.deepEqual(code(await buy("+12125550111")), [409, "conflict"]);
  assert.equal((await live.post(`/v1/carriers/${id}/check`, {})).body.carrier.status, "connected");
  assert.equal((await buy("+12125550111")).status, 201);
});
