import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type pg from "pg";

export type Filled = { tables: { name: string; column: string }[]; ours: string; theirs: string };

/** What is put into a column of a type. Whatever else is said of the column is taken off first. */
const VALUES: Record<string, string> = {
  bool: "true",
  date: "'2026-01-01'",
  float4: "1",
  float8: "1",
  int2: "1",
  int4: "1",
  int8: "1",
  interval: "'1 hour'",
  json: "'{}'",
  jsonb: "'{}'",
  numeric: "1",
  text: "'text'",
  time: "'12:00'",
  timestamptz: "'2026-01-01'",
  uuid: "gen_random_uuid()",
};

const COLUMNS = `
  select class.relname as table, attribute.attname as column, type.typname as type
  from pg_class class
  join pg_attribute attribute on attribute.attrelid = class.oid and attribute.attnum > 0 and not attribute.attisdropped
  join pg_type type on type.oid = attribute.atttypid
  where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
    and attribute.attidentity = '' and attribute.attgenerated = ''
  order by class.relname, attribute.attnum`;

const CHECKS = `
  select conrelid::regclass as table, conname as name from pg_constraint
  where contype = 'c' and connamespace = 'public'::regnamespace`;

/**
 * Puts one row of each of two tenants into every table of tenants there is, whatever the table is for: so a table of a
 * later day is filled too. By a superuser, in a database that is thrown away: its checks are taken off, and foreign keys
 * are not looked at.
 */
export async function fillEveryTable(superuser: pg.Client): Promise<Filled> {
  const [ours, theirs] = [randomUUID(), randomUUID()];
  await superuser.query("set session_replication_role = replica");
  for (const { table, name } of (await superuser.query(CHECKS)).rows) {
    await superuser.query(`alter table ${table} drop constraint "${name}"`);
  }
  const { rows } = await superuser.query<{ table: string; column: string; type: string }>(COLUMNS);
  const found = await superuser.query<{ name: string; column: string }>(
    'select name::text, tenant as "column" from tenant_tables()',
  );
  const owners = new Map(found.rows.map(({ name, column }) => [name, column]));
  const tables: Filled["tables"] = [];
  for (const [name, columns] of Map.groupBy(rows, (row) => row.table)) {
    const column = owners.get(name);
    if (column === undefined) continue;
    tables.push({ name, column });
    const names = columns.map((column) => `"${column.column}"`).join(", ");
    for (const tenant of [ours, theirs]) {
      const values = columns.map((field) => (field.column === column ? `'${tenant}'` : valueFor(field)));
      await superuser.query(`insert into ${name} (${names}) values (${values.join(", ")})`);
    }
  }
  await superuser.query("reset session_replication_role");
  return { tables, ours, theirs };
}

let last = 0;

/** Text and bytes are never the same twice, so that no unique index is violated. */
function valueFor({ table, column, type }: { table: string; column: string; type: string }): string {
  if (type.startsWith("_")) return "'{}'";
  if (type === "text") return `'text ${++last}'`;
  if (type === "bytea") return `decode('${(++last).toString(16).padStart(8, "0")}', 'hex')`;
  const value = VALUES[type];
  assert.ok(value !== undefined, `a value of type ${type} for ${table}.${column} is missing in VALUES`);
  return value;
}
