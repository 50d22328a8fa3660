import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { type Answer, startParley, until } from "#test/support/api/parley.ts";

test("errors", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const owner = await anOwner(api);
  const json = { "content-type": "application/json" };

  await t.test("every error has the one body, and its request id is the header's", async () => {
    const { status, headers, body } = await api.post("/v1/organizations", {});
    assert.equal(status, 400);
    const { error, request_id, details, ...rest } = body;
    assert.deepEqual(rest, { success: false, code: "invalid_request", powered_by: "Parley" });
    assert.equal(typeof error, "string");
    assert.equal(headers.get("x-request-id"), request_id);
    assert.deepEqual(details, [{ field: "name", message: "is required" }]);
  });

  await t.test("every answer has a request id of its own", async () => {
    const ids = [];
    for (const path of ["/v1/me", "/v1/nothing", "/healthz", "/openapi.json"]) {
      ids.push((await api.get(path)).headers.get("x-request-id"));
    }
    assert.ok(ids.every((id) => id));
    assert.equal(new Set(ids).size, ids.length);
  });

  await t.test("a missing, an empty, a wrong and a cut API key are the same 401", async () => {
    for (const key of [null, "", "nonsense", api.key.slice(0, -1), `${api.key}x`, "pk_test_", "x".repeat(5_000)]) {
      const { status, body } = await api.get("/v1/me", { key });
      assert.equal(status, 401);
      assert.deepEqual(
        [body.error, body.code, body.powered_by],
        ["Invalid API key", "unauthorized", "Parley"],
        String(key),
      );
    }
    const inQuery = await api.get(`/v1/me?X-API-Key=${api.key}`, { key: null });
    assert.equal(inQuery.status, 401);
  });

  await t.test("two X-API-Key headers are a 401", async () => {
    const { status } = await raw(api.url, "GET", "/v1/me", ["X-API-Key", api.key, "X-API-Key", api.key]);
    assert.equal(status, 401);
  });

  await t.test("a 401 says which header was looked at, and what is wrong with it", async () => {
    const { api_key, key_id } = (await api.post("/v1/api-keys", { name: "R" })).body;
    await api.delete(`/v1/api-keys/${key_id}`);
    const faults: [string | null, string][] = [
      [null, "missing"],
      ["", "malformed"],
      ["nonsense", "malformed"],
      [`${api.key} ${api.key}`, "malformed"],
      ["pk_test_00000000000000000000000001_abc", "unknown"],
      // Who has no more than the id of a key that was revoked learns nothing of it.
      [api_key.slice(0, -1), "unknown"],
    ];
    for (const [key, fault] of faults) {
      const { status, headers, body } = await api.get("/v1/me", { key });
      assert.equal(status, 401);
      assert.deepEqual(
        body.details.map(({ field }: { field: string }) => field),
        ["X-API-Key"],
      );
      assert.match(body.details[0].message, new RegExp(`^is ${fault}`));
      assert.equal(headers.get("www-authenticate"), `ApiKey realm="Parley", header="X-API-Key", error="${fault}"`);
    }
    await until("the key is revoked everywhere", async () => {
      const { status, body } = await api.get("/v1/me", { key: api_key });
      return status === 401 && body.details[0].message === "is revoked";
    });
    const { status, body } = await api.get("/v1/me", { key: null, headers: { cookie: "parley_session=nobodys" } });
    assert.deepEqual([status, body.code, body.details[0].field], [401, "session_over", "Cookie"]);
  });

  await t.test("a 404 and a 409 name the field and its value", async () => {
    const never = "org_00000000000000000000000001";
    const details = async (answer: Promise<Answer>, status: number) => {
      const { body, status: got } = await answer;
      assert.equal(got, status, JSON.stringify(body));
      return body.details;
    };
    const missing = (field: string) => [{ field, message: `not found: ${never}` }];
    assert.deepEqual(await details(api.get(`/v1/organizations/${never}`), 404), missing("org_id"));
    assert.deepEqual(await details(api.get(`/v1/agents?organization_id=${never}`), 404), missing("organization_id"));
    const contacts = [{ phone_number: "+12125550123" }];
    const list = { ...owner, organization_id: never, list_name: "L", contacts };
    assert.deepEqual(await details(api.post("/v1/contacts/lists", list), 404), missing("organization_id"));
    // The bodies of campaigns are read by threads, when they are large.
    const campaign = { ...owner, campaign_name: "C", sms_agent_id: "agt_x", svc_sms_number: "+12125550100", contacts };
    assert.deepEqual(await details(api.post("/v1/campaigns", campaign), 404), [
      { field: "sms_agent_id", message: "not found: agt_x" },
    ]);
    const user = { name: "Uma", email: "twice@example.com" };
    const add = () => api.post(`/v1/organizations/${owner.organization_id}/users`, user);
    await add();
    assert.deepEqual(await details(add(), 409), [
      { field: "email", message: "A user with this email exists: twice@example.com" },
    ]);
  });

  await t.test("whatever operation is asked, an id or a number that it cannot use is named by its field", async () => {
    const never = "usr_00000000000000000000000001";
    const anAgent = async (more: object) =>
      (await api.post("/v1/agents", { agent_name: "A", prompt: "P", ...owner, ...more })).body.agent_id;
    const sms_agent_id = await anAgent({ agent_type: "sms", starting_message: "Hi" });
    const voiceAgent = await anAgent({ agent_type: "voice", voice_id: "11labs-Adrian" });
    const texts = { ...owner, campaign_name: "C", sms_agent_id, svc_sms_number: "+12125550100" };
    const calls = { ...owner, campaign_name: "C", voice_agent_id: never, agent_outbound_number: "+12125550100" };
    const contacts = [{ phone_number: "+12125550123" }];
    const from_campaign = { campaign_id: "never" };
    const cases: [status: number, field: string, path: string, body: object][] = [
      [404, "list_id", "/v1/campaigns", { ...texts, list_id: never }],
      [404, "list_id", "/v1/campaigns/preflight", { ...texts, list_id: never }],
      [404, "from_campaign.campaign_id", "/v1/campaigns", { ...texts, from_campaign }],
      [404, "organization_id", "/v1/campaigns", { ...texts, organization_id: never, contacts }],
      [404, "voice_agent_id", "/v1/voice/campaigns", { ...calls, leads: contacts }],
      [404, "user_id", "/v1/contacts/lists", { ...owner, user_id: "agt_x", list_name: "L", contacts }],
      [404, "carrier_id", "/v1/number-lookups", { phone_number: "+12125550123", carrier_id: never }],
      [400, "svc_sms_number", "/v1/campaigns", { ...texts, contacts, svc_sms_number: "+1303" }],
      [400, "sms_agent_id", "/v1/campaigns", { ...texts, contacts, sms_agent_id: voiceAgent }],
      [400, "agent_outbound_number", "/v1/voice/campaigns", { ...calls, leads: contacts, agent_outbound_number: "+1" }],
    ];
    for (const [status, field, path, body] of cases) {
      const answer = await api.post(path, body);
      assert.deepEqual(
        [answer.status, wrongFields(answer)],
        [status, [field]],
        `${path}: ${JSON.stringify(answer.body)}`,
      );
    }
  });

  await t.test("no error about a path's body comes before the key is known", async () => {
    const { status } = await api.post("/v1/agents", "{not json", { key: null });
    assert.equal(status, 401);
  });

  await t.test("a tenant_id that is not the key's own is a 403, its own changes nothing", async () => {
    const { tenant_id } = (await api.get("/v1/me")).body;
    const foreign = "tnt_00000000000000000000000000";
    for (const answer of [
      await api.post("/v1/agents", { agent_type: "sms", agent_name: "A", prompt: "P", ...owner, tenant_id: foreign }),
      await api.get(`/v1/agents?organization_id=${owner.organization_id}&tenant_id=${foreign}`),
      await api.post("/v1/campaigns/x/leads", { clients: [], tenant_id: foreign }),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [403, "wrong_tenant"]);
    }
    const own = { agent_type: "sms", agent_name: "A", prompt: "P", ...owner, tenant_id };
    assert.equal((await api.post("/v1/agents", own)).status, 201);
  });

  await t.test("another method is a 405 that says what is allowed", async () => {
    const { status, headers, body } = await api.delete("/v1/organizations");
    assert.deepEqual([status, body.code], [405, "method_not_allowed"]);
    assert.equal(headers.get("allow"), "POST, GET");
    const traced = await raw(api.url, "TRACE", "/v1/me", ["X-API-Key", api.key]);
    assert.equal(traced.status, 405);
    const override = await api.get("/v1/me", { headers: { "x-http-method-override": "DELETE" } });
    assert.equal(override.status, 200);
  });

  await t.test("an unknown path is a 404, one that cannot be decoded a 400", async () => {
    for (const path of ["/v1/nothing", "/v2/agents", "/v1", "//v1/agents", `/v1/agents/${"x".repeat(200)}`]) {
      const { status, body } = await api.get(path);
      assert.deepEqual([status, body.success], [404, false], path);
    }
    const { status, body } = await raw(api.url, "GET", "/v1/agents/%zz", ["X-API-Key", api.key]);
    assert.equal(status, 400);
    assert.match(body, /"success":false/);
  });

  await t.test("a body that is not JSON in UTF-8 by its Content-Type is a 415", async () => {
    const post = (headers: Record<string, string>) => api.post("/v1/organizations", '{"name":"A"}', { headers });
    for (const type of [
      "text/plain",
      "application/json; charset=latin1",
      "multipart/form-data; boundary=x",
      "application/xml",
    ]) {
      const { status, body } = await post({ "content-type": type });
      assert.deepEqual([status, body.code], [415, "unsupported_media_type"], type);
    }
    assert.equal((await post({ ...json, "content-encoding": "gzip" })).status, 415);
    assert.equal((await post({ "content-type": "application/json; charset=utf-8" })).status, 201);
  });

  await t.test("what is no JSON object is a 400", async () => {
    const bodies = [
      "",
      "null",
      "[]",
      '"str"',
      "42",
      '{"name":',
      '{"name":"A",}',
      '{"name":"A"}{}',
      "NaN",
      "{'name':'A'}",
    ];
    for (const body of bodies) {
      const answer = await api.post("/v1/organizations", body, { headers: json });
      assert.deepEqual([answer.status, answer.body.code], [400, "invalid_request"], JSON.stringify(body));
    }
    const utf16 = new Uint8Array(Buffer.from('{"name":"A"}', "utf16le"));
    assert.equal((await api.post("/v1/organizations", utf16)).status, 400);
    assert.equal((await api.post("/v1/organizations", new Uint8Array([0x22, 0xff, 0x22]))).status, 400);
    const mark = await api.post("/v1/organizations", '\uFEFF{"name":"A"}', { headers: json });
    assert.equal(mark.status, 201);
  });

  await t.test("of keys that come twice the last wins", async () => {
    const { status, body } = await api.post("/v1/organizations", '{"name":"A","name":"B"}', { headers: json });
    assert.deepEqual([status, body.organization_name], [201, "B"]);
  });

  await t.test("a NUL or half a surrogate pair is a 400 that names its field", async () => {
    for (const text of ["a\\u0000b", "a\\ud800b", "\\udc00"]) {
      const answer = await api.post("/v1/organizations", `{"name":"${text}"}`, { headers: json });
      assert.deepEqual([answer.status, wrongFields(answer)], [400, ["name"]], text);
    }
    const inLead = `{"clients":[{"phone_number":"+12125550123","notes":"\\u0000"}]}`;
    assert.deepEqual(wrongFields(await api.post("/v1/campaigns/x/leads", inLead, { headers: json })), [
      "clients[0].notes",
    ]);
    const whole = await api.post("/v1/organizations", '{"name":"\\ud83d\\ude00"}', { headers: json });
    assert.equal(whole.body.organization_name, "😀");
  });

  await t.test("a NUL in a query or path is a 400 too", async () => {
    for (const [path, field] of [
      ["/v1/organizations?name=%00", "name"],
      ["/v1/agents/a%00b", "agent_id"],
      ["/v1/campaigns/a%00b", "campaign_id"],
      ["/v1/sms/threads/%2B12125550101_a%00", "thread_id"],
      ["/v1/dnc?phone_number=%00", "phone_number"],
    ] as const) {
      const answer = await api.get(path);
      assert.deepEqual([answer.status, wrongFields(answer)], [400, [field]], path);
    }
  });

  await t.test("keys that reach for a prototype are a 400", async () => {
    for (const body of ['{"name":"A","__proto__":{"x":1}}', '{"name":"A","constructor":{"prototype":{"x":1}}}']) {
      const { status } = await api.post("/v1/organizations", body, { headers: json });
      assert.equal(status, 400, body);
      assert.equal(({} as Record<string, unknown>).x, undefined);
    }
    const lead = '{"clients":[{"phone_number":"+12125550123","__proto__":{"x":1}}]}';
    assert.equal((await api.post("/v1/campaigns/x/leads", lead, { headers: json })).status, 400);
  });

  await t.test("deep nesting and many keys are answered within a second", async () => {
    const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    const wide = `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`).join(",")}}`;
    for (const [body, expected] of [
      [deep, 400],
      [wide, 413],
    ] as const) {
      // Of work, here as there: the api is in this process, whatever else the machine does.
      const before = process.cpuUsage();
      const { status } = await api.post("/v1/organizations", body, { headers: json });
      const { user, system } = process.cpuUsage(before);
      assert.equal(status, expected);
      assert.ok((user + system) / 1_000 < 1_000);
    }
  });

  await t.test("query numbers are parsed, and a bad one or one given twice is a 400", async () => {
    for (const query of [
      "limit=0",
      "limit=501",
      "limit=-5",
      "limit=abc",
      "limit=1.5",
      "limit=1e2",
      "limit=",
      "limit=1&limit=2",
    ]) {
      const answer = await api.get(`/v1/organizations?${query}`);
      assert.deepEqual([answer.status, wrongFields(answer)], [400, ["limit"]], query);
    }
    const twice = (await api.get("/v1/organizations?limit=2&limit=3")).body;
    assert.deepEqual(twice.details, [{ field: "limit", message: "is given more than once" }]);
    assert.equal((await api.get("/v1/organizations?limit=500")).status, 200);
  });

  await t.test("answers carry what keeps a browser from doing harm with them", async () => {
    const { headers } = await api.get("/v1/me");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(headers.get("content-security-policy")!, /default-src 'none'/);
    assert.equal(headers.get("access-control-allow-origin"), null);
  });
});

test("the rate limit of a key is reported, and past it comes a 429 that says when to retry", async (t) => {
  const api = await startParley(t, { PARLEY_RATE_LIMIT: "5" }, ["api"]);
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.get("/v1/me")));
  const refused = answers.filter((answer) => answer.status === 429);
  assert.ok(refused.length > 0);
  assert.deepEqual([refused[0]!.body.code, refused[0]!.headers.get("retry-after")], ["rate_limited", "1"]);
  for (const { headers } of answers) {
    assert.equal(headers.get("ratelimit-policy"), '"key";q=5;w=1');
    assert.match(headers.get("ratelimit")!, /^"key";r=\d;t=1$/);
  }
});

test("without its database the service answers 503 and says when to retry", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  assert.equal((await api.get("/v1/me")).status, 200);
  await withoutDatabase(api.databaseUrl);
  const { status, headers, body } = await api.post("/v1/organizations", { name: "Acme" });
  assert.deepEqual([status, body.code], [503, "unavailable"]);
  assert.ok(Number(headers.get("retry-after")) > 0);
  assert.equal((await api.get("/healthz")).status, 200);
  const ready = await api.get("/readyz");
  assert.deepEqual([ready.status, ready.body.status], [503, "not_ready"]);
  assert.notEqual(ready.body.checks.database, "ok");
});

/** Takes the service's database away under its feet. */
async function withoutDatabase(databaseUrl: string): Promise<void> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: process.env.PARLEY_TEST_ADMIN_URL! });
  await client.connect();
  await client.query(`drop database ${new URL(databaseUrl).pathname.slice(1)} with (force)`);
  await client.end();
}

/** A request as written, header by header. */
function raw(url: string, method: string, path: string, headers: string[]): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: ["Host", `${hostname}:${port}`, ...headers] });
    sent.on("response", (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part) => {
        body += part;
      });
      response.on("end", () => resolve({ status: response.statusCode!, body }));
    });
    sent.on("error", reject);
    sent.end();
  });
}
