import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import pg from "pg";
import { migrate } from "#store/database/migrate.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { root } from "#test/support/source/source.ts";
import { CITUS_URL, cloneCluster } from "./citus.ts";

/** The cluster's superuser, from scripts/test.mjs. */
const ADMIN_URL = process.env.PARLEY_TEST_ADMIN_URL;
/** By what the migrations say: a tree in which one was changed has another. */
const TEMPLATE = `parley_template_${migrationsHash()}`;
const TEMPLATE_LOCK = 7_275_396;

/** A migrated database of the test's own, dropped when the test ends. Answers with its URL. */
export async function cloneDatabase(t: TestContext): Promise<string> {
  const { url, drop } = await createDatabase();
  t.after(drop);
  return url;
}

/** A database with nothing in it, not even a schema; dropped when the test ends. Answers with its URL. */
export async function emptyDatabase(t: Owner): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const on = async (text: string) => {
    const admin = new pg.Client({ connectionString: ADMIN_URL });
    await admin.connect();
    await admin.query(text);
    await admin.end();
  };
  await on(`create database ${name}`);
  t.after(() => on(`drop database if exists ${name} with (force)`));
  return urlOf(name);
}

export type Created = { url: string; drop(): Promise<void> };

/** A clone of a migrated template that the first test of the run makes. */
export const createDatabase = (): Promise<Created> => (CITUS_URL ? cloneCluster(TEMPLATE) : createOnOneServer());

/** The same where a cluster is there too. */
export async function createOnOneServer(): Promise<Created> {
  if (!ADMIN_URL) throw new Error("PARLEY_TEST_ADMIN_URL is not set: run tests by npm test");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: ADMIN_URL });
  await admin.connect();
  try {
    await admin.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    await ensureTemplate(admin);
    // By the file: through the log of changes, the default, it takes five times as long.
    await admin.query(`create database ${name} template ${TEMPLATE} strategy file_copy`);
  } finally {
    await admin.end();
  }
  // A clone is another database: a data directory that both use must not take one for the other's past.
  const client = new pg.Client({ connectionString: urlOf(name) });
  await client.connect();
  await client.query("update cluster set id = gen_random_uuid()");
  await client.end();
  return {
    url: urlOf(name),
    async drop() {
      const client = new pg.Client({ connectionString: ADMIN_URL });
      await client.connect();
      await client.query(`drop database if exists ${name} with (force)`);
      await client.end();
    },
  };
}

async function ensureTemplate(admin: pg.Client): Promise<void> {
  const ready = await admin.query("select from pg_database where datname = $1 and datistemplate", [TEMPLATE]);
  if (ready.rowCount === 1) return;
  // Half made by a run that was cut off.
  await admin.query(`drop database if exists ${TEMPLATE} with (force)`);
  await admin.query(`create database ${TEMPLATE}`);
  await migrate(urlOf(TEMPLATE));
  await admin.query(`alter database ${TEMPLATE} is_template true`);
}

function migrationsHash(): string {
  const folder = join(root, "src/store/migrations");
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

function urlOf(name: string): string {
  const url = new URL(ADMIN_URL!);
  url.pathname = `/${name}`;
  return url.href;
}
