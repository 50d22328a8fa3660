import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { type Statement, statements } from "#store/database/db.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { root } from "#test/support/source/source.ts";

for (const file of globSync("src/store/*/*.ts", { cwd: root, exclude: ["**/*.test.ts"] }))
  await import(join(root, file));
const OURS = statements().filter(({ text }) => !text.startsWith("analyze"));

const TENANT = "01890000-0000-7000-8000-000000000001";
const VALUES: Readonly<Record<string, string>> = {
  uuid: "01890000-0000-7000-8000-000000000002",
  text: "x",
  integer: "1",
  bigint: "1",
  boolean: "true",
  bytea: "x",
  date: "2026-01-01",
  "timestamp with time zone": "2026-01-01T00:00:00Z",
  jsonb: "{}",
};

/**
 * Classes of what a made-up value is refused for: it is no date, or breaks a constraint. The statement had been planned by then. A value that is called
 * PGCOPY is none of ours: Citus reads what one step has left for the next in another form than it was written in.
 */
const OF_VALUES = /^(22|23)/;

async function openSession(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A server that ends takes the session along.
  client.on("error", () => {});
  await client.connect();
  await client.query("set role parley_app; set citus.propagate_set_commands = 'local'; set enable_seqscan = off");
  return client;
}

/** What a cluster says against a statement; undefined where it takes it. */
async function refusal(client: pg.Client, { text, over, distributed = text }: Statement): Promise<string | undefined> {
  try {
    await client.query(`prepare asked as ${text}`);
    const known = await client.query<{ types: string[] }>(
      "select parameter_types::text[] as types from pg_prepared_statements where name = 'asked'",
    );
    await client.query("deallocate asked");
    await client.query(`begin; set local app.tenant = '${over === "all" ? "*" : TENANT}'`);
    const values = known.rows[0]!.types.map((type, at) => {
      if (at === 0 && over === "tenant") return TENANT;
      return type.endsWith("[]") ? "{}" : (VALUES[type] ?? null);
    });
    await client.query({ text: distributed, values });
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return OF_VALUES.test(code ?? "") && !message.includes("PGCOPY") ? undefined : `${code}: ${message}`;
  } finally {
    await client.query("rollback").catch(() => {});
  }
}

test("a cluster takes every statement there is", async (t) => {
  const client = await openSession(await cloneDatabase(t));
  t.after(() => client.end());
  const refused: string[] = [];
  for (const statement of OURS) {
    const why = await refusal(client, statement);
    if (why !== undefined) refused.push(`${statement.name}: ${why}`);
  }
  assert.ok(OURS.length > 900, `${OURS.length} statements`);
  assert.deepEqual(refused, []);
});
