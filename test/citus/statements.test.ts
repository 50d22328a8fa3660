import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { type Statement, statements } from "#store/database/db.ts";
import { askInStages, stagesFor } from "#store/database/in-stages.ts";
import { mentioned, ofSomeTenants } from "#store/database/some-tenants.ts";
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
function isOfValues(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string };
  return /^(22|23)/.test(code ?? "") && !message.includes("PGCOPY");
}

async function openSession(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A server that ends takes the session along.
  client.on("error", () => {});
  await client.connect();
  await client.query("set role parley_app; set citus.propagate_set_commands = 'local'; set enable_seqscan = off");
  return client;
}

/** What a statement is asked with: a made-up value for each of its parameters. */
async function valuesFor(client: pg.Client, { text, over }: Pick<Statement, "text" | "over">): Promise<unknown[]> {
  await client.query(`prepare asked as ${text}`);
  const known = await client.query<{ types: string[] }>(
    "select parameter_types::text[] as types from pg_prepared_statements where name = 'asked'",
  );
  await client.query("deallocate asked");
  return known.rows[0]!.types.map((type, at) => {
    if (at === 0 && over === "tenant") return TENANT;
    return type.endsWith("[]") ? "{}" : (VALUES[type] ?? null);
  });
}

/** As the service asks it of a cluster. A stage that is refused for a made-up value has no rows: those after it are asked all the same. */
async function ask(client: pg.Client, statement: Statement, values: unknown[]): Promise<void> {
  const stages = stagesFor(statement);
  if (stages) await askInStages({ query: refusedAsEmpty(client) } as pg.Client, statement.name, stages, values);
  else await client.query({ text: statement.distributed ?? statement.text, values });
}

const refusedAsEmpty = (client: pg.Client) => async (config: pg.QueryConfig) => {
  await client.query("savepoint stage");
  const asked = new pg.Query(config) as pg.Query & { _result: pg.QueryResult };
  const answered = new Promise<pg.QueryResult>((resolve, reject) => {
    asked.on("end", resolve);
    asked.on("error", reject);
  });
  client.query(asked);
  try {
    return await answered;
  } catch (error) {
    if (!isOfValues(error)) throw error;
    await client.query("rollback to savepoint stage");
    // What columns an answer has comes before it.
    return { rows: [], fields: asked._result.fields };
  }
};

/** What a cluster says against a statement; undefined where it takes it. */
async function refusal(client: pg.Client, statement: Statement): Promise<string | undefined> {
  try {
    const values = await valuesFor(client, statement);
    await client.query(`begin; set local app.tenant = '${statement.over === "all" ? "*" : TENANT}'`);
    await ask(client, statement, values);
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return isOfValues(error) ? undefined : `${code}: ${message}`;
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

test("a statement of a tenant asks the tenant's server and no other", async (t) => {
  const client = await openSession(await cloneDatabase(t));
  t.after(() => client.end());
  const asked = new Set<string>();
  client.on("notice", ({ detail }) => {
    const port = /on server \S+:(\d+)/.exec(detail ?? "")?.[1];
    if (port !== undefined) asked.add(port);
  });
  await client.query("set citus.log_remote_commands = on; set client_min_messages = notice");
  const everywhere: string[] = [];
  for (const statement of OURS) {
    if (statement.over === "all") continue;
    const values = await valuesFor(client, statement);
    await client.query("begin");
    await client.query(`set local app.tenant = '${TENANT}'`);
    asked.clear();
    // A made-up value may be refused; whom it was asked of is seen all the same.
    await ask(client, statement, values).catch(() => {});
    await client.query("rollback");
    if (asked.size > 1) everywhere.push(statement.name);
  }
  assert.deepEqual(everywhere, []);
});

/** They add rows of tenants that their first value names, and are refused only where one of those is away; or are the operator's. */
const NOT_OF_SOME: readonly string[] = [
  ...["insert-requests", "note-stuck-tasks", "leave-event-numbers-out", "remove-calling-ban"],
];

test("a statement over all tenants can be one over some, and then asks no server but theirs", async (t) => {
  const client = await openSession(await cloneDatabase(t));
  t.after(() => client.end());
  const { rows } = await client.query<{ name: string; column: string }>(
    "select logicalrelid::regclass::text as name, column_to_column_name(logicalrelid, partkey) as column from pg_dist_partition where partmethod = 'h'",
  );
  const tables = new Map(rows.map(({ name, column }) => [name, column]));
  const cannot: string[] = [];
  const wrong: string[] = [];
  for (const { name, over, ...statement } of OURS) {
    const text = statement.distributed ?? statement.text;
    if (over !== "all" || mentioned(text, tables).length === 0) continue;
    const part = ofSomeTenants(text, tables);
    if (part === undefined) {
      cannot.push(name);
      continue;
    }
    const values = await valuesFor(client, { text: part, over });
    values[values.length - 1] = [TENANT];
    await client.query("begin; set local app.tenant = '*'");
    const plan = await client.query<{ "QUERY PLAN": string }>({ text: `explain ${part}`, values });
    await client.query("rollback");
    const tasks = plan.rows.flatMap((row) => /Task Count: (\d+)/.exec(row["QUERY PLAN"])?.[1] ?? []);
    if (tasks.length === 0 || tasks.some((n) => Number(n) > 1)) wrong.push(`${name}: ${tasks.join()} tasks`);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(cannot.sort(), [...NOT_OF_SOME].sort());
});
