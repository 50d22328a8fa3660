import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { parseId } from "#domain/values/id.ts";
import { changeScreening } from "#operations/compliance/change-screening.ts";
import { lookUpLists } from "#operations/numbers/look-up-numbers.ts";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { sendFile } from "#test/support/campaigns/import.ts";
import { addProfile } from "#test/support/carriers/telnyx/account.ts";
import { startTelnyx } from "#test/support/carriers/telnyx/server.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";

const PATH = "/v1/number-lookups";
const phone = (n: number) => `+1212444${String(1000 + n)}`;
const code = ({ status, body }: Answer) => [status, body.code];

/** A live tenant whose service reaches Twilio and Telnyx at stand-ins. */
async function aTenant(t: TestContext, roles: Parameters<typeof startParley>[2] = ["api"]) {
  const twilio = await startTwilio(t);
  const telnyx = await startTelnyx();
  t.after(() => telnyx.close());
  twilio.addNumber(SENDER);
  const hosts = {
    "api.twilio.com": twilio.url,
    "messaging.twilio.com": twilio.url,
    "lookups.twilio.com": twilio.url,
    "api.telnyx.com": telnyx.url,
  };
  const env = { PARLEY_CARRIER_HOSTS: JSON.stringify(hosts), PARLEY_PRICE_PER_LOOKUP: "0.005" };
  const api = await startParley(t, env, roles);
  const live = await anotherTenant(api, "live");
  const add = async (account: object): Promise<string> => {
    const { carrier_id } = (await live.post("/v1/carriers", account)).body.carrier;
    assert.equal((await live.post(`/v1/carriers/${carrier_id}/connect`, {})).status, 200);
    return carrier_id;
  };
  return {
    ...{ twilio, telnyx, api, live },
    addTwilio: () =>
      add({ kind: "twilio", name: "Main", credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN } }),
    addTelnyx: () => {
      addProfile(telnyx.account);
      const credentials = { api_key: telnyx.apiKey, public_key: telnyx.publicKey };
      return add({ kind: "telnyx", name: "Second", credentials });
    },
    asked: () => twilio.requests.filter(({ path }) => path.startsWith("/v2/PhoneNumbers/")).length,
    lookUp: (n: number, more: object = {}) => live.post(PATH, { phone_number: phone(n), ...more }),
  };
}

test("a phone is looked up by the account once, and then known; its price is stated, and asking what is known costs nothing", async (t) => {
  const { twilio, live, addTwilio, lookUp, asked } = await aTenant(t);
  assert.deepEqual(code(await lookUp(1)), [409, "conflict"], "there is no account yet");
  const carrier_id = await addTwilio();
  assert.equal(asked(), 0, "nothing is looked up that was not asked for");
  assert.equal((await live.get(`${PATH}/${encodeURIComponent(phone(1))}`)).status, 404);
  twilio.lines.set(phone(1), { type: "landline", carrier_name: "Verizon" });
  const { status, body } = await lookUp(1);
  assert.equal(status, 200, JSON.stringify(body));
  const { looked_up_at, ...lookup } = body.lookup;
  assert.deepEqual(lookup, {
    ...{ phone_number: phone(1), line_type: "landline", takes_texts: false, carrier_name: "Verizon", carrier_id },
  });
  assert.ok(Date.parse(looked_up_at) <= Date.now());
  assert.deepEqual([body.paid, body.price_per_lookup, body.amount, body.currency], [true, "0.005", "0.005", "USD"]);
  const again = (await lookUp(1)).body;
  assert.deepEqual([again.paid, again.amount, again.lookup], [false, "0.00", body.lookup]);
  assert.deepEqual((await live.get(`${PATH}/${encodeURIComponent(phone(1))}`)).body.lookup, body.lookup);
  assert.equal(asked(), 1);
  twilio.lines.set(phone(1), { type: "mobile", carrier_name: "T-Mobile" });
  assert.equal(
    (await lookUp(1, { max_age_days: 0 })).body.lookup.line_type,
    "mobile",
    "one that is too old is asked for anew",
  );
  for (const [type, ours] of [
    ["nonFixedVoip", "voip"],
    ["fixedVoip", "fixed_voip"],
    ["tollFree", "toll_free"],
    ["pager", "other"],
    [null, "unknown"],
  ] as const) {
    twilio.lines.set(phone(2), { type, carrier_name: null });
    assert.equal((await lookUp(2, { max_age_days: 0 })).body.lookup.line_type, ours);
  }
});

