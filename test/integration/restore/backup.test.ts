import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";
import { backUp, restore } from "#app/command/backup.ts";
import { wire } from "#app/context.ts";
import { readConfig } from "#app/settings/config.ts";
import { fenceReason } from "#operations/restore/raise-fence.ts";
import { openDb } from "#store/database/db.ts";
import { migrate, migrationNames } from "#store/database/migrate.ts";
import { bounds } from "#store/system/event-numbers.ts";
import { cloneDatabase, emptyDatabase } from "#test/support/database/database.ts";
import { lift } from "#test/support/database/restore.ts";
import { startProxy, targetOf } from "#test/support/database/tcp-proxy.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

const run = promisify(execFile);

function inFolder() {
  const folder = aFolder("backup");
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

async function fill(url: string, { isFormer } = { isFormer: false }): Promise<void> {
  await query(
    url,
    isFormer
      ? `insert into tenants (id, name, created_at) values ('${TENANT}', 'Acme', now())`
      : `insert into tenants (id, name, created_at, mode, account_id, other_id)
         values ('${TENANT}', 'Acme', now(), 'test', '${TENANT}', gen_random_uuid())`,
  );
  const rows = NAMES.map(
    (name, i) =>
      `('${TENANT}', '018f0000-0000-7000-8000-0000000001${String(i).padStart(2, "0")}', ${pg.escapeLiteral(name)}, now())`,
  );
  await query(url, `insert into organizations (tenant_id, id, name, created_at) values ${rows.join(", ")}`);
}

const NOW = new Date("2026-11-20T12:00:00Z");

test("a backup restored into a new database has every row of every table, and is fenced", async (t) => {
  const { file, config } = inFolder();
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

test("a backup over a network that cuts everything into single bytes counts every row that it saved", async (t) => {
  const { file, config } = inFolder();
  const from = await cloneDatabase(t);
  await fill(from);
  const proxy = await startProxy(t, targetOf(from));
  proxy.set({ pieceBytes: 1 });
  const saved = await backUp(config, proxy.url(from), file, NOW);
  assert.equal(saved.organizations, NAMES.length);
  assert.deepEqual((await restore(config, await emptyDatabase(t), file, NOW)).rows, saved);
});

test("a backup that is damaged, cut off, of another key or of a newer version is refused with nothing written", async (t) => {
  const { file, config } = inFolder();
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
  await refused(/another PARLEY_SECRET_KEY/, inFolder().config);
});

test("a database that holds tenants is not restored into", async (t) => {
  const { file, config } = inFolder();
  const from = await cloneDatabase(t);
  await fill(from);
  await backUp(config, from, file, NOW);
  await assert.rejects(restore(config, from, file, NOW), /the database is not new/);
  assert.equal((await query(from, "select from organizations")).rowCount, NAMES.length);
});

test("a row whose last text ends like a table does is put back wherever the file is cut into chunks", async (t) => {
  const { file, config } = inFolder();
  const from = await cloneDatabase(t);
  await fill(from);
  // Their last column is such a text. Rows of an odd length are cut by chunks of a power of two in each of their places.
  const rows = `select '${TENANT}', '+' || (10000000000 + i), repeat('x', i / 100000) || '\\.' from generate_series(1, 199999) i`;
  await query(from, `insert into consents (tenant_id, phone, doubt_carrier_id) ${rows}`);
  const saved = await backUp(config, from, file, NOW);
  assert.equal(saved.consents, 199_999);
  const to = await emptyDatabase(t);
  const { rows: back } = await restore(config, to, file, NOW);
  assert.deepEqual(back, saved);
});

test("sequences go on after all that they have numbered, whatever table that is in", async (t) => {
  const { file, config } = inFolder();
  const from = await cloneDatabase(t);
  await query(from, "select nextval('simulator_texts_seq_seq') from generate_series(1, 40)");
  await backUp(config, from, file, NOW);
  const to = await emptyDatabase(t);
  await restore(config, to, file, NOW);
  const { rows } = await query(
    to,
    "select nextval('simulator_texts_seq_seq')::int as texts, nextval('events_position_seq')::int as events",
  );
  assert.deepEqual(rows, [{ texts: 41, events: 1 }]);
});

test("the fence of a restored database records its time and the nodes that ran then, and its log leaves phone numbers out", async (t) => {
  const { file, config } = inFolder();
  const from = await cloneDatabase(t);
  await fill(from);
  const other = TENANT.replace(/1$/, "2");
  await query(
    from,
    `insert into tenants (id, name, created_at, mode, account_id, other_id)
    values ('${other}', 'Other', now(), 'test', '${other}', gen_random_uuid())`,
  );
  await query(from, `insert into event_heads (tenant_id, seq) values ('${TENANT}', 17)`);
  const node = (i: number) => `018f0000-0000-7000-8000-00000000000${i}`;
  const started = "'2026-11-20T11:00:00Z'";
  await query(
    from,
    `insert into nodes (id, lock_key, roles, started_at, lost_at) values ('${node(1)}', 1, '{worker}', ${started}, null),
      ('${node(2)}', 2, '{worker}', ${started}, '2026-11-20T11:30:00Z'), ('${node(3)}', 3, '{media}', ${started}, null)`,
  );
  await backUp(config, from, file, NOW);
  const to = await emptyDatabase(t);
  await restore(config, to, file, new Date("2026-11-21T12:00:00Z"));
  const { rows } = await query(to, "select fenced_as_of, fence_nodes from cluster");
  assert.deepEqual(rows, [{ fenced_as_of: NOW, fence_nodes: [node(1), node(3)] }]);
  const heads = await query(
    to,
    "select seq::float8 as seq, floor::float8 as floor from event_heads order by tenant_id",
  );
  assert.deepEqual(heads.rows, [
    { seq: 1e11 + 17, floor: 1e11 + 17 },
    { seq: 1e11, floor: 1e11 },
  ]);
  const db = openDb({ url: to, poolSize: 1, applicationName: "test" });
  t.after(() => db.close());
  assert.deepEqual(await bounds(db, TENANT), { head: 1e11 + 17, oldest: 1e11 + 18 }, "who follows it reads anew");
});

test("a restore that fails after its rows are written leaves a fence that stays", async (t) => {
  const { file, config } = inFolder();
  const from = await cloneDatabase(t);
  await fill(from);
  await backUp(config, from, file, NOW);
  const to = await cloneDatabase(t);
  await query(to, "create function no_room() returns trigger language plpgsql as $$begin raise 'no room'; end$$");
  await query(
    to,
    "create trigger no_room before update of fenced_as_of on cluster for each row execute function no_room()",
  );
  await assert.rejects(restore(config, to, file, NOW), /no room/);
  assert.equal((await query(to, "select from organizations")).rowCount, NAMES.length);
  await query(to, "drop trigger no_room on cluster");

  const { ctx, close } = wire({ ...config, databasePool: 2 }, to, "test");
  t.after(close);
  const anyhow = { acceptUnknown: true, acceptMissing: true, asOf: NOW };
  await assert.rejects(lift(ctx, config, anyhow), /a restore did not finish: restore into a database/);
  assert.match((await fenceReason(ctx)) ?? "", /a restore did not finish/);
});

test("psql leaves a backup before its first row: it would put everything back without a fence", async (t) => {
  const { file, config } = inFolder();
  await backUp(config, await cloneDatabase(t), file, NOW);
  assert.match(gunzipSync(readFileSync(file)).toString(), /^-- parley backup \{.*\}\n\\echo .*\n\\quit\nCOPY /);
});

test("`parley backup` takes a database of a former version as it is, and it can be put back", async (t) => {
  const { file, config } = inFolder();
  const names = migrationNames().filter((name) => name < "0022");
  const from = await emptyDatabase(t);
  await migrate(from, { names });
  await fill(from, { isFormer: true });
  const env = processEnv({ DATABASE_URL: from, PARLEY_DATA_DIR: config.dataDir });
  await run(process.execPath, ["bin/parley.ts", "backup", file], { cwd: root, env });
  const { rows } = await query(from, "select name from migrations order by name");
  assert.deepEqual(
    rows.map((row) => row.name),
    names,
  );
  const to = await emptyDatabase(t);
  const back = await restore(config, to, file, NOW);
  assert.deepEqual([back.migrations, back.rows.organizations], [names, NAMES.length]);
  assert.equal((await query(to, "select from migrations")).rowCount, migrationNames().length);
});

test("two backups to one name at once leave a whole one", async (t) => {
  const { file, config } = inFolder();
  const from = await cloneDatabase(t);
  await fill(from);
  const [saved] = await Promise.all([backUp(config, from, file, NOW), backUp(config, from, file, NOW)]);
  const { rows } = await restore(config, await emptyDatabase(t), file, NOW);
  assert.deepEqual(rows, saved);
  assert.deepEqual(
    readdirSync(dirname(file)).filter((name) => name !== "data"),
    [basename(file)],
  );
});

test("a backup that fails leaves the one of before, and nothing of its own", async (t) => {
  const { file, config } = inFolder();
  writeFileSync(file, "the one of before");
  await assert.rejects(backUp(config, await emptyDatabase(t), file, NOW));
  assert.equal(readFileSync(file, "utf8"), "the one of before");
  assert.deepEqual(
    readdirSync(dirname(file)).filter((name) => name !== "data"),
    [basename(file)],
  );
});

test("a backup or a restore whose connection is lost fails, leaves nothing half done, and can be begun anew", async (t) => {
  const { file, config } = inFolder();
  const from = await cloneDatabase(t);
  const empty = await emptyDatabase(t);
  await fill(from);
  const saving = await startProxy(t, targetOf(from));
  const restoring = await startProxy(t, targetOf(empty));
  for (const resetAfterBytes of [300, 3_000, 10_000]) {
    saving.set({ resetAfterBytes });
    await assert.rejects(backUp(config, saving.url(from), file, NOW), /ECONNRESET/);
    assert.deepEqual(
      readdirSync(dirname(file)).filter((name) => name !== "data"),
      [],
    );
  }
  const saved = await backUp(config, from, file, NOW);
  for (const resetAfterBytes of [300, 3_000, 10_000]) {
    restoring.set({ resetAfterBytes });
    await assert.rejects(restore(config, restoring.url(empty), file, NOW), /ECONNRESET/);
  }
  assert.deepEqual((await restore(config, empty, file, NOW)).rows, saved);
});
