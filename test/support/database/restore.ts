import { join } from "node:path";
import type { TestContext } from "node:test";
import type pg from "pg";
import { readJournals } from "#adapters/files/read-journals.ts";
import { backUp, restore } from "#app/command/backup.ts";
import { lift as liftBy } from "#app/command/lift.ts";
import { JOURNAL, wire } from "#app/context.ts";
import { readMark } from "#app/process/mark.ts";
import type { Config } from "#app/settings/config.ts";
import type { Context } from "#operations/context.ts";
import type { Account, Lift } from "#operations/restore/lift-fence.ts";
import { emptyDatabase } from "./database.ts";

/** As `parley fence lift` does with the data directory's own journal. */
export const lift = (ctx: Context, config: Config, more: Partial<Lift> = {}): Promise<Account> =>
  liftBy(ctx, readJournals([join(config.dataDir, JOURNAL)]), {
    acceptUnknown: false,
    acceptMissing: false,
    seen: (cluster) => readMark(config.dataDir, cluster),
    ...more,
  });

/** Backs a database up to a file, of this moment. Answers with how to put it into a new one: its URL and a context. */
export async function aBackup(t: TestContext, config: Config, databaseUrl: string, name = "backup.gz") {
  const file = join(config.dataDir, name);
  await backUp(config, databaseUrl, file, new Date());
  return async () => {
    const url = await emptyDatabase(t);
    await restore(config, url, file, new Date());
    const { ctx, close } = wire({ ...config, databasePool: 2 }, url, "test");
    t.after(close);
    return { url, ctx };
  };
}

/** The carrier's book is not ours: when our database is put back, it remembers. */
export async function keepRecords(from: pg.Client, to: pg.Client): Promise<void> {
  for (const table of ["simulator_texts", "simulator_calls", "simulator_handsets"]) {
    await to.query(`truncate ${table}`);
    const { rows } = await from.query(`select to_jsonb(it) as row from ${table} it`);
    await to.query(
      `insert into ${table} overriding system value select (jsonb_populate_recordset(null::${table}, $1::jsonb)).*`,
      [JSON.stringify(rows.map((line) => line.row))],
    );
  }
  const { rows } = await from.query("select last_value from simulator_texts_seq_seq");
  await to.query("select setval('simulator_texts_seq_seq', $1)", [rows[0].last_value]);
}

const HELD = 7_310_003;

/**
 * From here on the simulated carrier takes no more than so many texts, or calls, before `release`: a test that is late with its backup does not
 * find all of them gone. The session is the one that holds it.
 */
export async function holdAfter(sql: pg.Client, table: "simulator_texts" | "simulator_calls", most: number) {
  await sql.query(
    `create function hold_the_carrier() returns trigger language plpgsql as $$
       begin
         if (select count(*) from ${table} where direction = 'to_handset') >= ${most} then
           perform pg_advisory_xact_lock_shared(${HELD});
         end if;
         return new;
       end $$;
     create trigger hold before insert on ${table} for each row when (new.direction = 'to_handset') execute function hold_the_carrier()`,
  );
  await sql.query(`select pg_advisory_lock(${HELD})`);
  return async function release(): Promise<void> {
    await sql.query(`select pg_advisory_unlock(${HELD})`);
  };
}
