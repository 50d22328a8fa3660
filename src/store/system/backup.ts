import { once } from "node:events";
import type pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { ownSession } from "#store/database/own-session.ts";
import { isDistributed, recognizeDatabase } from "#store/database/scoped-query.ts";
import { UNFINISHED } from "./fence.ts";

// A backup has for each table `COPY ... FROM stdin;`, its rows, and a line `\.`. Tables come in an order in which no row refers to one that is not
// there yet; after them, how far each sequence had come. The queue is left out: the sweep enqueues its jobs anew.

/** Where migrations are noted; the archive names them in its first line. */
const LEFT_OUT = ["migrations"];

export type Table = { name: string; columns: string[] };
export type Sequence = { name: string; last: string };
/**
 * A piece of a backup: first the migrations of its schema, then of each table its first line, some of its rows, and its end with how many
 * rows there were, at last how far the sequences had come.
 */
export type Piece =
  | { migrations: string[] }
  | { start: Table }
  | { rows: Buffer }
  | { end: Table; count: number }
  | { sequence: Sequence };

const TABLES = `
  select class.relname as name,
    array(select attname::text from pg_attribute
          where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
    array(select distinct target.relname::text from pg_constraint
          join pg_class target on target.oid = confrelid
          where conrelid = class.oid and contype = 'f' and confrelid <> conrelid) as needs
  from pg_class class
  where class.relnamespace = current_schema()::regnamespace and class.relkind = 'r'
  order by class.relname`;

const DISTRIBUTED =
  "select array_agg(logicalrelid::regclass::text) as names from pg_dist_partition where partmethod = 'h'";

async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { needs: string[] }>(TABLES);
  const ordered: Table[] = [];
  const isLater = await laterOnes(client);
  const waiting = rows.filter((row) => !LEFT_OUT.includes(row.name)).sort((a, b) => isLater(a.name) - isLater(b.name));
  while (waiting.length > 0) {
    const ready = waiting.findIndex((row) => row.needs.every((name) => ordered.some((table) => table.name === name)));
    if (ready < 0) throw new Error("the tables refer to each other in a circle");
    const { name, columns } = waiting[ready]!;
    waiting.splice(ready, 1);
    ordered.push({ name, columns });
  }
  return ordered;
}

/** 1 for what a cluster has on its coordinator: where it is restored its rows refer to tenants' again, and none of those to them. */
async function laterOnes(client: pg.Client): Promise<(name: string) => number> {
  if (!isDistributed(client)) return () => 0;
  const { rows } = await client.query<{ names: string[] | null }>(DISTRIBUTED);
  const names = new Set(rows[0]!.names ?? []);
  return (name) => (names.has(name) ? 0 : 1);
}

const SEQUENCES = `
  select sequencename::text as name, last_value::text as last from pg_sequences
  where schemaname = current_schema() and last_value is not null order by sequencename`;

const listed = ({ columns }: Table) => columns.map((column) => `"${column}"`).join(", ");

/** The first line of a table in a backup. */
export const copyLine = (table: Table): string => `COPY "${table.name}" (${listed(table)}) FROM stdin;\n`;

/** A row of a table reads as one of these; anything else is no table's first line. */
export function readCopyLine(line: string): Table | undefined {
  const found = /^COPY "([a-z_]+)" \(((?:"[a-z0-9_]+"(?:, )?)+)\) FROM stdin;$/.exec(line);
  return found ? { name: found[1]!, columns: found[2]!.slice(1, -1).split('", "') } : undefined;
}

/** The line of a sequence in a backup. */
export const sequenceLine = ({ name, last }: Sequence): string => `SELECT setval('"${name}"', ${last});\n`;

export function readSequenceLine(line: string): Sequence | undefined {
  const found = /^SELECT setval\('"([a-z0-9_]+)"', (\d+)\);$/.exec(line);
  return found ? { name: found[1]!, last: found[2]! } : undefined;
}

/** Opens the database as its owner, who may read and write every tenant's rows. */
async function openAsOwner(url: string): Promise<pg.Client> {
  const client = await ownSession(url, "parley backup");
  await client.query("set app.tenant = '*'");
  await recognizeDatabase(client);
  return client;
}

/**
 * In a transaction over a cluster: everybody's rows on each server too, and each asked by one session, whose snapshot is that of all its tables. A tenant is on
 * one server whole, so that no row of its refers to one that came later.
 */
async function takeInServers(client: pg.Client): Promise<void> {
  await client.query("set local app.tenant = '*'");
  await client.query("set local citus.max_adaptive_executor_pool_size = 1");
  await client.query("select count(*) from tenants");
}

