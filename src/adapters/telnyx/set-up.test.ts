import assert from "node:assert/strict";
import { test } from "node:test";
import { addNumber, addProfile } from "#test/support/carriers/telnyx/account.ts";
import { anAccount, NUMBER, open, URLS } from "#test/support/carriers/telnyx/opened.ts";
import { startTelnyx } from "#test/support/carriers/telnyx/server.ts";

const signal = new AbortController().signal;
const FOREIGN = "https://other.example/hook";
const SECRET_FOREIGN = "https://user:secret@other.example/hook?key=secret";

test("an account that is set up needs no change, and has nothing missing", async (t) => {
  const { server, opened } = await anAccount(t);
  assert.deepEqual(await opened.preview(URLS, signal), { changes: [], missing: [] });
  assert.deepEqual(await opened.apply(URLS, { replace: false }, signal), { changes: [], missing: [] });
  assert.ok(server.requests.every((request) => request.startsWith("GET ")));
});

test("a webhook that is not set is set, numbers join the profile, and a preview changes nothing", async (t) => {
  const { server, opened, profile } = await anAccount(t);
  Object.assign(profile, { webhook_url: null, webhook_api_version: "1" });
  addNumber(server.account, "+12125550101");
  addNumber(server.account, "+12125550102", { features: { sms: null, mms: null } });
  const changes = [
    { what: "The webhook of the messaging profile Default", from: null, to: `${URLS.base}/sms`, foreign: false },
    { what: "The messaging profile of +12125550101", from: null, to: "Default", foreign: false },
  ];
  const missing = [
    "+12125550101: not on a 10DLC campaign. Register a brand and a campaign, or texts to US phones are blocked.",
  ];
  assert.deepEqual(await opened.preview(URLS, signal), { changes, missing });
  assert.equal(profile.webhook_url, null);
  assert.deepEqual(await opened.apply(URLS, { replace: false }, signal), { changes, missing });
  assert.deepEqual([profile.webhook_url, profile.webhook_api_version], [`${URLS.base}/sms`, "2"]);
  assert.equal(server.account.numbers[1]!.messaging_profile_id, profile.id);
  assert.equal(server.account.numbers[2]!.messaging_profile_id, null);
  assert.deepEqual((await opened.apply(URLS, { replace: false }, signal)).changes, [], "safe to repeat");
});

test("what is somebody else's is left as it is, and replaced only on request", async (t) => {
  const { server, profile } = await anAccount(t);
  const other = addProfile(server.account, { name: "Other", webhook_url: FOREIGN });
  profile.webhook_url = SECRET_FOREIGN;
  addNumber(server.account, "+12125550101", { messaging_profile_id: other.id, messaging_campaign_id: "c-2" });
  const opened = open(server, { messaging_profile_id: profile.id });
  t.after(() => opened.close());
  const { changes } = await opened.preview(URLS, signal);
  assert.deepEqual(
    changes.map(({ from, foreign }) => [from, foreign]),
    [
      [FOREIGN, true],
      [other.id, true],
    ],
  );
  const kept = await opened.apply(URLS, { replace: false }, signal);
  assert.deepEqual(kept.changes, []);
  assert.deepEqual(kept.missing, [
    `The webhook of the messaging profile Default is ${FOREIGN} and was left so: connect with replace to change it.`,
    `The messaging profile of +12125550101 is ${other.id} and was left so: connect with replace to change it.`,
  ]);
  assert.equal(profile.webhook_url, SECRET_FOREIGN);
  assert.ok(!JSON.stringify(await opened.check(URLS, {}, signal)).includes("secret"));
  assert.deepEqual((await opened.apply(URLS, { replace: true }, signal)).changes, changes);
  assert.equal(profile.webhook_url, `${URLS.base}/sms`);
  assert.equal(other.webhook_url, FOREIGN, "the other profile is nobody's concern");
  assert.equal(server.account.numbers[1]!.messaging_profile_id, profile.id);
});

