import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import Twilio from "twilio";
import { wire } from "#app/context.ts";
import { pollTollFree } from "#operations/registration/toll-free.ts";
import { numberEvents } from "#operations/system/number-events.ts";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { TOLL_FREE_FIELDS as FIELDS, TOLL_FREE_NUMBER as NUMBER } from "#test/support/campaigns/toll-free.ts";
import { addNumber, addProfile } from "#test/support/carriers/telnyx/account.ts";
import { startTelnyx } from "#test/support/carriers/telnyx/server.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";

const PATH = "/v1/toll-free/verifications";
const pathOf = (phone: string) => `${PATH}/${encodeURIComponent(phone)}`;
const code = ({ status, body }: Answer) => [status, body.code];

/** A live tenant whose service reaches Twilio and Telnyx at stand-ins, each with a toll-free number. */
async function aTenant(t: TestContext) {
  const twilio = await startTwilio(t);
  const telnyx = await startTelnyx();
  t.after(() => telnyx.close());
  const hosts = {
    "api.twilio.com": twilio.url,
    "messaging.twilio.com": twilio.url,
    "api.telnyx.com": telnyx.url,
  };
  const env = { PARLEY_CARRIER_HOSTS: JSON.stringify(hosts), PARLEY_PUBLIC_URL: "https://parley.example" };
  const api = await startParley(t, env, ["api"]);
  const live = await anotherTenant(api, "live");
  const add = async (account: object) => {
    const { carrier_id } = (await live.post("/v1/carriers", account)).body.carrier;
    const connected = await live.post(`/v1/carriers/${carrier_id}/connect`, {});
    assert.equal(connected.status, 200, JSON.stringify(connected.body));
    return String(carrier_id);
  };
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  return {
    ...{ twilio, telnyx, api, live },
    addTwilio: () => {
      twilio.addNumber(NUMBER);
      const credentials = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
      return add({ kind: "twilio", name: "Main", credentials });
    },
    addTelnyx: () => {
      addNumber(telnyx.account, NUMBER, { messaging_profile_id: addProfile(telnyx.account).id });
      const credentials = { api_key: telnyx.apiKey, public_key: telnyx.publicKey };
      return add({ kind: "telnyx", name: "Second", credentials });
    },
    /** What a worker's sweep does, at a later time. */
    poll: (minutes: number) => pollTollFree({ ...ctx, now: () => new Date(Date.now() + minutes * 60_000) }),
    read: async () => (await live.get(pathOf(NUMBER))).body,
  };
}

test("a test tenant plays a verification through: pending, refused with a reason, corrected, verified", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const refused = { ...FIELDS, phone_number: NUMBER, opt_in_description: "None: we bought the list." };
  const made = await api.post(PATH, refused);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.deepEqual([made.body.status, made.body.carrier_id, made.body.state], ["PENDING", null, "NY"]);
  assert.deepEqual(code(await api.post(PATH, refused)), [409, "conflict"], "a number has one");
  assert.deepEqual(code(await api.post(`${pathOf(NUMBER)}/resubmit`, {})), [409, "conflict"], "it is pending");
  const later = () => api.post("/v1/simulator/clock", { advance_ms: 10_000 });
  await later();
  const read = (await api.get(pathOf(NUMBER))).body;
  assert.deepEqual([read.status, read.reasons], ["REJECTED", ["The opt-in cannot be verified."]]);
  assert.ok(Date.parse(read.editable_until) > Date.parse(read.created_at));
  const correction = { opt_in_description: "They tick a box." };
  const again = await api.post(`${pathOf(NUMBER)}/resubmit`, correction);
  assert.deepEqual([again.status, again.body.status, again.body.reasons], [200, "PENDING", []]);
  await later();
  const { verifications, count } = (await api.get(PATH)).body;
  assert.deepEqual([count, verifications[0].status, verifications[0].business_name], [1, "VERIFIED", "Acme Inc."]);
  assert.equal((await api.get(pathOf("+18005550199"))).status, 404);
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  // What a worker does.
  while (await numberEvents(ctx));
  const noted = (await api.get("/v1/events?kinds=toll_free.*")).body.events;
  assert.deepEqual(
    noted.map(({ kind, data }: { kind: string; data: object }) => [kind, data]),
    [
      ["toll_free.rejected", { phone_number: NUMBER, reasons: ["The opt-in cannot be verified."] }],
      ["toll_free.verified", { phone_number: NUMBER }],
    ],
  );
  const another = await anotherTenant(api, "test");
  assert.deepEqual([(await another.get(pathOf(NUMBER))).status, (await another.get(PATH)).body.count], [404, 0]);
});

