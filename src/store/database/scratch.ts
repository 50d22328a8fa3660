import { randomBytes } from "node:crypto";
import pg from "pg";

/** SQLSTATE of what a role may not do. */
const NOT_ALLOWED = "42501";

export type Scratch = { url: string; drop(): Promise<void> };

/**
 * An empty database of its own on the server of this address, for whoever is to measure or try something there: no other database is read or
 * written. `drop` ends what is connected to it. One whose process was killed stays: its name begins with `parley_scratch_`.
 */
export async function createScratch(url: string): Promise<Scratch> {
  const name = `parley_scratch_${randomBytes(6).toString("hex")}`;
  await once(url, `create database ${name}`).catch((error: { code?: string }) => {
    if (error.code !== NOT_ALLOWED) throw error;
    throw new Error(
      "The role of DATABASE_URL may make no database to measure in: let it (alter role NAME createdb) for as long as that takes, or unset DATABASE_URL to measure with the embedded PostgreSQL",
    );
  });
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, drop: () => once(url, `drop database if exists ${name} with (force)`).then(() => {}) };
}

/** How much the server has written to its log of changes so far, in bytes. */
export async function logBytes(url: string): Promise<number> {
  const { rows } = await once(url, "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes");
  return rows[0].bytes;
}

async function once(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: "parley scratch",
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}