test("Telnyx's look-up says the same; with two accounts the request names one, and who is refused keeps nothing", async (t) => {
  const { telnyx, live, api, addTwilio, addTelnyx, lookUp } = await aTenant(t);
  await addTwilio();
  const second = await addTelnyx();
  assert.deepEqual(wrongFields(await lookUp(1)), ["carrier_id"]);
  telnyx.account.lines.set(phone(1), { type: "fixed line", name: "Frontier" });
  const { body } = await lookUp(1, { carrier_id: second });
  assert.deepEqual([body.lookup.line_type, body.lookup.carrier_name], ["landline", "Frontier"]);
  for (const [type, ours] of [
    ["mobile", "mobile"],
    ["voip", "voip"],
    ["fixed line or mobile", "unknown"],
    ["pager", "other"],
  ] as const) {
    telnyx.account.lines.set(phone(2), { type });
    assert.equal((await lookUp(2, { carrier_id: second, max_age_days: 0 })).body.lookup.line_type, ours);
  }
  telnyx.next(/number_lookup/, { refuse: "10009", status: 401 });
  assert.deepEqual(code(await lookUp(3, { carrier_id: second })), [422, "carrier_problem"]);
  assert.equal((await live.get(`${PATH}/${encodeURIComponent(phone(3))}`)).status, 404);
  assert.equal((await live.get(`/v1/carriers/${second}`)).body.carrier.status, "problem");
  assert.deepEqual(wrongFields(await live.post(PATH, { phone_number: "12" })), ["phone_number"]);
  assert.deepEqual(code(await api.post(PATH, { phone_number: phone(1) })), [403, "live_key_required"]);
  const another = await anotherTenant(api, "live");
  assert.equal((await another.get(`${PATH}/${encodeURIComponent(phone(1))}`)).status, 404, "what one tenant paid for");
});

test("a campaign's recipients are looked up as far as is allowed, the preflight warns of landlines, and the tenant's rule skips them", async (t) => {
  const { twilio, live, api, addTwilio, asked } = await aTenant(t);
  await addTwilio();
  twilio.lines.set(phone(0), { type: "landline", carrier_name: null });
  for (const n of [1, 2, 3, 4]) twilio.lines.set(phone(n), { type: "mobile", carrier_name: null });
  const contacts = [0, 1, 2, 3, 4].map((n) => ({ phone_number: phone(n) }));
  const { campaignId } = await aCampaign(live, { contacts });
  const path = `/v1/campaigns/${campaignId}/line-types`;
  const counted = (await live.post(path, { max_lookups: 0 })).body;
  assert.deepEqual([counted.recipients, counted.known, counted.amount, asked()], [5, 0, "0.00", 0]);
  const some = (await live.post(path, { max_lookups: 2 })).body;
  assert.deepEqual([some.looked_up, some.known, some.amount, asked()], [2, 2, "0.01", 2]);
  // A failure of Twilio's own, which may be none the next time.
  twilio.next(/GET \/v2\/PhoneNumbers/, 20001);
  const rest = (await live.post(path, { max_lookups: 1_000 })).body;
  assert.deepEqual([rest.looked_up, rest.failed, rest.known, rest.landlines], [2, 1, 4, 1]);
  twilio.next(/GET \/v2\/PhoneNumbers/, 20404);
  const all = (await live.post(path, { max_lookups: 1_000 })).body;
  assert.deepEqual([all.looked_up, all.failed, all.known, asked()], [1, 0, 5, 6]);
  assert.equal((await live.post(path, { max_lookups: 1_000 })).body.looked_up, 0, "it is known to be unknown");
  assert.equal(asked(), 6);
  const before = (await live.post(`/v1/campaigns/${campaignId}/preflight`, {})).body.preflight;
  assert.deepEqual([before.lines, before.warnings.includes("landlines")], [{ known: 5, landlines: 1 }, true]);
  assert.equal(before.recipients.will_be_texted, 5);
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const tenantId = parseId("tenant", (await live.get("/v1/me")).body.tenant_id)!;
  await changeScreening(ctx, tenantId, { landlines: "skip", reason: "They take no texts" });
  const after = (await live.post(`/v1/campaigns/${campaignId}/preflight`, {})).body.preflight;
  assert.deepEqual(
    [after.skips, after.lines.landlines, after.warnings.includes("landlines")],
    [{ landline: 1 }, 0, false],
  );
  const answer = await live.get(`/v1/contactability?phone_number=${encodeURIComponent(phone(0))}`);
  assert.equal(answer.body.rule.id, "landline");
  const byCall = await live.get(`/v1/contactability?channel=voice&phone_number=${encodeURIComponent(phone(0))}`);
  assert.notEqual(byCall.body.rule?.id, "landline", "it can be called");
});

