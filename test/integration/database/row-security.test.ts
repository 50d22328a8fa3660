import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { openDb, sqlState, statements } from "#store/database/db.ts";
import { migrate } from "#store/database/migrate.ts";
import { ownerWarning } from "#store/database/ready.ts";
import { mustBeProtected, UnprotectedError } from "#store/database/row-security.ts";
import { prepareScope, scopedQuery, scopedTransaction } from "#store/database/scoped-query.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { type Filled, fillEveryTable } from "#test/support/database/filled-tables.ts";
import { crossTenant, statement } from "#test/support/database/statements.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { root } from "#test/support/source/source.ts";
import { OVER_ALL } from "./over-all-tenants.ts";

/** Rows of these are never changed or deleted: the role may not. */
const ADDED_TO = ["audit_entries", "chain_erased_consents", "chain_erasures", "chain_links"];

for (const file of globSync("src/store/*/*.ts", { cwd: root, exclude: ["**/*.test.ts"] }))
  await import(join(root, file));
const OURS = statements().slice();

test("every statement of a tenant says tenant_id = $1 of each table of tenants, or writes $1 there", async (t) => {
  const client = await openClient(t, await cloneDatabase(t));
  const tables = new Set(await tenantTables(client));
  const wrong = OURS.filter((statement) => statement.over === "tenant").flatMap(({ name, text }) =>
    unscoped(text, tables).map((table) => `${name}: ${table}`),
  );

  assert.deepEqual(wrong, []);
  assert.deepEqual(
    [
      "select 1 from users where id = $1",
      "select 1 from users u join agents a on a.id = u.id where u.tenant_id = $1",
      "select 1 from users, agents where users.tenant_id = $1",
      "update users set name = $2 where tenant_id = $2",
      "delete from lists using users where lists.tenant_id = $1",
      "insert into users (tenant_id, id) values ($2, $1)",
      "insert into users (tenant_id, id) select u.tenant_id, u.id from users u where u.tenant_id = $1",
    ].map((text) => unscoped(text, tables).length),
    [1, 1, 1, 1, 1, 1, 1],
    "what is wrong is seen",
  );
});

test("the statements over all tenants are the ones that are meant to be", () => {
  const over = OURS.filter((statement) => statement.over === "all").map(({ name }) => name);

  assert.deepEqual(over.sort(), [...OVER_ALL].sort());
});

test("a statement that names no tenant still sees and changes one tenant's rows only, in every table", async (t) => {
  const url = await cloneDatabase(t);
  const { tables, ours, theirs } = await fillEveryTable(await openClient(t, url));
  const db = openDb({ url, poolSize: 2, applicationName: "test" });
  t.after(() => db.close());
  assert.ok(tables.length > 20, `${tables.length} tables`);
  assert.ok(
    tables.some(({ name }) => name === "trunk_numbers"),
    "a table that calls its tenant by another name",
  );
  const wrong: string[] = [];
  for (const { name, column } of tables) {
    const id = randomUUID();
    const read = statement(`read-${id}`, `select ${column} as tenant from ${name} where $1::uuid is not null`);
    const all = crossTenant(`all-${id}`, `select ${column} as tenant from ${name}`);
    const remove = statement(`remove-${id}`, `delete from ${name} where ${column} <> $1`);
    const steal = statement(`steal-${id}`, `update ${name} set ${column} = $2 where ${column} = $1`);
    const seen = async (of: typeof read, values: unknown[] = []) =>
      (await db.rows<{ tenant: string }>(of, values)).map(({ tenant }) => tenant).sort();
    const expect = (what: string, is: unknown, should: unknown) => {
      if (JSON.stringify(is) !== JSON.stringify(should)) wrong.push(`${name}: ${what}: ${JSON.stringify(is)}`);
    };
    expect("ours", await seen(read, [ours]), [ours]);
    expect("theirs", await seen(read, [theirs]), [theirs]);
    expect("neither", await seen(read, [randomUUID()]), []);
    expect("all", await seen(all), [ours, theirs].sort());
    expect("deleted", await db.run(remove, [ours]).catch(sqlState), ADDED_TO.includes(name) ? "42501" : 0);
    expect("given away", await db.run(steal, [ours, theirs]).catch(sqlState), "42501");
    // In one transaction, pipelined, the tenant changes with the statement.
    const mixed = await db.transaction((tx) =>
      Promise.all([tx.rows(read, [ours]), tx.rows(read, [theirs]), tx.rows(all), tx.rows(read, [ours])]),
    );
    expect(
      "mixed",
      mixed
        .flat()
        .map((row) => (row as { tenant: string }).tenant)
        .toSorted(),
      [ours, ours, ours, theirs, theirs].sort(),
    );
    expect("after all that", await seen(all), [ours, theirs].sort());
  }

  assert.deepEqual(wrong, []);
});

