import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { mustBeProtected } from "#store/database/row-security.ts";
import { planDistribution } from "#store/distribution/distribute.ts";
import { policiesWithSelects, rewritePolicies } from "#store/distribution/policies.ts";
import { skewOf, statusOf } from "#store/distribution/status.ts";
import { faults, tables } from "#store/distribution/tables.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { fillEveryTable } from "#test/support/database/filled-tables.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("every table can be where it is placed in a distributed database, and comes after those that it refers to", async (t) => {
  const client = await openClient(t, await cloneDatabase(t));
  const all = await tables(client);
  assert.deepEqual(faults(all), []);
  const names = all.map(({ name }) => name);
  const early = all.filter(
    ({ place, parents }, at) => place === "distributed" && parents.some((parent) => names.indexOf(parent) > at),
  );
  assert.deepEqual(early, []);
  assert.equal(all.find(({ name }) => name === "tenants")?.column, "id");
  assert.equal(all.find(({ name }) => name === "sessions")?.place, "local");

  await client.query("create table anybodys (id uuid primary key)");
  await client.query("create table wide (tenant_id uuid not null references tenants, id uuid primary key)");
  await client.query("alter table guesses add column wide uuid references wide");
  assert.deepEqual(faults(await tables(client)), [
    "anybodys belongs to no tenant, and is not listed",
    "wide: wide_pkey is unique over all tenants",
    "guesses stays on the coordinator, and refers to wide",
  ]);
});

test("policies keep tenants and organizations apart also when they are said without a select", async (t) => {
  const client = await openClient(t, await cloneDatabase(t));
  const { tables: filled, ours } = await fillEveryTable(client);
  const before = (await policiesWithSelects(client)).length;
  assert.ok(before > filled.length, `${before} policies`);
  assert.equal(await rewritePolicies(client), before);
  assert.deepEqual(await policiesWithSelects(client), []);
  assert.equal(await rewritePolicies(client), 0, "again");
  await mustBeProtected(client);

  await client.query("set role parley_app");
  const wrong: string[] = [];
  for (const scope of [undefined, "", randomUUID(), ours, "*"]) {
    if (scope !== undefined) await client.query("select set_config('app.tenant', $1, false)", [scope]);
    for (const { name, column } of filled) {
      const { rows } = await client.query(`select count(*)::int as n from ${name}`);
      const expected = scope === ours ? 1 : scope === "*" ? 2 : 0;
      if (rows[0].n !== expected) wrong.push(`${name} under ${scope}: ${rows[0].n}`);
      if (scope === "*") continue;
      const theirs = `insert into ${name} select (jsonb_populate_record(null::${name}, jsonb_build_object('${column}', $1::text))).*`;
      const taken = await client.query(theirs, [randomUUID()]).then(
        () => true,
        () => false,
      );
      if (taken) wrong.push(`${name} under ${scope}: written`);
    }
  }
  await client.query("select set_config('app.organizations', $1, false)", [`{${randomUUID()}}`]);
  for (const name of ["contacts", "agents", "calls", "users", "organizations", "inboxes"]) {
    const { rows } = await client.query(`select count(*)::int as n from ${name}`);
    if (rows[0].n !== 0) wrong.push(`${name} of another organization: ${rows[0].n}`);
  }
  assert.deepEqual(wrong, []);
});

test("a policy that cannot be said without a select is named, and no other is changed", async (t) => {
  const client = await openClient(t, await cloneDatabase(t));
  await client.query("create policy strange on users as restrictive using (exists (select from agents))");
  const before = (await policiesWithSelects(client)).length;
  await assert.rejects(rewritePolicies(client), /the policy strange of users cannot be said without a select/);
  assert.equal((await policiesWithSelects(client)).length, before);
});

test("a table that refers to no tenant any more is still known as tenants' by its policy", async (t) => {
  const client = await openClient(t, await cloneDatabase(t));
  await client.query("alter table trunk_numbers drop constraint trunk_numbers_owner_fkey");
  const { rows } = await client.query(
    "select tenant::text from tenant_tables() where name = 'trunk_numbers'::regclass",
  );
  assert.deepEqual(rows, [{ tenant: "owner" }]);
  await client.query("alter table trunk_numbers no force row level security");
  await assert.rejects(mustBeProtected(client), /not forced for trunk_numbers/);
});

test("a database without Citus is on one server, and says what it lacks for more", async (t) => {
  const url = await cloneDatabase(t);
  const { missing, steps } = await planDistribution(url);
  assert.match(missing.join("\n"), /This database has no Citus: add citus to shared_preload_libraries/);
  assert.deepEqual(steps, []);
  assert.equal(await statusOf(url), undefined);
});

test("the skew is that of the largest server", () => {
  const of = (...bytes: number[]) => bytes.map((size) => ({ shards: size > 0 ? 1 : 0, bytes: size }));
  assert.equal(skewOf(of(0, 30, 10)), 1.5);
  assert.equal(skewOf(of(0)), null);
});
