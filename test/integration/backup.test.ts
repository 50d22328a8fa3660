import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";
import { backUp, restore } from "#app/backup.ts";
import { readConfig } from "#app/config.ts";
import { cloneDatabase, emptyDatabase } from "../support/database.ts";

function inFolder(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "parley-backup-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return { file: join(folder, "backup.gz"), config: readConfig({ PARLEY_DATA_DIR: join(folder, "data") }) };
}

async function query(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

const TENANT = "018f0000-0000-7000-8000-000000000001";
const NAMES = ["plain", "tab\\there", "line\nbreak", "\\.", "\\N", "quote\"'", "\u{1f600} Ünïcode", "back\\slash", ""];

async function fill(url: string): Promise<void> {
  await query(url, `insert into tenants (id, name, created_at) values ('${TENANT}', 'Acme', now())`);
  const rows = NAMES.map(
    (name, i) =>
      `('${TENANT}', '018f0000-0000-7000-8000-0000000001${String(i).padStart(2, "0")}', ${pg.escapeLiteral(name)}, now())`,
  );
  await query(url, `insert into organizations (tenant_id, id, name, created_at) values ${rows.join(", ")}`);
}

const NOW = new Date("2026-11-20T12:00:00Z");

test("a backup restored into a new database has every row of every table, and is fenced", async (t) => {
  const { file, config } = inFolder(t);
  const from = await cloneDatabase(t);
  await fill(from);
  const saved = await backUp(config, from, file, NOW);
  assert.equal(saved.organizations, NAMES.length);
  const to = await emptyDatabase(t);
  const { rows } = await restore(config, to, file, NOW);
  assert.deepEqual(rows, saved);
  const names = await query(to, "select name from organizations order by id");
  assert.deepEqual(
    names.rows.map((row) => row.name),
    NAMES,
  );
  const cluster = await query(to, "select fence_reason, id from cluster");
  assert.match(cluster.rows[0].fence_reason, /restored from a backup of 2026-11-20T12:00:00.000Z/);
  assert.deepEqual(cluster.rows[0].id, (await query(from, "select id from cluster")).rows[0].id);
  const open = await query(
    to,
    `select relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'tenant_id'
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and not relforcerowsecurity`,
  );
  assert.deepEqual(open.rows, []);
});

test("a backup that is damaged, cut off, of another key or of a newer version is refused with nothing written", async (t) => {
  const { file, config } = inFolder(t);
  const from = await cloneDatabase(t);
  await fill(from);
  await backUp(config, from, file, NOW);
  const whole = readFileSync(file);
  const text = gunzipSync(whole).toString();
  const to = await emptyDatabase(t);
  const refused = async (what: RegExp, other = config) => {
    await assert.rejects(restore(other, to, file, NOW), what);
    const { rows } = await query(to, "select to_regclass('tenants') is null as untouched");
    assert.equal(rows[0].untouched, true);
  };
  truncateSync(file, whole.length - 10);
  await refused(/is not a whole backup/);
  writeFileSync(file, gzipSync(text.replace("plain", "plein")));
  await refused(/is not a whole backup/);
  writeFileSync(file, gzipSync(text.slice(0, text.lastIndexOf("-- end"))));
  await refused(/is not a whole backup/);
  writeFileSync(file, "not even compressed");
  await refused(/is not a whole backup/);
  writeFileSync(file, whole);
  await refused(/another PARLEY_SECRET_KEY/, inFolder(t).config);
});

test("a database that holds tenants is not restored into", async (t) => {
  const { file, config } = inFolder(t);
  const from = await cloneDatabase(t);
  await fill(from);
  await backUp(config, from, file, NOW);
  await assert.rejects(restore(config, from, file, NOW), /the database is not new/);
  assert.equal((await query(from, "select from organizations")).rowCount, NAMES.length);
});
