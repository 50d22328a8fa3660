import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";

const ALL = ["read", "write", "send", "admin"];

test("API keys", async (t) => {
  const api = await startParley(t);
  const create = (body: object, key?: string) => api.post("/v1/api-keys", body, key ? { key } : {});
  const works = async (key: string) => (await api.get("/v1/me", { key })).status;

  await t.test("a key knows what it is", async () => {
    const { status, body } = await api.get("/v1/me");
    assert.equal(status, 200);
    assert.match(body.tenant_id, /^tnt_[0-9a-z]{26}$/);
    assert.match(body.key_id, /^key_[0-9a-z]{26}$/);
    assert.equal(body.mode, "test");
    assert.deepEqual([...body.scopes].sort(), [...ALL].sort());
    const { success, powered_by } = body;
    assert.deepEqual([success, powered_by], [true, "Parley"]);
  });

  await t.test("a new key is shown once, works, and has the caller's mode and scopes", async () => {
    const { status, body } = await create({ name: "Console" });
    assert.equal(status, 201);
    assert.match(body.api_key, /^pk_test_[0-9a-z]{26}_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/);
    assert.deepEqual([body.name, body.mode, body.expires_at], ["Console", "test", null]);
    const me = await api.get("/v1/me", { key: body.api_key });
    assert.equal(me.body.key_id, body.key_id);
    const listed = await api.get("/v1/api-keys");
    assert.equal(listed.body.api_keys[0].key_id, body.key_id);
    assert.ok(!JSON.stringify(listed.body).includes(body.api_key.slice(-49)));
  });

  await t.test("a wrong secret, a cut key and none at all are the same 401", async () => {
    const { body } = await create({ name: "Short" });
    for (const key of [`${body.api_key.slice(0, -1)}~`, body.api_key.slice(0, -44), "nonsense"]) {
      const answer = await api.get("/v1/me", { key });
      assert.equal(answer.status, 401);
      assert.equal(answer.body.error, "Invalid API key");
    }
  });

  await t.test("a key does what its scopes allow, and gives away no more", async () => {
    const { body } = await create({ name: "Reader", scopes: ["read"] });
    const reader = body.api_key;
    assert.equal((await api.get("/v1/organizations", { key: reader })).status, 200);
    const refused = await api.post("/v1/organizations", { name: "Acme" }, { key: reader });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, "missing_scope");
    assert.equal((await create({ name: "x" }, reader)).status, 403);

    const keeper = (await create({ name: "Keeper", scopes: ["admin", "read"] })).body.api_key;
    assert.equal((await create({ name: "x", scopes: ["send"] }, keeper)).status, 403);
    assert.deepEqual((await create({ name: "Same" }, keeper)).body.scopes, ["admin", "read"]);
    const me = (await api.get("/v1/me")).body;
    assert.equal((await api.post(`/v1/api-keys/${me.key_id}/rotate`, {}, { key: keeper })).status, 403);
  });

  await t.test("a scope in one area opens that area alone, and says what it lacks elsewhere", async () => {
    const { body } = await create({ name: "Importer", scopes: ["contacts:read", "contacts:write"] });
    const as = { key: body.api_key };
    assert.deepEqual(body.scopes, ["contacts:read", "contacts:write"]);
    const { organization_id } = await anOwner(api);
    assert.equal((await api.get(`/v1/contacts/lists?organization_id=${organization_id}`, as)).status, 200);
    assert.deepEqual((await api.get("/v1/me", as)).body.scopes, body.scopes);
    for (const path of ["/v1/agents", "/v1/campaigns", "/v1/voice/calls", "/v1/events", "/v1/api-keys"]) {
      assert.deepEqual([(await api.get(path, as)).status, path], [403, path]);
    }
    const { body: refused } = await api.get("/v1/agents", as);
    assert.equal(refused.error, 'This key lacks the "read" scope, or "agents:read" for this part alone');
    assert.deepEqual(wrongFields(await create({ name: "x", scopes: ["contacts:admin"] })), ["scopes[0]"]);
    const own = (await create({ name: "Own", scopes: ["admin", "contacts:read"] })).body.api_key;
    assert.equal((await create({ name: "x", scopes: ["contacts:read"] }, own)).status, 201);
    assert.equal((await create({ name: "x", scopes: ["read"] }, own)).body.code, "missing_scope");
  });

  await t.test("a key is used from its addresses alone, and makes none for others", async () => {
    const here = (await create({ name: "Here", allowed_addresses: ["127.0.0.0/8", "::1"] })).body;
    assert.deepEqual(here.allowed_addresses, ["127.0.0.0/8", "::1"]);
    assert.equal(await works(here.api_key), 200);
    const away = (await create({ name: "Away", allowed_addresses: ["203.0.113.0/24"] })).body;
    const refused = await api.get("/v1/me", { key: away.api_key });
    assert.deepEqual([refused.status, refused.body.code], [403, "address_refused"]);
    assert.equal(refused.body.error, "This key may not be used from 127.0.0.1");
    const wrong = { name: "x", allowed_addresses: ["127.0.0.1", "office"] };
    assert.deepEqual(wrongFields(await create(wrong)), ["allowed_addresses[1]"]);
    assert.deepEqual(wrongFields(await create({ name: "x", allowed_addresses: [] })), ["allowed_addresses"]);
    assert.deepEqual((await create({ name: "x" }, here.api_key)).body.allowed_addresses, here.allowed_addresses);
    const wider = await create({ name: "x", allowed_addresses: ["0.0.0.0/0"] }, here.api_key);
    assert.deepEqual([wider.status, wider.body.code], [403, "address_refused"]);
    const free = (await create({ name: "Anywhere" })).body;
    const freed = await api.post(`/v1/api-keys/${free.key_id}/rotate`, {}, { key: here.api_key });
    assert.deepEqual([freed.status, freed.body.code, freed.body.api_key], [403, "address_refused", undefined]);
    const turned = await api.post(`/v1/api-keys/${away.key_id}/rotate`, {});
    assert.deepEqual(turned.body.allowed_addresses, ["203.0.113.0/24"]);
    const [listed] = (await api.get("/v1/api-keys?limit=1")).body.api_keys;
    assert.deepEqual(listed.allowed_addresses, ["203.0.113.0/24"]);
  });

  await t.test("a mistyped key is found by its checksum, and one of before there were any works", async () => {
    const { api_key: key } = (await create({ name: "Typed" })).body;
    const typo = `${key.slice(0, 50)}${key[50] === "x" ? "y" : "x"}${key.slice(51)}`;
    const { status, body } = await api.get("/v1/me", { key: typo });
    assert.deepEqual([status, body.error], [401, "Invalid API key"]);
    assert.match(body.details[0].message, /^is mistyped or cut/);
    // The operator's own has another form, and is what every other request here is sent with.
    assert.equal(await works(api.key), 200);
  });

  await t.test("the last use of many keys is noted, once a minute for each", async () => {
    const keys = await Promise.all([1, 2, 3].map(async (n) => (await create({ name: `Used ${n}` })).body));
    assert.deepEqual(await Promise.all(keys.map(({ api_key }) => works(api_key))), [200, 200, 200]);
    const used = async () => {
      const { api_keys } = (await api.get("/v1/api-keys?limit=20")).body;
      const of = (id: string) => api_keys.find(({ key_id }: { key_id: string }) => key_id === id).last_used_at;
      return keys.map(({ key_id }) => of(key_id));
    };
    await until("all are noted", async () => (await used()).every((at) => at !== null));
    const before = await used();
    for (let times = 0; times < 20; times++) for (const { api_key } of keys) await works(api_key);
    assert.deepEqual(await used(), before);
  });

  await t.test("a test key makes no live key", async () => {
    const refused = await create({ name: "Live", mode: "live" });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, "live_key_required");
  });

  await t.test("wrong fields are named", async () => {
    assert.deepEqual(wrongFields(await create({})), ["name"]);
    const wrong = { name: 5, mode: "play", scopes: ["root"], expires_at: 5 };
    assert.deepEqual(wrongFields(await create(wrong)).sort(), ["expires_at", "mode", "name", "scopes[0]"]);
    assert.deepEqual(wrongFields(await create({ name: "x", scopes: [] })), ["scopes"]);
    assert.deepEqual(wrongFields(await create({ name: "x", expires_at: "2020-01-01T00:00:00Z" })), ["expires_at"]);
    assert.deepEqual(wrongFields(await create({ name: "x", expires_at: "tomorrow" })), ["expires_at"]);
  });

  await t.test("a revoked key is dead at once, and stays listed", async () => {
    const { body } = await create({ name: "Gone" });
    assert.equal(await works(body.api_key), 200);
    const revoked = await api.delete(`/v1/api-keys/${body.key_id}`);
    assert.equal(revoked.status, 200);
    assert.ok(revoked.body.revoked_at);
    assert.equal(await works(body.api_key), 401);
    const again = await api.delete(`/v1/api-keys/${body.key_id}`);
    assert.equal(again.body.revoked_at, revoked.body.revoked_at);
    assert.equal((await api.post(`/v1/api-keys/${body.key_id}/rotate`, {})).status, 409);
    assert.equal((await api.delete("/v1/api-keys/key_00000000000000000000000000")).status, 404);
  });

  await t.test("a rotated key works on for the overlap, the new one has its powers", async () => {
    const old = (await create({ name: "Turning", scopes: ["read", "admin"] })).body;
    const day = await api.post(`/v1/api-keys/${old.key_id}/rotate`, {});
    assert.equal(day.status, 201);
    assert.notEqual(day.body.key_id, old.key_id);
    assert.deepEqual([day.body.name, day.body.scopes], ["Turning", ["read", "admin"]]);
    assert.equal(day.body.replaces.key_id, old.key_id);
    const overlapMs = Date.parse(day.body.replaces.expires_at) - Date.parse(day.body.created_at);
    assert.equal(overlapMs, 86_400_000);
    assert.deepEqual([await works(old.api_key), await works(day.body.api_key)], [200, 200]);

    const now = await api.post(`/v1/api-keys/${day.body.key_id}/rotate`, { overlap_seconds: 0 });
    assert.equal(await works(day.body.api_key), 401);
    assert.equal(await works(now.body.api_key), 200);
    const wrong = await api.post(`/v1/api-keys/${now.body.key_id}/rotate`, { overlap_seconds: -1 });
    assert.deepEqual(wrongFields(wrong), ["overlap_seconds"]);
  });
});