test("what a look-up finds of a contact who is erased meanwhile is not kept, nor is an erased recipient looked up", async (t) => {
  const { twilio, live, addTwilio, lookUp, asked } = await aTenant(t);
  await addTwilio();
  twilio.lines.set(phone(0), { type: "mobile", carrier_name: "T-Mobile" });
  twilio.lines.set(phone(1), { type: "mobile", carrier_name: "T-Mobile" });
  const contacts = [0, 1].map((n) => ({ phone_number: phone(n) }));
  const { campaignId, organizationId } = await aCampaign(live, { contacts });
  const answered = Promise.withResolvers<void>();
  const made = twilio.hold(/GET \/v2\/PhoneNumbers/, answered.promise);
  const looking = lookUp(0);
  await made;
  const { leads } = (await live.get(`/v1/contacts/leads?organization_id=${organizationId}&limit=100`)).body;
  const { unique_id } = leads.find(({ phone_number }: { phone_number: string }) => phone_number === phone(0));
  assert.equal((await live.delete(`/v1/contacts/leads/${unique_id}`)).status, 200);
  answered.resolve();
  assert.equal((await looking).body.lookup.line_type, "mobile");
  assert.equal((await live.get(`${PATH}/${encodeURIComponent(phone(0))}`)).status, 404);
  const path = `/v1/campaigns/${campaignId}/line-types`;
  const { recipients, looked_up } = (await live.post(path, { max_lookups: 10 })).body;
  assert.deepEqual([recipients, looked_up, asked()], [1, 1, 2]);
});

