import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openDb } from "#store/database/db.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { fillEveryTable } from "#test/support/database/filled-tables.ts";
import { statement } from "#test/support/database/statements.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { root } from "#test/support/source/source.ts";

/** Tables that name an organization and show it to whoever is of the tenant, and why. */
const OF_NO_ORGANIZATION: Readonly<Record<string, string>> = {
  audit_entries: "whoever changes something adds to it, and only who sees the tenant reads it",
  events: "what an event belongs to is its campaign's in most: readers of events ask for each (isWanted)",
  demos: "what the demo data consists of, for whoever sees the tenant",
  identity_providers: "read before anybody knows who asks, and then by whoever sees the tenant",
  api_keys: "read before anybody knows who asks, and then by whoever sees the tenant",
};

test("every table that names an organization shows a limited caller what is of its own", async (t) => {
  const url = await cloneDatabase(t);
  const client = await openClient(t, url);
  const { rows } = await client.query<{ name: string }>(
    `select distinct class.relname as name from pg_class class
     join pg_attribute attribute on attribute.attrelid = class.oid and not attribute.attisdropped
     where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p')
       and (class.relname = 'organizations' or attribute.attname in ('organization_id', 'organization_ids'))
     order by 1`,
  );
  const limited = rows.map(({ name }) => name).filter((name) => !(name in OF_NO_ORGANIZATION));
  assert.ok(limited.length >= 10, limited.join());
  const { tables, ours } = await fillEveryTable(client);
  const db = openDb({ url, poolSize: 2, applicationName: "test" });
  t.after(() => db.close());
  const wrong: string[] = [];
  for (const name of limited) {
    const table = tables.find((table) => table.name === name);
    assert.ok(table, `${name} is filled`);
    const column = name === "organizations" ? "id" : name === "users" ? "organization_ids[1]" : "organization_id";
    const read = statement(`limited-${name}`, `select ${column} as own from ${name} where tenant_id = $1`);
    const change = statement(`change-${name}`, `update ${name} set tenant_id = tenant_id where tenant_id = $1`);
    const remove = statement(`remove-limited-${name}`, `delete from ${name} where tenant_id = $1`);
    const [row] = await db.rows<{ own: string | null }>(read, [ours]);
    const own = row!.own ?? undefined;
    const theirs = db.limitedTo([randomUUID(), randomUUID()]);
    for (const other of [theirs, db.limitedTo([])]) {
      if ((await other.rows(read, [ours])).length > 0) wrong.push(`${name}: another organization reads it`);
      if ((await other.run(change, [ours])) > 0) wrong.push(`${name}: another organization changes it`);
      if ((await other.run(remove, [ours])) > 0) wrong.push(`${name}: another organization deletes it`);
    }
    if (own !== undefined && (await db.limitedTo([own]).rows(read, [ours])).length !== 1)
      wrong.push(`${name}: its own organization does not see it`);
    if ((await db.rows(read, [ours])).length !== 1) wrong.push(`${name}: who sees the tenant does not see it`);
  }

  assert.deepEqual(wrong, []);
});

test("a limit is gone with its transaction, and what is no id is none", async (t) => {
  const db = openDb({ url: await cloneDatabase(t), poolSize: 1, applicationName: "test" });
  t.after(() => db.close());
  const setting = statement(
    "read-limit",
    "select current_setting('app.organizations', true) as organizations, $1::uuid as tenant",
  );
  const read = async (of: Pick<typeof db, "first">) =>
    (await of.first<{ organizations: string | null }>(setting, [randomUUID()]))!.organizations ?? "";
  const id = randomUUID();
  const limited = db.limitedTo([id]);

  assert.equal(await read(limited), `{${id}}`);
  assert.equal(await read(db), "");
  await assert.rejects(limited.transaction((tx) => tx.run(statement("fail-limited", "select 1 / 0, $1::uuid"), [id])));
  assert.equal(await read(db), "");
  assert.deepEqual(await limited.transaction((tx) => Promise.all([read(tx), read(tx)])), [`{${id}}`, `{${id}}`]);
  assert.throws(() => db.limitedTo(["'}; drop table users; --"]), /no organization's id/);
  assert.throws(() => limited.limitedTo([id]), /already/);
});

/** What looks beyond the organizations of its caller. Each new one is a way past the limits: add it here knowingly. */
const BEYOND_ORGANIZATIONS: readonly string[] = [
  // What is listed holds for the whole tenant, and withdraws what waits in it.
  "src/operations/compliance/add-do-not-call.ts",
  // Numbers that anybody of the tenant has are not offered, nor bought twice.
  "src/operations/numbers/buy-phone-number.ts",
  "src/operations/numbers/read-phone-numbers.ts",
  // An account that is refused carries the campaigns of all organizations.
  "src/operations/carriers.ts",
  // A number is judged by all its calls, whoever of the tenant placed them.
  "src/operations/numbers/phone-number-health.ts",
  // A campaign of another organization may call from the number.
  "src/operations/numbers/change-phone-number.ts",
  // Where the limits are made.
  "src/operations/context.ts",
  // Whether the tenant has anything real to send by.
  "src/operations/system/read-system.ts",
  "src/operations/system/test-system.ts",
  // Numbers of no organization may be linked to it.
  "src/operations/agents/delete-agent.ts",
  // Another organization may have the same person, whose consent then stays.
  "src/operations/contacts/delete-contact.ts",
  // Whether another organization has the phone, so that its words are not shown.
  "src/operations/compliance/read-consent.ts",
  // A consent is the person's, and ends an opt-out for everybody.
  "src/operations/compliance/record-consent.ts",
  // An opt-out is the person's, and holds for everybody.
  "src/operations/compliance/unsubscribe.ts",
];

test("the operations that look beyond their caller's organizations are the ones that are meant to", () => {
  const files = globSync("src/{operations,http,jobs}/**/*.ts", { cwd: root });
  const found = files.filter((file) => readFileSync(join(root, file), "utf8").includes("tenantDb"));

  assert.deepEqual(found.sort(), [...BEYOND_ORGANIZATIONS].sort());
});