test("what is no verification is refused with the field's name", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const wrong = async (more: object) => wrongFields(await api.post(PATH, { ...FIELDS, phone_number: NUMBER, ...more }));
  assert.deepEqual(await wrong({ phone_number: "+12125550144" }), ["phone_number"]);
  assert.deepEqual(await wrong({ website: "acme" }), ["website"]);
  assert.deepEqual(await wrong({ opt_in_urls: ["https://acme.example", "ftp://acme.example"] }), ["opt_in_urls[1]"]);
  assert.deepEqual(await wrong({ opt_in_urls: [] }), ["opt_in_urls"]);
  assert.deepEqual(await wrong({ use_case: "political" }), ["use_case"]);
  assert.deepEqual(await wrong({ contact_phone: "12" }), ["contact_phone"]);
  assert.deepEqual(await wrong({ monthly_messages: 0 }), ["monthly_messages"]);
  assert.equal((await api.get(PATH)).body.count, 0);
});

test("over Telnyx a verification is requested once, though its answer is lost, and what Telnyx says is shown, by poll or as soon as it calls", async (t) => {
  const { live, api, telnyx, addTelnyx, poll, read } = await aTenant(t);
  assert.deepEqual(wrongFields(await live.post(PATH, { ...FIELDS, phone_number: NUMBER })), ["phone_number"]);
  const carrier_id = await addTelnyx();
  telnyx.next(/^POST \/v2\/messaging_tollfree/, "lose");
  const made = await live.post(PATH, { ...FIELDS, phone_number: NUMBER, registration_number: "12-3456789" });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.deepEqual([made.body.status, made.body.carrier_id], ["PENDING", carrier_id]);
  const [request, ...others] = telnyx.account.tollFree;
  assert.equal(others.length, 0);
  assert.deepEqual(
    [request!.businessState, request!.messageVolume, request!.useCase, request!.phoneNumbers],
    ["New York", "100,000", "General Marketing", [{ phoneNumber: NUMBER }]],
  );
  assert.deepEqual([request!.businessRegistrationType, request!.businessRegistrationCountry], ["EIN", "US"]);
  assert.equal(request!.webhookUrl, `https://parley.example/carrier/${carrier_id}/registry`);
  for (const verificationStatus of ["In Progress", "Waiting For Telnyx", "Waiting For Vendor"] as const) {
    Object.assign(request!, { verificationStatus });
    assert.equal((await read()).status, "PENDING", verificationStatus);
  }
  Object.assign(request!, { verificationStatus: "Rejected", reason: "The website cannot be reached." });
  await poll(2);
  assert.deepEqual([(await read()).status, (await read()).reasons], ["REJECTED", ["The website cannot be reached."]]);
  const again = await live.post(`${pathOf(NUMBER)}/resubmit`, { website: "https://acme.example/shop" });
  assert.deepEqual([again.status, again.body.status], [200, "PENDING"], JSON.stringify(again.body));
  assert.deepEqual(
    telnyx.account.tollFree.map(({ corporateWebsite }) => corporateWebsite),
    ["https://acme.example/shop"],
  );
  Object.assign(request!, { verificationStatus: "Waiting For Customer", reason: undefined });
  assert.deepEqual([(await read()).status, (await read()).reasons.length], ["REJECTED", 1]);
  // An earlier try was taken, and Telnyx has decided by now.
  Object.assign(request!, { verificationStatus: "Verified" });
  const before = telnyx.requests.length;
  const taken = await live.post(`${pathOf(NUMBER)}/resubmit`, {});
  assert.deepEqual([taken.status, taken.body.status], [200, "VERIFIED"]);
  assert.ok(!telnyx.requests.slice(before).some((one) => one.startsWith("PATCH")));
  assert.equal((await (await anotherTenant(api, "live")).get(pathOf(NUMBER))).status, 404);
});

