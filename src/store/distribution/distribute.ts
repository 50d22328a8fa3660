import type pg from "pg";
import { ownSession } from "#store/database/own-session.ts";
import { mustBeProtected } from "#store/database/row-security.ts";
import { recognizeDatabase } from "#store/database/scoped-query.ts";
import { policiesWithSelects, rewritePolicies } from "./policies.ts";
import { requirements } from "./requirements.ts";
import { faults, type Place, type Table, tables } from "./tables.ts";

/** `local`: it was on every server, as an earlier release had it, and comes back to the coordinator. */
export type Step = { name: string; place: Place; bytes: number };

export type Plan = {
  /** What the database is. */
  what: string;
  /** What has to be mended first. With any of them nothing is done. */
  missing: string[];
  advice: string[];
  /** Policies that are to be rewritten. */
  policies: number;
  /** Tables that are not distributed yet, in their order. */
  steps: Step[];
  /** Tables that are. */
  done: number;
  /** Tables whose rows the coordinator still has a copy of, which nothing reads. */
  copies: string[];
};

const DISTRIBUTED = "select logicalrelid::regclass::text as name from pg_dist_partition";
const SIZE = "select pg_total_relation_size($1::regclass)::float8 as bytes";
/** Of a distributed table the coordinator has an empty one of the same name; before it is emptied it has what was there before. */
const OWN_SIZE = "select pg_relation_size($1::regclass) > 0 as full";

/** What there is to do; changes nothing. */
export async function planDistribution(url: string): Promise<Plan> {
  const client = await ownSession(url, "distribution of parley");
  try {
    return await planOf(client);
  } finally {
    await client.end();
  }
}

async function planOf(client: pg.Client): Promise<Plan> {
  const { what, missing, advice, isCurrent } = await requirements(client);
  if (!isCurrent) return { what, missing, advice, policies: 0, steps: [], done: 0, copies: [] };
  const all = await tables(client);
  const wrong = [...missing, ...faults(all)];
  const { rows } = await client.query<{ name: string }>(DISTRIBUTED);
  const already = new Set(rows.map(({ name }) => name));
  const steps: Step[] = [];
  const copies: string[] = [];
  for (const { name, place } of all) {
    if (place === "local" && !already.has(name)) continue;
    if (place === "local" || !already.has(name)) {
      const { rows: sizes } = await client.query<{ bytes: number }>(SIZE, [name]);
      steps.push({ name, place, bytes: sizes[0]!.bytes });
    } else if ((await client.query<{ full: boolean }>(OWN_SIZE, [name])).rows[0]!.full) copies.push(name);
  }
  const policies = (await policiesWithSelects(client)).length;
  return { what, missing: wrong, advice, policies, steps, done: already.size, copies };
}

/** `rows`: as many as before, counted on the servers. */
export type Distributed = { name: string; place: Step["place"]; rows: number; ms: number };

/**
 * A statement over all tenants asks each shard, so there are few; a tenant that outgrows its server gets one of its own when it is moved. More than one a
 * server, so that a server that is added later can take some.
 */
const SHARDS_OF_SERVER = 4;
const SERVERS =
  "select count(*)::int as n from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards";

/** For tables that are distributed from now on by this session; those that are there keep theirs, and later ones are as they are. */
async function setShards(client: pg.Client, shards: number | undefined): Promise<void> {
  const { rows } = await client.query<{ n: number }>(SERVERS);
  const count = shards ?? SHARDS_OF_SERVER * rows[0]!.n;
  await client.query("select set_config('citus.shard_count', $1, false)", [String(count)]);
}

/**
 * Distributes the database, over `shards` parts or as many as suit its servers. Each table is a transaction of its own, which also counts its rows before and after: cut off anywhere, it goes on
 * where it was when it is called again. The service has to be stopped.
 */
