import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

// Puts the rows of a story that was played elsewhere into a tenant: for demo data alone (src/app/demo/file.ts).

/** Keyed by a phone alone: what the tenant knows of it already stays. Before the contacts, from which that is read. */
const BY_PHONE = ["number_checks", "consent_records", "consents", "simulator_handsets"] as const;

/** What the file has rows of, each after what it refers to. */
export const DEMO_TABLES = [
  ...BY_PHONE,
  "organizations",
  "users",
  "agents",
  "agent_versions",
  "contacts",
  "phone_numbers",
  "do_not_call",
  "lists",
  "list_members",
  "campaigns",
  "lanes",
  "dial_lanes",
  "threads",
  "dials",
  "calls",
  "call_details",
  "messages",
  "extractions",
  "attempts",
  "holds",
  "left_out_leads",
  "campaign_counts",
  "campaign_progress",
  "activity_counts",
  "inbound_texts",
  "simulator_texts",
  "simulator_calls",
] as const;

export type DemoTable = (typeof DEMO_TABLES)[number];

const isByPhone = (table: DemoTable): boolean => (BY_PHONE as readonly string[]).includes(table);

const insertions = new Map(
  DEMO_TABLES.map((table) => [
    table,
    changing(
      `insert-demo-${table.replaceAll("_", "-")}`,
      `insert into ${table} overriding system value
       select it.* from jsonb_populate_recordset(null::${table}, $2::jsonb) it
       where it.tenant_id = $1${
         isByPhone(table)
           ? ` and not exists (select from contacts where tenant_id = $1 and phone = it.phone)
             and not exists (select from do_not_call where tenant_id = $1 and phone = it.phone) on conflict do nothing`
           : ""
} returning tenant_id`,
    ),
  ]),
);

/** Inserts whole rows, as JSON of their columns. In a transaction. */
export const insert = (tx: Tx, tenantId: Uuid, table: DemoTable, rows: readonly object[]): Promise<number> =>
  tx.run(insertions.get(table)!, [tenantId, JSON.stringify(rows)]);

const takeSeqs = statement(
  "take-demo-seqs",
  "select nextval(pg_get_serial_sequence('simulator_texts', 'seq'))::text as seq from generate_series(1, $2::int) where $1::uuid is not null",
);

/** So many of the simulated carrier's own numbers, rising. */
export async function seqs(tx: Tx, tenantId: Uuid, count: number): Promise<string[]> {
  const rows = await tx.rows<{ seq: string }>(takeSeqs, [tenantId, count]);
  return rows.map(({ seq }) => seq).sort((one, other) => Number(one) - Number(other));
}
