import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

const insertInbound = statement(
  "insert-inbound-text",
  `insert into inbound_texts (tenant_id, carrier, carrier_id, sender, recipient, text, sent_at, received_at, outcome)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (tenant_id, carrier, carrier_id) do nothing`,
);

export type InboundRow = { carrier: string; carrierId: string; from: string; to: string; text: string; sentAt: Date };

/** Keeps what a carrier brought; false when it has brought it before. */
export async function insert(
  tx: Tx,
  tenantId: Uuid,
  row: InboundRow,
  receivedAt: Date,
  outcome: string,
): Promise<boolean> {
  const values = [tenantId, row.carrier, row.carrierId, row.from, row.to, row.text, row.sentAt, receivedAt, outcome];
  return (await tx.run(insertInbound, values)) === 1;
}
