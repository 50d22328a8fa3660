import { crossTenant, type Tx } from "./db.ts";

/** The tables that sending, dialling and imports look up by key, many rows at a time. */
const HOT_TABLES = [
  "attempts",
  "call_details",
  "calls",
  "campaign_counts",
  "consents",
  "contacts",
  "dials",
  "import_contacts",
  "messages",
  "simulator_calls",
  "simulator_texts",
  "threads",
] as const;

const refreshStatistics = crossTenant("refresh-statistics", "select refresh_statistics($1::text[])");

/**
 * Takes statistics of tables that have outgrown theirs. Autovacuum does so within minutes; in the first minute of the
 * first campaign the planner takes "the tenant's rows" for a handful and reads all of them for every batch: two
 * seconds for 500 receipts where 20 ms do. The same where they were taken while the first rows were not committed yet, which made an import
 * sixteen times as slow for a minute and a half.
 */
export async function refresh(tx: Tx): Promise<void> {
  await tx.run(refreshStatistics, [HOT_TABLES]);
}
