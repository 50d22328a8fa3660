import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley, until } from "#test/support/api/parley.ts";

const KEPT = { messages_days: null, calls_days: null, recordings_days: null, events_days: null, requests_days: null };
const LIMITS = { shortest_days: 30, longest_days: 3_650, events_days: 30, requests_days: 7 };

test("retention by tenant and kind", async (t) => {
  const api = await startParley(t);
  const keep = (days: object) => api.put("/v1/retention", { ...KEPT, ...days });

  await t.test("days are set by kind, read again and in the audit log, in each mode by itself", async () => {
    assert.deepEqual((await api.get("/v1/retention")).body.retention, { ...KEPT, limits: LIMITS });
    const wanted = { messages_days: 365, calls_days: 30, recordings_days: 7, events_days: 30, requests_days: 1 };
    const { status, body } = await keep(wanted);
    assert.deepEqual([status, body.retention], [200, { ...wanted, limits: LIMITS }]);
    assert.deepEqual((await api.get("/v1/retention")).body.retention, { ...wanted, limits: LIMITS });
    // The same again changes nothing.
    assert.deepEqual((await keep(wanted)).body.retention, { ...wanted, limits: LIMITS });
    const entry = await until("the entry is there", async () => {
      const { body: found } = await api.get("/v1/audit?operation=changeRetention");
      return found.entries.length === 2 && found.entries[1];
    });
    assert.deepEqual(
      [entry.before.messages, entry.after.messages, entry.after.requests],
      [null, 365, 1],
      JSON.stringify(entry),
    );
    assert.deepEqual((await keep({})).body.retention, { ...KEPT, limits: LIMITS });
  });

  await t.test("what is out of the limits is a 400 that names the field", async () => {
    for (const [field, days, says] of [
      ["messages_days", 29, /from 30 to 3650 days/],
      ["calls_days", 29, /from 30 to 3650 days/],
      ["events_days", 31, /from 1 to 30 days/],
      ["requests_days", 8, /7/],
      ["recordings_days", 3_651, /3650/],
      ["recordings_days", 0, /1/],
    ] as const) {
      const { status, body } = await keep({ [field]: days });
      assert.deepEqual([status, body.details?.[0]?.field], [400, field], JSON.stringify(body));
      assert.match(JSON.stringify(body.details[0]), says);
    }
    const { status, body } = await api.put("/v1/retention", { messages_days: 90 });
    assert.equal(status, 400);
    assert.equal(body.details.length, 4);
    assert.deepEqual((await api.get("/v1/retention")).body.retention, { ...KEPT, limits: LIMITS });
  });
});
