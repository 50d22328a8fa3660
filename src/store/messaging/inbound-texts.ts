import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

const insertInbound = changing(
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

const findSame = statement(
  "find-same-inbound-text",
  `select 1 from inbound_texts
   where tenant_id = $1 and carrier = $2 and carrier_id = $3 and sender = $4 and text = $5`,
);

/** Whether what a carrier brought under an id was this very text. */
export async function isSame(tx: Tx, tenantId: Uuid, row: InboundRow): Promise<boolean> {
  return (await tx.first(findSame, [tenantId, row.carrier, row.carrierId, row.from, row.text])) !== undefined;
}

const lateTexts = statement(
  "list-latest-inbound-ids",
  `select carrier_id from inbound_texts
   where tenant_id = $1 and carrier = $2 and carrier <> 'simulator' and received_at >= $3
   order by received_at desc limit 10000`,
);

/** The carrier's ids of what it brought since a time of the tenant's. */
export async function idsSince(tx: Tx, tenantId: Uuid, carrier: string, since: Date): Promise<string[]> {
  const rows = await tx.rows<{ carrier_id: string }>(lateTexts, [tenantId, carrier, since]);
  return rows.map((row) => row.carrier_id);
}
