import assert from "node:assert/strict";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { createTenant } from "#app/roles/keys.ts";
import { readConfig } from "#app/settings/config.ts";
import type { Uuid } from "#domain/values/id.ts";
import { verifyAuditLog } from "#operations/accounts/verify-audit.ts";
import type { Context } from "#operations/context.ts";
import { chainRecords } from "#operations/system/chain-records.ts";
import { removeOld } from "#operations/system/retention.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const DAY_MS = 86_400_000;

test("what is removed since its time is over is in each tenant's log: what, how many and from before when", async (t) => {
  const url = await cloneDatabase(t);
  const { ctx, close } = wire(readConfig({ PARLEY_LOG_LEVEL: "error" }), url, "test");
  t.after(close);
  const sql = await openClient(t, url);
  const one = await createTenant(ctx, "One", "live");
  const other = await createTenant(ctx, "Other", "live");
  const testMode = (await sql.query("select other_id from tenants where id = $1", [one])).rows[0].other_id as Uuid;
  const ago = (days: number) => new Date(ctx.now().getTime() - days * DAY_MS);

  const event = (tenant: Uuid, seq: number, days: number) =>
    sql.query(
      `insert into events (tenant_id, kind, at, data, n, seq, numbered_at) values ($1, 'brand.updated', $3, '{}', 5, $2, $3)`,
      [tenant, seq, ago(days)],
    );
  for (const [tenant, old] of [
    [one, 3],
    [other, 1],
  ] as const) {
    await sql.query("insert into event_heads (tenant_id, seq) values ($1, 50)", [tenant]);
    for (let seq = 1; seq <= 50; seq += 5) await event(tenant, seq, seq <= 5 * old ? 32 : 29);
  }
  const request = (tenant: Uuid, of: string, days: number) =>
    sql.query(
      `insert into request_log (tenant_id, id, at, method, path, operation, class, status, ms, key_id)
       values ($1, $2, $3, 'GET', '/v1/x', 'x', $4, 200, 1, $1)`,
      [tenant, ctx.newId(), ago(days), of],
    );
  for (const [of, days] of [
    ["read", 9],
    ["change", 9],
    ["read", 6],
    ["administration", 9],
    ["administration", 367],
  ] as const)
    await request(testMode, of, days);
  const hash = (n: number, days: number) =>
    sql.query("insert into erased_phones (tenant_id, hash, erased_at) values ($1, $2, $3)", [
      one,
      Buffer.alloc(32, n),
      ago(days),
    ]);
  await hash(1, 9);
  await hash(2, 6);
  // A tenant that is there no more has no log.
  await request(ctx.newId(), "read", 9);

  // Two at once, and again: what is gone is not said twice.
  await Promise.all([removeOld(ctx, { eventDays: 30 }), removeOld(ctx, { eventDays: 30 })]);
  await removeOld(ctx, { eventDays: 30 });

  const day = (days: number) => `${ago(days).toISOString().slice(0, 10)}T00:00:00.000Z`;
  const entry = (mode: string, object: string, days: number, n: number) => [
    mode,
    "system",
    "removeOld",
    object,
    { before: { older_than: day(days) }, after: null, counts: { [object]: n } },
  ];
  assert.deepEqual(await entriesOf(ctx, one), [
    entry("live", "events", 30, 15),
    entry("test", "requests", 7, 2),
    entry("test", "requests_of_admins", 365, 1),
    entry("live", "hashes_of_erased_phones", 7, 1),
  ]);
  assert.deepEqual(await entriesOf(ctx, other), [entry("live", "events", 30, 5)]);
  const left = await sql.query(
    "select (select count(*) from events)::int as events, (select count(*) from request_log)::int as requests",
  );
  assert.deepEqual(left.rows, [{ events: 16, requests: 2 }]);

  async function entriesOf(ctx: Context, tenant: Uuid) {
    while (await chainRecords(ctx));
    assert.equal((await verifyAuditLog(ctx, tenant, [])).fault, undefined);
    const { rows } = await sql.query(
      "select mode, actor, operation, object, content from audit_entries where tenant_id = $1 and operation = 'removeOld' order by id",
      [tenant],
    );
    return rows.map((row) => [row.mode, row.actor, row.operation, row.object, row.content]);
  }
});
