import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { runMigrations } from "graphile-worker";
import type pg from "pg";
import { mustBeUnused, mustSuffice, neededBy } from "./needs.ts";
import { ownSession } from "./own-session.ts";
import { mustBeBound, mustBeProtected, protect } from "./row-security.ts";
import { recognizeDatabase } from "./scoped-query.ts";

const FOLDER = new URL("../migrations/", import.meta.url);
/** Any number will do, so long as every Parley process uses the same. */
export const MIGRATION_LOCK = 7_275_395;
/**
 * For each table: everything that comes after a waiting schema change queues behind it, so the change gives up after this time, and is tried again.
 */
const LOCK_TIMEOUT = "1s";
const COME_AGAIN_MS = 500;
/** Some ten minutes of tables that are never free. */
const MOST_TRIES = 400;
/** SQLSTATE of a lock that was not had in time, and of a deadlock with those who work meanwhile. */
const IN_THE_WAY = ["55P03", "40P01"];

/**
 * Brings the database to this program's schema, the queue's included, while others work with it. Any number of processes may call it
 * at once: they take turns under an advisory lock. Returns the names of the migrations that ran. Fails with UnprotectedError
 * when the database would not keep tenants apart, and with OutdatedError when `release`, which is to work with it, cannot: it may have been
 * brought to a later schema. `names` are those to bring it to: a backup is restored into its own schema.
 */
export async function migrate(
  url: string,
  {
    names = migrationNames(),
    folder = FOLDER,
    release,
  }: { names?: readonly string[]; folder?: URL; release?: string } = {},
): Promise<string[]> {
  const client = await ownSession(url, "parley migrate");
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    // A migration changes the rows of every tenant, and may be run by an owner whom row security binds.
    await client.query("select set_config('app.tenant', '*', false)");
    await recognizeDatabase(client);
    await client.query(
      "create table if not exists migrations (name text primary key, ran_at timestamptz not null default now())",
    );
    const done = new Set((await client.query("select name from migrations")).rows.map((row) => row.name as string));
    if (release !== undefined) await mustSuffice(client, release);
    const waiting = names.filter((name) => !done.has(name)).map((name) => read(name, folder));
    await mustBeUnused(client, waiting);
    for (const migration of waiting) await run(client, migration);
    const queue = await client.query("select to_regclass('graphile_worker.migrations') is not null as there");
    if (waiting.length > 0 || !queue.rows[0].there) await runMigrations({ connectionString: url });
    await protect(client);
    // A schema of before, into which a backup is put back, knows of fewer tables: it is looked at once it is brought up to ours.
    const isOurs = migrationNames().every((name) => names.includes(name));
    await (isOurs ? mustBeProtected : mustBeBound)(client);
    return waiting.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

type Migration = { name: string; sql: string; needs: string | undefined };

function read(name: string, folder: URL): Migration {
  const sql = readFileSync(new URL(name, folder), "utf8");
  return { name, sql, needs: neededBy(sql) };
}

async function run(client: pg.Client, { name, sql, needs }: Migration): Promise<void> {
  for (let tries = 1; ; tries++, await pause(COME_AGAIN_MS)) {
    try {
      // The scope anew for each: in a distributed database only what is set so reaches the other servers.
      await client.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT}'; set local app.tenant = '*'`);
      await client.query(sql);
      await client.query("insert into migrations (name) values ($1)", [name]);
      if (needs !== undefined)
        await client.query("update migrations set needs_release = $2 where name = $1", [name, needs]);
      await client.query("commit");
      return;
    } catch (error) {
      // A lost session has rolled back already: the error to report is the one that it was lost by.
      await client.query("rollback").catch(() => {});
      if (!IN_THE_WAY.includes((error as { code?: string }).code ?? "") || tries === MOST_TRIES) throw error;
    }
  }
}

/** Every migration that this program knows, in order. */
export function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".sql"))
    .sort();
}