/** A list of contacts, by its lines' phones. */
async function aList(live: Pick<Parley, "get" | "post">, phones: readonly string[]) {
  const { organizationId: organization_id, userId: user_id } = await anAgent(live);
  const body = {
    list_name: "Spring",
    organization_id,
    user_id,
    contacts: phones.map((phone_number) => ({ phone_number })),
  };
  const made = await live.post("/v1/contacts/lists", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { owner: { organization_id, user_id }, listId: made.body.list_id as string, leads: made.body.leads };
}

test("a list's phones are looked up in the background, each once, what it costs is said before, and its contacts show their lines", async (t) => {
  const { twilio, live, api, addTwilio, lookUp, asked } = await aTenant(t, ["api", "worker"]);
  const phones = Array.from({ length: 20 }, (_, n) => phone(n));
  for (const each of phones) twilio.lines.set(each, { type: "mobile", carrier_name: "T-Mobile" });
  twilio.lines.set(phone(3), { type: "landline", carrier_name: "Verizon" });
  const { listId, leads } = await aList(live, phones);
  const path = `/v1/contacts/lists/${listId}/line-types`;
  assert.deepEqual(code(await live.post(path, {})), [409, "conflict"], "there is no account yet");
  await addTwilio();
  await lookUp(0);
  const listed = async () => (await live.get(`/v1/contacts/lists/${listId}`)).body.list.line_lookup;
  const { body } = await live.post(path, { dry_run: true });
  assert.deepEqual([body.contacts, body.known, body.amount, body.line_lookup], [20, 1, "0.095", null]);
  assert.deepEqual([await listed(), asked()], [null, 1], "only counted");
  twilio.next(/GET \/v2\/PhoneNumbers/, 20404);
  const begun = (await live.post(path, {})).body;
  assert.equal(begun.line_lookup.status, "waiting");
  await until("it is over", async () => (await listed()).status === "completed");
  assert.deepEqual([await listed(), asked()], [{ status: "completed", looked_up: 19, error: null }, 20]);
  assert.deepEqual((await live.post(path, {})).body.known, 20);
  assert.equal(asked(), 20, "nothing is asked for twice");
  const ofPhone = leads.find(({ phone_number }: { phone_number: string }) => phone_number === phone(3));
  const { line } = (await live.get(`/v1/contacts/leads/${ofPhone.unique_id}`)).body;
  assert.deepEqual([line.line_type, line.takes_texts, line.carrier_name], ["landline", false, "Verizon"]);
  assert.ok(Date.parse(line.looked_up_at) <= Date.now());
  const { listId: tested } = await aList(api, [phone(1)]);
  assert.deepEqual(code(await api.post(`/v1/contacts/lists/${tested}/line-types`, {})), [403, "live_key_required"]);
  const another = await anotherTenant(api, "live");
  assert.equal((await another.post(path, {})).status, 404);
});

test("a long list's look-up keeps no other waiting: each has a page in turn, and goes on where it was", async (t) => {
  const { twilio, live, api, addTwilio, asked } = await aTenant(t);
  await addTwilio();
  const phones = Array.from({ length: 401 }, (_, n) => phone(n));
  for (const each of [...phones, phone(900)]) twilio.lines.set(each, { type: "mobile", carrier_name: null });
  const [long, short] = [await aList(live, phones), await aList(live, [phone(900)])];
  for (const { listId } of [long, short])
    assert.equal((await live.post(`/v1/contacts/lists/${listId}/line-types`, {})).status, 200);
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const listed = async ({ listId }: { listId: string }) =>
    (await live.get(`/v1/contacts/lists/${listId}`)).body.list.line_lookup;
  assert.equal(await lookUpLists(ctx, new AbortController().signal), true, "one has more");
  assert.deepEqual(await listed(long), { status: "waiting", looked_up: 400, error: null });
  assert.deepEqual(await listed(short), { status: "completed", looked_up: 1, error: null });
  assert.equal(await lookUpLists(ctx, new AbortController().signal), false);
  assert.deepEqual(await listed(long), { status: "completed", looked_up: 401, error: null });
  assert.equal(asked(), 402);
});

test("an account that is refused ends a list's look-up with the reason, and it can be asked for anew", async (t) => {
  const { telnyx, live, addTelnyx } = await aTenant(t, ["api", "worker"]);
  await addTelnyx();
  for (const n of [0, 1]) telnyx.account.lines.set(phone(n), { type: "mobile" });
  const { listId } = await aList(live, [phone(0), phone(1)]);
  const path = `/v1/contacts/lists/${listId}/line-types`;
  for (const _ of [0, 1]) telnyx.next(/number_lookup/, { refuse: "10009", status: 401 });
  assert.equal((await live.post(path, {})).status, 200);
  const listed = async () => (await live.get(`/v1/contacts/lists/${listId}`)).body.list.line_lookup;
  const failed = await until("it has failed", async () => {
    const found = await listed();
    return found.status === "failed" && found;
  });
  assert.match(failed.error, /Telnyx refuses/);
  assert.equal(failed.looked_up, 0);
});

test("an import looks its phones up by choice once it is over", async (t) => {
  const { twilio, live, api, addTwilio, asked } = await aTenant(t, ["api", "worker"]);
  for (const n of [0, 1, 2]) twilio.lines.set(phone(n), { type: "mobile", carrier_name: null });
  const { organizationId: organization_id, userId: user_id } = await anAgent(live);
  const file = `phone_number\n${[0, 1, 2].map(phone).join("\n")}\n`;
  const start = (more: Record<string, string>) => sendFile(live, file, { organization_id, user_id, ...more });
  assert.deepEqual(code(await start({ look_up_lines: "true" })), [409, "conflict"], "there is no account yet");
  assert.deepEqual(wrongFields(await start({ look_up_lines: "perhaps" })), ["look_up_lines"]);
  await addTwilio();
  const over = async (started: Answer) => {
    assert.equal(started.status, 202, JSON.stringify(started.body));
    const { import_id, list_id } = started.body.import;
    await until(
      "it is read",
      async () => (await live.get(`/v1/contacts/imports/${import_id}`)).body.import.status === "completed",
    );
    return async () => (await live.get(`/v1/contacts/lists/${list_id}`)).body.list.line_lookup;
  };
  assert.equal(await (await over(await start({})))(), null, "not without being asked");
  const listed = await over(await start({ look_up_lines: "true" }));
  await until("it is over", async () => (await listed()).status === "completed");
  assert.deepEqual([await listed(), asked()], [{ status: "completed", looked_up: 3, error: null }, 3]);
  const { organizationId, userId } = await anAgent(api);
  const inTest = await sendFile(api, file, { organization_id: organizationId, user_id: userId, look_up_lines: "true" });
  assert.deepEqual(code(inTest), [403, "live_key_required"]);
});

test("look-ups count in the day's spend limit: what it has no room for is refused before the first is asked for, also at an import, and waits in the background", async (t) => {
  const { twilio, live, api, addTwilio, lookUp, asked } = await aTenant(t);
  await addTwilio();
  for (const n of [0, 1, 2, 3, 4]) twilio.lines.set(phone(n), { type: "mobile", carrier_name: null });
  const limit = async (daily_spend_limit: string | null) => {
    const { status, body } = await live.patch("/v1/sending", { daily_spend_limit });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.sending.price_per_lookup, "0.005");
  };
  const spent = async () => (await live.get("/v1/sending")).body.sending.spent_today;
  const { listId, owner } = await aList(live, [0, 1, 2].map(phone));
  const path = `/v1/contacts/lists/${listId}/line-types`;
  const dry = async () => {
    const { amount, spend_left } = (await live.post(path, { dry_run: true })).body;
    return [amount, spend_left];
  };
  assert.deepEqual(await dry(), ["0.015", null], "no limit");
  await limit("0.01");
  assert.deepEqual(await dry(), ["0.015", "0.01"]);
  const refused = await live.post(path, {});
  assert.deepEqual(code(refused), [409, "conflict"]);
  assert.equal(refused.body.error, "3 look-ups cost 0.015 dollars, and 0.01 are left of the spend limit of today");
  assert.equal((await live.get(`/v1/contacts/lists/${listId}`)).body.list.line_lookup, null);
  // The header is no row; the line at the end without a break is one.
  const file = `phone_number,note\r\n${[0, 1, 2].map((n) => `${phone(n)},x`).join("\r\n")}`;
  const start = () => sendFile(live, file, { ...owner, look_up_lines: "true" });
  const imported = await start();
  assert.deepEqual(
    [imported.status, imported.body.details[0].field],
    [409, "look_up_lines"],
    JSON.stringify(imported.body),
  );
  assert.match(imported.body.error, /^look_up_lines: 3 look-ups cost 0\.015 dollars, and 0\.01 are left/);
  const { imports } = (await live.get(`/v1/contacts/imports?organization_id=${owner.organization_id}`)).body;
  assert.deepEqual(imports, []);
  const { campaignId } = await aCampaign(live, { contacts: [0, 1, 2].map((n) => ({ phone_number: phone(n) })) });
  const lines = (max_lookups: number) => live.post(`/v1/campaigns/${campaignId}/line-types`, { max_lookups });
  assert.match((await lines(3)).body.error, /^max_lookups: 3 look-ups/);
  assert.equal(asked(), 0);

  twilio.next(/GET \/v2\/PhoneNumbers/, 20001);
  assert.deepEqual(code(await lookUp(4)), [422, "carrier_problem"]);
  assert.equal(await spent(), "0.00", "one that was not answered costs nothing");
  assert.equal((await lookUp(4)).status, 200);
  assert.equal((await lines(1)).body.looked_up, 1);
  assert.deepEqual([await spent(), code(await lookUp(3))], ["0.01", [409, "conflict"]]);
  assert.equal((await lookUp(4)).status, 200, "what is known costs nothing");
  await limit("0.02");
  assert.equal((await live.post(path, {})).status, 200, "the two that are left fit");
  // Something else has used up the day before they are looked up.
  await limit("0.015");
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const listed = async () => (await live.get(`/v1/contacts/lists/${listId}`)).body.list.line_lookup;
  await lookUpLists(ctx, new AbortController().signal);
  assert.deepEqual([await listed(), await spent()], [{ status: "waiting", looked_up: 1, error: null }, "0.015"]);
  await limit(null);
  const later = { ...ctx, now: () => new Date(Date.now() + 301_000) };
  await lookUpLists(later, new AbortController().signal);
  assert.deepEqual(await listed(), { status: "completed", looked_up: 2, error: null });
  assert.equal(asked(), 5);
  const started = await start();
  assert.equal(started.status, 202);
  const look_up = { most: 3, price_per_lookup: "0.005", amount: "0.015", currency: "USD" };
  assert.deepEqual(started.body.look_up, look_up);
  assert.equal((await sendFile(live, file, owner)).body.look_up, null);
});

