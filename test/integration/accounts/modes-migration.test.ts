import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { migrate, migrationNames } from "#store/database/migrate.ts";
import { emptyDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("what a tenant had stays in live mode where anything was real, else in test mode, and nobody who opted out is forgotten", async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url, { names: migrationNames().filter((name) => name < "0040") });
  const sql = await openClient(t, url);
  await sql.query("select set_config('app.tenant', '*', false)");
  const [tried, real] = [randomUUID(), randomUUID()];
  const names = { [tried]: "Tried", [real]: "Real" };
  for (const id of [tried, real]) {
    const [organization, user] = [randomUUID(), randomUUID()];
    await sql.query("insert into tenants (id, name, created_at, clock_offset_ms) values ($1, $2, now(), 5)", [
      id,
      names[id],
    ]);
    await sql.query("insert into organizations (tenant_id, id, name, created_at) values ($1, $2, 'Acme', now())", [
      id,
      organization,
    ]);
    await sql.query(
      `insert into users (tenant_id, id, organization_id, name, email, permission, created_at)
       values ($1, $2, $3, 'Ann', 'ann@acme.example', 'admin', now())`,
      [id, user, organization],
    );
    await sql.query(
      "insert into consents (tenant_id, phone, opted_out_at, opt_out_source) values ($1, '+12125550100', now(), 'keyword'), ($1, '+12125550101', null, null)",
      [id],
    );
    await sql.query(
      "insert into do_not_call (tenant_id, phone, organization_id, created_at) values ($1, '+12125550102', $2, now())",
      [id, organization],
    );
    await sql.query(
      `insert into api_keys (lookup, id, tenant_id, name, mode, digest, scopes, created_at)
       values ($1, $2, $3, 'Key', $4, '', '{}', now())`,
      [id, randomUUID(), id, id === real ? "live" : "test"],
    );
  }

  await migrate(url);

  const { rows } = await sql.query(
    `select name, mode, id = account_id as is_account, clock_offset_ms::int as clock,
       (select count(*)::int from organizations it where it.tenant_id = tenant.id) as organizations,
       (select count(*)::int from users it where it.tenant_id = tenant.id and not test_only) as users,
       (select array_agg(opt_out_source) from consents it where it.tenant_id = tenant.id and opted_out_at is not null) as opt_outs,
       (select count(*)::int from do_not_call it where it.tenant_id = tenant.id) as listed,
       (select count(*)::int from tenants other where other.other_id = tenant.id and other.id = tenant.other_id
          and other.mode <> tenant.mode and other.account_id = tenant.account_id) as others
     from tenants tenant order by name, mode`,
  );
  const both = { organizations: 1, users: 1, listed: 1, others: 1 };
  assert.deepEqual(rows, [
    { name: "Real", mode: "live", is_account: true, clock: 0, opt_outs: ["keyword"], ...both },
    { name: "Real", mode: "test", is_account: false, clock: 0, opt_outs: null, ...both },
    { name: "Tried", mode: "live", is_account: false, clock: 0, opt_outs: ["other_mode"], ...both },
    { name: "Tried", mode: "test", is_account: true, clock: 5, opt_outs: ["keyword"], ...both },
  ]);
});
