import { statement, type Tx } from "./db.ts";

/** The tables that the sending path looks up by key, some hundred rows at a time. */
const HOT_TABLES = [
  "attempts",
  "campaign_counts",
  "consents",
  "contacts",
  "messages",
  "simulator_texts",
  "threads",
] as const;

// 64 pages are some thousand rows: below that every plan is quick. A table that was never analyzed has reltuples -1.
const staleTables = statement(
  "list-stale-tables",
  `select relname as name from pg_class
   where relname = any($1::text[]) and relnamespace = current_schema()::regnamespace
     and pg_relation_size(oid) > 64 * 8192
     and (reltuples < 0 or pg_relation_size(oid) > 10 * 8192::bigint * greatest(relpages, 1))
     -- The rows of an open import have pages but are not seen: the planner would believe in large, empty tables.
     and not exists (
       select from pg_stat_activity
       where datname = current_database() and backend_xid is not null and xact_start < now() - interval '300 milliseconds')`,
);

const analyze = new Map(
  HOT_TABLES.map((name) => [name as string, statement(`analyze-${name}`, `analyze (skip_locked) ${name}`)]),
);

/**
 * Takes statistics of tables that have outgrown theirs. Autovacuum does so within minutes; in the first minute of the
 * first campaign the planner takes "the tenant's rows" for a handful and reads all of them for every batch: two
 * seconds for 500 receipts where 20 ms do.
 */
export async function refresh(tx: Tx): Promise<void> {
  const stale = await tx.rows<{ name: string }>(staleTables, [HOT_TABLES]);
  for (const { name } of stale) await tx.run(analyze.get(name)!);
}
