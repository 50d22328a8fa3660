import assert from "node:assert/strict";
import { test } from "node:test";
import { anEmail, cookiesOf, open, PASSWORD, tokenOfSetup } from "#test/support/accounts/person.ts";
import { readAllOperations, urlOf } from "#test/support/api/openapi.ts";
import { startParley } from "#test/support/api/parley.ts";
import { rawRequest, sendRaw } from "#test/support/api/raw-http.ts";
import { NEVER } from "#test/support/api/world.ts";

test("behind proxies the client is the last address that is no trusted proxy's", async (t) => {
  const api = await startParley(t, { PARLEY_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8" }, ["api"]);
  const fields = { name: "Office", allowed_addresses: ["203.0.113.7"] };
  const { api_key: key } = (await api.post("/v1/api-keys", fields)).body;
  /** 200, or whom the service takes the client for. */
  const taken = async (forwarded: string, of = api) => {
    const { status, body } = await of.get("/v1/me", { key, headers: { "x-forwarded-for": forwarded } });
    return status === 200 ? "the office" : body.error.replace("This key may not be used from ", "");
  };
  assert.equal(await taken("203.0.113.7"), "the office");
  assert.equal(await taken("203.0.113.7, 10.1.1.1"), "the office");
  assert.equal(await taken("198.51.100.9, 203.0.113.7, 10.1.1.1"), "the office");
  assert.equal(await taken("203.0.113.7, 198.51.100.9"), "198.51.100.9");
  assert.equal(await taken("203.0.113.7, 198.51.100.9, 10.1.1.1"), "198.51.100.9");
  assert.equal(await taken("203.0.113.7:4711"), "the office");
  assert.equal(await taken("::ffff:203.0.113.7"), "the office");
  assert.equal(await taken("[2001:db8::1]:443"), "2001:db8::1");
  // What is no address is the proxy's own.
  assert.equal(await taken("unknown"), "127.0.0.1");
  assert.equal(await taken(""), "127.0.0.1");
});

test("nobody but a trusted proxy is believed who the client is, or that it came by https", async (t) => {
  const api = await startParley(t, { PARLEY_TRUSTED_PROXIES: "10.0.0.0/8" }, ["api"]);
  const { api_key: key } = (await api.post("/v1/api-keys", { name: "Office", allowed_addresses: ["203.0.113.7"] }))
    .body;
  const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" };
  const answer = await api.get("/v1/me", { key, headers });
  assert.equal(answer.body.error, "This key may not be used from 127.0.0.1");
  assert.equal(answer.headers.get("strict-transport-security"), null);
});

test("where a trusted proxy says https, browsers are held to it and cookies are this host's alone", async (t) => {
  const api = await startParley(t, { PARLEY_TRUSTED_PROXIES: "127.0.0.1" }, ["api"]);
  const https = { "x-forwarded-proto": "https" };
  const plain = await api.get("/healthz", { key: null });
  assert.equal(plain.headers.get("strict-transport-security"), null);
  const held = await api.get("/healthz", { key: null, headers: https });
  assert.equal(held.headers.get("strict-transport-security"), "max-age=31536000");
  const fields = { token: await tokenOfSetup(api), email: anEmail(), password: PASSWORD, organization_name: "Acme" };
  const answer = await open(api, "/v1/setup", fields, { ...https, origin: api.url.replace("http:", "https:") });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  for (const cookie of cookiesOf(answer)) assert.match(cookie, /^__Host-parley_(session|device)=.*Path=\/;.*Secure/);
});

/** What every answer has, whatever it is. */
const ALWAYS: readonly [string, RegExp][] = [
  ["x-content-type-options", /^nosniff$/],
  ["x-frame-options", /^DENY$/],
  ["referrer-policy", /^no-referrer$/],
  ["cross-origin-opener-policy", /^same-origin$/],
  ["cross-origin-resource-policy", /^same-origin$/],
  ["content-security-policy", /^default-src 'none';.*frame-ancestors 'none'$/],
];

test("every answer says what a browser may do with it", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const check = (headers: Pick<Headers, "get">, what: string) => {
    for (const [name, value] of ALWAYS) assert.match(headers.get(name) ?? "none", value, `${what}: ${name}`);
    assert.doesNotMatch(headers.get("content-security-policy")!, /script-src[^;]*unsafe|https?:|\*/, what);
  };
  for (const { id, method, path } of await readAllOperations(api)) {
    for (const key of [null, api.key]) {
      const ends = new AbortController();
      const { headers, body } = await fetch(api.url + urlOf(path, NEVER), {
        method,
        headers: key === null ? {} : { "x-api-key": key },
        signal: ends.signal,
      });
      check(headers, `${id} ${key === null ? "without" : "with"} a key`);
      if (headers.get("content-type")?.startsWith("text/event-stream")) ends.abort();
      else await body?.cancel();
    }
  }
  const others = [
    "/",
    "/console",
    "/console/",
    "/console/assets/none.js",
    "/docs",
    "/docs/",
    "/docs/json",
    "/docs/yaml",
  ];
  const files = [
    "/docs/static/swagger-ui-bundle.js",
    "/docs/static/index.html",
    "/openapi.json",
    "/healthz",
    "/readyz",
    "/metrics",
  ];
  for (const path of [...others, ...files, "/nothing", "/v1/nothing", "/carrier/none/sms", "/%"]) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const { headers } = await fetch(api.url + path, { method, redirect: "manual" });
      check(headers, `${method} ${path}`);
    }
  }
  const { headers } = await sendRaw(api.url, [rawRequest("GET /healthz", ["Content-Length: none"])]);
  for (const [name] of ALWAYS) assert.match(headers, new RegExp(`^${name}: `, "im"), `not even HTTP: ${name}`);
});