test("an account without a messaging profile gets one, and one with several has to say which", async (t) => {
  const server = await startTelnyx();
  t.after(() => server.close());
  addNumber(server.account, NUMBER, { messaging_campaign_id: "c-1" });
  const opened = open(server);
  t.after(() => opened.close());
  const { changes } = await opened.apply(URLS, { replace: false }, signal);
  assert.deepEqual(
    changes.map(({ what }) => what),
    ["A messaging profile is made", `The messaging profile of ${NUMBER}`],
  );
  const [profile] = server.account.profiles;
  assert.equal(profile!.webhook_url, `${URLS.base}/sms`);
  assert.equal(server.account.numbers[0]!.messaging_profile_id, profile!.id);
  assert.deepEqual((await opened.apply(URLS, { replace: false }, signal)).changes, []);
  addProfile(server.account, { name: "Another" });
  assert.deepEqual((await opened.preview(URLS, signal)).missing, [], "one of them points here");
  profile!.webhook_url = null;
  const several = await opened.preview(URLS, signal);
  assert.deepEqual(several.changes, []);
  assert.match(several.missing[0]!, /^The account has several messaging profiles: set messaging_profile_id to one of/);
});

test("the doctor finds nothing wrong with an account that is set up", async (t) => {
  const { opened } = await anAccount(t);
  const checks = await opened.check(URLS, {}, signal);
  assert.deepEqual(
    checks.map(({ name, ok }) => [name, ok]),
    ["credentials", "messaging_profile", "webhook", "numbers", "ten_dlc"].map((name) => [name, true]),
  );
});

test("the doctor says what is wrong, in words, and what to do about it", async (t) => {
  const { server, opened, profile } = await anAccount(t);
  Object.assign(profile, { webhook_url: FOREIGN, enabled: false });
  for (let i = 1; i < 6; i++) addNumber(server.account, `+1212555010${i}`);
  addNumber(server.account, "+18005550100", { messaging_profile_id: profile.id });
  const checks = await opened.check({ base: undefined }, {}, signal);
  assert.deepEqual(
    checks.map(({ name, problem }) => [name, problem]),
    [
      ["credentials", null],
      ["messaging_profile", "The messaging profile Default is disabled."],
      ["webhook", "This service has no public address."],
      ["numbers", "Not on the messaging profile: 5 numbers (+12125550101 and others)."],
      [
        "ten_dlc",
        "Not on a 10DLC campaign: 5 numbers (+12125550101 and others). Networks in the US block what they send.",
      ],
      ["toll_free", "Toll-free numbers that are not verified: +18005550100. Networks block what they send."],
    ],
  );
  assert.ok(checks.every(({ ok, remedy }) => ok === (remedy === null)));
  server.account.verifiedTollFree.push("+18005550100");
  const again = await opened.check(URLS, {}, signal);
  assert.equal(again.at(-1)!.ok, true);
  assert.equal(again[2]!.problem, `The messaging profile's webhook points to ${FOREIGN}.`);
});

test("the doctor of an account whose key is refused, or that cannot be reached, says so and nothing more", async (t) => {
  const { server, opened } = await anAccount(t);
  server.changeKey("KEYanother");
  const [refused, ...more] = await opened.check(URLS, {}, signal);
  assert.deepEqual(refused, {
    name: "credentials",
    ok: false,
    account: "refused",
    problem: "Telnyx refuses this: Telnyx does not take the API key (10009).",
    remedy: "Make an API key in Telnyx's portal that may do this, and enter it for this carrier account.",
  });
  assert.deepEqual(more, []);
  await server.close();
  const [gone] = await opened.check(URLS, {}, signal);
  assert.match(gone!.problem!, /^Telnyx did not answer \(/);
  assert.equal(gone!.account, undefined, "nobody knows whether the account is served");
});

test("a profile of the settings that is not there is named", async (t) => {
  const { server } = await anAccount(t);
  const opened = open(server, { messaging_profile_id: "00000000-0000-4000-8000-000000000000" });
  t.after(() => opened.close());
  await assert.rejects(opened.preview(URLS, signal), { name: "CarrierProblem", code: "10005" });
  const checks = await opened.check(URLS, {}, signal);
  assert.deepEqual(
    checks.map(({ name, ok }) => [name, ok]),
    [
      ["credentials", true],
      ["messaging_profile", false],
    ],
  );
});
