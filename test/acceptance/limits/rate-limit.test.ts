import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";

/** A list of strings with parameters, as RFC 9651 writes it and the RateLimit fields are. */
const FIELD = /^"[\x20-\x21\x23-\x5b\x5d-\x7e]*"(?:;[a-z*][a-z0-9_\-.*]*=\d{1,15})*$/;
const parameters = (field: string) =>
  Object.fromEntries([...field.matchAll(/;([a-z]+)=(\d+)/g)].map(([, name, number]) => [name, Number(number)]));

test("the RateLimit fields are of the draft's form and count down", async (t) => {
  // So few that the slowest machine asks for more in a second.
  const api = await startParley(t, { PARLEY_RATE_LIMIT: "5" }, ["api"]);
  const first = await api.get("/v1/me");
  const policy = first.headers.get("ratelimit-policy")!;
  assert.match(policy, FIELD);
  assert.deepEqual(parameters(policy), { q: 5, w: 1 });
  const answers = await Promise.all(Array.from({ length: 200 }, () => api.get("/v1/me")));
  for (const { status, headers, body } of answers) {
    const field = headers.get("ratelimit")!;
    assert.match(field, FIELD);
    // The policy and what is left of it go by the same name.
    assert.equal(field.split(";")[0], policy.split(";")[0]);
    const { r, t: seconds } = parameters(field);
    assert.ok(r! >= 0 && r! < 5 && seconds === 1, field);
    if (status === 200) continue;
    assert.deepEqual([status, body.code, headers.get("retry-after"), r], [429, "rate_limited", "1", 0]);
  }
  assert.ok(answers.some(({ status }) => status === 429));
  await until("there is room again", async () => (await api.get("/v1/me")).status === 200);
});

test("a key that has used up its requests can still bring a STOP, and take a number off", async (t) => {
  const api = await startParley(t, { PARLEY_RATE_LIMIT: "2" }, ["api"]);
  const usedUp = () =>
    until("the key is put off", async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => api.get("/v1/me")));
      return answers.some(({ status }) => status === 429);
    });
  for (let i = 0; i < 5; i++) {
    await usedUp();
    const urgent = await Promise.all([
      api.post(`${handsetPath("+12125550199")}/messages`, { to: SENDER, text: "STOP" }),
      api.post("/v1/dnc/add", { phone_number: `+1212555010${i}` }),
    ]);
    assert.deepEqual(
      urgent.map(({ status }) => status),
      [201, 201],
      JSON.stringify(urgent.map(({ body }) => body)),
    );
  }
});

test("an address that sends wrong keys is put off, those behind it whose keys are right are not", async (t) => {
  const api = await startParley(t, { PARLEY_AUTH_FAILURE_LIMIT: "60" }, ["api"]);
  const fresh = (await api.post("/v1/api-keys", { name: "Not used yet" })).body.api_key as string;
  const wrong = (i: number) =>
    api.get("/v1/me", { key: `pk_test_0000000000000000000000000${i % 10}_${"x".repeat(43)}` });

  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => wrong(i)));
  const refused = answers.filter(({ status }) => status === 401);
  const putOff = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length + putOff.length, 200);
  assert.ok(refused.length >= 60 && putOff.length > 0, `${refused.length} and ${putOff.length}`);
  assert.equal(putOff[0]!.body.code, "too_many_failures");
  assert.ok(Number(putOff[0]!.headers.get("retry-after")) >= 1);

  assert.equal((await api.get("/v1/me")).status, 200, "a key that has been right stays so");
  // Keys are tried to keep the address at its limit while another key comes for the first time.
  await Promise.all(Array.from({ length: 50 }, (_, i) => wrong(i)));
  const later = await api.get("/v1/me", { key: fresh });
  assert.ok([200, 429].includes(later.status));
  assert.equal((await api.get("/v1/me", { key: null })).status, 401, "no key at all is only told so");
  assert.equal(await fromAnotherAddress(`${api.url}/v1/me`), 401, "another address has its own share");
  await until("the address may try again", async () => (await wrong(0)).status === 401);
  await until("the other key gets its turn", async () => (await api.get("/v1/me", { key: fresh })).status === 200);
});

/** How many wrong keys it takes until an address behind the proxy is put off; 30 are more than it may. */
async function wrongKeys(api: Parley, address: string): Promise<number> {
  for (let n = 0; n < 30; n++) {
    const headers = { "x-forwarded-for": address };
    const { status } = await api.get("/v1/me", { key: `pk_test_${"0".repeat(26)}_${"x".repeat(43)}`, headers });
    if (status === 429) return n;
  }
  return 30;
}

test("behind a trusted proxy each address has its own limit, by the address that the proxy saw and not by the header it received", async (t) => {
  const api = await startParley(
    t,
    { PARLEY_AUTH_FAILURE_LIMIT: "20", PARLEY_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8" },
    ["api"],
  );
  assert.ok((await wrongKeys(api, "198.51.100.1")) >= 20);
  assert.ok((await wrongKeys(api, "198.51.100.2")) >= 20, "another address has another share");
  assert.ok((await wrongKeys(api, "203.0.113.9, 198.51.100.1")) < 10, "what an address says of itself is not believed");
  assert.ok((await wrongKeys(api, "198.51.100.2, 10.1.2.3")) < 10, "a proxy of ours is passed over");
});

test("without trusted proxies X-Forwarded-For is not read", async (t) => {
  const api = await startParley(t, { PARLEY_AUTH_FAILURE_LIMIT: "20" }, ["api"]);
  assert.ok((await wrongKeys(api, "198.51.100.1")) >= 20);
  assert.ok((await wrongKeys(api, "198.51.100.2")) < 10);
});

test("a session that is over is no wrong key: whoever signs in at the same address is not put off", async (t) => {
  const api = await startParley(t, { PARLEY_AUTH_FAILURE_LIMIT: "20", PARLEY_RATE_LIMIT: "1000" }, ["api"]);
  const fresh = (await api.post("/v1/api-keys", { name: "Not used yet" })).body.api_key as string;
  const withCookie = (token: string) =>
    api.get("/v1/me", { key: null, headers: { cookie: `parley_session=${token}` } });

  const over = await Promise.all(Array.from({ length: 60 }, (_, i) => withCookie(String(i).padStart(43, "x"))));
  assert.deepEqual(new Set(over.map(({ status, body }) => `${status} ${body.code}`)), new Set(["401 session_over"]));
  assert.equal((await api.get("/v1/me", { key: fresh })).status, 200);

  const putOff = await until("what was never a session is counted", async () => {
    const answer = await withCookie("no-session");
    return answer.status === 429 && answer;
  });
  assert.equal(putOff.body.code, "too_many_failures");
});

function fromAnotherAddress(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { localAddress: "127.0.0.2", headers: { "x-api-key": "pk_test_wrong" } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode!);
    });
    sent.on("error", reject).end();
  });
}
