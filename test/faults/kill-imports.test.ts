import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type pg from "pg";
import { anOwner } from "#test/support/accounts/owner.ts";
import { BOOTSTRAP_KEY, client, until } from "#test/support/api/parley.ts";
import { countsOf, importIs, sendFile } from "#test/support/campaigns/import.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { startProxy, targetOf } from "#test/support/database/tcp-proxy.ts";
import { type ServiceProcess, startProcess } from "#test/support/processes/processes.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";

const KILLS = process.env.PARLEY_TEST_LONG === "1" ? 20 : 3;
/** Rows that are written in one transaction: operations/imports/run-imports.ts. */
const PIECE = 5_000;
/** A kill comes anywhere within so many pieces. */
const PIECES_A_KILL = 2;
const ROWS = (KILLS + 1) * PIECES_A_KILL * PIECE;
const WITHIN_MS = 240_000;

/** An api on a database and data directory of the test's own, which can be killed and started again. */
async function aService(t: TestContext) {
  const dataDir = aFolder("kill");
  const { url: databaseUrl, drop } = await createDatabase();
  let process: ServiceProcess | undefined;
  const kill = async () => process?.kill();
  t.after(async () => {
    await kill();
    await drop();
  });
  const start = async (reachedBy = databaseUrl) => {
    process = await startProcess(t, "api", {
      DATABASE_URL: reachedBy,
      PARLEY_DATA_DIR: dataDir,
      PARLEY_OVERLOAD_MS: "0",
    });
    return client(process.url!, BOOTSTRAP_KEY);
  };
  return { start, kill, dataDir, databaseUrl };
}

const NO_FURTHER = 7_310_004;

/** Has imports stop before they commit a piece that ends beyond a row, however late the kill comes. They go on from `open` to the next `close`. */
async function aBarrier(sql: pg.Client) {
  await sql.query(
    `create schema barrier;
     create table barrier.beyond (row int not null);
     insert into barrier.beyond values (0);
     create function barrier.wait() returns trigger language plpgsql security definer as $$
       begin
         if new.row_number > (select row from barrier.beyond) then perform pg_advisory_xact_lock_shared(${NO_FURTHER}); end if;
         return new;
       end $$;
     create trigger wait before update of row_number on imports for each row execute function barrier.wait()`,
  );
  return {
    async close(beyond: number): Promise<void> {
      await sql.query("update barrier.beyond set row = $1", [beyond]);
      await sql.query(`select pg_advisory_lock(${NO_FURTHER})`);
    },
    async open(): Promise<void> {
      await sql.query(`select pg_advisory_unlock(${NO_FURTHER})`);
    },
  };
}

test("an api that is killed in the middle of an import loses no row and doubles none", async (t) => {
  const service = await aService(t);
  let api = await service.start();
  const sql = await openClient(t, service.databaseUrl);
  const owner = await anOwner(api);
  const barrier = await aBarrier(sql);
  await barrier.close(PIECES_A_KILL * PIECE + 1);
  const rows = Array.from({ length: ROWS }, (_, i) => (i % 100 === 0 ? "none,x" : `+1303${2_000_000 + i},N${i}`));
  const { body } = await sendFile(api, `phone,first_name\n${rows.join("\n")}\n`, owner);
  const placeOf = async (): Promise<number> =>
    (await sql.query("select row_number::int as at from imports")).rows[0].at;
  const places: number[] = [];
  for (let i = 0; i < KILLS; i++) {
    const from = places.at(-1) ?? 1;
    await until("the import has gone on", async () => (await placeOf()) > from, WITHIN_MS);
    await service.kill();
    await barrier.open();
    const at = await placeOf();
    places.push(at);
    if (i < KILLS - 1) await barrier.close(at + PIECES_A_KILL * PIECE);
    // The first is taken over when its time is up; who waited for that each time would do nothing else.
    if (i > 0) await sql.query("update imports set leased_until = leased_until - interval '1 minute'");
    api = await service.start();
  }
  assert.ok(places.at(-1)! < ROWS, "each kill came in the middle");
  const fileImport = await until(
    "the import is over",
    async () => {
      const answer = await api.get(`/v1/contacts/imports/${body.import.import_id}`);
      return answer.body.import?.status === "completed" && answer.body.import;
    },
    WITHIN_MS,
  );
  t.diagnostic(JSON.stringify({ rows: ROWS, killedAtRow: places }));
  const failed = ROWS / 100;
  assert.deepEqual(countsOf(fileImport), [ROWS - failed, 0, 0, failed]);
  const { rows: counted } = await sql.query(
    `select (select count(*)::int from contacts) as contacts, (select count(*)::int from list_members) as members,
       (select count(*)::int from import_errors) as errors`,
  );
  assert.deepEqual(counted[0], { contacts: ROWS - failed, members: ROWS - failed, errors: failed });
  await until("the file is gone", async () => readdirSync(join(service.dataDir, "uploads")).length === 0);
});

const COMMIT = 7_310_002;

test("an import whose commit was never acknowledged keeps its file for the repeat under its key", async (t) => {
  const service = await aService(t);
  const proxy = await startProxy(t, targetOf(service.databaseUrl));
  const api = await service.start(proxy.url(service.databaseUrl));
  const owner = await anOwner(api);
  const sql = await openClient(t, service.databaseUrl);
  // Its transaction stands in its commit until we let it.
  await sql.query(
    `create function wait_to_commit() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock_shared(${COMMIT}); return null; end $$;
     create constraint trigger wait after insert on imports deferrable initially deferred
       for each row execute function wait_to_commit()`,
  );
  await sql.query(`select pg_advisory_lock(${COMMIT})`);
  const send = () =>
    sendFile(api, "phone,first_name\n+13032000001,Ann\n", owner, { headers: { "idempotency-key": "once" } });
  const first = send();
  await until("it stands in its commit", async () => {
    const { rowCount } = await sql.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'",
    );
    return rowCount === 1;
  });
  proxy.set({ deafClient: true });
  await sql.query(`select pg_advisory_unlock(${COMMIT})`);
  await until("it is committed", async () => (await sql.query("select from imports")).rowCount === 1);
  proxy.set({});
  proxy.reset();
  assert.equal((await first).status, 503, "nobody knows what became of it");

  // Its run could not be ended either: the key is taken over two minutes later.
  await sql.query("update idempotency_keys set started_at = started_at - interval '3 minutes'");
  const { body } = await until("the repeat is taken", async () => {
    const again = await send();
    return again.status === 202 && again;
  });
  const fileImport = await importIs(api, body.import.import_id, ["completed", "failed"]);
  assert.deepEqual([fileImport.status, ...countsOf(fileImport)], ["completed", 1, 0, 0, 0]);
  assert.equal((await sql.query("select from imports")).rowCount, 1, "and it is one");
});