test("without a tenant there are no rows, and none can be written", async (t) => {
  const client = await openClient(t, await cloneDatabase(t));
  const { tables, ours } = await fillEveryTable(client);
  await client.query("set role parley_app");
  const wrong: string[] = [];
  for (const scope of [undefined, "", ours, "*"]) {
    if (scope !== undefined) await client.query("select set_config('app.tenant', $1, false)", [scope]);
    for (const { name, column } of tables) {
      const { rows } = await client.query(`select count(*)::int as n from ${name}`);
      const expected = scope === ours ? 1 : scope === "*" ? 2 : 0;
      if (rows[0].n !== expected) wrong.push(`${name} under ${scope}: ${rows[0].n}`);
      if (scope) continue;
      const copy = `insert into ${name} select (jsonb_populate_record(null::${name}, jsonb_build_object('${column}', $1::text))).*`;
      const state = await client.query(copy, [ours]).catch(sqlState);
      // A row that is not whole is refused for that first, in some tables; never is it taken.
      if (typeof state !== "string") wrong.push(`${name} under ${scope}: written`);
    }
  }
  await client.query("select set_config('app.tenant', 'garbage', false)");
  const garbage = await client.query("select from users").catch(sqlState);

  assert.deepEqual(wrong, []);
  assert.equal(garbage, "22P02");
});

const WAYS = { "on one server": scopedQuery, "on many servers": scopedTransaction };
for (const [way, alone] of Object.entries(WAYS)) {
  test(`a statement's tenant is gone with its transaction, as it is set ${way}`, async (t) => {
    const client = new pg.Client({ connectionString: await cloneDatabase(t), pipeline: true });
    // The database is dropped under it when the test ends.
    client.on("error", () => {});
    await client.connect();
    t.after(() => client.end());
    await prepareScope(client);
    const tenant = randomUUID();
    const ask = (text: string) => alone(client, tenant, { name: text.slice(0, 20), text, values: [] });
    const after = async () =>
      (await client.query("select current_setting('app.tenant', true) as tenant")).rows[0].tenant;

    assert.equal((await ask("select current_setting('app.tenant') as tenant")).rows[0].tenant, tenant);
    assert.equal(await after(), "");
    await assert.rejects(ask("select 1 / 0"), { code: "22012" });
    assert.equal(await after(), "");
    assert.equal((await ask("update users set name = 'x' where id is null")).rowCount, 0);
    assert.equal((await ask("insert into migrations (name) values ('x')")).rowCount, 1);
    assert.equal((await client.query("select from migrations where name = 'x'")).rowCount, 1, "it is committed");
  });
}

test("a statement that is given no tenant is not run", async (t) => {
  const db = openDb({ url: await cloneDatabase(t), poolSize: 1, applicationName: "test" });
  t.after(() => db.close());
  const query = statement("needs-a-tenant", "select $1::uuid as tenant");

  for (const values of [[], [null], ["*"], [""], ["' or '1'='1"]]) {
    await assert.rejects(db.rows(query, values), /needs-a-tenant was given no tenant/);
    await assert.rejects(
      db.transaction((tx) => tx.rows(query, values)),
      /needs-a-tenant was given no tenant/,
    );
  }
  const tenant = randomUUID();
  assert.deepEqual(await db.rows(query, [tenant]), [{ tenant }], "the connection works on");
});