test("over Twilio a refused verification is edited while it may be, and made anew after that", async (t) => {
  const { live, twilio, addTwilio, poll, read } = await aTenant(t);
  const carrier_id = await addTwilio();
  twilio.next(/^POST \/v1\/Tollfree\/Verifications/, "lose");
  const made = await live.post(PATH, { ...FIELDS, phone_number: NUMBER });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.deepEqual([made.body.status, made.body.carrier_id], ["PENDING", carrier_id]);
  const [request] = twilio.registry.tollFree;
  assert.equal(twilio.registry.tollFree.length, 1);
  assert.deepEqual(
    [request!.use_case_categories, request!.message_volume, request!.opt_in_type, request!.opt_in_image_urls],
    [["MARKETING"], "100,000", "WEB_FORM", ["https://acme.example/form"]],
  );
  const rejection_reasons = [{ reason: "The business name does not match its registration", code: 30_471 }];
  const edit_expiration = "2099-12-01T00:00:00Z";
  Object.assign(request!, { status: "TWILIO_REJECTED", rejection_reasons, edit_allowed: true, edit_expiration });
  await poll(2);
  const shown = await read();
  assert.deepEqual(
    [shown.status, shown.reasons, shown.editable_until],
    ["REJECTED", ["The business name does not match its registration (30471)"], "2099-12-01T00:00:00.000Z"],
  );
  const resubmit = () => live.post(`${pathOf(NUMBER)}/resubmit`, { business_name: "Acme Incorporated" });
  assert.deepEqual([(await resubmit()).body.status, request!.status], ["PENDING", "IN_REVIEW"]);
  assert.deepEqual([request!.business_name, request!.edit_reason], ["Acme Incorporated", "Corrected"]);
  Object.assign(request!, {
    ...{ status: "TWILIO_REJECTED", rejection_reason: "Not allowed", error_code: 30_445 },
    ...{ edit_allowed: false, edit_expiration: null },
  });
  assert.deepEqual((await read()).reasons, ["Not allowed (30445)"]);
  const anew = await resubmit();
  assert.deepEqual([anew.status, anew.body.status], [200, "PENDING"], JSON.stringify(anew.body));
  assert.equal(twilio.registry.tollFree.length, 1);
  assert.notEqual(twilio.registry.tollFree[0], request, "the old one made room");
  twilio.registry.tollFree[0]!.status = "TWILIO_APPROVED";
  assert.equal((await read()).status, "VERIFIED");
});

test("Twilio's own package sends the fields that we send, and reads what the stand-in answers", async (t) => {
  const { live, twilio, addTwilio } = await aTenant(t);
  await addTwilio();
  const more = {
    ...{ street_2: "Suite 1", additional_information: "None", business_type: "private_profit", help_message: "Help" },
    ...{ registration_number: "12-3456789", doing_business_as: "Acme", opt_in_message: "Welcome", age_gated: true },
    ...{ privacy_policy_url: "https://acme.example/p", terms_url: "https://acme.example/t" },
  };
  assert.equal((await live.post(PATH, { ...FIELDS, ...more, phone_number: NUMBER })).status, 201);
  const [ours] = twilio.registry.tollFree;
  const sent: Record<string, unknown>[] = [];
  const httpClient = {
    async request({ data, uri, method }: { data?: Record<string, unknown>; uri: string; method: string }) {
      if (data) sent.push(data);
      const answer = await fetch(uri.replace("https://messaging.twilio.com", twilio.url), {
        method,
        headers: { authorization: `Basic ${Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString("base64")}` },
      });
      return { statusCode: answer.status, body: await answer.json(), headers: {} };
    },
  };
  const theirs = Twilio(ACCOUNT_SID, AUTH_TOKEN, { httpClient: httpClient as never }).messaging.v1
    .tollfreeVerifications;
  const read = await theirs(String(ours!.sid)).fetch();
  assert.deepEqual(
    [read.businessName, read.useCaseCategories, read.optInType, read.messageVolume, read.status],
    ["Acme Inc.", ["MARKETING"], "WEB_FORM", "100,000", "PENDING_REVIEW"],
  );
  // What it was made of, sent by their package: the same fields, by the same names.
  const options = Object.fromEntries(
    Object.entries(ours!).map(([name, value]) => [
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value === "true" ? true : value,
    ]),
  );
  await theirs.create(options as never).catch(() => {});
  const names = (fields: object) =>
    Object.keys(fields)
      .map((name) => name.replaceAll("_", "").toLowerCase())
      .sort();
  const made = ["sid", "status", "editallowed", "rejectionreasons", "rejectionreason", "editexpiration", "errorcode"];
  assert.deepEqual(
    names(sent.at(-1)!),
    names(ours!).filter((name) => !made.includes(name)),
  );
});

test("a live campaign from a toll-free number is refused while its verification is not through, and warned of where none is known", async (t) => {
  const { live, telnyx, addTelnyx } = await aTenant(t);
  await addTelnyx();
  const campaign = (name: string) =>
    aCampaign(live, {
      contacts: [{ phone_number: "+12124440001" }],
      campaign: { svc_sms_number: NUMBER, campaign_id: name },
    });
  const { warnings } = await campaign("unknown");
  assert.ok(JSON.stringify(warnings).includes("no verification of it is known here"), JSON.stringify(warnings));
  assert.equal((await live.post(PATH, { ...FIELDS, phone_number: NUMBER })).status, 201);
  await assert.rejects(campaign("pending"), /toll-free verification is PENDING/);
  telnyx.account.tollFree[0]!.verificationStatus = "Rejected";
  await live.get(pathOf(NUMBER));
  await assert.rejects(campaign("refused"), /toll-free verification is REJECTED/);
  await live.post(`${pathOf(NUMBER)}/resubmit`, {});
  telnyx.account.tollFree[0]!.verificationStatus = "Verified";
  await live.get(pathOf(NUMBER));
  assert.ok(!JSON.stringify((await campaign("verified")).warnings).includes("toll-free"));
});