export async function distribute(
  url: string,
  onTable: (done: Distributed) => void,
  clockMs: () => number,
  shards?: number,
): Promise<void> {
  const client = await ownSession(url, "distribution of parley");
  try {
    const { missing, steps } = await planOf(client);
    if (missing.length > 0) throw new Error(missing.join("\n"));
    await recognizeDatabase(client);
    await letRoleWork(client);
    await rewritePolicies(client);
    await setShards(client, shards);
    const all = await tables(client);
    for (const { name } of all.filter(({ isCutOff }) => isCutOff)) await cutOff(client, name);
    for (const { name, place } of steps) {
      const began = clockMs();
      const rows = await put(client, all.find((table) => table.name === name)!);
      onTable({ name, place, rows, ms: clockMs() - began });
    }
    await letRoleCount(client);
    for (const table of (await planOf(client)).copies)
      await client.query("select truncate_local_data_after_distributing_table($1::regclass)", [table]);
    await mustBeProtected(client);
  } finally {
    await client.end();
  }
}

/** One table, with its rows, in a transaction of its own. Answers with how many rows it has. */
async function put(client: pg.Client, table: Table): Promise<number> {
  const { name, place, column } = table;
  await client.query("begin; set local app.tenant = '*'");
  try {
    await client.query(`lock table "${name}" in access exclusive mode`);
    const before = await count(client, name);
    // Rows go over by COPY, which forced row security refuses even to the owner. In this transaction nobody else sees it.
    const { rows: forced } = await client.query(IS_FORCED, [name]);
    if (forced.length > 0) await client.query(`alter table "${name}" no force row level security`);
    await client.query(HOW[place](name, column));
    if (forced.length > 0) await client.query(`alter table "${name}" force row level security`);
    const after = await count(client, name);
    if (after !== before)
      throw new Error(`${name} had ${before} rows and would have ${after} on the servers: nothing of it was changed`);
    await client.query("commit");
    return Number(after);
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

const HOW: Readonly<Record<Place, (name: string, column: string | null) => string>> = {
  reference: (name) => `select create_reference_table('"${name}"')`,
  distributed: (name, column) =>
    `select create_distributed_table('"${name}"', '${column}'${name === "tenants" ? "" : ", colocate_with => 'tenants'"})`,
  local: (name) => `select undistribute_table('"${name}"')`,
};

const IS_FORCED = "select from pg_class where oid = $1::regclass and relforcerowsecurity";

const count = async (client: pg.Client, name: string): Promise<string> =>
  (await client.query<{ n: string }>(`select count(*) as n from "${name}"`)).rows[0]!.n;

const FOREIGN_KEYS = "select conname::text as name from pg_constraint where conrelid = $1::regclass and contype = 'f'";

/** What is on every server, or on the coordinator, can refer to nothing that is on one of the others. */
async function cutOff(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(FOREIGN_KEYS, [table]);
  for (const { name } of rows) await client.query(`alter table "${table}" drop constraint "${name}"`);
}

const SEQUENCES = "select sequencename::text as name from pg_sequences where schemaname = current_schema()";
const ON_WORKERS = "select result from run_command_on_workers($1) where not success";

/** The coordinator passes on what the role may do with tables, and not with sequences. */
async function letRoleCount(client: pg.Client): Promise<void> {
  if ((await client.query(ROLE)).rows.length === 0) return;
  const { rows } = await client.query<{ name: string }>(SEQUENCES);
  for (const { name } of rows) {
    const failed = await client.query<{ result: string }>(ON_WORKERS, [
      `grant usage on sequence "${name}" to parley_app`,
    ]);
    if (failed.rows[0]) throw new Error(`${name}: ${failed.rows[0].result}`);
  }
}

const ROLE = "select rolcanlogin as may from pg_roles where rolname = 'parley_app'";

/** The coordinator asks the servers as the role that the service works as. It has no password: pg_hba.conf says who comes in as it. */
async function letRoleWork(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(ROLE);
  if (rows.length > 0 && !rows[0]!.may) await client.query("alter role parley_app login");
}
