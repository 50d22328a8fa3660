import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley } from "#test/support/parley.ts";

test("health", async (t) => {
  const api = await startParley(t);

  await t.test("/healthz tells of the process, without a key", async () => {
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
