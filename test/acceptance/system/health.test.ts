import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley, until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("health", async (t) => {
  const api = await startParley(t);

  await t.test("/healthz reports on the process, without a key", async () => {
    const { status, body } = await api.get("/healthz", { key: null });
    assert.deepEqual([status, body], [200, { status: "ok" }]);
  });

  await t.test("/readyz says of each thing that it needs whether it is there", async () => {
    const { status, body } = await api.get("/readyz", { key: null });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      status: "ready",
      checks: { process: "ok", database: "ok", migrations: "ok", clock: "ok", pool: "ok" },
    });
  });

  await t.test("/metrics is text that Prometheus reads", async () => {
    const { status, headers, body } = await api.get("/metrics", { key: null });
    assert.equal(status, 200);
    assert.match(headers.get("content-type")!, /^text\/plain/);
    assert.equal(typeof body, "string");
  });
});

test("metrics are closed to who comes through a proxy, unless by the token", async (t) => {
  const token = "a-token-of-a-monitor";
  const api = await startParley(t, { PARLEY_TRUSTED_PROXIES: "127.0.0.1", PARLEY_METRICS_TOKEN: token }, ["api"]);
  const ask = (headers: Record<string, string>) => api.get("/metrics", { key: null, headers });
  for (const client of [[], ["203.0.113.9"], ["127.0.0.1"]]) {
    const headers = Object.fromEntries(client.map((address) => ["x-forwarded-for", address]));
    const closed = await ask(headers);
    assert.deepEqual([closed.status, closed.body.code], [401, "unauthorized"]);
    assert.match(closed.body.error, /^Metrics are for this machine itself, and for who sends PARLEY_METRICS_TOKEN/);
    assert.equal(closed.headers.get("www-authenticate"), "Bearer");
    assert.equal((await ask({ ...headers, authorization: `Bearer ${token}` })).status, 200);
    assert.equal((await ask({ ...headers, authorization: `Bearer ${token}x` })).status, 401);
  }
  assert.equal((await api.get("/metrics")).status, 401, "an API key opens them no more than it did");
});

test("the reference is not there where it is turned off", async (t) => {
  const api = await startParley(t, { PARLEY_REFERENCE: "off" }, ["api"]);
  for (const path of ["/docs", "/docs/", "/docs/json", "/docs/yaml", "/docs/static/index.html", "/openapi.json"]) {
    const { status, body } = await api.get(path, { key: null });
    assert.deepEqual([status, body.code], [404, "not_found"], path);
  }
  assert.equal((await api.get("/v1/me")).status, 200);
});

test("however many health requests come, none takes a STOP's connection", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const client = await openClient(t, api.databaseUrl);
  const stop = () => api.post(`${handsetPath("+12125550199")}/messages`, { to: SENDER, text: "STOP" });
  assert.equal((await stop()).status, 201);

  // What readiness reads is held, as by a database that hangs.
  await client.query("begin; lock table migrations in access exclusive mode");
  const asking = Array.from({ length: 60 }, (_, i) => api.get(i % 2 ? "/readyz" : "/metrics", { key: null }));
  await until("somebody waits for it", async () => (await waitingForLocks(client)) > 0);
  const stops = await Promise.all(Array.from({ length: 20 }, stop));
  const held = await waitingForLocks(client);
  await client.query("rollback");

  assert.deepEqual(new Set(stops.map(({ status }) => status)), new Set([201]));
  assert.ok(held <= 3, `${held} connections wait: one for all who ask, one of each pool's own probe`);
  // 503 where it was held for so long that the pool counted as stuck.
  for (const { status } of await Promise.all(asking)) assert.ok([200, 503].includes(status), `${status}`);
});

test("endless requests for metrics or the API description are limited, readiness requests are not", async (t) => {
  const api = await startParley(t, { PARLEY_RATE_LIMIT: "5" }, ["api"]);
  const ask = (path: string) => Promise.all(Array.from({ length: 40 }, () => api.get(path, { key: null })));
  const statuses = async (path: string) => new Set((await ask(path)).map(({ status }) => status));

  for (const path of ["/metrics", "/openapi.json", "/docs/json"]) {
    await until(`${path} is put off`, async () => (await statuses(path)).has(429));
  }
  assert.deepEqual(await statuses("/readyz"), new Set([200]));
  assert.deepEqual(await statuses("/healthz"), new Set([200]));
});