/** Every row of every table, as of one moment (of a cluster: of one moment a server), while the service goes on. */
export async function* dump(url: string): AsyncGenerator<Piece> {
  const client = await openAsOwner(url);
  try {
    await client.query("begin isolation level repeatable read read only");
    if (isDistributed(client)) await takeInServers(client);
    yield { migrations: await migrationsIn(client) };
    for (const table of await tablesOf(client)) {
      yield { start: table };
      const rows = client.query(copyTo(`copy (select ${listed(table)} from "${table.name}") to stdout`));
      for await (const chunk of rows) yield { rows: chunk as Buffer };
      // The stream ends with the last row. How many there were is a message of its own, which may come later.
      await client.query("select");
      yield { end: table, count: rows.rowCount };
    }
    // No part of the snapshot: further than its rows, never less far.
    const sequences = await client.query<Sequence>(SEQUENCES);
    for (const sequence of sequences.rows) yield { sequence };
    await client.query("commit");
  } finally {
    await client.end();
  }
}

async function migrationsIn(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>("select name from migrations order by name");
  return rows.map((row) => row.name);
}

/** The migrations that a database has run; undefined when it is new. */
export async function migrationsOf(url: string): Promise<string[] | undefined> {
  const client = await openAsOwner(url);
  try {
    const there = await client.query("select to_regclass('migrations') is not null as there");
    return there.rows[0].there ? await migrationsIn(client) : undefined;
  } finally {
    await client.end();
  }
}

/** True when no tenant is there: a database that is the service's but holds nothing. */
export async function isEmpty(url: string): Promise<boolean> {
  const client = await openAsOwner(url);
  try {
    const there = await client.query("select to_regclass('tenants') is not null as there");
    return !there.rows[0].there || (await client.query("select from tenants limit 1")).rowCount === 0;
  } finally {
    await client.end();
  }
}

/**
 * Fills the tables of an empty database, all or nothing, and fences it for good: only `date` makes it a fence that can be lifted.
 * The counts are checked against `expected`, by table.
 */
export async function load(
  url: string,
  parts: AsyncIterable<{ table: Table; rows: AsyncIterable<Buffer> } | { sequence: Sequence }>,
  check: { expected: Record<string, number>; now: Date },
): Promise<void> {
  const client = await openAsOwner(url);
  try {
    await client.query("begin");
    const known = await tablesOf(client);
    // COPY is refused under row security; by the end of the transaction every table is under it again.
    for (const { name } of known) await client.query(`alter table "${name}" no force row level security`);
    await client.query(`truncate ${known.map(({ name }) => `"${name}"`).join(", ")} cascade`);
    const sequences: Sequence[] = [];
    for await (const part of parts) {
      if ("sequence" in part) {
        sequences.push(part.sequence);
        continue;
      }
      const { table, rows } = part;
      if (!known.some(({ name }) => name === table.name))
        throw new Error(`the backup has an unknown table ${table.name}`);
      const count = await fill(client, table, rows);
      if (count !== check.expected[table.name]) {
        throw new Error(`the backup's ${table.name} has ${count} rows, where ${check.expected[table.name]} were saved`);
      }
    }
    await moveSequences(client);
    for (const { name, last } of sequences) await raiseSequence(client, name, last);
    await client.query("update cluster set fenced_at = $1, fence_reason = $2", [check.now, UNFINISHED]);
    for (const { name } of known) await client.query(`alter table "${name}" force row level security`);
    await client.query("commit");
    await client.query("analyze");
  } finally {
    await client.end();
  }
}

async function fill(client: pg.Client, table: Table, rows: AsyncIterable<Buffer>): Promise<number> {
  const into = client.query(copyFrom(`copy "${table.name}" (${listed(table)}) from stdin`));
  const failed = new Promise<never>((_, reject) => into.once("error", reject));
  failed.catch(() => {});
  for await (const chunk of rows) {
    if (!into.write(chunk)) await Promise.race([once(into, "drain"), failed]);
  }
  into.end();
  await Promise.race([once(into, "finish"), failed]);
  return into.rowCount;
}

/** What counts up by itself goes on after the last that was loaded: all that backups of former versions say of it. */
async function moveSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ sequence: string; table: string; column: string }>(`
    select pg_get_serial_sequence(quote_ident(class.relname), attname) as sequence, class.relname as table, attname as column
    from pg_class class join pg_attribute on attrelid = class.oid
    where class.relnamespace = current_schema()::regnamespace and class.relkind = 'r' and attnum > 0 and not attisdropped
      and pg_get_serial_sequence(quote_ident(class.relname), attname) is not null`);
  for (const { sequence, table, column } of rows) {
    await client.query(
      `select setval('${sequence}', coalesce((select max("${column}") from "${table}"), 0) + 1, false)`,
    );
  }
}

/** A sequence may number more than the column that owns it: the simulated carrier's calls have theirs of its texts'. */
async function raiseSequence(client: pg.Client, name: string, last: string): Promise<void> {
  await client.query(
    "select setval(it, greatest(coalesce(pg_sequence_last_value(it), 0), $2)) from to_regclass($1) as it",
    [`"${name}"`, last],
  );
}
