import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { openDb } from "#store/database/db.ts";
import { migrate } from "#store/database/migrate.ts";
import { mustBeProtected } from "#store/database/row-security.ts";
import { type Distributed, distribute, planDistribution } from "#store/distribution/distribute.ts";
import { statusOf } from "#store/distribution/status.ts";
import { inCluster, withTenants } from "#test/support/database/owned-cluster.ts";
import { crossTenant, statement } from "#test/support/database/statements.ts";

const clockMs = () => performance.now();

test("a database with tenants in it is distributed, goes on where it was cut off, and keeps tenants apart", async (t) => {
  const url = await inCluster(t);
  assert.match((await planDistribution(url)).missing.join("\n"), /run "parley migrate" first/);
  await migrate(url);
  await withTenants(url, ["Ada", "Bert", "Cleo"]);
  const plan = await planDistribution(url);
  assert.deepEqual(plan.missing, []);
  assert.match(plan.what, /^Citus \d+\.\d+ with \d+ workers?$/);
  assert.ok(plan.policies > 100 && plan.steps.length > 70, `${plan.policies} policies, ${plan.steps.length} tables`);
  assert.deepEqual(await planDistribution(url), plan, "to plan changes nothing");

  const first: Distributed[] = [];
  const cut = distribute(
    url,
    (table) => {
      first.push(table);
      if (first.length === 20) throw new Error("cut off");
    },
    clockMs,
  );
  await assert.rejects(cut, /cut off/);
  const rest: Distributed[] = [];
  await distribute(url, (table) => void rest.push(table), clockMs);
  assert.equal(first.length + rest.length, plan.steps.length);
  const tenants = [...first, ...rest].find(({ name }) => name === "tenants")!;
  assert.ok(tenants.rows >= 3, `${tenants.rows} tenants`);
  const again = await planDistribution(url);
  assert.deepEqual({ ...again, done: 0 }, { ...plan, policies: 0, steps: [], copies: [], done: 0 });
  assert.deepEqual(await migrate(url), [], "it is still up to date");
  await asOfEarlier(t, url);

  const status = (await statusOf(url))!;
  assert.deepEqual([status.open, status.left], [[], []]);
  assert.equal(
    status.servers.reduce((sum, server) => sum + server.tenants, 0),
    tenants.rows,
  );
  await apart(t, url);

  const client = await openOn(t, url);
  const { rows: of } = await client.query(
    "select count(*)::int as shards from citus_shards where table_name = 'tenants'::regclass",
  );
  assert.equal(of[0].shards, 4 * status.servers.filter(({ shards }) => shards > 0).length);
  const { rows: shards } = await client.query(
    "select shardid::int as id, nodename as host, nodeport as port from citus_shards where table_name = 'users'::regclass limit 1",
  );
  const { id, host, port } = shards[0];
  const place = Object.assign(new URL(url), { hostname: host, port: String(port) });
  const worker = await openOn(t, place.href);
  await worker.query(
    `set citus.enable_manual_changes_to_shards = on; alter table users_${id} no force row level security`,
  );
  assert.deepEqual((await statusOf(url))!.open, ["users"], "an open shard is found");
});

/** A table that an earlier release had on every server comes back to the coordinator. */
async function asOfEarlier(t: TestContext, url: string): Promise<void> {
  const client = await openOn(t, url);
  await client.query("alter table sessions no force row level security");
  await client.query("select create_reference_table('sessions')");
  await client.query("alter table sessions force row level security");
  const steps = (await planDistribution(url)).steps.map(({ name, place }) => ({ name, place }));
  assert.deepEqual(steps, [{ name: "sessions", place: "local" }]);
  await distribute(url, () => {}, clockMs);
  assert.deepEqual((await planDistribution(url)).steps, []);
}

async function openOn(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}

/** Each tenant sees its own rows, and nobody sees any without a scope, on the coordinator as on the workers. */
async function apart(t: TestContext, url: string): Promise<void> {
  const client = await openOn(t, url);
  await mustBeProtected(client);
  await client.query("reset role");
  const { rows: tables } = await client.query<{ name: string; column: string }>(
    'select name::text, tenant::text as "column" from tenant_tables()',
  );
  const db = openDb({ url, poolSize: 2, applicationName: "test" });
  t.after(() => db.close());
  const all = await db.rows<{ id: string }>(crossTenant("all-tenants-there", "select id from tenants"), []);
  assert.ok(all.length >= 3);
  const wrong: string[] = [];
  for (const { name, column } of tables) {
    const id = randomUUID();
    const read = statement(`read-${id}`, `select ${column} as tenant from ${name} where $1::uuid is not null`);
    const seen = new Set((await db.rows<{ tenant: string }>(read, [all[0]!.id])).map(({ tenant }) => tenant));
    seen.delete(all[0]!.id);
    if (seen.size > 0) wrong.push(`${name}: others' rows`);
    const strangers = await db.rows(read, [randomUUID()]);
    if (strangers.length > 0) wrong.push(`${name}: a stranger sees rows`);
  }
  await client.query("set role parley_app");
  for (const { name } of tables) {
    const { rows } = await client.query(`select count(*)::int as n from ${name}`);
    if (rows[0].n !== 0) wrong.push(`${name}: ${rows[0].n} rows without a scope`);
  }
  assert.deepEqual(wrong, []);
}

test("a database is distributed over as many parts as are asked for", async (t) => {
  const url = await inCluster(t);
  await migrate(url);
  await distribute(url, () => {}, clockMs, 3);
  const client = await openOn(t, url);
  const { rows } = await client.query(
    "select distinct shard_count::int as n from citus_tables where citus_table_type = 'distributed'",
  );
  assert.deepEqual(rows, [{ n: 3 }]);
});