test("the role that the service works as can neither pass nor change the policies", async (t) => {
  const url = await cloneDatabase(t);
  const db = openDb({ url, poolSize: 1, applicationName: "test" });
  t.after(() => db.close());
  const who = crossTenant(
    "who-am-i",
    "select current_user as name, rolsuper, rolbypassrls from pg_roles where rolname = current_user",
  );
  const drop = crossTenant("drop-the-policy", "alter table users no force row level security");

  assert.deepEqual(await db.first(who), { name: "parley_app", rolsuper: false, rolbypassrls: false });
  assert.equal(await db.run(drop).catch(sqlState), "42501");
});

test("a table that a later migration adds is put under the policies by migrate", async (t) => {
  const url = await cloneDatabase(t);
  const client = await openClient(t, url);
  await client.query("create table later (tenant_id uuid not null, id uuid not null, primary key (tenant_id, id))");
  await client.query("create table later_owned (id uuid primary key, owner uuid not null references tenants)");
  await client.query("alter table users no force row level security");
  await client.query("drop policy tenant on agents");
  await assert.rejects(mustBeProtected(client), {
    name: "UnprotectedError",
    message:
      'Row-level security is not forced for agents, later, later_owned, users: run "parley migrate" as the database\'s owner',
  });

  await migrate(url);
  await mustBeProtected(client);
  const { rows } = await client.query(
    "select relrowsecurity and relforcerowsecurity as forced from pg_class where relname in ('later', 'later_owned', 'users', 'agents')",
  );
  assert.deepEqual(rows, [{ forced: true }, { forced: true }, { forced: true }, { forced: true }]);
});

test("a policy that opens a table is seen too", async (t) => {
  const client = await openClient(t, await cloneDatabase(t));
  await client.query("create policy wide on users using (true)");
  await client.query("alter policy tenant on lists with check (true)");

  await assert.rejects(mustBeProtected(client), /not forced for lists, users:/);
});

test("a plain owner without the right to make roles is bound by the policies itself", async (t) => {
  const { url, admin } = await databaseOf(t, "nosuperuser");
  await migrate(url);
  const filled = await fillEveryTable(admin);
  const db = openDb({ url, poolSize: 1, applicationName: "test" });
  t.after(() => db.close());

  assert.deepEqual(await seenBy(db, filled), ["1 user"]);
  // It is reported, at the start and by the doctor.
  const role = new URL(url).username;
  assert.match((await ownerWarning(db))!, new RegExp(`^the service works as ${role}, which owns its tables`));
  const env = processEnv({ DATABASE_URL: url, PARLEY_SECRET_KEY: "0".repeat(32) });
  const { status, stdout } = spawnSync(process.execPath, [join(root, "bin/parley.ts"), "doctor"], { env });
  assert.equal(status, 0, String(stdout));
  assert.match(
    String(stdout),
    new RegExp(`^warn row security: the service works as ${role}, which owns its tables`, "m"),
  );
});

test("an owner that may make roles works as parley_app", async (t) => {
  const { url } = await databaseOf(t, "nosuperuser createrole", async (admin, owner) => {
    // As on a cluster of its own, where it would have made the role itself.
    await admin.query(`grant parley_app to ${owner} with admin option`);
  });
  await migrate(url);
  const db = openDb({ url, poolSize: 1, applicationName: "test" });
  t.after(() => db.close());

  assert.deepEqual(await db.first(crossTenant("who-is-it", "select current_user as name")), { name: "parley_app" });
  assert.equal(await ownerWarning(db), undefined);
});

test("a role that bypasses row security and can become no other is refused at the start, with exit code 78", async (t) => {
  const { url } = await databaseOf(t, "nosuperuser bypassrls");
  await assert.rejects(migrate(url), UnprotectedError);
  const db = openDb({ url, poolSize: 1, applicationName: "test" });
  t.after(() => db.close());
  await assert.rejects(db.rows(crossTenant("never-run", "select 1")), UnprotectedError);

  const env = processEnv({ DATABASE_URL: url, PARLEY_SECRET_KEY: "0".repeat(32) });
  const { status, stderr } = spawnSync(process.execPath, [join(root, "bin/parley.ts"), "migrate"], { env });
  assert.equal(status, 78);
  assert.match(String(stderr), /^The database role owner_\w+ bypasses row-level security: [^\n]+\n$/);
});