test("a look-up whose answer never came counts in the day's spend limit, since the carrier may charge for it", async (t) => {
  const { twilio, live, addTwilio, lookUp } = await aTenant(t);
  await addTwilio();
  twilio.lines.set(phone(0), { type: "mobile", carrier_name: null });
  assert.equal((await live.patch("/v1/sending", { daily_spend_limit: "0.01" })).status, 200);
  const spent = async () => (await live.get("/v1/sending")).body.sending.spent_today;
  // As often as a look-up is tried.
  for (let time = 0; time < 3; time++) twilio.next(/GET \/v2\/PhoneNumbers/, "lose");
  assert.deepEqual(code(await lookUp(0)), [422, "carrier_problem"]);
  assert.equal(await spent(), "0.005");
  assert.equal((await lookUp(0)).status, 200);
  assert.equal(await spent(), "0.01");
});

test("a campaign's lines are looked up by an account of its organization or of all, never by another organization's", async (t) => {
  const { twilio, telnyx, live, addTwilio } = await aTenant(t);
  await addTwilio();
  const { organizationId: organization_id } = await anAgent(live);
  addProfile(telnyx.account);
  const credentials = { api_key: telnyx.apiKey, public_key: telnyx.publicKey };
  const theirs = (await live.post("/v1/carriers", { kind: "telnyx", name: "Theirs", credentials, organization_id }))
    .body;
  const { carrier_id } = theirs.carrier;
  assert.equal((await live.post(`/v1/carriers/${carrier_id}/connect`, {})).status, 200);
  twilio.lines.set(phone(0), { type: "mobile", carrier_name: null });
  const { campaignId } = await aCampaign(live, { contacts: [{ phone_number: phone(0) }] });
  const path = `/v1/campaigns/${campaignId}/line-types`;
  assert.deepEqual(wrongFields(await live.post(path, { max_lookups: 10, carrier_id })), ["carrier_id"]);
  const { status, body } = await live.post(path, { max_lookups: 10 });
  assert.deepEqual([status, body.looked_up, telnyx.account.lines.size], [200, 1, 0], JSON.stringify(body));
});