/** A database of its own that belongs to a role of its own with these attributes; `admin` is a superuser's session in it. */
async function databaseOf(
  t: TestContext,
  attributes: string,
  before: (admin: pg.Client, owner: string) => Promise<void> = async () => {},
): Promise<{ url: string; admin: pg.Client }> {
  // So that the role parley_app is there, as in a cluster that others use too.
  await cloneDatabase(t);
  const name = `owner_${randomUUID().slice(0, 8)}`;
  const cluster = new pg.Client({ connectionString: process.env.PARLEY_TEST_ADMIN_URL! });
  await cluster.connect();
  await cluster.query(`create role ${name} login password 'secret' ${attributes}`);
  await cluster.query(`create database ${name} owner ${name}`);
  await before(cluster, name);
  const url = new URL(process.env.PARLEY_TEST_ADMIN_URL!);
  url.pathname = `/${name}`;
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  t.after(async () => {
    await admin.end();
    await cluster.query(`drop database ${name} with (force)`);
    await cluster.query(`drop role ${name}`);
    await cluster.end();
  });
  url.username = name;
  url.password = "secret";
  return { url: url.href, admin };
}

async function seenBy(db: ReturnType<typeof openDb>, { ours }: Filled): Promise<string[]> {
  const count = statement(
    `count-${randomUUID()}`,
    "select count(*) || ' user' as line from users where $1::uuid is not null",
  );
  return (await db.rows<{ line: string }>(count, [ours])).map(({ line }) => line);
}

async function tenantTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>("select name::text from tenant_tables()");
  return rows.map(({ name }) => name);
}

const NO_ALIAS =
  /^(where|on|set|order|group|cross|left|right|inner|full|join|using|select|values|limit|for|returning|and|union|offset|having)$/;

/** The tables of tenants in a statement of which it does not say that they are of $1's. */
function unscoped(text: string, tables: ReadonlySet<string>): string[] {
  const missing: string[] = [];
  let bare = [...text.matchAll(/(?<![.\w])tenant_id = \$1\b/g)].length;
  for (const [, verb, table, word] of text.matchAll(
    /(\bfrom|\bjoin|\bupdate|\binto|\busing|,)\s+([a-z_]+)(?=(?:\s+(?:as\s+)?([a-z_]+))?)/g,
  )) {
    if (!tables.has(table!)) continue;
    if (verb === "into") {
      const column = table === "tenants" ? "id" : "tenant_id";
      const written = new RegExp(`into ${table} \\(${column},[^)]*\\)\\s*(values \\(\\$1,|select (distinct )?\\$1,)`);
      // Whole rows, of which none passes that is another tenant's.
      const whole = `into ${table} overriding system value select it.* from jsonb_populate_recordset(null::${table}, $2::jsonb) it where it.tenant_id = $1`;
      if (!written.test(text) && !text.replaceAll(/\s+/g, " ").includes(whole)) missing.push(table!);
      continue;
    }
    // A comma is one of a list of tables only where what follows it is a table and its alias, or the list's end.
    if (verb === "," && !/\bfrom\s+[a-z_]+(\s+[a-z_]+)?\s*$/.test(text.slice(0, text.indexOf(`, ${table}`)))) continue;
    const name = word === undefined || NO_ALIAS.test(word) ? table! : word;
    const column = table === "tenants" ? "id" : "tenant_id";
    if (new RegExp(`\\b(${name}|${table})\\.${column} = \\$1\\b`).test(text)) continue;
    if (table === "tenants" && /(?<![.\w])id = \$1\b/.test(text)) continue;
    if (bare-- > 0) continue;
    missing.push(table!);
  }
  return missing;
}
